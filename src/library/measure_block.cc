// MeasureBlock and what goes with it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
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
