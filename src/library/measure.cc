#include "cyclescope/measure.h"

#include <random>
#include <utility>

#include "cores/test_choice.h"
#include "instructions/block.h"
#include "library/block_assembly.h"
#include "library/code_settings.h"
#include "library/cores_run.h"
#include "library/document_start.h"
#include "library/frequency_rows.h"
#include "library/instruction_jobs.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

// All that may be used when none are named.
Result<os::CpuList> SelectCpus(const std::vector<int>& asked, const os::CpuList& allowed) {
  return asked.empty() ? allowed : os::SelectCpus(os::FormatCpuList(asked), allowed);
}

library::CodeSettings SettingsOf(const CodeRequest& request) {
  return {request.cpu, request.cycles,
          request.att_syntax ? assembler::Syntax::kAtt : assembler::Syntax::kIntel};
}

instructions::Block BlockOf(const BlockRequest& request) {
  instructions::Block block;
  block.text = request.text;
  block.bytes = request.bytes;
  block.raw = !request.bytes.empty();
  block.init_text = request.init;
  block.loop = request.loop;
  block.unroll = request.unroll;
  return block;
}

cores::MatrixPlan PlanOf(const CoresRequest& request) {
  cores::MatrixPlan plan;
  plan.precision = request.precision;
  plan.budget_ns = static_cast<std::int64_t>(request.budget_s * 1e9);
  plan.rounds = request.rounds;
  if (request.duration_s) plan.duration_ns = static_cast<std::int64_t>(*request.duration_s * 1e9);
  plan.parallel = request.parallel;
  plan.seed = request.seed ? *request.seed : std::random_device()();
  return plan;
}

}  // namespace

Result<Document> MeasureFrequency(const FrequencyRequest& request, const OnProgress& on_progress) {
  auto document = library::StartDocument("frequency");
  if (!document) return document;
  const os::CpuList& allowed = document->host.cpus_allowed;
  const auto cpus = SelectCpus(request.cpus, allowed);
  if (!cpus) return std::unexpected(cpus.error());
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  const auto measured =
      library::MeasureFrequencies(*cpus, request.cycles, clock, {}, on_progress, *document);
  const auto unpinned = os::Unpin(allowed);
  for (const auto& done : {measured, unpinned}) {
    if (!done) return std::unexpected(done.error());
  }
  return document;
}

Result<Document> MeasureInstructions(const InstructionRequest& request,
                                     const OnProgress& on_progress) {
  auto document = library::StartDocument("instruction");
  if (!document) return document;
  const library::CodeSettings settings = SettingsOf(request.code);
  auto assembler = settings.MakeAssembler(document->host);
  if (!assembler) return std::unexpected(assembler.error());
  const auto jobs = library::ParseInstructions(*assembler, request.texts);
  if (!jobs) return std::unexpected(jobs.error().front().ToError());
  auto lab = settings.OpenLab(*document);
  if (!lab) return std::unexpected(lab.error());
  document->instructions = library::MeasureInstructions(**lab, *jobs, on_progress);
  document->partial = document->instructions.size() < jobs->size();
  return document;
}

Result<Document> MeasureBlock(const BlockRequest& request) {
  if (request.text.empty() == request.bytes.empty())
    return BadInput("a block is either text or bytes");
  auto document = library::StartDocument("block");
  if (!document) return document;
  const library::CodeSettings settings = SettingsOf(request.code);
  auto assembler = settings.MakeAssembler(document->host);
  if (!assembler) return std::unexpected(assembler.error());
  const instructions::Block block = BlockOf(request);
  const auto assembled = library::AssembleBlock(*assembler, block);
  if (!assembled) {
    if (assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
      return std::unexpected(assembled.error().ToError());
    document->blocks.push_back(library::UnsupportedBlock(block, assembled.error()));
    return document;
  }
  if (assembled->bytes.empty()) return BadInput("there is no instruction in the snippet");
  auto lab = settings.OpenLab(*document);
  if (!lab) return std::unexpected(lab.error());
  document->blocks.push_back(instructions::MeasureBlock(**lab, *assembled));
  return document;
}

Result<Document> MeasureCores(const CoresRequest& request, const OnMatrixProgress& on_progress) {
  auto document = library::StartDocument("cores");
  if (!document) return document;
  auto cpus = SelectCpus(request.cpus, document->host.cpus_allowed);
  if (!cpus) return std::unexpected(cpus.error());
  if (cpus->size() < 2) return BadInput("one CPU alone has no other to answer it");
  auto tests = cores::ChooseTests(request.tests, request.instruction, document->host.features);
  if (!tests) return std::unexpected(tests.error());
  const library::CoresRun run = {std::move(*cpus), std::move(*tests), {}, PlanOf(request)};
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  document->clock = measure::DescribeTicks(clock);
  const auto on_test_progress = [&](const arch::PingPong&, const CoreMatrix& so_far,
                                    Progress within) {
    // Of all tests: those done are in the document.
    const Progress progress = {document->cores.size() * within.total + within.done,
                               run.tests.size() * within.total};
    return !on_progress || on_progress(so_far, progress);
  };
  auto measured = library::MeasureCores(run, clock, on_test_progress, *document);
  if (!measured) return std::unexpected(measured.error());
  return document;
}

}  // namespace cyclescope
