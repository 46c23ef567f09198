// MeasureCores, InterpretCores.
#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/try.h"
#include "cores/choices.h"
#include "cores/interpret.h"
#include "cyclescope/measure.h"
#include "library/cores_run.h"
#include "library/document_start.h"
#include "library/frequency_rows.h"
#include "library/request_checks.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

using library::CheckRange;

bool HasFixedCounts(const CoresRequest& request) {
  return request.lines || request.samples || request.iterations;
}

Result<cores::MatrixPlan> PlanOf(const CoresRequest& request) {
  cores::MatrixPlan plan;
  plan.parallel = request.parallel;
  plan.seed = request.seed ? *request.seed : std::random_device()();
  TRY(CheckRange("rounds", request.rounds.value_or(1), 1, 10'000));
  TRY(CheckRange("duration", request.duration_s.value_or(1), 0.01, 86'400));
  plan.rounds = request.rounds;
  if (request.duration_s) plan.duration_ns = static_cast<std::int64_t>(*request.duration_s * 1e9);
  if (!HasFixedCounts(request)) {
    TRY(CheckRange("precision", request.precision, 0.001, 0.5));
    TRY(CheckRange("budget", request.budget_s, 0.001, 600));
    plan.precision = request.precision;
    plan.budget_ns = static_cast<std::int64_t>(request.budget_s * 1e9);
    return plan;
  }

  // Below eight lines the interval between them says nothing.
  plan.line.lines = request.lines.value_or(plan.line.lines);
  plan.line.batches = request.samples.value_or(plan.line.batches);
  plan.line.round_trips = request.iterations.value_or(plan.line.round_trips);
  plan.precision.reset();
  plan.budget_ns = 0;
  const double round_trips = 1.0 * plan.line.lines * plan.line.batches * plan.line.round_trips;
  TRY(CheckRange("lines", plan.line.lines, 8, 65'536));
  TRY(CheckRange("samples", plan.line.batches, 1, 10'000));
  TRY(CheckRange("iterations", plan.line.round_trips, 1, 1'000'000));
  TRY(CheckRange("lines x samples x iterations =", round_trips, 1, 1'000'000'000));
  return plan;
}

Result<cores::Home> HomeOf(const std::string& text, const os::CpuList& allowed) {
  using Kind = cores::Home::Kind;
  if (text == "first") return cores::Home{Kind::kFirst};
  if (text == "second") return cores::Home{Kind::kSecond};
  const auto cpu = os::SelectCpus(text, allowed);
  if (!cpu) return BadInput("home: " + cpu.error().message, cpu.error().hint);
  if (cpu->size() != 1) {
    return BadInput(fmt::format("home '{}' is not one CPU", text),
                    "it can be first, second or the number of a CPU");
  }
  return cores::Home{Kind::kCpu, cpu->front()};
}

Result<os::CpuList> CpusOf(const CoresRequest& request, const Host& host) {
  auto cpus = TRY(library::SelectCpus(request.cpus, host.cpus_allowed));
  if (request.one_per_core) cpus = cores::OnePerCore(cpus, host.topology);
  if (cpus.size() < 2) {
    return BadInput(fmt::format("CPU {} alone cannot be measured: latency is between two CPUs",
                                os::FormatCpuList(cpus)),
                    host.cpus_allowed.size() < 2 ? "this process may use one CPU only"
                                                 : "give at least two with --cpus");
  }
  return cpus;
}

Result<library::CoresRun> RunOf(const CoresRequest& request, const Host& host) {
  auto cpus = TRY(CpusOf(request, host));
  auto tests = TRY(cores::ChooseTests(request.tests, request.instruction, host.features));
  const auto home = TRY(HomeOf(request.home, host.cpus_allowed));
  const auto plan = TRY(PlanOf(request));
  return library::CoresRun{std::move(cpus), std::move(tests), home, plan};
}

}  // namespace

Result<Document> MeasureCores(const CoresRequest& request, const OnProgress& on_progress) {
  auto document = TRY(library::StartDocument("cores", request.topology));
  const auto run = TRY(RunOf(request, document.host));
  const measure::TickClock clock = measure::SystemTickClock();
  document.clock = measure::DescribeTicks(clock);
  library::Pulse pulse(on_progress);
  // Frequencies first, since they need threads of their own on the CPUs.
  if (request.frequencies) {
    TRY(library::MeasureFrequencies({.cpus = run.cpus, .cycles = request.cycles}, clock, pulse,
                                    document));
    if (document.partial) return document;
  }
  TRY(library::MeasureMatrices(run, clock, pulse, document));
  return document;
}

void InterpretCores(Document& document) {
  for (CoreMatrix& matrix : document.cores) {
    const bool interpreted = !matrix.spectrum.counts.empty() || !matrix.groups.empty() ||
                             !matrix.findings.empty() || matrix.rounds > 0;
    if (!interpreted && std::ranges::is_sorted(matrix.cpus)) {
      cores::Interpret(matrix, document.host.topology);
    }
  }
}

}  // namespace cyclescope
