#include "statistics/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cores/testing/simulated_machines.h"

namespace cyclescope::statistics {
namespace {

using cores::testing::EightChiplets;
using cores::testing::FlatMachine;
using cores::testing::HybridDesktop;
using cores::testing::LargestServer;
using cores::testing::MachineThatHidesSmt;
using cores::testing::MakeMatrix;
using cores::testing::SimulatedMachine;
using cores::testing::TwoSocketServer;
using ::testing::ElementsAre;

std::vector<CoreGroup> Groups(const SimulatedMachine& machine,
                              double noise = cores::testing::kUsualNoise) {
  return FindGroups(MakeMatrix(machine, noise, 1), machine.topology);
}

std::vector<CoreGroup> OfLevel(const std::vector<CoreGroup>& groups, int level) {
  std::vector<CoreGroup> found;
  std::ranges::copy_if(groups, std::back_inserter(found),
                       [level](const CoreGroup& group) { return group.level == level; });
  return found;
}

// Efficiency cores are as far from each other as from anything, but alike within a cluster.
TEST(Groups, HybridDesktopHasItsThreadPairsAndClusters) {
  const auto groups = Groups(HybridDesktop());
  ASSERT_EQ(groups.size(), 12u);
  EXPECT_EQ(OfLevel(groups, 0).size(), 8u);
  EXPECT_THAT(groups[8].cpus, ElementsAre(16, 17, 18, 19));
  EXPECT_EQ(groups[8].name, "L2 8");
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
  SimulatedMachine machine = EightChiplets();
  for (CpuPlace& place : machine.topology) place.l3 = 0;
  const auto groups = Groups(machine);
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[0].name, "group A");
  EXPECT_EQ(groups[7].name, "group H");
}

TEST(Groups, WithoutTopology) {
  SimulatedMachine machine = EightChiplets();
  const auto groups = FindGroups(MakeMatrix(machine, cores::testing::kUsualNoise, 1), {});
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[1].name, "group B");
}

TEST(Groups, OnlyMeasuredCpusCount) {
  // Of each core of the two-socket server, one thread only.
  const SimulatedMachine machine = TwoSocketServer();
  SimulatedMachine half = machine;
  half.topology.resize(32);
  const auto groups =
      FindGroups(MakeMatrix(half, cores::testing::kUsualNoise, 1), machine.topology);
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
  CoreMatrix matrix = MakeMatrix(EightChiplets(), cores::testing::kUsualNoise, 1);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      if ((i * 7 + j * 3) % 5 == 0) matrix.nanoseconds.At(i, j) = kNone;
    }
  }
  EXPECT_EQ(FindGroups(matrix, EightChiplets().topology).size(), 8u);
}

// ---- Machines as people publish them: values only, no topology

// Cores of `threads` threads whose numbers are `cores` apart, in groups within groups: sizes in
// cores, from the tightest, and one latency more than sizes for what lies between the largest.
struct Published {
  const char* name;
  int cores;
  int threads;
  std::vector<int> sizes;
  std::vector<double> ns;  // same core first, also where it has one thread
  double mesh = 0;         // how much farther the farthest of a level are than the nearest
};

const std::vector<Published> kPublished = {
    {"laptop of two cores", 2, 2, {}, {9, 30}},
    {"quad core without threads", 4, 1, {}, {0, 21}, 0.1},
    {"quad core with threads", 4, 2, {}, {7, 27}, 0.1},
    {"two dies that share nothing", 4, 1, {2}, {0, 28, 75}},
    {"desktop of two complexes", 16, 2, {8}, {7.5, 17, 85}, 0.1},
    {"complexes of three cores", 24, 2, {3}, {9, 24, 94}, 0.1},
    {"two dies of two complexes", 16, 2, {4, 8}, {10, 25, 95, 150}, 0.05},
    {"server of eight complexes", 64, 2, {8}, {10, 25, 105}, 0.15},
    {"two such servers in one", 64, 1, {8, 32}, {0, 24, 100, 200}, 0.15},
    {"one mesh", 64, 1, {}, {0, 46}, 0.25},
    {"two sockets of a mesh", 64, 2, {32}, {8, 50, 105}, 0.2},
    {"eight threads a core", 8, 8, {}, {30, 98}, 0.1},
    {"modules of two cores", 8, 1, {2}, {0, 60, 95}, 0.02},
    {"four sockets of two nodes", 48, 1, {6, 12}, {0, 60, 110, 190}, 0.1},
};

