#include "report/frequency_strip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FrequencyRow At(int cpu, double ghz, bool contended = false) {
  FrequencyRow row;
  row.cpu = cpu;
  row.core_ghz.value = ghz;
  row.core_ghz.contended = contended;
  return row;
}

TEST(FrequencyStrip, HasALineForEachRound) {
  FrequencyStrip strip;
  strip.Add(0.3, {At(0, 3.4), At(2, 0)});
  EXPECT_EQ(strip.LatestLine(), "   0.3 s  CPU 0 3.400 GHz, CPU 2 no value\n");
  strip.Add(1.25, {At(0, 3.1, true), At(2, 2.9)});
  EXPECT_EQ(strip.LatestLine(), "   1.2 s  CPU 0 3.100 GHz contended, CPU 2 2.900 GHz\n");
  strip.Add(2, {At(0, 0, true), At(2, 0)});
  EXPECT_EQ(strip.LatestLine(), "   2.0 s  CPU 0 no value (contended), CPU 2 no value\n");
}

TEST(FrequencyStrip, DrawsStepsOfTheClock) {
  FrequencyStrip strip;
  for (const double ghz : {3.0, 3.0, 3.7, 3.7, 3.35}) strip.Add(1, {At(0, ghz)});
  EXPECT_THAT(strip.Drawn({}), HasSubstr("3.350 GHz ▁▁██▅\n"));
  EXPECT_THAT(strip.Drawn({}), HasSubstr("bars from 3.000 to 3.700 GHz"));
}

TEST(FrequencyStrip, NoiseIsNoStep) {
  FrequencyStrip strip;
  for (const double ghz : {3.000, 3.001, 2.999, 3.000}) strip.Add(1, {At(0, ghz)});
  EXPECT_THAT(strip.Drawn({}), HasSubstr("▁▁▁▁\n"));
  EXPECT_THAT(strip.Summary({}), Not(HasSubstr("%")));
}

TEST(FrequencyStrip, ShowsTheLatestThatFit) {
  FrequencyStrip strip;
  for (int i = 0; i < 500; ++i) strip.Add(i, {At(0, i < 499 ? 3.0 : 4.0)});
  const std::string drawn = strip.Drawn({.color = false, .width = 60});
  const std::string first = drawn.substr(0, drawn.find('\n'));
  // Every bar has three bytes and one column.
  const auto bars = static_cast<int>(first.size() - first.find("GHz ") - 4) / 3;
  EXPECT_EQ(bars, 60 - 24);
  EXPECT_TRUE(first.ends_with("█"));
}

TEST(FrequencyStrip, SumsUp) {
  FrequencyStrip strip;
  for (int i = 0; i < 4; ++i) strip.Add(i, {At(0, i < 3 ? 3.601 : 3.899), At(1, 0)});
  EXPECT_EQ(strip.Summary({}),
            "4 rounds in 3.0 s; the table is of the last\n"
            "CPU 0: rounds of 3.601 to 3.899 GHz, median 3.601; within them 75 % at 3.601,\n"
            "  25 % at 3.899 GHz\n"
            "CPU 1: no value\n");
  FrequencyRow moving = At(1, 3.6);
  moving.steps = {{.ghz = 3.6, .share = 0.5}, {.ghz = 3.7, .share = 0.5}};
  FrequencyStrip inside;
  inside.Add(1, {moving});
  EXPECT_THAT(inside.Summary({.width = 120}),
              HasSubstr("within them 50 % at 3.600, 50 % at 3.700 GHz"));
  EXPECT_EQ(inside.rounds(), 1);
}

}  // namespace
}  // namespace cyclescope
