#include "os/linux/cpu_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::os {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(ParseCpuTimes, ReadsOneRowPerCpu) {
  const auto times = ParseCpuTimes(
      "cpu  11 22 33 44 55 66 77 88 9 9\n"
      "cpu0 1 2 3 4 5 6 7 8 1 1\n"
      "cpu3 10 20 30 40 50 60 70 80 8 8\n"
      "intr 1 2 3\n");
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_EQ(times[0].cpu, 0);
  EXPECT_EQ(times[0].idle, 4 + 5);
  EXPECT_EQ(times[0].stolen, 8);
  EXPECT_EQ(times[0].total, 36) << "guest time is part of user time already";
  EXPECT_EQ(times[1].cpu, 3);
  EXPECT_EQ(times[1].total, 360);
}

TEST(ParseCpuTimes, LeavesOutWhatItCannotRead) {
  EXPECT_THAT(ParseCpuTimes(""), IsEmpty());
  EXPECT_THAT(ParseCpuTimes("cpu0 1 2 3\n"), IsEmpty()) << "a kernel that counts no steal";
  EXPECT_THAT(ParseCpuTimes("cpu0 1 2 3 x 5 6 7 8\n"), IsEmpty());
}

TEST(LoadBetween, IsTheBusyShare) {
  const std::vector<CpuTimes> before = {{.cpu = 0, .idle = 100, .stolen = 0, .total = 200},
                                        {.cpu = 1, .idle = 50, .stolen = 0, .total = 200},
                                        {.cpu = 2, .idle = 0, .stolen = 0, .total = 0}};
  const std::vector<CpuTimes> after = {{.cpu = 0, .idle = 175, .stolen = 0, .total = 300},
                                       {.cpu = 1, .idle = 50, .stolen = 0, .total = 300},
                                       {.cpu = 3, .idle = 9, .stolen = 0, .total = 10}};
  const auto loads = LoadBetween(before, after);
  ASSERT_THAT(loads, SizeIs(2)) << "only CPUs that were on at both times";
  EXPECT_EQ(loads[0].cpu, 0);
  EXPECT_DOUBLE_EQ(loads[0].busy, 0.25);
  EXPECT_EQ(loads[1].cpu, 1);
  EXPECT_DOUBLE_EQ(loads[1].busy, 1.0);
}

TEST(LoadBetween, StaysInRangeWhenACounterStepsBack) {
  const auto loads = LoadBetween({{.cpu = 0, .idle = 100, .stolen = 0, .total = 200}},
                                 {{.cpu = 0, .idle = 99, .stolen = 0, .total = 210}});
  ASSERT_THAT(loads, SizeIs(1));
  EXPECT_DOUBLE_EQ(loads[0].busy, 1.0);
}

TEST(LoadBetween, KnowsNothingWithoutATick) {
  const std::vector<CpuTimes> times = {{.cpu = 0, .idle = 1, .stolen = 0, .total = 2}};
  EXPECT_THAT(LoadBetween(times, times), IsEmpty());
}

}  // namespace
}  // namespace cyclescope::os