CoreMatrix Publish(const Published& machine, double noise, std::uint64_t seed) {
  const auto core = [&](int cpu) { return cpu % machine.cores; };
  SimulatedMachine made;
  made.topology.resize(static_cast<std::size_t>(machine.cores) * machine.threads);
  for (std::size_t i = 0; i < made.topology.size(); ++i) made.topology[i].cpu = static_cast<int>(i);
  made.nanoseconds = [&](int first, int second) {
    if (core(first) == core(second)) return machine.ns[0];
    std::size_t level = 0;
    while (level < machine.sizes.size() &&
           core(first) / machine.sizes[level] != core(second) / machine.sizes[level]) {
      ++level;
    }
    const double way = std::abs(core(first) - core(second)) * 1.0 / machine.cores;
    return machine.ns[level + 1] * (1 + machine.mesh * way);
  };
  CoreMatrix matrix = MakeMatrix(made, noise, seed);
  matrix.low = matrix.high = {};
  return matrix;
}

// The truth: threads of a core, then every size.
std::vector<std::vector<int>> TrueGroups(const Published& machine) {
  std::vector<int> sizes = machine.sizes;
  if (machine.threads > 1) sizes.insert(sizes.begin(), 1);
  std::vector<std::vector<int>> groups;
  for (const int size : sizes) {
    for (int first = 0; first < machine.cores; first += size) {
      std::vector<int>& group = groups.emplace_back();
      for (int cpu = 0; cpu < machine.cores * machine.threads; ++cpu) {
        if (cpu % machine.cores / size * size == first) group.push_back(cpu);
      }
    }
  }
  std::ranges::sort(groups);
  return groups;
}

std::vector<std::vector<int>> FoundGroups(const CoreMatrix& matrix) {
  std::vector<std::vector<int>> found;
  for (const CoreGroup& group : FindGroups(matrix, {})) found.push_back(group.cpus);
  std::ranges::sort(found);
  return found;
}

TEST(Groups, PublishedMachinesAreReadAsTheyAre) {
  for (const Published& machine : kPublished) {
    for (const double noise : {0.0, 0.01, 0.04}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        EXPECT_EQ(FoundGroups(Publish(machine, noise, seed)), TrueGroups(machine))
            << machine.name << ", noise " << noise << ", seed " << seed;
      }
    }
  }
}

// One pair in fifty far off, in both directions, and one triangle only.
TEST(Groups, PublishedMachinesWithOutliersAndOneTriangle) {
  for (const Published& machine : kPublished) {
    if (machine.cores < 16) continue;
    CoreMatrix matrix = Publish(machine, 0.02, 5);
    std::mt19937_64 random(3);
    for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        matrix.nanoseconds.At(j, i) = PairMatrix::kNone;
        const bool same_core = (i - j) % static_cast<std::size_t>(machine.cores) == 0;
        if (!same_core && random() % 50 == 0) matrix.nanoseconds.At(i, j) *= 3;
      }
    }
    EXPECT_EQ(FoundGroups(matrix), TrueGroups(machine)) << machine.name;
  }
}

// The numbers of all other cores tell which two CPUs a disturbed pair belongs to.
TEST(Groups, OneDisturbedCoreIsStillACore) {
  CoreMatrix matrix = Publish(kPublished[4], 0.01, 1);
  matrix.nanoseconds.At(3, 19) = matrix.nanoseconds.At(19, 3) = 60;
  EXPECT_EQ(FoundGroups(matrix), TrueGroups(kPublished[4]));
}

// A die whose halves are as far from each other as from the other die.
TEST(Groups, WhatIsLeftOverIsTheOtherDie) {
  CoreMatrix matrix = Publish(kPublished[6], 0.01, 1);
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) {
      if (i % 16 < 8 && j % 16 < 8 && i % 16 / 4 != j % 16 / 4) matrix.nanoseconds.At(i, j) = 155;
    }
  }
  EXPECT_EQ(FoundGroups(matrix), TrueGroups(kPublished[6]));
}

TEST(Groups, OneSlowCpuIsNoLevel) {
  CoreMatrix matrix = Publish(kPublished[8], 0.01, 1);
  for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
    if (i == 5) continue;
    matrix.nanoseconds.At(5, i) *= 1.5;
    matrix.nanoseconds.At(i, 5) *= 1.5;
  }
  EXPECT_EQ(FoundGroups(matrix), TrueGroups(kPublished[8]));
}

// Values without intervals: chance is all that there is to go by.
TEST(Groups, NoneInNoiseWithoutIntervals) {
  for (const int cpus : {3, 4, 8, 16, 64}) {
    for (const double noise : {0.02, 0.08}) {
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CoreMatrix matrix = MakeMatrix(FlatMachine(cpus), noise, seed);
        matrix.low = matrix.high = {};
        EXPECT_TRUE(FoundGroups(matrix).empty()) << cpus << " CPUs, noise " << noise;
      }
    }
  }
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
}  // namespace cyclescope::statistics
