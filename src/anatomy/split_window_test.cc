#include "anatomy/split_window.h"

#include <gtest/gtest.h>

namespace cyclescope::anatomy {
namespace {

AnatomyValue Within(double value, double distance) {
  return {value, value - distance, value + distance};
}

TEST(SplitInHalves, WhatIsKeptFreeOfBothShowsInTheirDifference) {
  const auto split = SplitInHalves(Within(500, 1), Within(244, 1));
  ASSERT_TRUE(split);
  EXPECT_EQ(split->size.value, 512);
  EXPECT_EQ(split->size.low, 508);
  EXPECT_EQ(split->size.high, 516);
  EXPECT_EQ(split->part.value, 256);
  EXPECT_EQ(split->kept_free, 12);
}

TEST(SplitInHalves, NothingWhereAllEntriesAreUsed) {
  EXPECT_FALSE(SplitInHalves(Within(192, 0), Within(96, 0)));
  // One more or less is what a reading may be wrong by.
  EXPECT_FALSE(SplitInHalves(Within(192, 1), Within(95, 1)));
}

TEST(SplitInHalves, NothingWhereThreadsShareAPool) {
  EXPECT_FALSE(SplitInHalves(Within(220, 1), Within(180, 1)));
}

TEST(SplitInHalves, NothingWhereThePartIsFarFromTheHalf) {
  EXPECT_FALSE(SplitInHalves(Within(500, 1), Within(150, 1)));
}

}  // namespace
}  // namespace cyclescope::anatomy
