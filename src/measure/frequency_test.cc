#include "measure/frequency.h"

#include <gtest/gtest.h>

#include "measure/testing/fake_executor.h"

namespace cyclescope::measure {
namespace {

using testing::FakeExecutor;

// Short, since the fake's time does not pass while ours does.
const FrequencySettings kSettings = {.warm_up_ns = 0, .duration_ns = 0};

// 0.4 ticks a cycle, and 1 GHz of ticks: the fake's core runs at 2.5 GHz. `spoil` is handed to
// every record once the instrument is set up.
FrequencyRow MeasureFake(
    const std::function<void(std::uint64_t, sandbox::CallRecord&)>& spoil = nullptr) {
  FakeExecutor* fake = nullptr;
  TickClock clock;
  clock.hz = 1e9;
  auto instrument = Instrument::Create(CycleChoice::kReference, clock,
                                       [&fake](auto) -> Result<std::unique_ptr<sandbox::Executor>> {
                                         auto executor = std::make_unique<FakeExecutor>();
                                         fake = executor.get();
                                         return executor;
                                       });
  EXPECT_TRUE(instrument.has_value());
  fake->disturb = spoil;
  return MeasureFrequency(*instrument, 3, kSettings);
}

TEST(MeasureFrequency, IsTheRatioToTheTicks) {
  const FrequencyRow row = MeasureFake();
  EXPECT_EQ(row.cpu, 3);
  EXPECT_EQ(row.status, Status::kMeasured);
  EXPECT_EQ(row.base_ghz, 1.0);
  EXPECT_NEAR(row.core_ghz.value, 2.5, 0.002);
  EXPECT_NEAR(row.boost, 2.5, 0.002);
  EXPECT_TRUE(row.jury_trusted);
  EXPECT_EQ(row.cycle_source, "reference");
}

TEST(MeasureFrequency, AnOccasionalSwitchIsDropped) {
  const FrequencyRow row = MeasureFake([](std::uint64_t index, sandbox::CallRecord& record) {
    if (index % 50 != 0) return;
    record.context_switches = 1;
    record.ticks += 4'000'000;
  });
  EXPECT_EQ(row.status, Status::kMeasured);
  EXPECT_NEAR(row.core_ghz.value, 2.5, 0.002);
  EXPECT_GT(row.core_ghz.rejected, 0);
}

TEST(MeasureFrequency, ABusyCpuIsDisturbed) {
  const FrequencyRow row =
      MeasureFake([](std::uint64_t, sandbox::CallRecord& record) { record.context_switches = 1; });
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_FALSE(row.reason.empty());
}

}  // namespace
}  // namespace cyclescope::measure
