#include "cores/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cores/testing/simulated_machines.h"
#include "statistics/groups.h"

namespace cyclescope::cores {
namespace {

using testing::EightChiplets;
using ::testing::ElementsAre;
using testing::FlatMachine;
using testing::HybridDesktop;
using ::testing::IsEmpty;
using testing::LargestServer;
using testing::MachineThatHidesSmt;
using testing::MakeMatrix;
using testing::SimulatedMachine;
using testing::TwoSocketServer;

CoreMatrix Grouped(const SimulatedMachine& machine, double noise = testing::kUsualNoise) {
  CoreMatrix matrix = MakeMatrix(machine, noise, 1);
  matrix.groups = statistics::FindGroups(matrix, machine.topology);
  return matrix;
}

// What a machine shows, with trials that tell the truth about it.
std::vector<CoreFinding> Findings(const SimulatedMachine& machine, const CoreMatrix& matrix) {
  std::vector<CoreTrial> trials;
  for (const pairs::CpuPair pair : PairsOnTrial(matrix, machine.topology)) {
    trials.push_back({pair, machine.share_core(pair.first, pair.second) ? 1.9 : 1.02});
  }
  return FindFindings(matrix, machine.topology, trials);
}

TEST(Findings, AMachineAsItClaimsToBeHasNone) {
  for (const SimulatedMachine& machine : {HybridDesktop(), TwoSocketServer(), EightChiplets()}) {
    const CoreMatrix matrix = Grouped(machine);
    EXPECT_THAT(PairsOnTrial(matrix, machine.topology), IsEmpty());
    EXPECT_THAT(Findings(machine, matrix), IsEmpty());
  }
}

TEST(Findings, NoiseHasNone) {
  EXPECT_THAT(Findings(FlatMachine(16), Grouped(FlatMachine(16), 0.05)), IsEmpty());
}

TEST(Findings, ASharedCoreThatTheSystemHides) {
  const SimulatedMachine machine = MachineThatHidesSmt();
  const CoreMatrix matrix = Grouped(machine);
  EXPECT_THAT(PairsOnTrial(matrix, machine.topology), ElementsAre(pairs::CpuPair{0, 12}));
  const auto findings = Findings(machine, matrix);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kSharedCore);
  EXPECT_THAT(findings[0].cpus, ElementsAre(0, 12));
  EXPECT_NEAR(*findings[0].nanoseconds, 7, 0.5);
  EXPECT_NEAR(*findings[0].speed, 0.53, 0.01);
  EXPECT_GT(*findings[0].least_ns, 70);
}

TEST(Findings, ARefutedTrialLeavesOnlyACluster) {
  const SimulatedMachine machine = MachineThatHidesSmt();
  const CoreMatrix matrix = Grouped(machine);
  for (const double slowdown : {1.02, 0.0}) {  // refuted, not measured
    const CoreTrial trial = {{0, 12}, slowdown};
    const auto findings = FindFindings(matrix, machine.topology, std::span(&trial, 1));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, FindingKind::kHiddenCluster);
  }
}

TEST(Findings, ACoreThatTheSystemInvents) {
  SimulatedMachine machine = FlatMachine(8);
  for (CpuPlace& place : machine.topology) place.core = place.cpu / 2;
  const CoreMatrix matrix = Grouped(machine);
  EXPECT_EQ(PairsOnTrial(matrix, machine.topology).size(), 4u);
  const auto findings = Findings(machine, matrix);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].kind, FindingKind::kSplitCore);
  EXPECT_THAT(findings[0].cpus, ElementsAre(0, 1));
}

TEST(Findings, TwoCpusAreAlwaysTried) {
  SimulatedMachine machine = FlatMachine(2);
  const CoreMatrix matrix = Grouped(machine);
  EXPECT_THAT(PairsOnTrial(matrix, machine.topology), ElementsAre(pairs::CpuPair{0, 1}));
  EXPECT_THAT(Findings(machine, matrix), IsEmpty());
  machine.share_core = [](int, int) { return true; };
  EXPECT_THAT(Findings(machine, matrix), IsEmpty()) << "so far apart, something else slows them";
  machine.nanoseconds = [](int, int) { return 8.0; };
  const auto findings = Findings(machine, Grouped(machine));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kSharedCore);
}

