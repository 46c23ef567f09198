#include "anatomy/witnessed_looks.h"

#include <gtest/gtest.h>

#include <vector>

namespace cyclescope::anatomy {
namespace {

const arch::WindowFiller kWitnessFiller = {arch::Window::kLoads, "load", {"load"}};
const arch::WindowFiller kStoreFiller = {arch::Window::kStores, "store", {"store"}};
const std::vector<int> kLookCounts = {10, 20, 30, 40, 50, 60, 70};

SharingWitness WitnessOf(int fits) {
  SharingWitness witness(kWitnessFiller);
  while (!witness.IsReady()) {
    std::vector<OverlapPoint> points;
    for (const OverlapLook& look : witness.WholeRange())
      points.push_back({look.fillers, look.fillers <= fits ? 1.0 : 0.0});
    witness.Learn(points);
  }
  return witness;
}

HeadTimes OverlapTimes(bool overlap) { return {100, overlap ? 50.0 : 100.0}; }

// A repeat in which stores overlap up to 35 of them, and loads up to as many as `fit` says of each
// look at the witness, by its number.
std::vector<HeadTimes> RepeatOf(const WitnessedLooks& itinerary, const std::vector<int>& fit) {
  std::vector<HeadTimes> times;
  std::size_t witness = 0;
  for (const OverlapLook& look : itinerary.looks()) {
    const int most = look.filler == &kStoreFiller ? 35 : fit[witness++];
    times.push_back(OverlapTimes(look.fillers <= most));
  }
  return times;
}

TEST(WitnessedLooks, PointsBelongToTheStateBeforeAndBehindThem) {
  const SharingWitness witness = WitnessOf(192);
  const WitnessedLooks itinerary(&witness, kStoreFiller, kLookCounts);
  // Looks at the witness: beyond, before, between the fifth and the sixth count, behind.
  const SortedPoints sorted = itinerary.Sort(
      {{RepeatOf(itinerary, {192, 192, 192, 192}), RepeatOf(itinerary, {96, 96, 96, 96}),
        RepeatOf(itinerary, {192, 192, 96, 96})},
       0});
  EXPECT_EQ(sorted.repeats, 3);
  EXPECT_EQ(sorted.alone, 2);
  EXPECT_EQ(sorted.larger, 0);
  EXPECT_EQ(sorted.own.size(), kLookCounts.size());
  // Of the third repeat those that began when it had become shared.
  EXPECT_EQ(sorted.shared.size(), kLookCounts.size() + 2);
  EXPECT_TRUE(sorted.WasMostlyAlone());
}

TEST(WitnessedLooks, ARepeatWithALargerWindowThanIsKnownCountsNowhere) {
  const SharingWitness witness = WitnessOf(96);
  const WitnessedLooks itinerary(&witness, kStoreFiller, kLookCounts);
  const SortedPoints sorted = itinerary.Sort(
      {{RepeatOf(itinerary, {192, 192, 192, 192}), RepeatOf(itinerary, {96, 96, 96, 96})}, 0});
  EXPECT_EQ(sorted.larger, 1);
  EXPECT_FALSE(sorted.WasMostlyLarger());
  EXPECT_EQ(sorted.own.size(), kLookCounts.size());
}

TEST(WitnessedLooks, WithoutAWitnessTheCoreIsOurs) {
  const WitnessedLooks itinerary(nullptr, kStoreFiller, kLookCounts);
  EXPECT_EQ(itinerary.looks().size(), kLookCounts.size() + 1);
  const SortedPoints sorted = itinerary.Sort({{RepeatOf(itinerary, {})}, 0});
  EXPECT_EQ(sorted.own.size(), kLookCounts.size());
  EXPECT_EQ(sorted.larger, 0);
  EXPECT_TRUE(sorted.WasMostlyAlone());
}

}  // namespace
}  // namespace cyclescope::anatomy
