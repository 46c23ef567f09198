#include "library/cores_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "cores/interpret.h"
#include "library/warnings.h"
#include "os/clock.h"

namespace cyclescope::library {
namespace {

Result<std::unique_ptr<os::PinnedThreads>> StartWorkers(const CoresRun& run) {
  os::CpuList cpus = run.cpus;
  const bool home_is_apart = run.home.kind == cores::Home::Kind::kCpu &&
                             std::ranges::find(cpus, run.home.cpu) == cpus.end();
  if (home_is_apart) cpus.push_back(run.home.cpu);
  return os::PinnedThreads::Start(cpus, os::ThreadPriority::kRealTime);
}

Result<void> MeasureTests(const CoresRun& run, const measure::TickClock& clock, Pulse& pulse,
                          Document& document) {
  cores::MatrixPlan plan = run.plan;
  // Only a host can move CPUs.
  if (document.host.hypervisor != "none") plan.watch_ns = cores::WatchNs(run.cpus.size());
  auto workers = TRY(StartWorkers(run));
  for (const arch::PingPong& test : run.tests) {
    cores::ThreadedLineSource source(*workers, clock,
                                     {.ping_pong = test, .home = run.home, .seed = run.plan.seed});
    auto measured = cores::MeasureMatrix(source, run.cpus, plan,
                                         [&](const CoreMatrix& so_far, Progress progress) {
                                           progress.part = test.test;
                                           progress.matrix = &so_far;
                                           return pulse.Report(progress);
                                         });
    // What was measured before stays.
    if (!measured && document.cores.empty()) return std::unexpected(measured.error());
    if (!measured) {
      document.warnings.push_back({"test-failed",
                                   fmt::format("the test '{}' and those after it were left out: {}",
                                               test.test, measured.error().message),
                                   measured.error().hint});
      break;
    }
    measured->matrix.test = std::string(test.test);
    measured->matrix.instruction = std::string(test.instruction);
    cores::Interpret(*measured, document.host.topology, source, pulse.Question());
    document.cores.push_back(std::move(measured->matrix));
    if (pulse.has_ended()) break;
  }
  document.partial = document.partial || document.cores.size() < run.tests.size() ||
                     std::ranges::any_of(document.cores, &CoreMatrix::partial);
  return {};
}

}  // namespace

Result<void> MeasureMatrices(const CoresRun& run, const measure::TickClock& clock, Pulse& pulse,
                             Document& document) {
  const double stolen_before = os::StolenSeconds(run.cpus);
  const std::int64_t begin = os::MonotonicNanoseconds();
  TRY(MeasureTests(run, clock, pulse, document));
  const double stolen_s = os::StolenSeconds(run.cpus) - stolen_before;
  const double elapsed_s = static_cast<double>(os::MonotonicNanoseconds() - begin) / 1e9;
  if (auto warning = StolenTimeWarning(stolen_s, elapsed_s, run.cpus.size()))
    document.warnings.push_back(std::move(*warning));
  return {};
}

}  // namespace cyclescope::library