TEST(Findings, AClusterThatTheSystemDoesNotList) {
  SimulatedMachine machine = EightChiplets();
  for (CpuPlace& place : machine.topology) place.l3 = 0;
  const auto findings = Findings(machine, Grouped(machine));
  ASSERT_EQ(findings.size(), 8u);
  EXPECT_EQ(findings[1].kind, FindingKind::kHiddenCluster);
  EXPECT_EQ(findings[1].cpus.front(), 8);
  EXPECT_LT(*findings[1].nanoseconds, 26);
  EXPECT_GT(*findings[1].least_ns, 80);
}

TEST(Findings, Asymmetry) {
  CoreMatrix matrix = Grouped(FlatMachine(6));
  matrix.nanoseconds.At(2, 4) = 120;
  matrix.low.At(2, 4) = 118;
  matrix.high.At(2, 4) = 122;
  const auto findings = Findings(FlatMachine(6), matrix);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kAsymmetry);
  EXPECT_THAT(findings[0].cpus, ElementsAre(2, 4));
}

TEST(Findings, AsymmetryWithinTheUncertaintyIsNone) {
  CoreMatrix matrix = Grouped(FlatMachine(6));
  matrix.nanoseconds.At(2, 4) = 120;
  matrix.high.At(2, 4) = 140;
  EXPECT_THAT(Findings(FlatMachine(6), matrix), IsEmpty());
}

TEST(Findings, APairFarOffItsGroup) {
  CoreMatrix matrix = Grouped(EightChiplets());
  for (const auto& [i, j] : {std::pair{9, 10}, std::pair{10, 9}}) {
    matrix.nanoseconds.At(i, j) = matrix.low.At(i, j) = matrix.high.At(i, j) = 60;
  }
  const auto findings = Findings(EightChiplets(), matrix);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, FindingKind::kOutlier);
  EXPECT_EQ(findings[0].nanoseconds, 60);
  EXPECT_NEAR(*findings[0].compared_ns, 23, 2);
}

TEST(Findings, AMachineThatDrifted) {
  const CoreMatrix matrix = Grouped(FlatMachine(4));
  const auto findings =
      FindFindings(matrix, {}, {}, {.stability = Stability::kDrifting, .drift_ratio = 1.12});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kDrift);
  EXPECT_EQ(findings[0].ratio, 1.12);
}

// Where CPUs move, directions and pairs differ everywhere, and none of it is said.
TEST(Findings, OneFindingReplacesForty) {
  CoreMatrix matrix = MakeMatrix(FlatMachine(16), 0.3, 1);
  for (PairMatrix* values : {&matrix.low, &matrix.high}) *values = matrix.nanoseconds;
  EXPECT_GT(FindFindings(matrix, {}, {}).size(), 7u);
  matrix.stability = Stability::kFloating;
  const auto findings =
      FindFindings(matrix, {}, {},
                   {.stability = Stability::kFloating, .pairs_moved = 9, .same_core_share = 0.03});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::kFloating);
  EXPECT_EQ(findings[0].pairs, 9);
  EXPECT_EQ(findings[0].share, 0.03);
}

// Nothing is known about the machine of a published matrix, so that nothing contradicts it.
TEST(Findings, WithoutATopologyNothingIsHidden) {
  CoreMatrix matrix = MakeMatrix(EightChiplets(), testing::kUsualNoise, 1);
  matrix.groups = statistics::FindGroups(matrix, {});
  EXPECT_EQ(matrix.groups.size(), 8u);
  EXPECT_THAT(FindFindings(matrix, {}, {}), IsEmpty());
}

TEST(Findings, ParallelBias) {
  CoreMatrix matrix = Grouped(FlatMachine(4));
  matrix.parallel = {10, 1.12};
  EXPECT_EQ(Findings(FlatMachine(4), matrix).at(0).kind, FindingKind::kParallelBias);
  matrix.parallel = {10, 1.01};
  EXPECT_THAT(Findings(FlatMachine(4), matrix), IsEmpty());
}

