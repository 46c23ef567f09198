// CheckMachine, MeasureFrequency, WatchFrequency.
#include <utility>

#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/frequency_rows.h"
#include "library/gpu_run.h"
#include "library/request_checks.h"
#include "library/window_check.h"
#include "measure/doctor.h"
#include "measure/tick_clock.h"

namespace cyclescope {
namespace {

struct Preparation {
  Document document;
  library::FrequencyRun run;
  measure::TickClock clock;
};

Result<Preparation> Prepare(const FrequencyRequest& request) {
  TRY(library::CheckPatience(request.patience_s));
  auto document = TRY(library::StartDocument("frequency", request.topology));
  auto cpus = TRY(library::SelectCpus(request.cpus, document.host.cpus_allowed));
  auto watches = std::make_shared<measure::CoreWatches>(library::ExpectedWidth(document.host));
  return Preparation{std::move(document),
                     {.cpus = std::move(cpus),
                      .cycles = request.cycles,
                      .patience_s = request.patience_s,
                      .watches = std::move(watches)},
                     measure::SystemTickClock()};
}

}  // namespace

Result<Document> CheckMachine(const DoctorRequest& request) {
  auto document = TRY(library::StartDocument("doctor", request.topology));
  document.doctor =
      measure::Diagnose(measure::GatherFacts(document.host, library::ExpectedWidth(document.host)));
  if (auto check = library::CheckWindow(document.host))
    document.doctor.push_back(std::move(*check));
  document.doctor.push_back(library::CheckGpu(request.gpu_driver));
  return document;
}

Result<Document> MeasureFrequency(const FrequencyRequest& request, const OnProgress& on_progress) {
  return WatchFrequency(request, [](const Document&) { return false; }, on_progress);
}

Result<Document> WatchFrequency(const FrequencyRequest& request, const OnRound& on_round,
                                const OnProgress& on_progress) {
  auto prepared = TRY(Prepare(request));
  Document& kept = prepared.document;
  library::Pulse pulse(on_progress);
  do {
    Document round = kept;
    round.contention.clear();
    TRY(library::MeasureFrequencies(prepared.run, prepared.clock, pulse, round));
    if (round.partial && !kept.frequency.empty()) break;
    kept = std::move(round);
  } while (!kept.partial && on_round(kept) && pulse.GoesOn());
  return std::move(kept);
}

}  // namespace cyclescope
