#include "serve/rate_limit.h"

#include <gtest/gtest.h>

namespace cyclescope::serve {
namespace {

TEST(RateLimit, AllowsABurstAndThenARate) {
  RateLimit limit(3, 2);
  RateLimit::Clock::time_point now{std::chrono::seconds(100)};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.Allows(now));
  EXPECT_FALSE(limit.Allows(now));
  now += std::chrono::milliseconds(500);
  EXPECT_TRUE(limit.Allows(now));
  EXPECT_FALSE(limit.Allows(now));
  now += std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.Allows(now));
  EXPECT_FALSE(limit.Allows(now));
}

}  // namespace
}  // namespace cyclescope::serve
