#include "library/block_jobs.h"

#include <utility>

namespace cyclescope::library {
namespace {

assembler::TextResult<void> AssembleTexts(assembler::Assembler& assembler,
                                          instructions::Block& block) {
  if (!block.init_text.empty()) {
    auto init = assembler.Assemble(block.init_text);
    if (!init) return std::unexpected(init.error());
    block.init = std::move(init->bytes);
    block.init_instructions = std::move(init->instructions);
  }
  if (block.raw) return {};
  auto snippet = assembler.Assemble(block.text);
  if (!snippet) return std::unexpected(snippet.error());
  block.bytes = std::move(snippet->bytes);
  block.instructions = std::move(snippet->instructions);
  return {};
}

}  // namespace

assembler::TextResult<BlockJob> AssembleBlock(assembler::Assembler& assembler,
                                              instructions::Block block) {
  const auto assembled = AssembleTexts(assembler, block);
  if (assembled) return BlockJob{.block = std::move(block)};
  if (assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
    return std::unexpected(assembled.error());
  BlockJob job;
  job.row.text = block.text;
  job.row.init = block.init_text;
  job.row.status = Status::kUnsupported;
  job.row.reason = assembled.error().message;
  return job;
}

std::vector<BlockRow> MeasureBlocks(CodeSession& session, const std::vector<BlockJob>& jobs,
                                    Pulse& pulse) {
  constexpr std::string_view kPart = "snippets";
  std::vector<BlockRow> rows;
  bool go_on = pulse.Report({.done = 0, .total = jobs.size(), .part = kPart});
  for (auto job = jobs.begin(); go_on && job != jobs.end(); ++job) {
    auto row = job->block ? session.Measure(*job->block) : job->row;
    if (!row) break;  // it was cut short
    rows.push_back(std::move(*row));
    go_on = pulse.Report({.done = rows.size(), .total = jobs.size(), .part = kPart});
  }
  return rows;
}

}  // namespace cyclescope::library
