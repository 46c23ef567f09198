#include "hosts/host_visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace cyclescope::hosts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PairsOfRound, EveryPairOnceAndNobodyTwiceAtATime) {
  for (const std::size_t hosts : {2, 3, 8, 9}) {
    std::set<std::pair<int, int>> seen;
    for (const auto& set : PairsOfRound(hosts, 7, 0)) {
      std::set<int> busy;
      for (const auto& [first, second] : set) {
        EXPECT_TRUE(busy.insert(first).second);
        EXPECT_TRUE(busy.insert(second).second);
        EXPECT_TRUE(seen.insert(std::minmax(first, second)).second);
      }
    }
    EXPECT_EQ(seen.size(), hosts * (hosts - 1) / 2);
  }
}

// Every rank works out the order by itself.
TEST(PairsOfRound, TheSameForEverybodyAndAnotherInEachRound) {
  EXPECT_EQ(PairsOfRound(9, 7, 3), PairsOfRound(9, 7, 3));
  EXPECT_NE(PairsOfRound(9, 7, 3), PairsOfRound(9, 7, 4));
  EXPECT_NE(PairsOfRound(9, 7, 3), PairsOfRound(9, 8, 3));
}

TEST(VisitOf, LeavesDisturbancesOut) {
  const pairs::DirectedVisit visit = VisitOf({10, 10.2, 9.9, 10.1, 500, 10, 10.1, 9.8, 800});
  EXPECT_NEAR(visit.mean_ns, 10.1, 0.2);
  EXPECT_EQ(VisitOf({7}).mean_ns, 7);
}

// Two racks of four hosts.
std::vector<PairVisit> TwoRacks(const HostPlan& plan) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.01);
  std::vector<PairVisit> visits;
  for (int round = 0; round < plan.rounds; ++round) {
    for (const auto& set : PairsOfRound(8, plan.seed, round)) {
      for (const auto& [first, second] : set) {
        const bool same_rack = first / 4 == second / 4;
        for (int size = 0; size < static_cast<int>(plan.sizes.size()); ++size) {
          const double ns = (same_rack ? 1500 : 4000) + 0.1 * static_cast<double>(plan.sizes[size]);
          visits.push_back({first, second, size, VisitOf({ns * noise(random), ns, ns})});
        }
        visits.push_back(
            {first, second, kOfBandwidth, VisitOf({0.08, 0.081 * noise(random), 0.08})});
      }
    }
  }
  return visits;
}

const std::vector<std::string> kHosts = {"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"};

TEST(ConcludeHosts, ValuesIntervalsAndGroups) {
  const HostPlan plan = {.seed = 5};
  const HostMatrix matrix = ConcludeHosts(kHosts, plan, TwoRacks(plan), plan.rounds);
  ASSERT_THAT(matrix.latency, SizeIs(6));
  EXPECT_FALSE(matrix.partial);
  const HostLatency& shortest = matrix.latency.front();
  EXPECT_EQ(shortest.bytes, 8);
  EXPECT_NEAR(shortest.nanoseconds.At(0, 1), 1500, 30);
  EXPECT_NEAR(shortest.nanoseconds.At(7, 0), 4000, 80);
  EXPECT_EQ(shortest.nanoseconds.At(0, 7), shortest.nanoseconds.At(7, 0));
  EXPECT_FALSE(shortest.nanoseconds.Has(3, 3));
  EXPECT_LE(shortest.low.At(0, 1), shortest.nanoseconds.At(0, 1));
  EXPECT_GE(shortest.high.At(0, 1), shortest.nanoseconds.At(0, 1));
  EXPECT_GT(matrix.latency.back().nanoseconds.At(0, 1), 100'000);
  EXPECT_NEAR(matrix.bandwidth.gigabytes.At(0, 1), 12.5, 0.3);
  EXPECT_LE(matrix.bandwidth.low.At(0, 1), matrix.bandwidth.gigabytes.At(0, 1));
  ASSERT_THAT(matrix.groups, SizeIs(2));
  EXPECT_THAT(matrix.groups[0].hosts, ElementsAre("a1", "a2", "a3", "a4"));
  EXPECT_THAT(matrix.groups[1].hosts, ElementsAre("b1", "b2", "b3", "b4"));
}

TEST(ConcludeHosts, WhatWasNotVisitedIsNotThere) {
  const HostPlan plan;
  const HostMatrix matrix = ConcludeHosts(kHosts, plan, {}, 0);
  EXPECT_TRUE(matrix.partial);
  EXPECT_FALSE(matrix.latency.front().nanoseconds.Has(0, 1));
  EXPECT_THAT(matrix.groups, IsEmpty());
}

}  // namespace
}  // namespace cyclescope::hosts
