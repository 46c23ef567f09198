// MeasureBlock and what goes with it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "cyclescope/measure.h"
#include "instructions/block.h"
#include "library/block_jobs.h"
#include "library/code_session.h"
#include "library/contention.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/request_checks.h"

namespace cyclescope {
namespace {

Result<void> CheckRequest(const BlockRequest& request) {
  if (request.text.empty() == request.bytes.empty())
    return BadInput("a block is either text or bytes");
  return library::CheckRange("unroll", request.unroll.value_or(1), 1, kMostCopies);
}

instructions::Block BlockOf(const BlockRequest& request) {
  instructions::Block block;
  block.bytes = request.bytes;
  block.raw = !request.bytes.empty();
  block.text = block.raw ? fmt::format("{:02x}", fmt::join(block.bytes, " ")) : request.text;
  block.init_text = request.init;
  block.loop = request.loop;
  block.unroll = request.unroll;
  return block;
}

// Says what a crash most likely comes from, where the code tells.
void ExplainCrash(assembler::Assembler& assembler, const instructions::Block& block,
                  BlockRow& row) {
  bool is_undefined = false;
  bool moves_stack = false;
  for (const assembler::DisassembledLine& line : assembler.Disassemble(block.bytes)) {
    is_undefined = is_undefined || line.text.starts_with("ud");
    for (const std::string_view word : {"push", "pop", "call", "ret", "leave", "rsp", "[sp", "sp,"})
      moves_stack = moves_stack || line.text.contains(word);
  }
  if (row.status == Status::kUnsupported && is_undefined) {
    row.reason = "it holds an instruction that is undefined by design, to end a program (SIGILL)";
  } else if (row.status == Status::kCrashed && moves_stack) {
    row.reason +=
        "; the likely cause is the stack: the snippet runs many times in a row, so each run must "
        "leave the stack pointer as it was";
  }
}

}  // namespace

Result<Document> MeasureBlock(const BlockRequest& request, const OnProgress& on_progress) {
  if (auto checked = CheckRequest(request); !checked) return std::unexpected(checked.error());
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto document = library::StartDocument("block");
  if (!document) return document;
  auto assembler = settings->MakeAssembler(document->host.features);
  if (!assembler) return std::unexpected(assembler.error());
  const auto job = library::AssembleBlock(*assembler, BlockOf(request));
  if (!job) return std::unexpected(job.error().ToError());
  if (!job->block) {
    document->blocks.push_back(job->row);
    return document;
  }
  if (job->block->bytes.empty()) return BadInput("there is no instruction in the snippet");

  library::Pulse pulse(on_progress);
  auto session = library::CodeSession::Open(*settings, pulse, document->host);
  if (!session && !pulse.has_ended()) return std::unexpected(session.error());
  if (session) {
    document->blocks = library::MeasureBlocks(*session, {*job}, pulse);
    for (BlockRow& row : document->blocks) ExplainCrash(*assembler, *job->block, row);
    session->Describe(*document);
    library::WarnOfContention(*document);
  }
  document->partial = document->blocks.empty();
  return document;
}

Result<std::vector<TextProblem>> CheckTexts(const BlockRequest& request) {
  if (auto checked = CheckRequest(request); !checked) return std::unexpected(checked.error());
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto assembler = settings->MakeAssembler(library::HostFeatures());
  if (!assembler) return std::unexpected(assembler.error());
  std::vector<TextProblem> problems;
  const std::array texts = {&request.text, &request.init};
  for (std::size_t index = 0; index < texts.size(); ++index) {
    if (texts[index]->empty()) continue;
    const auto assembled = assembler->Assemble(*texts[index]);
    if (!assembled && assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
      problems.push_back(library::ProblemOf(assembled.error(), index));
  }
  return problems;
}

}  // namespace cyclescope
