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
  auto snippet = block.part ? assembler.AssemblePart(block.text, block.table_labels)
                            : assembler.Assemble(block.text);
  if (!snippet) return std::unexpected(snippet.error());
  block.bytes = std::move(snippet->bytes);
  block.instructions = std::move(snippet->instructions);
  block.tables = std::move(snippet->tables);
  return {};
}

// `subjects` and `rows` are those of the jobs that have a block.
void Predict(CodeSession& session, std::span<const BlockJob> jobs,
             std::span<const blocks::BlockSubject> subjects,
             std::vector<std::optional<BlockRow>>& rows) {
  std::vector<CodeSession::Unpredicted> unpredicted;
  std::size_t place = 0;
  for (const BlockJob& job : jobs) {
    if (!job.block) continue;
    const std::size_t own = place++;
    if (rows[own] && job.predict)
      unpredicted.push_back({&subjects[own], job.timeline, &*rows[own]});
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
    std::vector<blocks::BlockSubject> subjects;
    for (const BlockJob& job : group) {
      if (job.block) subjects.push_back(session.Read(*job.block));
    }
    std::vector<std::optional<BlockRow>> rows = session.Measure(subjects);
    Predict(session, group, subjects, rows);
    std::size_t place = 0;
    for (const BlockJob& job : group) {
      const blocks::BlockSubject* subject = job.block ? &subjects[place] : nullptr;
      std::optional<BlockRow> each = job.block ? std::move(rows[place++]) : job.row;
      if (!each) continue;  // it was cut short
      if (subject != nullptr && job.explain) session.Explain(*subject, *each);
      if (subject != nullptr && ports != nullptr) ports->Predict(*subject, *each);
      const bool has_more = subject != nullptr && (job.explain || ports != nullptr);
      if (auto taken = on_row(*each, !has_more || !pulse.has_ended()); !taken) return taken;
    }
    done += group.size();
    go_on = pulse.Report({.done = done, .total = jobs.size(), .part = kPart});
  }
  return {};
}

}  // namespace cyclescope::library
