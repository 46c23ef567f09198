#include "statistics/dendrogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cyclescope::statistics {
namespace {

// Points on a line; their distances are known.
std::vector<Merge> ClusterPoints(const std::vector<double>& points) {
  return Cluster(points.size(), [&points](std::size_t i, std::size_t j) {
    return std::abs(points[i] - points[j]);
  });
}

TEST(Dendrogram, MergesTheNearestFirst) {
  const auto merges = ClusterPoints({0, 10, 1, 11.5});
  ASSERT_EQ(merges.size(), 3u);
  EXPECT_DOUBLE_EQ(merges[0].distance, 1);    // 0 and 1
  EXPECT_DOUBLE_EQ(merges[1].distance, 1.5);  // 10 and 11.5
  EXPECT_DOUBLE_EQ(merges[2].distance, (10 + 11.5 + 9 + 10.5) / 4);
}

TEST(Dendrogram, EqualDistancesEnd) {
  const auto merges = Cluster(50, [](std::size_t, std::size_t) { return 100.0; });
  ASSERT_EQ(merges.size(), 49u);
  for (const Merge& merge : merges) EXPECT_DOUBLE_EQ(merge.distance, 100);
}

TEST(Dendrogram, UnknownPairsWeighNothing) {
  const auto merges = Cluster(3, [](std::size_t i, std::size_t j) {
    if (i + j == 1) return 10.0;
    if (i + j == 2) return 50.0;
    return std::numeric_limits<double>::quiet_NaN();  // 1 and 2
  });
  ASSERT_EQ(merges.size(), 2u);
  EXPECT_DOUBLE_EQ(merges[0].distance, 10);
  EXPECT_DOUBLE_EQ(merges[1].distance, 50);
}

TEST(Dendrogram, NothingKnownIsInfinitelyFar) {
  const auto merges =
      Cluster(2, [](std::size_t, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  ASSERT_EQ(merges.size(), 1u);
  EXPECT_TRUE(std::isinf(merges[0].distance));
}

}  // namespace
}  // namespace cyclescope::statistics
