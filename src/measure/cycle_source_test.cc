#include "measure/cycle_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "measure/testing/fake_executor.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;
using testing::FakeExecutor;
using testing::kTwoCycleUnits;
using testing::MakeFakeReference;

std::vector<CallRecord> RunOneSample(FakeExecutor& executor, const CycleSource& source) {
  std::vector<Call> calls;
  source.AppendCalls(kTwoCycleUnits, calls);
  EXPECT_EQ(calls.size(), source.calls_per_sample());
  return std::get<0>(executor.Run(calls));
}

TEST(ReferenceSource, FindsCyclesFromTheRatioOfTicks) {
  for (const double ticks_per_cycle : {0.4, 1.0, 0.0096}) {
    FakeExecutor executor;
    executor.ticks_per_cycle = ticks_per_cycle;
    const Sample sample = MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference()));
    EXPECT_EQ(sample.reject, Reject::kNone);
    EXPECT_NEAR(sample.cycles, 10'000, 10'000 * 0.02) << ticks_per_cycle;
    EXPECT_FALSE(sample.instructions.has_value());
  }
}

TEST(ReferenceSource, IsBlindToTheOverheadOfACall) {
  FakeExecutor executor;
  executor.overhead_cycles = 5000;
  EXPECT_NEAR(MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference())).cycles,
              10'000, 10);
}

TEST(ReferenceSource, WarmsUpAfterTheReference) {
  std::vector<Call> calls;
  MakeFakeReference()->AppendCalls(kTwoCycleUnits, calls);
  const auto is_target = [](const Call& call) { return call.entry.kind == Entry::Kind::kKernel; };
  const auto first_target = std::ranges::find_if(calls, is_target);
  const auto last_target = std::find_if(calls.rbegin(), calls.rend(), is_target).base() - 1;
  ASSERT_NE(first_target, calls.begin());
  EXPECT_EQ((first_target - 1)->entry.kind, Entry::Kind::kReferenceChain);
  // The last two calls of the target are the timed ones.
  EXPECT_EQ((last_target - 1)->entry, kTwoCycleUnits.shorter.entry);
  EXPECT_EQ(last_target->entry, kTwoCycleUnits.longer.entry);
  EXPECT_GE(last_target - first_target, 3);
}

TEST(ReferenceSource, RejectsABracketWhoseSidesDiffer) {
  FakeExecutor executor;
  executor.disturb = [](std::uint64_t index, CallRecord& record) {
    if (index == 7) record.ticks += record.ticks / 50;  // the last reference runs 2 % slower
  };
  EXPECT_EQ(MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference())).reject,
            Reject::kBracketMismatch);
}

TEST(ReferenceSource, RejectsWhatTheSchedulerTouched) {
  for (std::uint64_t disturbed = 0; disturbed < 8; ++disturbed) {
    FakeExecutor executor;
    executor.disturb = [=](std::uint64_t index, CallRecord& record) {
      if (index == disturbed) record.context_switches = 1;
    };
    EXPECT_EQ(MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference())).reject,
              Reject::kContextSwitch);
    executor.calls_run = 0;
    executor.disturb = [=](std::uint64_t index, CallRecord& record) {
      record.migrated = index == disturbed;
    };
    EXPECT_EQ(MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference())).reject,
              Reject::kMigration);
  }
}

TEST(ReferenceSource, RejectsTheImpossible) {
  FakeExecutor executor;
  executor.disturb = [](std::uint64_t index, CallRecord& record) {
    if (index == 5) record.ticks = 1;  // the longer call is over at once
  };
  EXPECT_EQ(MakeFakeReference()->Read(RunOneSample(executor, *MakeFakeReference())).reject,
            Reject::kImpossible);
}

TEST(CounterSource, TakesCyclesAndInstructionsAsCounted) {
  FakeExecutor executor;
  executor.counters = true;
  executor.counted_per_cycle = 1.5;
  const auto source = MakeCounterSource("counter");
  const Sample sample = source->Read(RunOneSample(executor, *source));
  EXPECT_EQ(sample.reject, Reject::kNone);
  EXPECT_NEAR(sample.cycles, 15'000, 1);
  EXPECT_NEAR(sample.ticks, 4'000, 1);
  ASSERT_TRUE(sample.instructions.has_value());
  EXPECT_FALSE(sample.reference_cycles.has_value());
}

TEST(CounterSource, RejectsLostCounters) {
  FakeExecutor executor;  // without counters
  const auto source = MakeCounterSource("counter");
  const Reject reject = source->Read(RunOneSample(executor, *source)).reject;
  EXPECT_TRUE(reject == Reject::kCountersLost || reject == Reject::kImpossible);
}

}  // namespace
}  // namespace cyclescope::measure
