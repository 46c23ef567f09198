#include "os/clock.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

TEST(MonotonicNanoseconds, MeasuresASleep) {
  const std::int64_t begin = MonotonicNanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::int64_t passed = MonotonicNanoseconds() - begin;
  // Another clock than the one that sleeps, so it may differ a little; a busy host only adds.
  EXPECT_GT(passed, 19'000'000);
  EXPECT_LT(passed, 60'000'000'000);
}

TEST(ContextSwitches, CountsASleep) {
  const std::int64_t before = ContextSwitches();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(ContextSwitches(), before);
}

TEST(ContextSwitches, CountsOnlyTheCallingThread) {
  for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::int64_t others = -1;
  std::thread([&others] { others = ContextSwitches(); }).join();
  EXPECT_GE(others, 0);
  EXPECT_LT(others, ContextSwitches());
}

TEST(ReadStealTime, IsReadForOneCpu) {
  const auto time = ReadStealTime(1, RecordedMachine("hiding-vm"));
  ASSERT_TRUE(time.has_value());
  // 2,500 of 100,000 ticks of 10 ms.
  EXPECT_DOUBLE_EQ(time->stolen_s, 25.0);
  EXPECT_DOUBLE_EQ(time->total_s, 1000.0);
}

TEST(StolenSeconds, AddsUpTheCpusAskedFor) {
  const auto root = RecordedMachine("hiding-vm");
  const double one = StolenSeconds(std::array{1}, root);
  EXPECT_DOUBLE_EQ(one, 25.0);
  EXPECT_GE(StolenSeconds(std::array{0, 1}, root), one);
  EXPECT_EQ(StolenSeconds(std::array{99}, root), 0);
}

TEST(ReadStealTime, IsUnsetForACpuThatIsNotCounted) {
  EXPECT_EQ(ReadStealTime(4, RecordedMachine("hiding-vm")), std::nullopt);
  const FakeRoot empty;
  EXPECT_EQ(ReadStealTime(0, empty.path()), std::nullopt);
}

}  // namespace
}  // namespace cyclescope::os
