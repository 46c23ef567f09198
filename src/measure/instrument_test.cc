#include "measure/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/testing/simulated_core.h"

namespace cyclescope::measure {
namespace {

using ::testing::IsEmpty;
using testing::SimulatedCore;

// A machine that grants the accesses named.
ExecutorFactory<sandbox::CodeExecutor> Machine(std::vector<os::CounterAccess> granted) {
  return [granted = std::move(granted)](std::optional<os::CounterAccess> access)
             -> Result<std::unique_ptr<sandbox::CodeExecutor>> {
    if (access && std::ranges::find(granted, *access) == granted.end())
      return Failed("no counters in this test");
    auto core = std::make_unique<SimulatedCore>();
    core->counters = access.has_value();
    return core;
  };
}

Result<CycleSource> SourceOf(CycleChoice choice, std::vector<os::CounterAccess> granted) {
  auto opened = OpenBestSource<sandbox::CodeExecutor>(choice, Machine(std::move(granted)));
  if (!opened) return std::unexpected(opened.error());
  return opened->source;
}

TEST(OpenBestSource, AutoTakesTheBest) {
  const auto source =
      SourceOf(CycleChoice::kAuto, {os::CounterAccess::kUser, os::CounterAccess::kSystem});
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->name, "counter-user");
  EXPECT_THAT(source->reason, IsEmpty());
}

TEST(OpenBestSource, AutoSaysWhyItIsNotABetterOne) {
  EXPECT_EQ(SourceOf(CycleChoice::kAuto, {os::CounterAccess::kSystem})->name, "counter");
  const auto none = SourceOf(CycleChoice::kAuto, {});
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->is_reference());
  EXPECT_EQ(none->reason, "no counters in this test");
}

TEST(OpenBestSource, AChoiceIsNotReplacedByAnother) {
  const auto refused = SourceOf(CycleChoice::kCounterUser, {os::CounterAccess::kSystem});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "no counters in this test");
  EXPECT_EQ(SourceOf(CycleChoice::kReference, {os::CounterAccess::kUser})->name, "reference");
}

std::vector<Warning> WarningsOn(SimulatedCore& core, const CycleSource& source) {
  const auto instrument =
      Instrument::SetUp(core.Clock(), source, core, 0, std::make_shared<CoreWatch>());
  EXPECT_TRUE(instrument.has_value());
  return instrument ? instrument->Warnings() : std::vector<Warning>();
}

TEST(Instrument, HasNothingToSayOfAGoodClock) {
  SimulatedCore core;
  EXPECT_THAT(WarningsOn(core, {"reference", ""}), IsEmpty());
  core.counters = true;
  EXPECT_THAT(WarningsOn(core, {"counter", ""}), IsEmpty());
  core.disturb = [](sandbox::CallRecord& record) { record.cycles += record.cycles / 120; };
  EXPECT_THAT(WarningsOn(core, {"counter", ""}), IsEmpty()) << "off by 0.8 %";
}

TEST(Instrument, WarnsWhenCountersDisagreeWithTheReference) {
  SimulatedCore core;
  core.counters = true;
  core.disturb = [](sandbox::CallRecord& record) { record.cycles += record.cycles / 50; };
  const auto warnings = WarningsOn(core, {"counter", ""});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "counters-disagree");
  ASSERT_TRUE(warnings[0].claim);
  EXPECT_EQ(warnings[0].claim->code, ClaimCode::kCountersDisagree);
}

// An add of an immediate takes 0.176 cycles on Golden Cove: such a chain is no reference.
TEST(Instrument, WarnsOfAReferenceThatIsNone) {
  SimulatedCore core;
  core.link_cycles = 0.176;
  const auto warnings = WarningsOn(core, {"reference", ""});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "untrusted-reference");
  ASSERT_TRUE(warnings[0].claim);
  EXPECT_EQ(warnings[0].claim->code, ClaimCode::kUntrustedReference);
}

}  // namespace
}  // namespace cyclescope::measure
