#include "cores/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cores/testing/made_machines.h"

namespace cyclescope::cores {
namespace {

using testing::EightChiplets;
using ::testing::ElementsAre;
using testing::FlatMachine;
using testing::HybridDesktop;
using testing::LargestServer;
using testing::MachineThatHidesSmt;
using testing::MadeMachine;
using testing::MakeMatrix;
using testing::TwoSocketServer;

std::vector<CoreGroup> Groups(const MadeMachine& machine, double noise = testing::kUsualNoise) {
  return FindGroups(MakeMatrix(machine, noise, 1), machine.topology);
}

std::vector<CoreGroup> OfLevel(const std::vector<CoreGroup>& groups, int level) {
  std::vector<CoreGroup> found;
  std::ranges::copy_if(groups, std::back_inserter(found),
                       [level](const CoreGroup& group) { return group.level == level; });
  return found;
}

TEST(Groups, HybridDesktopHasItsThreadPairsAndNothingElse) {
  const auto groups = Groups(HybridDesktop());
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_THAT(groups[3].cpus, ElementsAre(6, 7));
  EXPECT_EQ(groups[3].name, "core 3");
  EXPECT_TRUE(groups[3].in_topology);
  EXPECT_NEAR(groups[3].nanoseconds, 9.5, 0.5);
}

TEST(Groups, TwoSocketServerHasCoresAndPackages) {
  const auto groups = Groups(TwoSocketServer());
  EXPECT_EQ(OfLevel(groups, 0).size(), 32u);
  EXPECT_EQ(OfLevel(groups, 0)[5].name, "core 5");
  EXPECT_THAT(OfLevel(groups, 0)[5].cpus, ElementsAre(5, 37));
  const auto packages = OfLevel(groups, 1);
  ASSERT_EQ(packages.size(), 2u);
  EXPECT_EQ(packages[1].name, "package 1");
  EXPECT_EQ(packages[1].cpus.size(), 32u);
  EXPECT_EQ(groups.size(), 34u);
}

TEST(Groups, ChipletsGoByTheirCache) {
  const auto groups = Groups(EightChiplets());
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[7].name, "L3 7");
  EXPECT_THAT(groups[7].cpus, ElementsAre(56, 57, 58, 59, 60, 61, 62, 63));
}

TEST(Groups, WhatTheTopologyDoesNotListIsAGroupWithALetter) {
  const auto groups = Groups(MachineThatHidesSmt());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "group A");
  EXPECT_FALSE(groups[0].in_topology);
  EXPECT_THAT(groups[0].cpus, ElementsAre(0, 12));
}

TEST(Groups, NamesNeedTheSameCpus) {
  // The topology says one L3 for all, so the chiplets have no word of their own.
  MadeMachine machine = EightChiplets();
  for (CpuPlace& place : machine.topology) place.l3 = 0;
  const auto groups = Groups(machine);
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[0].name, "group A");
  EXPECT_EQ(groups[7].name, "group H");
}

TEST(Groups, WithoutTopology) {
  MadeMachine machine = EightChiplets();
  const auto groups = FindGroups(MakeMatrix(machine, testing::kUsualNoise, 1), {});
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[1].name, "group B");
}

TEST(Groups, OnlyMeasuredCpusCount) {
  // Of each core of the two-socket server, one thread only.
  const MadeMachine machine = TwoSocketServer();
  MadeMachine half = machine;
  half.topology.resize(32);
  const auto groups = FindGroups(MakeMatrix(half, testing::kUsualNoise, 1), machine.topology);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "package 0");
  EXPECT_EQ(groups[0].level, 0);
}

// Noise of any size, on few and many CPUs: no group may be invented.
TEST(Groups, NoneInNoise) {
  for (const int cpus : {3, 4, 8, 16, 64}) {
    for (const double noise : {0.002, 0.02, 0.1, 0.3}) {
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto groups = FindGroups(MakeMatrix(FlatMachine(cpus), noise, seed), {});
        EXPECT_TRUE(groups.empty()) << cpus << " CPUs, noise " << noise << ", seed " << seed;
      }
    }
  }
}

TEST(Groups, SurviveNoiseAndOutliers) {
  CoreMatrix matrix = MakeMatrix(EightChiplets(), 0.05, 3);
  matrix.nanoseconds.At(0, 1) = 400;  // within a chiplet
  matrix.nanoseconds.At(0, 63) = 25;  // between two
  EXPECT_EQ(FindGroups(matrix, EightChiplets().topology).size(), 8u);
}

TEST(Groups, UnmeasuredPairsCountForNothing) {
  CoreMatrix matrix = MakeMatrix(EightChiplets(), testing::kUsualNoise, 1);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      if ((i * 7 + j * 3) % 5 == 0) matrix.nanoseconds.At(i, j) = kNone;
    }
  }
  EXPECT_EQ(FindGroups(matrix, EightChiplets().topology).size(), 8u);
}

TEST(Groups, TwoCpusHaveNothingToBeComparedWith) { EXPECT_TRUE(Groups(FlatMachine(2)).empty()); }

TEST(Groups, LargestServer) {
  const auto groups = Groups(LargestServer(), 0.02);
  EXPECT_EQ(OfLevel(groups, 0).size(), 384u);
  EXPECT_EQ(OfLevel(groups, 1).size(), 24u);
  EXPECT_EQ(OfLevel(groups, 2).size(), 2u);
  for (const CoreGroup& group : groups) EXPECT_TRUE(group.in_topology) << group.name;
}

}  // namespace
}  // namespace cyclescope::cores
