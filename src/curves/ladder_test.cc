#include "curves/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "curves/testing/simulated_memory.h"

namespace cyclescope::curves {
namespace {

using ::testing::ElementsAre;

constexpr double kLadderKb = 1024;

SimulatedMemory OneStep() {
  return {.caches = {{48 * kLadderKb, 5, 12}, {0, 16, 0}}, .outliers = 0};
}

std::vector<std::int64_t> SizesOf(const MemoryCurve& curve) {
  std::vector<std::int64_t> sizes;
  for (const MemoryPoint& point : curve.points) sizes.push_back(point.bytes);
  return sizes;
}

TEST(Ladder, HasManyFootprintsWhereTheCurveBendsAndFewElsewhere) {
  SimulatedSource source(OneStep(), 1);
  const auto curve =
      MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall, {.most_bytes = 1 << 20});
  ASSERT_TRUE(curve);
  const auto between = [&](double from, double to) {
    return std::ranges::count_if(curve->points, [&](const MemoryPoint& point) {
      return static_cast<double>(point.bytes) >= from && static_cast<double>(point.bytes) < to;
    });
  };
  EXPECT_LE(between(1 * kLadderKb, 2 * kLadderKb), 2);
  EXPECT_LE(between(256 * kLadderKb, 512 * kLadderKb), 2);
  EXPECT_GE(between(42 * kLadderKb, 56 * kLadderKb), 4);
  EXPECT_TRUE(std::ranges::is_sorted(curve->points, {}, &MemoryPoint::bytes));
  for (const MemoryPoint& point : curve->points) EXPECT_GE(point.visits, 8) << point.bytes;
}

TEST(Ladder, CostlyFootprintsGetFewerVisits) {
  SimulatedSource source(OneStep(), 1);
  const auto curve = MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall,
                                  {.most_bytes = 1 << 20, .costly_bytes = 512 << 10});
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->points.back().visits, 3);
  EXPECT_EQ(curve->points.front().visits, 8);
}

TEST(Ladder, ChosenFootprintsAreMeasuredAndNoOthers) {
  SimulatedSource source(OneStep(), 1);
  const auto curve =
      MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall, {.sizes = {4096, 65536}});
  ASSERT_TRUE(curve);
  EXPECT_THAT(SizesOf(*curve), ElementsAre(4096, 65536));
}

TEST(Ladder, EndsWithWhatThereIs) {
  SimulatedSource source(OneStep(), 1);
  const auto curve = MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall,
                                  {.most_bytes = 1 << 20}, [&] { return source.visits() < 5; });
  ASSERT_TRUE(curve);
  EXPECT_EQ(source.visits(), 5);
  EXPECT_EQ(curve->points.size(), 5u);
}

TEST(Ladder, WhatIsEnoughStillHasEveryFirstFootprint) {
  SimulatedSource source(OneStep(), 1);
  const auto curve = MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall,
                                  {.most_bytes = 1 << 20, .is_enough = [] { return true; }});
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->points.size(), 21u);  // two per doubling from 1 KB to 1 MB
  for (const MemoryPoint& point : curve->points) EXPECT_EQ(point.visits, 1) << point.bytes;
}

TEST(Ladder, CostlyFootprintsThatThereIsNoTimeForAreLeftOut) {
  SimulatedSource source(OneStep(), 1);
  const auto curve = MeasureCurve(
      source, ChaseOrder::kRandom, PageKind::kSmall,
      {.most_bytes = 1 << 20, .costly_bytes = 64 << 10, .has_time_for = [](std::int64_t bytes) {
         return bytes < 300 << 10;
       }});
  ASSERT_TRUE(curve);
  EXPECT_LT(curve->points.back().bytes, 300 << 10);
  EXPECT_GT(curve->points.back().bytes, 150 << 10);
}

TEST(Ladder, SaysHowOftenTheCoreWasShared) {
  SimulatedMemory memory = OneStep();
  memory.neighbour = {.share = 0.5};
  SimulatedSource source(memory, 1);
  const auto busy =
      MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall, {.most_bytes = 1 << 20});
  ASSERT_TRUE(busy);
  EXPECT_NEAR(busy->contended_share, 0.45, 0.2);
  SimulatedSource quiet(OneStep(), 1);
  EXPECT_EQ(MeasureCurve(quiet, ChaseOrder::kRandom, PageKind::kSmall, {.most_bytes = 1 << 20})
                ->contended_share,
            0);
}

TEST(Ladder, QuietVisitsAreTakenWhereThereAreAny) {
  const ChaseVisit contended = {{9}, {3}, true};
  const ChaseVisit quiet = {{6}, {2}, false};
  const ChaseVisit disturbed;
  const auto point = PointOf(64, {contended, quiet, disturbed}, 0.95);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->cycles.value, 6);
  EXPECT_EQ(point->visits, 1);
  EXPECT_FALSE(point->contended);
  const ChaseVisit less = {{8}, {2.5}, true};
  const auto all_contended = PointOf(64, {contended, less, disturbed}, 0.95);
  ASSERT_TRUE(all_contended);
  EXPECT_EQ(all_contended->cycles.value, 8);
  EXPECT_TRUE(all_contended->contended);
  EXPECT_FALSE(PointOf(64, {disturbed}, 0.95));
}

}  // namespace
}  // namespace cyclescope::curves
