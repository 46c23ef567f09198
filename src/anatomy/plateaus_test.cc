#include "anatomy/plateaus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cyclescope::anatomy {
namespace {

// Points at 1, 2, 3, ... of a curve that is given by its values.
std::vector<CurvePoint> PointsOf(std::initializer_list<double> values) {
  std::vector<CurvePoint> points;
  for (const double value : values)
    points.push_back({static_cast<double>(points.size() + 1), value, 0.005 * value, false});
  return points;
}

TEST(Plateaus, NoPointsHaveNone) { EXPECT_TRUE(FindPlateaus({}, {}).empty()); }

TEST(Plateaus, AFlatCurveIsOneWithoutEnd) {
  const auto plateaus = FindPlateaus(PointsOf({2, 2.01, 1.99, 2, 2.005, 2}), {});
  ASSERT_EQ(plateaus.size(), 1);
  EXPECT_NEAR(plateaus[0].value, 2, 0.01);
  EXPECT_FALSE(plateaus[0].first_beyond_at);
}

TEST(Plateaus, AStepEndsOne) {
  const auto plateaus = FindPlateaus(PointsOf({1, 1, 1.003, 1, 2, 2, 2.01, 2}), {});
  ASSERT_EQ(plateaus.size(), 2);
  EXPECT_EQ(plateaus[0].last_at, 4);
  EXPECT_EQ(plateaus[0].first_beyond_at, 5);
  EXPECT_NEAR(plateaus[1].value, 2, 0.02);
}

TEST(Plateaus, AStepThatIsNotClearIsNone) {
  // Less than the share that a step has at least.
  EXPECT_EQ(FindPlateaus(PointsOf({1, 1, 1, 1, 1.05, 1.05, 1.05, 1.05}), {}).size(), 1);
}

TEST(Plateaus, ADisturbedPointEndsNone) {
  const auto plateaus = FindPlateaus(PointsOf({1, 1, 1, 1.6, 1, 1, 1, 2, 2, 2, 2}), {});
  ASSERT_EQ(plateaus.size(), 2);
  EXPECT_EQ(plateaus[0].last_at, 7);
  EXPECT_EQ(plateaus[0].first_beyond_at, 8);
}

TEST(Plateaus, WhatFallsIsNone) {
  // Few instructions in a loop: its end counts more.
  const auto plateaus = FindPlateaus(PointsOf({3, 3, 3, 1, 1, 1, 1, 2, 2, 2}), {});
  ASSERT_EQ(plateaus.size(), 2);
  EXPECT_NEAR(plateaus[0].value, 1, 0.01);
  EXPECT_EQ(plateaus[0].first_at, 4);
}

TEST(Plateaus, ASlowRiseBeginsWhereItsLineDoes) {
  std::vector<CurvePoint> points;
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  for (double at = 20; at <= 160; at += 4) {
    const double share = std::clamp((at - 100) / 30, 0.0, 1.0);
    points.push_back({at, (1 + share) * (1 + noise(random)), 0.01 * (1 + share), false});
  }
  const auto plateaus = FindPlateaus(points, {});
  ASSERT_EQ(plateaus.size(), 2);
  EXPECT_NEAR(plateaus[0].end_at, 100, 3);
  EXPECT_LE(plateaus[0].end_low, 101);
  EXPECT_GE(plateaus[0].end_high, 100);
}

TEST(Plateaus, AShortOneBetweenOthersIsAPieceOfARise) {
  const auto plateau = [](double first, double last) {
    return Plateau{.value = first, .first_at = first, .last_at = last};
  };
  const std::vector<Plateau> all = {plateau(8, 10), plateau(12, 16), plateau(20, 29),
                                    plateau(40, 44)};
  EXPECT_FALSE(IsPieceOfRise(all, 0)) << "the first is the core's fastest";
  EXPECT_TRUE(IsPieceOfRise(all, 1));
  EXPECT_FALSE(IsPieceOfRise(all, 2)) << "more than 1.4 times from begin to end";
  EXPECT_FALSE(IsPieceOfRise(all, 3)) << "the curve ends with it";
}

}  // namespace
}  // namespace cyclescope::anatomy
