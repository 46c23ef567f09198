#include "anatomy/fill_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "anatomy/testing/simulated_source.h"

namespace cyclescope::anatomy {
namespace {

std::vector<ChainsPoint> Points(double buffers, int most) {
  std::vector<ChainsPoint> points;
  for (int chains = 1; chains <= most; chains += 2)
    points.push_back({chains, std::min<double>(chains, buffers)});
  return points;
}

TEST(ReadFillBuffers, IsWhereMoreChainsBringNothing) {
  const auto read = ReadFillBuffers(Points(16, 64));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->at_least);
  EXPECT_NEAR(read->value, 16, 1);
  EXPECT_LE(read->low, 16);
  EXPECT_GE(read->high, 16);
  EXPECT_LE(read->high, 17) << "points are two chains apart";
}

TEST(ReadFillBuffers, IsReadAlsoWhereTheTimesVary) {
  std::vector<ChainsPoint> points = Points(16, 64);
  const auto vary = [&points](double share) {
    for (std::size_t i = 12; i < points.size(); ++i)
      points[i].at_once = 16 * (i % 2 == 0 ? 1 - share : 1 + share);
    return ReadFillBuffers(points);
  };
  ASSERT_TRUE(vary(0.15));
  EXPECT_NEAR(vary(0.15)->value, 16, 2.5);
  EXPECT_FALSE(vary(0.3));
}

TEST(ReadFillBuffers, IsABoundWhereItStillGrows) {
  const auto read = ReadFillBuffers(Points(100, 64));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->at_least);
}

TEST(ReadFillBuffers, SaysNothingWhereNothingIsSteady) {
  std::vector<ChainsPoint> points = Points(16, 64);
  for (std::size_t i = 12; i < points.size(); ++i) points[i].at_once = i % 2 == 0 ? 6 : 20;
  EXPECT_FALSE(ReadFillBuffers(points));
  EXPECT_FALSE(ReadFillBuffers({}));
}

TEST(MeasureFillBuffers, FindsThoseOfSimulatedCores) {
  for (const int buffers : {8, 10, 12, 16, 20, 24}) {
    testing::SimulatedMachine machine;
    machine.fill_buffers = buffers;
    testing::SimulatedSource source(machine, 7);
    const AnatomyRow row = MeasureFillBuffers(source);
    ASSERT_TRUE(row.value) << buffers << ": " << row.reason;
    EXPECT_NEAR(row.value->value, buffers, std::max(2.0, 0.1 * buffers));
  }
}

// Misses that take longer the more of them are under way: as many as fit seem to be fewer.
TEST(MeasureFillBuffers, AreInTheIntervalWhereMissesSlowEachOtherDown) {
  for (const double slower : {0.005, 0.01, 0.015}) {
    testing::SimulatedMachine machine{.noise = 0.01};
    machine.slower_by_miss = slower;
    testing::SimulatedSource source(machine, 3);
    const AnatomyRow row = MeasureFillBuffers(source);
    ASSERT_TRUE(row.value) << slower << ": " << row.reason;
    EXPECT_NEAR(row.value->value, 16, 2) << slower;
    EXPECT_LE(row.value->low, 16) << slower;
    EXPECT_GE(row.value->high, 16) << slower;
  }
}

TEST(MeasureFillBuffers, ThoseOfASharedCoreCountOnlyWhereItIsAlwaysShared) {
  testing::SimulatedMachine machine{.stay_ms = 40};
  for (const double share : {0.5, 1.0}) {
    machine.shared_share = share;
    testing::SimulatedSource source(machine, 5);
    const AnatomyRow row = MeasureFillBuffers(source);
    ASSERT_TRUE(row.value) << share << ": " << row.reason;
    EXPECT_EQ(row.contended, share == 1) << share;
    EXPECT_NEAR(row.value->value, share == 1 ? 8 : 16, 2) << share;
  }
}

}  // namespace
}  // namespace cyclescope::anatomy
