#include "analysis/core_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using ::testing::HasSubstr;

Document TwoCpus() {
  Document document;
  document.clock.tick_hz = 25e6;
  document.cores.resize(1);
  document.cores[0].cpus = {4, 7};
  document.frequency = {{.cpu = 7, .core_ghz = {.value = 3}}, {.cpu = 4, .core_ghz = {.value = 2}}};
  return document;
}

TEST(CoreUnit, NamesGoBothWays) {
  for (const CoreUnit unit : {CoreUnit::kNanoseconds, CoreUnit::kCycles, CoreUnit::kTicks}) {
    EXPECT_EQ(ParseCoreUnit(ToString(unit)), unit);
  }
  EXPECT_EQ(ParseCoreUnit("seconds"), std::nullopt);
}

TEST(CoreUnit, CyclesAreThoseOfTheCpuThatStarts) {
  const Document document = TwoCpus();
  const auto scale = MakeCoreScale(CoreUnit::kCycles, document, document.cores[0]);
  ASSERT_TRUE(scale.has_value());
  EXPECT_DOUBLE_EQ(scale->Of(0, 50), 100);
  EXPECT_DOUBLE_EQ(scale->Of(1, 50), 150);
}

TEST(CoreUnit, TicksAndNanoseconds) {
  const Document document = TwoCpus();
  EXPECT_DOUBLE_EQ(MakeCoreScale(CoreUnit::kTicks, document, document.cores[0])->Of(0, 40), 1);
  EXPECT_DOUBLE_EQ(MakeCoreScale(CoreUnit::kNanoseconds, document, document.cores[0])->Of(0, 40),
                   40);
}

TEST(CoreUnit, ARateThatIsNotInTheDocumentIsAnError) {
  Document document = TwoCpus();
  document.frequency.pop_back();
  document.clock.tick_hz = 0;
  const auto cycles = MakeCoreScale(CoreUnit::kCycles, document, document.cores[0]);
  ASSERT_FALSE(cycles.has_value());
  EXPECT_THAT(cycles.error().message, HasSubstr("how fast CPU 4 runs"));
  EXPECT_FALSE(MakeCoreScale(CoreUnit::kTicks, document, document.cores[0]).has_value());
}

}  // namespace
}  // namespace cyclescope
