// Machines whose virtual CPUs move, from lines to findings; and machines whose CPUs stay, on which
// that must never be claimed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cores/interpret.h"
#include "cores/matrix_experiment.h"
#include "cores/residence.h"
#include "cores/testing/floating_placement.h"
#include "cores/testing/simulated_line_source.h"
#include "statistics/spectrum.h"

namespace cyclescope::cores {
namespace {

using testing::FlatMachine;
using testing::FloatingPlacement;
using testing::SimulatedLineSource;
using testing::SimulatedMachine;
using testing::TiledHost;

constexpr int kVirtualCpus = 16;

// With as few lines as a visit may have, and one batch on each: a hundred such runs are made.
CoreMatrix MeasureFloating(int hardware_threads, double residence_ms, std::uint64_t seed,
                           double follow_ms = 400, double start_ms = 0) {
  const SimulatedMachine host = TiledHost(hardware_threads);
  FloatingPlacement placement(kVirtualCpus, hardware_threads, residence_ms * 1e6, seed);
  SimulatedLineSource source(host, {.line_spread = 0.08, .placement = &placement}, seed);
  source.Wait(start_ms);
  const SimulatedMachine guest = FlatMachine(kVirtualCpus);
  auto measured = MeasureMatrix(source, guest.Cpus(),
                                {.line = {.batches = 1, .round_trips = 90},
                                 .precision = 0.1,
                                 .watch_ns = WatchNs(kVirtualCpus),
                                 .follow_ns = static_cast<std::int64_t>(follow_ms * 1e6),
                                 .seed = seed},
                                [](const CoreMatrix&, Progress) { return true; });
  EXPECT_TRUE(measured.has_value());
  Interpret(*measured, guest.topology, source);
  return std::move(measured->matrix);
}

bool IsFloating(const MeasuredMatrix& measured) {
  return measured.matrix.stability == Stability::kFloating;
}

// 48 and 96 hardware threads, residences from 1 ms to 10 s: five decades, ten seeds of each.
TEST(FloatingBulk, IsRecognisedAndItsLevelsAreFound) {
  int recognised = 0;
  int levels_off = 0;
  for (const int hardware_threads : {48, 96}) {
    for (const double residence_ms : {1.0, 10.0, 100.0, 1000.0, 10'000.0}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const CoreMatrix matrix = MeasureFloating(hardware_threads, residence_ms, seed);
        if (matrix.stability != Stability::kFloating) continue;
        ++recognised;
        ASSERT_TRUE(matrix.floating);
        double share = 0;
        for (const FloatingLevel& level : matrix.floating->levels) {
          share += level.share;
          double nearest = 1;
          for (const double truth : {8.0, 63.0, 80.0, 102.0}) {
            nearest = std::min(nearest, std::abs(level.nanoseconds / truth - 1));
          }
          levels_off += nearest > 0.03 ? 1 : 0;
        }
        EXPECT_NEAR(share, 1, 1e-6);
        EXPECT_GE(matrix.floating->levels.size(), hardware_threads == 48 ? 2u : 3u);
        // No sibling is claimed: none of these CPUs stays anywhere for good.
        EXPECT_TRUE(matrix.groups.empty());
        ASSERT_EQ(matrix.findings.size(), 1u);
        EXPECT_EQ(matrix.findings[0].kind, FindingKind::kFloating);
      }
    }
  }
  EXPECT_GE(recognised, 99);
  EXPECT_EQ(levels_off, 0);
}

TEST(Floating, ResidenceIsOfTheRightSize) {
  for (const double residence_ms : {5.0, 50.0, 300.0}) {
    const auto floating = MeasureFloating(96, residence_ms, 3, 4000).floating;
    ASSERT_TRUE(floating && floating->residence_ms) << residence_ms;
    // Of a pair: either of its CPUs may move, and not every move is to another level.
    EXPECT_GT(*floating->residence_ms, 0.35 * residence_ms);
    EXPECT_LT(*floating->residence_ms, 2 * residence_ms);
    EXPECT_NEAR(floating->followed_ms, 4000, 400);
    EXPECT_TRUE(std::ranges::any_of(floating->levels, [](const FloatingLevel& level) {
      return level.residence_ms.has_value();
    }));
  }
}

TEST(Floating, TheMatrixHasMediansAndEveryVisit) {
  const CoreMatrix matrix = MeasureFloating(96, 100, 5);
  ASSERT_TRUE(matrix.floating);
  ASSERT_EQ(matrix.floating->visits.size(), static_cast<std::size_t>(matrix.rounds));
  std::vector<double> values;
  for (const PairMatrix& round : matrix.floating->visits) values.push_back(round.At(2, 7));
  std::ranges::sort(values);
  EXPECT_NEAR(matrix.nanoseconds.At(2, 7),
              (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2, 1e-6);
  EXPECT_LE(matrix.low.At(2, 7), values.front());
  EXPECT_GE(matrix.high.At(2, 7), values.back());
}

// Two runs, minutes apart: what one says of a pair must not contradict the other.
TEST(Floating, TwoRunsDoNotContradictEachOther) {
  for (const double residence_ms : {1.0, 100.0, 10'000.0}) {
    const CoreMatrix first = MeasureFloating(96, residence_ms, 8);
    const CoreMatrix second = MeasureFloating(96, residence_ms, 8, 400, 300'000);
    if (first.stability != Stability::kFloating || second.stability != Stability::kFloating) {
      ADD_FAILURE() << "not recognised at " << residence_ms;
      continue;
    }
    int overlap = 0;
    for (std::size_t i = 0; i < kVirtualCpus; ++i) {
      for (std::size_t j = 0; j < kVirtualCpus; ++j) {
        overlap += i != j && first.low.At(i, j) <= second.nanoseconds.At(i, j) &&
                           second.nanoseconds.At(i, j) <= first.high.At(i, j)
                       ? 1
                       : 0;
      }
    }
    EXPECT_GE(overlap, 240 * 0.95) << residence_ms;
  }
}

TEST(FloatingBulk, IsNeverClaimedOfAMachineThatStays) {
  const std::map<std::string, SimulatedMachine> machines = {
      {"hybrid", testing::HybridDesktop()},
      {"two sockets", testing::TwoSocketServer()},
      {"chiplets", testing::EightChiplets()},
      {"hidden SMT", testing::MachineThatHidesSmt()},
      {"flat", FlatMachine(16)},
      {"three CPUs", FlatMachine(3)},
      {"two CPUs", FlatMachine(2)}};
  const std::map<std::string, SimulatedLineSource::Options> conditions = {
      {"quiet", {}},
      {"lines in modes", {.line_spread = 0.3}},
      {"visits differ", {.visit_spread = 0.1}},
      {"slow visits", {.slow_visit_share = 0.05}},
      {"disturbed", {.disturbed_share = 0.1, .switched_share = 0.1}},
      {"drift", {.drift = [](int draws) { return 1 + 0.2 * std::sin(draws / 400.0); }}}};
  for (const auto& [name, machine] : machines) {
    for (const auto& [condition, options] : conditions) {
      for (std::uint64_t seed = 1; seed <= (machine.topology.size() > 20 ? 1 : 8); ++seed) {
        SimulatedLineSource source(machine, options, seed);
        const auto measured =
            MeasureMatrix(source, machine.Cpus(),
                          {.line = {.batches = options.disturbed_share > 0 ? 3 : 1},
                           .precision = 0.1,
                           .seed = seed},
                          [](const CoreMatrix&, Progress) { return true; });
        ASSERT_TRUE(measured.has_value());
        EXPECT_FALSE(IsFloating(*measured)) << name << ", " << condition << ", seed " << seed;
      }
    }
  }
}

// Of 300,000 pairs, thousands are disturbed twice.
TEST(FloatingBulk, IsNeverClaimedOfTheLargestServer) {
  const SimulatedMachine machine = testing::LargestServer();
  const auto cpus = machine.topology.size();
  pairs::VisitTable visits(cpus);
  std::uint64_t state = 1;
  double time_ns = 0;
  for (int round = 0; round < 4; ++round) {
    visits.BeginRound();
    for (std::size_t i = 0; i < cpus; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        state = state * 6364136223846793005 + 1442695040888963407;
        const double chance = static_cast<double>(state >> 40) * 0x1p-24;
        const double ns = machine.nanoseconds(static_cast<int>(i), static_cast<int>(j)) *
                          (chance < 0.03 ? 1.5 : 0.95 + 0.1 * chance);
        visits.At(i, j) = {static_cast<float>(ns), static_cast<float>(ns),
                           static_cast<float>(0.02 * ns), 8, time_ns += 1e6};
      }
    }
  }
  EXPECT_EQ(pairs::JudgeStability(visits).stability, Stability::kStable);
}

// Two CPUs that share a core wherever they go.
TEST(Floating, ThreadsThatStayTogetherAreClaimed) {
  const SimulatedMachine host = TiledHost(96);
  FloatingPlacement placement(kVirtualCpus / 2, 48, 20e6, 4);
  SimulatedMachine machine = host;
  // CPUs 2n and 2n + 1 are the threads of the core where the placement puts n.
  SimulatedLineSource source(machine, {.line_spread = 0.08, .placement = &placement, .gang = 2}, 4);
  const SimulatedMachine guest = FlatMachine(kVirtualCpus);
  auto measured =
      MeasureMatrix(source, guest.Cpus(), {}, [](const CoreMatrix&, Progress) { return true; });
  ASSERT_TRUE(measured.has_value());
  Interpret(*measured, guest.topology, source);
  EXPECT_TRUE(IsFloating(*measured));
  ASSERT_EQ(measured->matrix.groups.size(), 8u);
  EXPECT_THAT(measured->matrix.groups[3].cpus, ::testing::ElementsAre(6, 7));
  EXPECT_EQ(
      std::ranges::count(measured->matrix.findings, FindingKind::kSharedCore, &CoreFinding::kind),
      8);
}

// ---- Recorded on a rented machine of 16 virtual CPUs

std::vector<std::vector<std::string>> ReadRecording(const std::string& name) {
  std::ifstream file(std::string(CYCLESCOPE_TEST_DATA) + "/recordings/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  EXPECT_GT(rows.size(), 1000u) << name;
  rows.erase(rows.begin());
  return rows;
}

// Each visit of the recording was to one line in one direction, and lines differ by a tenth.
TEST(FloatingRecording, IsRecognised) {
  pairs::VisitTable visits(16);
  std::vector<double> all;
  std::set<std::pair<int, int>> visited;
  visits.BeginRound();
  for (const auto& row : ReadRecording("floating-visits.csv")) {
    const int first = std::stoi(row[1]);
    const int second = std::stoi(row[2]);
    const double ns = std::stod(row[4]);
    all.push_back(ns);
    if (!visited.insert(std::minmax(first, second)).second) {
      visits.BeginRound();
      visited = {std::minmax(first, second)};
    }
    visits.At(static_cast<std::size_t>(first), static_cast<std::size_t>(second)) = {
        static_cast<float>(ns), static_cast<float>(ns), static_cast<float>(0.1 * ns), 1,
        std::stod(row[0]) * 1e6};
  }
  const pairs::StabilityVerdict verdict = pairs::JudgeStability(visits);
  EXPECT_EQ(verdict.stability, Stability::kFloating);
  EXPECT_NEAR(verdict.same_core_share, 0.006, 0.001);

  const CoreSpectrum spectrum = statistics::FindSpectrum(all);
  ASSERT_GE(spectrum.levels.size(), 2u);
  EXPECT_EQ(spectrum.levels[0].name, "same core");
  EXPECT_NEAR(spectrum.levels[0].nanoseconds, 8, 0.5);
  EXPECT_NEAR(spectrum.levels[0].share, 0.006, 0.001);
}

TEST(FloatingRecording, PairsStayForATenthOfASecond) {
  std::map<std::string, std::vector<FollowedBatch>> by_pair;
  std::map<std::string, double> last_ms;
  std::vector<double> all;
  for (const auto& row : ReadRecording("floating-follow.csv")) {
    const double time_ms = std::stod(row[1]);
    const double ns = std::stod(row[2]);
    by_pair[row[0]].push_back({(time_ms - last_ms[row[0]]) * 1e6, ns});
    last_ms[row[0]] = time_ms;
    all.push_back(ns);
  }
  const CoreSpectrum spectrum = statistics::FindSpectrum(all);
  Residence residence(spectrum);
  for (const auto& [pair, batches] : by_pair) residence.Follow(batches);
  EXPECT_NEAR(residence.FollowedMs(), 13456, 100);
  ASSERT_TRUE(residence.OverallMs());
  EXPECT_GT(*residence.OverallMs(), 50);
  EXPECT_LT(*residence.OverallMs(), 300);
}

}  // namespace
}  // namespace cyclescope::cores
