// The runner on a recorded machine: a 2-vCPU Granite Rapids VM on whose cores co-tenants came and
// went (tests/data/recordings/README.md). Every row of the recording is one moment; what the runner
// asks for is answered from it.
//
// Some limits in this layer were chosen by looking at this recording (docs/methodology.md says
// which). So that it does not test itself alone, what is right comes from one half of it and what
// is tested from the other, and it is varied: other lengths of a cycle, neighbours that take more
// or less.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "arch/architecture.h"
#include "measure/runner.h"
#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

using Row = std::map<std::string, double>;

std::vector<Row> ReadRecording() {
  std::ifstream file(CYCLESCOPE_TEST_DATA "/recordings/neighbour-x86.csv");
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    Row row;
    std::size_t column = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++column) {
      if (rows.empty() && names.size() == column && std::isalpha(cell.front()) != 0) {
        names.push_back(cell);
      } else {
        row[names[column]] = std::stod(cell);
      }
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

// What the recording timed between two probes.
constexpr auto kTargets = std::to_array<const char*>(
    {"vaddpd_latency", "load_latency", "and_throughput", "shl_imm_throughput", "popcnt_throughput",
     "vaddpd_throughput", "vpaddd_throughput"});

double LinkTicks(const Row& row, std::size_t chain, const std::string& side) {
  switch (chain) {
    case 0:
      return row.at("add_chain_" + side);
    case 1:
      return row.at("imul_chain_" + side);
    default:
      // The recording's third chain takes two cycles a link; here it stands for one of three.
      return row.at("addpd_chain_" + side) * arch::ReferenceChains()[2].least_cycles / 2;
  }
}

// True if no other thread used the core, by the rules that the recording's own prototype used.
bool WasQuiet(const Row& row) {
  return std::ranges::all_of(std::array<std::string, 2>{"before", "after"}, [&](const auto& side) {
    const double add = LinkTicks(row, 0, side);
    const double multiply = LinkTicks(row, 1, side) / 3;
    const double width = row.at("wide_adds_" + side) / std::min(add, multiply);
    return width > 0.19 && width < 0.22 && std::abs(add / multiply - 1) < 0.01;
  });
}

// Kernel 2 k is the shorter code of target k, and 2 k + 1 the longer: a hundred units a loop more.
class Replay : public sandbox::CodeExecutor {
 public:
  explicit Replay(const std::vector<Row>& rows, std::size_t first) : rows_(rows), at_(first) {}

  // A row is a probe, samples, and another probe; or a probe alone.
  sandbox::Outcome Run(std::span<const sandbox::Call> calls) override {
    std::vector<sandbox::CallRecord> records;
    bool after = false;
    int unit_calls = 0;  // of the first chain, two to a probe
    for (const sandbox::Call& call : calls) {
      const bool unit =
          call.entry.kind == sandbox::Entry::Kind::kReferenceChain && call.entry.index == 0;
      if (unit && unit_calls++ % 2 == 0 && !after) Next();
      records.push_back(Answer(call, after));
      if (call.entry.kind == sandbox::Entry::Kind::kKernel) after = true;
    }
    return records;
  }
  bool has_counters() const override { return false; }
  Result<void> Load(std::span<const sandbox::KernelView> kernels) override {
    target_.clear();
    for (const sandbox::KernelView kernel : kernels) target_.push_back(kernel.front());
    return {};
  }
  // The row that comes next on that CPU.
  void Relocate(unsigned) override {}
  Result<void> MoveTo(int cpu) override {
    cpu_ = cpu;
    Next();
    return {};
  }
  int cpu() const override { return cpu_; }
  Result<std::unique_ptr<sandbox::CodeExecutor>> Another(const sandbox::Surroundings&) override {
    return Failed("nothing runs alone in a recording");
  }
  bool has_system_call_filter() const override { return true; }
  std::vector<Warning> Warnings() const override { return {}; }

  const Row& row() const { return rows_[at_ % rows_.size()]; }
  std::int64_t now_ns = 0;
  WallClock Time() {
    return {[this] { return now_ns; },
            [this](std::int64_t nanoseconds) {
              now_ns += nanoseconds;
              for (std::int64_t i = 0; i < nanoseconds / kRowNs; ++i) Next();
            }};
  }

 private:
  static constexpr std::int64_t kRowNs = 60'000;

  void Next() {
    do {
      ++at_;
    } while (static_cast<int>(row().at("cpu")) != cpu_);
    now_ns += kRowNs;
  }

  sandbox::CallRecord Answer(const sandbox::Call& call, bool after) const {
    const std::string side = after ? "after" : "before";
    const auto loops = static_cast<double>(call.loops);
    double ticks = 40;
    switch (call.entry.kind) {
      case sandbox::Entry::Kind::kReferenceChain:
        ticks += loops * 100 * LinkTicks(row(), call.entry.index, side);
        break;
      case sandbox::Entry::Kind::kWideLoop:
        ticks +=
            loops * static_cast<double>(arch::kWideAddsPerLoop) * row().at("wide_adds_" + side);
        break;
      case sandbox::Entry::Kind::kKernel: {
        const bool longer = call.entry.index % 2 == 1;
        ticks += loops * (longer ? 200 : 100) * row().at(kTargets[target_[call.entry.index]]);
        break;
      }
      case sandbox::Entry::Kind::kFillMemory:
        break;
    }
    sandbox::CallRecord record;
    record.ticks = static_cast<std::uint64_t>(std::max(ticks, 0.0) + 0.5);
    return record;
  }

  const std::vector<Row>& rows_;
  std::size_t at_;
  int cpu_ = 0;
  std::vector<std::uint8_t> target_;
};

// The recording on a machine whose clock ticks differently.
std::vector<Row> WithCycleLength(std::vector<Row> rows, double factor) {
  for (Row& row : rows) {
    for (auto& [name, value] : row) {
      if (name != "burst" && name != "t_us" && name != "cpu") value *= factor;
    }
  }
  return rows;
}

// Neighbours that slow the adds and take from the width by this factor.
std::vector<Row> WithNeighbours(std::vector<Row> rows, double strength) {
  constexpr double kQuietWidth = 0.205;
  for (Row& row : rows) {
    for (const std::string side : {"before", "after"}) {
      const double cycle = std::min(LinkTicks(row, 0, side), LinkTicks(row, 1, side) / 3);
      double& add = row.at("add_chain_" + side);
      double& wide = row.at("wide_adds_" + side);
      if (cycle <= 0 || wide < kQuietWidth * cycle) continue;
      add = cycle + strength * (add - cycle);
      wide = kQuietWidth * cycle + strength * (wide - kQuietWidth * cycle);
    }
  }
  return rows;
}

Probe ProbeOf(const Row& row, const std::string& side) {
  Probe probe;
  for (std::size_t i = 0; i < kProbeChains; ++i) probe.link_ticks[i] = LinkTicks(row, i, side);
  probe.wide_ticks = row.at("wide_adds_" + side);
  probe.disturbed = probe.wide_ticks <= 0 ||
                    std::ranges::any_of(probe.link_ticks, [](double t) { return t <= 0; });
  return probe;
}

// How many of `intervals` 95 % intervals hold the truth at the least, luck (three standard
// deviations) taken off.
double FewestCovered(int intervals) {
  return 0.95 * intervals - 3 * std::sqrt(0.95 * 0.05 * intervals);
}

class ReplayBulk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (arch::ReferenceChains()[1].least_cycles > 3 || arch::ReferenceChains()[1].most_cycles < 3)
      GTEST_SKIP() << "the recorded multiply takes three cycles";
    const std::vector<Row> rows = ReadRecording();
    ASSERT_GT(rows.size(), 10'000u);
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
    halves_ = {std::vector<Row>(rows.begin(), middle), std::vector<Row>(middle, rows.end())};
  }

  // The quiet value of a target: its ticks over the multiply chain's.
  static double Truth(const std::vector<Row>& rows, const std::string& target) {
    std::vector<double> values;
    for (const Row& row : rows) {
      if (!WasQuiet(row)) continue;
      values.push_back(row.at(target) * 6 /
                       (row.at("imul_chain_before") + row.at("imul_chain_after")));
    }
    return statistics::Median(values);
  }

  static Estimate ReplayTarget(const std::vector<Row>& rows, std::size_t target,
                               std::size_t first) {
    auto executor = std::make_unique<Replay>(rows, first);
    TickClock clock;
    clock.hz = 2.7e9;
    RunSettings settings;
    settings.cpus = {1, 0};
    settings.patience = std::chrono::seconds(10);
    settings.wall_clock = executor->Time();
    auto runner = Runner::Create(
        CycleChoice::kReference, clock,
        [&](auto) -> Result<std::unique_ptr<sandbox::CodeExecutor>> { return std::move(executor); },
        settings);
    if (!runner) return {};
    Experiment experiment;
    experiment.kernels = {sandbox::Kernel{static_cast<std::uint8_t>(target)},
                          sandbox::Kernel{static_cast<std::uint8_t>(target)}};
    experiment.units = 100;
    const auto measured = (*runner)->Run(std::array{experiment});
    return measured[0].has_value() ? EstimateOf(measured[0], settings.confidence) : Estimate{};
  }

  // What is right is told by one half, and measured is the other.
  void ExpectQuietValues(double cycle_length) const {
    constexpr std::size_t kReplays = 20;
    int all_covered = 0;
    int all_near = 0;
    int all = 0;
    for (std::size_t tested = 0; tested < 2; ++tested) {
      const std::vector<Row> rows = WithCycleLength(halves_[tested], cycle_length);
      for (std::size_t target = 0; target < kTargets.size(); ++target) {
        const double truth = Truth(halves_[1 - tested], kTargets[target]);
        std::vector<double> values;
        for (std::size_t replay = 0; replay < kReplays; ++replay) {
          const Estimate estimate = ReplayTarget(rows, target, replay * 311 + 80);
          ASSERT_GT(estimate.value, 0);
          if (estimate.contended || estimate.disturbed) continue;
          values.push_back(estimate.value);
          all_near += std::abs(estimate.value - truth) <= 0.005 * truth ? 1 : 0;
          all_covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
        }
        ASSERT_GT(values.size(), kReplays * 3 / 4) << kTargets[target];
        all += static_cast<int>(values.size());
        EXPECT_NEAR(statistics::Median(values), truth, 0.005 * truth)
            << kTargets[target] << " half " << tested;
      }
    }
    EXPECT_GE(all_near, 0.95 * all);
    EXPECT_GE(all_covered, FewestCovered(all)) << all;
  }

  std::array<std::vector<Row>, 2> halves_;
};

