#include "memory/time_plan.h"

#include <gtest/gtest.h>

namespace cyclescope::memory {
namespace {

TEST(TimePlan, EachPartGetsItsShareOfWhatIsLeft) {
  std::int64_t now = 1000;
  TimePlan plan([&now] { return now; }, std::chrono::nanoseconds(100));
  plan.Begin(2, 4);
  now += 49;
  EXPECT_FALSE(plan.IsOver());
  now += 1;
  EXPECT_TRUE(plan.IsOver());
  now += 20;  // it took longer: what is left is shared by the others
  plan.Begin(1, 2);
  now += 14;
  EXPECT_FALSE(plan.IsOver());
  now += 1;
  EXPECT_TRUE(plan.IsOver());
  plan.Begin(1, 1);
  now += 14;
  EXPECT_FALSE(plan.IsOver());
  now += 1;
  EXPECT_TRUE(plan.IsOver());
}

TEST(TimePlan, NothingIsLeftAfterItsEnd) {
  std::int64_t now = 0;
  TimePlan plan([&now] { return now; }, std::chrono::nanoseconds(100));
  now = 150;
  plan.Begin(1, 3);
  EXPECT_TRUE(plan.IsOver());
}

TEST(TimePlan, SaysWhatWouldTakeTooLong) {
  std::int64_t now = 0;
  TimePlan plan([&now] { return now; }, std::chrono::nanoseconds(100));
  plan.Begin(1, 2);
  EXPECT_TRUE(plan.HasTimeFor(1'000'000)) << "nothing is known yet";
  plan.Took(10, 20);
  EXPECT_TRUE(plan.HasTimeFor(24));
  EXPECT_FALSE(plan.HasTimeFor(25));
  now = 40;
  EXPECT_FALSE(plan.HasTimeFor(5));
  EXPECT_TRUE(plan.HasTimeFor(4));
}

}  // namespace
}  // namespace cyclescope::memory
