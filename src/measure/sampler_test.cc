#include "measure/sampler.h"

#include <gtest/gtest.h>

#include "measure/testing/fake_executor.h"

namespace cyclescope::measure {
namespace {

using sandbox::CallRecord;
using testing::FakeExecutor;
using testing::kTwoCycleUnits;
using testing::MakeFakeReference;

TEST(TakeSamples, EndsAsSoonAsTheValueIsPrecise) {
  FakeExecutor executor;
  const auto measured = TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {});
  ASSERT_TRUE(measured.has_value());
  EXPECT_NEAR(measured->estimate.value, 2, 0.01);
  EXPECT_EQ(measured->estimate.kept, 9);
  EXPECT_EQ(measured->estimate.end, SamplingEnd::kPrecise);
  EXPECT_FALSE(measured->estimate.disturbed);
  EXPECT_EQ(measured->totals.units, 9 * 5000);
  EXPECT_NEAR(measured->totals.cycles, 9 * 10'000, 100);
}

TEST(TakeSamples, SpendsItsBudgetOnANoisyMachine) {
  FakeExecutor executor;
  executor.disturb = [](std::uint64_t index, CallRecord& record) {
    if (index % 8 == 5) record.ticks += index % 13 * 100;
  };
  const auto measured =
      TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {.most_samples = 40});
  ASSERT_TRUE(measured.has_value());
  EXPECT_EQ(measured->estimate.kept, 40);
  EXPECT_EQ(measured->estimate.end, SamplingEnd::kBudget);
  EXPECT_GT(measured->estimate.high - measured->estimate.low, 0.05);
}

TEST(TakeSamples, DropsAndCountsDisturbedSamples) {
  FakeExecutor executor;
  executor.disturb = [](std::uint64_t index, CallRecord& record) {
    if (index / 8 % 3 == 0) {
      record.context_switches = 1;
      record.ticks *= 5;
    }
  };
  const auto measured = TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {});
  ASSERT_TRUE(measured.has_value());
  EXPECT_NEAR(measured->estimate.value, 2, 0.01);
  EXPECT_GE(measured->estimate.rejected, 3);
  EXPECT_FALSE(measured->estimate.disturbed);
}

TEST(TakeSamples, SaysDisturbedAndKeepsItsBestEstimate) {
  FakeExecutor executor;
  executor.disturb = [](std::uint64_t, CallRecord& record) { record.context_switches = 1; };
  const auto measured =
      TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {.most_samples = 20});
  ASSERT_TRUE(measured.has_value());
  EXPECT_TRUE(measured->estimate.disturbed);
  EXPECT_EQ(measured->estimate.kept, 0);
  EXPECT_EQ(measured->estimate.rejected, 20);
  EXPECT_NEAR(measured->estimate.value, 2, 0.01);
}

TEST(TakeSamples, RejectsCallsThatDidNotDoTheSame) {
  FakeExecutor executor;
  // The longer kernel does the shorter's work twice, and at a third of its speed every other time.
  executor.disturb = [](std::uint64_t index, CallRecord& record) {
    if (index % 16 == 5) record.ticks *= 3;
  };
  LengthPair pair = kTwoCycleUnits;
  const auto mixed = TakeSamples(executor, *MakeFakeReference(), pair, {});
  EXPECT_EQ(mixed->estimate.rejected, 0);
  pair.longer_doubles = true;
  const auto alike = TakeSamples(executor, *MakeFakeReference(), pair, {});
  EXPECT_GT(alike->estimate.rejected, 0);
  EXPECT_NEAR(alike->estimate.value, 2, 0.01);
  EXPECT_LT(alike->estimate.high, 2.1);
}

TEST(TakeSamples, HandsOnADeath) {
  FakeExecutor executor;
  executor.dies = true;
  const auto measured = TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {});
  ASSERT_FALSE(measured.has_value());
  EXPECT_EQ(measured.error().kind, sandbox::DeathKind::kIllegalInstruction);
}

TEST(TakeSamples, TakesAnyQuantityOfASample) {
  FakeExecutor executor;
  const auto ratio = [](const Sample& sample, double) { return sample.cycles / sample.ticks; };
  const auto measured = TakeSamples(executor, *MakeFakeReference(), kTwoCycleUnits, {}, ratio);
  ASSERT_TRUE(measured.has_value());
  EXPECT_NEAR(measured->estimate.value, 2.5, 0.01);
}

}  // namespace
}  // namespace cyclescope::measure
