#include "library/block_jobs.h"

#include <algorithm>
#include <utility>

namespace cyclescope::library {
namespace {

assembler::TextResult<void> AssembleTexts(assembler::Assembler& assembler, blocks::Block& block) {
  if (!block.init_text.empty()) {
    auto init = assembler.Assemble(block.init_text);
    if (!init) return std::unexpected(init.error());
    block.init = std::move(init->bytes);
    block.init_instructions = std::move(init->instructions);
  }
  if (block.raw) {
    if (!assembler.EndsWithin(block.bytes)) return {};
    assembler::TextError cut_off;
    cut_off.kind = assembler::TextErrorKind::kSyntax;
    cut_off.message = "the bytes end within an instruction";
    cut_off.line = 0;  // bytes have none
    return std::unexpected(cut_off);
  }
  auto snippet = block.part ? assembler.AssemblePart(block.text) : assembler.Assemble(block.text);
  if (!snippet) return std::unexpected(snippet.error());
  block.bytes = std::move(snippet->bytes);
  block.instructions = std::move(snippet->instructions);
  return {};
}

// `rows` are those of the jobs that have a block.
void Predict(CodeSession& session, std::span<const BlockJob> jobs,
             std::vector<std::optional<BlockRow>>& rows) {
  std::vector<CodeSession::Unpredicted> unpredicted;
  auto row = rows.begin();
  for (const BlockJob& job : jobs) {
    if (!job.block) continue;
    std::optional<BlockRow>& each = *row++;
    if (each && job.predict) unpredicted.push_back({&*job.block, job.timeline, &*each});
  }
  session.Predict(unpredicted);
}

}  // namespace

assembler::TextResult<BlockJob> AssembleBlock(assembler::Assembler& assembler,
                                              blocks::Block block) {
  const auto assembled = AssembleTexts(assembler, block);
  if (assembled) return BlockJob{.block = std::move(block)};
  if (assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
    return std::unexpected(assembled.error());
  BlockJob job;
  job.row.name = block.name;
  job.row.text = block.text;
  job.row.init = block.init_text;
  job.row.status = Status::kUnsupported;
  job.row.reason = assembled.error().message;
  return job;
}

Result<void> MeasureBlocks(CodeSession& session, std::span<const BlockJob> jobs, Pulse& pulse,
                           const OnBlockRow& on_row, BlockPredictor* ports) {
  constexpr std::string_view kPart = "snippets";
  // Enough of them that the visits to one lie apart in time without waiting; each has a process.
  constexpr std::size_t kTogether = 32;
  std::size_t done = 0;
  bool go_on = pulse.Report({.done = 0, .total = jobs.size(), .part = kPart});
  while (go_on && done < jobs.size()) {
    const auto group = jobs.subspan(done, std::min(kTogether, jobs.size() - done));
    std::vector<blocks::Block> blocks;
    for (const BlockJob& job : group) {
      if (job.block) blocks.push_back(*job.block);
    }
    std::vector<std::optional<BlockRow>> rows = session.Measure(blocks);
    Predict(session, group, rows);
    auto row = rows.begin();
    for (const BlockJob& job : group) {
      std::optional<BlockRow> each = job.block ? std::move(*row++) : job.row;
      if (!each) continue;  // it was cut short
      if (job.block && job.explain) session.Explain(*job.block, *each);
      if (job.block && ports != nullptr) ports->Predict(*job.block, *each);
      const bool has_more = job.block && (job.explain || ports != nullptr);
      if (auto taken = on_row(*each, !has_more || !pulse.has_ended()); !taken) return taken;
    }
    done += group.size();
    go_on = pulse.Report({.done = done, .total = jobs.size(), .part = kPart});
  }
  return {};
}

}  // namespace cyclescope::library
