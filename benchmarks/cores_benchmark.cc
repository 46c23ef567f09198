// What `cyclescope cores` costs: per pair on two real CPUs, and for the 294,528 pairs of 768
// simulated CPUs, where scheduling, statistics, grouping and output are all there is.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdio>
#include <random>

#include "cores/interpret.h"
#include "cores/matrix_experiment.h"
#include "cores/testing/simulated_line_source.h"
#include "cores/threaded_line_source.h"
#include "document/json_writer.h"
#include "os/clock.h"
#include "report/cores_csv.h"
#include "report/cores_text.h"

namespace cyclescope::cores {
namespace {

double Seconds(std::int64_t since_ns) {
  return static_cast<double>(os::MonotonicNanoseconds() - since_ns) / 1e9;
}

// Of this process, on all CPUs: what a run costs, whatever else the machine does meanwhile.
double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

bool GoOn(const CoreMatrix& /*so_far*/, Progress /*progress*/) { return true; }

// At the default precision, averaged over the tests' runs: both directions.
Result<void> BenchmarkTwoCpus() {
  os::CpuList cpus = *os::AllowedCpus();
  if (cpus.size() < 2) return Failed("two CPUs are needed");
  cpus.resize(2);
  auto workers = os::PinnedThreads::Start(cpus, os::ThreadPriority::kRealTime);
  if (!workers) return std::unexpected(workers.error());
  const measure::TickClock clock = measure::SystemTickClock();
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    if (!ping_pong.feature.empty() && ping_pong.test != "cas") continue;
    constexpr int kRuns = 10;
    constexpr int kMeasurementsPerRun = 2;
    double seconds = 0;
    double value = 0;
    for (int run = 0; run < kRuns; ++run) {
      const std::uint64_t seed = std::random_device()();
      ThreadedLineSource source(**workers, clock, {.ping_pong = ping_pong, .seed = seed});
      const std::int64_t begin = os::MonotonicNanoseconds();
      const auto matrix = MeasureMatrix(source, cpus, {.seed = seed}, GoOn);
      if (!matrix) return std::unexpected(matrix.error());
      seconds += Seconds(begin);
      value += matrix->matrix.nanoseconds.At(0, 1) / kRuns;
    }
    fmt::print("2 CPUs, {} by {}: {:.1f} ms per pair and direction ({:.1f} ns one way)\n",
               ping_pong.test, ping_pong.instruction, seconds / kRuns / kMeasurementsPerRun * 1e3,
               value);
  }
  return {};
}

Result<void> BenchmarkLargestServer(bool parallel) {
  const testing::SimulatedMachine machine = testing::LargestServer();
  // Lines that differ so little that the first draw of 64 is enough, as it is on a quiet machine.
  testing::SimulatedLineSource source(machine, {.line_spread = 0.05});
  MatrixPlan plan;
  plan.parallel = parallel;
  const double cpu_before = CpuSeconds();
  const std::int64_t begin = os::MonotonicNanoseconds();
  auto matrix = MeasureMatrix(source, machine.Cpus(), plan, GoOn);
  if (!matrix) return std::unexpected(matrix.error());
  const double measured = Seconds(begin);
  Interpret(*matrix, machine.topology, source);
  const double interpreted = Seconds(begin);
  const std::size_t groups = matrix->matrix.groups.size();

  Document document;
  document.cores.push_back(std::move(matrix->matrix));
  std::size_t bytes = ToJson(document).size();
  for (const bool full : {false, true}) {
    const auto text = CoresText(document, {.full = full}, {.color = full});
    if (!text) return std::unexpected(text.error());
    bytes += text->size();
  }
  for (const auto& render : {CoresCsv, CoresLongCsv}) {
    const auto csv = render(document, CoreUnit::kNanoseconds);
    if (!csv) return std::unexpected(csv.error());
    bytes += csv->size();
  }
  fmt::print(
      "768 CPUs simulated{}: {:.1f} s, {:.1f} s of CPU time (schedule and statistics {:.1f} s, {} "
      "groups and findings {:.1f} s, {:.0f} MB of JSON, text and CSV {:.1f} s), peak memory {:.0f} "
      "MB\n",
      parallel ? ", at once" : "", Seconds(begin), CpuSeconds() - cpu_before, measured, groups,
      interpreted - measured, static_cast<double>(bytes) / 1e6, Seconds(begin) - interpreted,
      PeakMegabytes());
  return {};
}

int Main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line at a time, also into a file
  for (const auto& done :
       {BenchmarkTwoCpus(), BenchmarkLargestServer(false), BenchmarkLargestServer(true)}) {
    if (done) continue;
    fmt::print(stderr, "cores_benchmark: {}\n", done.error().ToString());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace cyclescope::cores

int main() { return cyclescope::cores::Main(); }
