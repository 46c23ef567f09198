#include "anatomy/step_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace cyclescope::anatomy {
namespace {

// Overlaps of a window in which that number of fillers fits.
std::vector<OverlapPoint> Look(const std::vector<int>& counts, int fits, std::mt19937& random) {
  std::normal_distribution<> noise(0, 0.04);
  std::vector<OverlapPoint> points;
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (const int count : counts)
      points.push_back({count, (count <= fits ? 1 - 0.35 * count / fits : 0) + noise(random)});
  }
  return points;
}

TEST(StepSearch, FindsEverySizeInFewVisits) {
  std::mt19937 random(1);
  for (int fits = 12; fits < 900; fits += 37) {
    StepSearch search(1200, 4);
    int visits = 0;
    for (; !search.IsDone() && visits < 30; ++visits) search.Add(Look(search.Next(), fits, random));
    const StepReading reading = search.Read();
    ASSERT_TRUE(reading.step) << fits;
    EXPECT_NEAR(reading.step->fits, fits, 2) << fits;
    EXPECT_LE(visits, 14) << fits;
  }
}

// Overlap declines faster and faster before it falls. Where nothing was looked at behind it, that
// is not the begin of the fall.
TEST(StepSearch, ADeclineThatGrowsSteeperDoesNotEndTheSearch) {
  constexpr int kFits = 563;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<> noise(0, 0.02);
    StepSearch search(1200, 4);
    int visits = 0;
    for (; !search.IsDone(); ++visits) {
      std::vector<OverlapPoint> points;
      for (const int count : search.Next()) {
        const double level = count <= kFits ? 1 - 0.35 * std::pow(count / 563.0, 3) : -0.05;
        for (int repeat = 0; repeat < 5; ++repeat) points.push_back({count, level + noise(random)});
      }
      search.Add(points);
    }
    ASSERT_TRUE(search.Read().step) << seed;
    EXPECT_NEAR(search.Read().step->fits, kFits, 2) << seed;
    EXPECT_LE(visits, 16) << seed;
  }
}

TEST(StepSearch, LooksInRisingOrderAndWithinTheRange) {
  std::mt19937 random(2);
  StepSearch search(600, 4);
  for (int visit = 0; visit < 8; ++visit) {
    const std::vector<int> counts = search.Next();
    EXPECT_TRUE(std::ranges::is_sorted(counts));
    EXPECT_GE(counts.front(), 1);
    EXPECT_LE(counts.back(), 600);
    search.Add(Look(counts, 590, random));
  }
}

TEST(StepSearch, GivesUpWhereThereIsNoStep) {
  std::mt19937 random(3);
  StepSearch search(600, 4);
  int visits = 0;
  for (; !search.IsDone() && visits < 30; ++visits) search.Add(Look(search.Next(), 5000, random));
  EXPECT_LT(visits, 10);
  EXPECT_EQ(search.Read().end, StepEnd::kBeyond);
}

}  // namespace
}  // namespace cyclescope::anatomy
