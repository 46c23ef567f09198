// MeasureModel.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "arch/headline_forms.h"
#include "base/form_filter.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/anatomy_run.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/memory_run.h"
#include "library/sweep_run.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"

namespace cyclescope {
namespace {

SweepRequest SweepOf(const ModelRequest& request) {
  SweepRequest sweep;
  sweep.filter = request.filter;
  sweep.isa = request.isa;
  sweep.ports = true;
  sweep.budget_s = request.budget_s;
  sweep.jobs = request.jobs;
  sweep.journal = request.journal;
  sweep.code = request.code;
  return sweep;
}

// With what a journal must know of the request.
Result<Document> HeadOf(const ModelRequest& request) {
  auto document = TRY(library::StartDocument("model"));
  std::vector<GivenOption>& options = document.config.options;
  if (!request.filter.empty()) options.push_back({"filter", request.filter});
  if (!request.isa.empty()) options.push_back({"isa", request.isa});
  if (request.quick) options.push_back({"quick", ""});
  options.push_back({"cycles", std::string(ToString(request.code.cycles))});
  return document;
}

Result<void> MeasureCore(const ModelRequest& request, const library::CodeSettings& settings,
                         library::Pulse& pulse, Document& document) {
  library::AnatomyRun run = {
      .parts = library::AllAnatomyParts(), .quick = request.quick, .settings = settings};
  return library::MeasureAnatomyParts(run, pulse, document);
}

// The levels as far as a first impression shows them, and all accesses.
Result<void> MeasureMemoryOfCore(const library::CodeSettings& settings, library::Pulse& pulse,
                                 Document& document) {
  const auto cpus = TRY(settings.MeasuringCpus(document.host));
  library::MemoryRun run;
  run.cpus = {cpus.back()};
  run.quick = true;
  run.accesses = true;
  run.most_time = std::chrono::milliseconds(2'500);
  // For all of them: in the usual time a shared core had a third.
  run.access_time = std::chrono::milliseconds(15'000);
  run.patience_s = settings.patience_s;
  run.watches = settings.watches;
  const measure::TickClock clock = measure::SystemTickClock();
  return library::MeasureMemoryRows(run, clock, pulse, document);
}

bool IsSelected(const ModelRequest& request, const FormFilter& filter, std::string_view text) {
  if (!request.isa.empty() && request.isa != "base") return false;
  const std::string form(text);
  return filter.Selects(form, form.substr(0, form.find(' ')), "");
}

// Rows of forms that the sweep has another one of.
Result<void> MeasureVariants(const ModelRequest& request, const OnProgress& on_progress,
                             Document& document) {
  InstructionRequest variants = {.texts = {}, .code = request.code};
  variants.code.att_syntax = false;
  const auto filter = TRY(FormFilter::Parse(request.filter));
  for (const std::string_view text : arch::FormVariants()) {
    if (IsSelected(request, filter, text)) variants.texts.emplace_back(text);
  }
  if (variants.texts.empty()) return {};
  auto measured = TRY(MeasureInstructions(variants, on_progress));
  std::ranges::move(measured.instructions, std::back_inserter(document.instructions));
  return {};
}

// A part that the journal does not hold. One that fails is no reason to lose the others: the
// warning says so.
Result<void> AddPart(const std::function<Result<void>()>& measure, const char* warning,
                     library::Pulse& pulse, library::RowJournal& journal, Document& document) {
  if (!pulse.GoesOn()) {
    document.partial = true;
    return {};
  }
  const auto measured = measure();
  if (measured && !pulse.has_ended()) return journal.Append(document);
  if (measured) return {};
  if (measured.error().kind == ErrorKind::kBadInput) return measured;
  document.warnings.push_back({warning, measured.error().message, measured.error().hint});
  document.partial = true;
  return {};
}

// Two thirds of a packed file would be the code that ran and the figures of single runs: nothing is
// predicted from them.
void DropEvidence(InstructionRow& row) {
  row.classic.clear();
  if (row.throughput) row.throughput->code.clear();
  for (Throughput& each : row.throughput_by_values) each.code.clear();
  for (Latency& each : row.latency) each.code.clear();
}

}  // namespace

Result<Document> MeasureModel(const ModelRequest& request, const OnProgress& on_progress) {
  const SweepRequest sweep_request = SweepOf(request);
  TRY(library::CheckSweepRequest(sweep_request));
  library::Pulse pulse(on_progress, request.budget_s);
  auto settings = TRY(library::CodeSettings::Of(request.code));
  auto document = TRY(HeadOf(request));
  settings.watches = std::make_shared<measure::CoreWatches>(library::ExpectedWidth(document.host));
  auto prepared = TRY(library::JournaledSweep::Prepare(document, settings, sweep_request, pulse));
  if (!prepared) {
    document.partial = true;
    return document;
  }
  // What always takes about as long comes first: where the time ends early, it is there.
  library::RowJournal& journal = prepared->journal();
  document.anatomy = journal.anatomy();
  document.memory = journal.memory();
  Result<void> done;
  if (!document.anatomy) {
    done = AddPart([&] { return MeasureCore(request, settings, pulse, document); }, "no-anatomy",
                   pulse, journal, document);
  }
  if (done && document.memory.empty()) {
    done = AddPart([&] { return MeasureMemoryOfCore(settings, pulse, document); }, "no-memory",
                   pulse, journal, document);
  }
  if (done) done = prepared->Measure(pulse, document);
  if (done && pulse.GoesOn()) done = MeasureVariants(request, on_progress, document);
  if (!done) return std::unexpected(done.error());
  for (InstructionRow& row : document.instructions) DropEvidence(row);
  library::WarnOfContention(document);
  return document;
}

std::optional<std::string> FindOpenJournal(const ModelRequest& request) {
  const auto head = HeadOf(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

}  // namespace cyclescope
