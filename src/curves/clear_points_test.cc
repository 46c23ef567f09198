#include "curves/clear_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::curves {
namespace {

using ::testing::ElementsAre;

MemoryPoint Point(std::int64_t bytes, double cycles, int visits = 4, bool contended = false) {
  const double half = 0.005 * cycles;
  return {.bytes = bytes,
          .cycles = {cycles, cycles - half, cycles + half},
          .nanoseconds = {cycles / 3, (cycles - half) / 3, (cycles + half) / 3},
          .visits = visits,
          .contended = contended};
}

std::vector<std::int64_t> UsableBytes(const std::vector<MemoryPoint>& points) {
  std::vector<std::int64_t> bytes;
  for (const MemoryPoint& point : UsableOf({.points = points}).points) bytes.push_back(point.bytes);
  return bytes;
}

TEST(ClearPoints, AreVisitedSomeTimesWhileNobodySharedTheCore) {
  EXPECT_TRUE(IsClear(Point(1024, 5, 3)));
  EXPECT_FALSE(IsClear(Point(1024, 5, 2)));
  EXPECT_FALSE(IsClear(Point(1024, 5, 4, true)));
  EXPECT_LT(DoubtOf(Point(1024, 5)), 0.05);
  EXPECT_GT(DoubtOf(Point(1024, 5, 1)), 0.5);
}

TEST(ClearPoints, WhatTookLongerThanALargerFootprintIsNotUsed) {
  EXPECT_THAT(UsableBytes({Point(1000, 5), Point(3000, 6.5), Point(10000, 5), Point(30000, 16)}),
              ElementsAre(1000, 10000, 30000));
  // Within what is in doubt.
  EXPECT_THAT(UsableBytes({Point(1000, 5), Point(3000, 5.2), Point(10000, 5)}),
              ElementsAre(1000, 3000, 10000));
  EXPECT_THAT(UsableBytes({Point(1000, 5), Point(3000, 6.5, 1), Point(10000, 5, 1)}),
              ElementsAre(1000, 3000, 10000));
}

// It took more cycles and no more time: the clock was faster.
TEST(ClearPoints, AFasterClockIsNoDisturbance) {
  MemoryPoint fast = Point(3000, 400);
  fast.nanoseconds.value = 100;
  MemoryPoint slow = Point(10000, 300);
  slow.nanoseconds.value = 100;
  EXPECT_THAT(UsableBytes({fast, slow}), ElementsAre(3000, 10000));
}

TEST(ClearPoints, NoneIsWhereTheCoreWasSharedNearlyAlways) {
  MemoryCurve curve = {.contended_share = 0.7, .points = {Point(1000, 5), Point(3000, 5)}};
  EXPECT_TRUE(IsClear(UsableOf(curve).points.front()));
  curve.contended_share = 0.9;
  EXPECT_FALSE(IsClear(UsableOf(curve).points.front()));
}

TEST(ClearPoints, DoubtfulOnesAreUsedWhereThereIsNothingElse) {
  EXPECT_THAT(UsableBytes({Point(1000, 5), Point(1200, 5.1, 4, true), Point(1400, 5)}),
              ElementsAre(1000, 1400));
  EXPECT_THAT(UsableBytes({Point(1000, 5), Point(2000, 5.1, 4, true), Point(4000, 5)}),
              ElementsAre(1000, 2000, 4000));
}

}  // namespace
}  // namespace cyclescope::curves
