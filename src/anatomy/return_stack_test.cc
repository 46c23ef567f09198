#include "anatomy/return_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace cyclescope::anatomy {
namespace {

std::vector<CurvePoint> CallsOf(double depth, double most, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<CurvePoint> points;
  for (double at = 2; at <= most; ++at) {
    const double cycles = 5 + 13 * at + 20 * std::max(at - depth, 0.0);
    points.push_back({at, cycles * (1 + noise * normal(random)), noise * cycles, false});
  }
  return points;
}

TEST(ReturnStackReading, FindsItsDepth) {
  const auto stack = ReadReturnStack(CallsOf(16, 48, 0.003, 1));
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->depth.value, 16);
  EXPECT_FALSE(stack->at_least);
  EXPECT_NEAR(stack->level_cycles, 13, 1);
  EXPECT_NEAR(stack->beyond_cycles, 33, 1);
}

TEST(ReturnStackReading, ADeeperOneThanTheCallsIsABound) {
  const auto stack = ReadReturnStack(CallsOf(100, 48, 0.003, 1));
  ASSERT_TRUE(stack);
  EXPECT_TRUE(stack->at_least);
  EXPECT_EQ(stack->depth.value, 48);
}

TEST(ReturnStackReading, ADisturbedPointMovesNothing) {
  auto points = CallsOf(20, 48, 0.003, 2);
  points[9].value *= 1.5;
  points[30].value *= 1.2;
  const auto stack = ReadReturnStack(points);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->depth.value, 20);
}

TEST(ReturnStackReading, TimesWithoutOrderHaveNone) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(10, 1000);
  std::vector<CurvePoint> points;
  for (double at = 2; at <= 48; ++at) points.push_back({at, uniform(random), 1, false});
  EXPECT_FALSE(ReadReturnStack(points));
}

TEST(ReturnStackReading, TooFewPointsHaveNone) {
  EXPECT_FALSE(ReadReturnStack(CallsOf(16, 6, 0.003, 1)));
}

}  // namespace
}  // namespace cyclescope::anatomy