TEST_F(ReplayBulk, QuietValuesComeOutOfAContendedRecording) { ExpectQuietValues(1); }

TEST_F(ReplayBulk, TheLengthOfACycleDoesNotMatter) {
  ExpectQuietValues(0.6);
  ExpectQuietValues(1.7);
}

// What quiet looks like is learnt from one half, and the other is judged.
TEST_F(ReplayBulk, ContendedStretchesAreRecognisedAndQuietOnesKept) {
  for (const double strength : {0.7, 1.0, 1.5}) {
    for (std::size_t tested = 0; tested < 2; ++tested) {
      CoreWatch watch;
      for (const Row& row : WithNeighbours(halves_[1 - tested], strength))
        watch.Observe(static_cast<int>(row.at("cpu")), ProbeOf(row, "before"));
      int contended = 0, contended_found = 0, quiet = 0, quiet_found = 0;
      const std::vector<Row> varied = WithNeighbours(halves_[tested], strength);
      for (std::size_t i = 0; i < varied.size(); ++i) {
        // Which state it was is told by the recording as it is. What lies between the two is a
        // neighbour that comes or goes.
        const Probe recorded = ProbeOf(halves_[tested][i], "before");
        const Probe probe = ProbeOf(varied[i], "before");
        if (recorded.disturbed || probe.disturbed) continue;
        const double width =
            recorded.wide_ticks / std::min(recorded.link_ticks[0], recorded.link_ticks[1] / 3);
        if (width > 0.24 && width < 0.6) {
          ++contended;
          contended_found += watch.StateOf(probe) == CoreState::kContended ? 1 : 0;
        } else if (width > 0.195 && width < 0.207 &&
                   std::abs(recorded.link_ticks[0] * 3 / recorded.link_ticks[1] - 1) < 0.004) {
          ++quiet;
          quiet_found += watch.StateOf(probe) == CoreState::kQuiet ? 1 : 0;
        }
      }
      ASSERT_GT(contended, 1000);
      ASSERT_GT(quiet, 200);
      EXPECT_GE(contended_found, 0.99 * contended) << strength << " half " << tested;
      EXPECT_GE(quiet_found, 0.95 * quiet) << strength << " half " << tested;
    }
  }
}

}  // namespace
}  // namespace cyclescope::measure
