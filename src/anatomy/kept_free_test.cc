#include "anatomy/kept_free.h"

#include <gtest/gtest.h>

#include <vector>

namespace cyclescope::anatomy {
namespace {

AnatomyValue Within(double value, double distance) {
  return {value, value - distance, value + distance};
}

std::optional<AnatomyValue> KeptFree(std::vector<WholeAndPart> seen) {
  return EntriesKeptFree(seen);
}

TEST(EntriesKeptFree, ShowInTheDifferenceOfTheWholeAndTheHalves) {
  const auto kept = KeptFree({{Within(500, 1), Within(244, 1)}});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->value, 12);
  EXPECT_EQ(kept->low, 9);
  EXPECT_EQ(kept->high, 15);
}

TEST(EntriesKeptFree, OneFillerThatReadsAnotherSizeDoesNotDecide) {
  const auto kept = KeptFree({{Within(500, 1), Within(244, 1)},
                              {Within(499, 1), Within(243, 1)},
                              {Within(498, 1), Within(246, 1)}});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->value, 12);
}

TEST(EntriesKeptFree, NoneWhereAllAreUsed) {
  EXPECT_FALSE(KeptFree({{Within(192, 0), Within(96, 0)}}));
  // One more or less is what a reading may be wrong by.
  EXPECT_FALSE(KeptFree({{Within(192, 1), Within(95, 1)}}));
  EXPECT_FALSE(KeptFree({{Within(193, 0), Within(96, 0)}}));
  EXPECT_FALSE(KeptFree({}));
}

TEST(EntriesKeptFree, NoneWhereThreadsShareAPool) {
  EXPECT_FALSE(KeptFree({{Within(220, 1), Within(180, 1)}}));
}

TEST(EntriesKeptFree, NoneWhereThePartIsFarFromTheHalf) {
  EXPECT_FALSE(KeptFree({{Within(500, 1), Within(150, 1)}}));
  // 20 kept free are the most that is accepted: 16, and the error of readings.
  EXPECT_TRUE(KeptFree({{Within(500, 1), Within(240, 1)}}));
  EXPECT_FALSE(KeptFree({{Within(500, 1), Within(239, 1)}}));
}

}  // namespace
}  // namespace cyclescope::anatomy
