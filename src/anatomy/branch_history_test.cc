#include "anatomy/branch_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cyclescope::anatomy {
namespace {

// Searches a predictor that remembers this number of branches; noise grows with the time of the
// jumps.
std::optional<SizeReading> Search(double history, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  HistorySearch search({.least = 4, .most = 1200, .per_doubling = 3});
  for (auto counts = search.Next(); !counts.empty(); counts = search.Next()) {
    for (const std::int64_t count : counts) {
      const double error = noise * (1 + static_cast<double>(count) / 100);
      const double value = static_cast<double>(count) <= history ? 0 : 1;
      search.Add({static_cast<double>(count), value + error * normal(random), error, false});
    }
  }
  return search.Read();
}

TEST(HistorySearch, FindsHowFarBackItGoes) {
  const auto found = Search(194, 0.02, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->size.value, 194, 3);
  EXPECT_LE(found->size.low, 194);
  EXPECT_GE(found->size.high, 194);
}

TEST(HistorySearch, OneThatGoesFurtherIsABound) {
  const auto found = Search(1e6, 0.005, 1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->at_least);
}

TEST(HistorySearch, OneThatNeverPredictsHasNone) { EXPECT_FALSE(Search(0, 0.02, 1)); }

TEST(HistorySearch, TooMuchNoiseHasNoneOrAWideInterval) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found = Search(194, 0.3, seed);
    if (!found || found->at_least) continue;
    EXPECT_LE(found->size.low, 198) << seed;
    EXPECT_GE(found->size.high, 190) << seed;
  }
}

}  // namespace
}  // namespace cyclescope::anatomy