TEST(Findings, ManyOfAKindAreSummedUp) {
  CoreMatrix matrix = Grouped(FlatMachine(64));
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = i + 1; j < 64; ++j) {
      matrix.nanoseconds.At(i, j) = 130;
      matrix.low.At(i, j) = 129;
      matrix.high.At(i, j) = 131;
    }
  }
  const auto findings = Findings(FlatMachine(64), matrix);
  ASSERT_EQ(findings.size(), 8u);
  EXPECT_EQ(findings.back().more, 2008);
  EXPECT_EQ(findings.front().more, 0);
}

TEST(Findings, LargestServerHasNone) {
  const CoreMatrix matrix = Grouped(LargestServer(), 0.02);
  EXPECT_THAT(Findings(LargestServer(), matrix), IsEmpty());
}

// What is nearly a finding, and is none: by a little less than it takes.
TEST(FindFindings, NearMissesAreNoFindings) {
  const SimulatedMachine hides = MachineThatHidesSmt();
  const CoreMatrix hidden = Grouped(hides);
  const auto kinds = [](const std::vector<CoreFinding>& findings) {
    std::vector<FindingKind> found;
    for (const CoreFinding& finding : findings) found.push_back(finding.kind);
    return found;
  };
  const auto with_slowdown = [&](double slowdown) {
    const CoreTrial trial = {{0, 12}, slowdown};
    return kinds(FindFindings(hidden, hides.topology, std::span(&trial, 1)));
  };
  EXPECT_THAT(with_slowdown(1.41), ElementsAre(FindingKind::kSharedCore));
  EXPECT_THAT(with_slowdown(1.39), ElementsAre(FindingKind::kHiddenCluster));

  SimulatedMachine invents = FlatMachine(2);
  for (CpuPlace& place : invents.topology) place.core = 0;
  const CoreMatrix two = Grouped(invents);
  for (const double slowdown : {1.14, 1.16}) {
    const CoreTrial trial = {{0, 1}, slowdown};
    EXPECT_EQ(FindFindings(two, invents.topology, std::span(&trial, 1)).size(),
              slowdown < 1.15 ? 1u : 0u);
  }

  // A group whose members are hardly closer to each other than to the rest.
  CoreMatrix group = Grouped(FlatMachine(6));
  const double nearest = std::min(
      {group.nanoseconds.At(0, 2), group.nanoseconds.At(0, 3), group.nanoseconds.At(1, 2)});
  group.groups = {{.name = "group A", .cpus = {0, 1}, .nanoseconds = nearest / 1.05}};
  EXPECT_THAT(FindFindings(group, FlatMachine(6).topology, {}), IsEmpty());
  group.groups[0].nanoseconds = nearest / 2;
  EXPECT_THAT(kinds(FindFindings(group, FlatMachine(6).topology, {})),
              ElementsAre(FindingKind::kHiddenCluster));

  // Twelve tenths of the way back, with intervals that do not lie apart by twice their halves.
  CoreMatrix direction = Grouped(FlatMachine(6));
  direction.nanoseconds.At(2, 4) = 1.2 * direction.nanoseconds.At(4, 2);
  direction.low.At(2, 4) = direction.nanoseconds.At(4, 2);
  direction.high.At(2, 4) = 1.4 * direction.nanoseconds.At(4, 2);
  EXPECT_THAT(FindFindings(direction, {}, {}), IsEmpty());

  // Far above its group, as far as its one disturbed visit tells.
  CoreMatrix pair = Grouped(EightChiplets());
  for (const auto& [i, j] : {std::pair{9, 10}, std::pair{10, 9}}) {
    pair.nanoseconds.At(i, j) = pair.high.At(i, j) = 60;
    pair.low.At(i, j) = 24;
  }
  EXPECT_THAT(FindFindings(pair, EightChiplets().topology, {}), IsEmpty());

  CoreMatrix parallel = Grouped(FlatMachine(4));
  parallel.parallel = {10, 1.049};
  EXPECT_THAT(FindFindings(parallel, {}, {}), IsEmpty());
  parallel.parallel = {5, 1.2};
  EXPECT_THAT(FindFindings(parallel, {}, {}), IsEmpty()) << "too few pairs";
  parallel.parallel = {6, 1.051};
  EXPECT_THAT(kinds(FindFindings(parallel, {}, {})), ElementsAre(FindingKind::kParallelBias));
}

}  // namespace
}  // namespace cyclescope::cores
