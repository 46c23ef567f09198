#include "base/saturated.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Saturated, WhatFitsIsExact) {
  EXPECT_EQ(SaturatedSum(kMost - 1, 1), kMost);
  EXPECT_EQ(SaturatedSum(kLeast + 1, -1), kLeast);
  EXPECT_EQ(SaturatedProduct(kLeast / 2, 2), kLeast);
  EXPECT_EQ(SaturatedSize(kLeast + 1), kMost);
}

TEST(Saturated, WhatDoesNotFitIsTheNearestThatDoes) {
  EXPECT_EQ(SaturatedSum(kMost, 1), kMost);
  EXPECT_EQ(SaturatedSum(kLeast, -1), kLeast);
  EXPECT_EQ(SaturatedProduct(kMost, 2), kMost);
  EXPECT_EQ(SaturatedProduct(kMost, -2), kLeast);
  EXPECT_EQ(SaturatedProduct(kLeast, -1), kMost);
  EXPECT_EQ(SaturatedSize(kLeast), kMost);
}

}  // namespace
}  // namespace cyclescope
