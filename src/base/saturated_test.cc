#include "base/saturated.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();

TEST(Saturated, WhatFitsIsExact) {
  EXPECT_EQ(SaturatedSum(kMaxInt64 - 1, 1), kMaxInt64);
  EXPECT_EQ(SaturatedSum(kMinInt64 + 1, -1), kMinInt64);
  EXPECT_EQ(SaturatedProduct(kMinInt64 / 2, 2), kMinInt64);
  EXPECT_EQ(SaturatedSize(kMinInt64 + 1), kMaxInt64);
}

TEST(Saturated, WhatDoesNotFitIsTheNearestThatDoes) {
  EXPECT_EQ(SaturatedSum(kMaxInt64, 1), kMaxInt64);
  EXPECT_EQ(SaturatedSum(kMinInt64, -1), kMinInt64);
  EXPECT_EQ(SaturatedProduct(kMaxInt64, 2), kMaxInt64);
  EXPECT_EQ(SaturatedProduct(kMaxInt64, -2), kMinInt64);
  EXPECT_EQ(SaturatedProduct(kMinInt64, -1), kMaxInt64);
  EXPECT_EQ(SaturatedSize(kMinInt64), kMaxInt64);
}

}  // namespace
}  // namespace cyclescope
