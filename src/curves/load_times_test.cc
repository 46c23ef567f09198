#include "curves/load_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "curves/testing/simulated_memory.h"

namespace cyclescope::curves {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kCyclesPerTick = 2.5;
constexpr double kClockTicks = 32;  // that reading the clock takes

// A simulated level: its loads take that long, give or take, and those of footprints that it does
// not hold are answered by the next.
struct Made {
  double cycles = 0;
  double spread = 0;
  double bytes = 0;
};

// Of a cache that keeps what it has.
double Answered(const Made& level, double footprint) {
  return level.bytes == 0 ? 1 : std::min(1.0, level.bytes / footprint);
}

LoadTimes TimesOf(std::span<const Made> levels, double footprint, std::mt19937_64& random) {
  constexpr int kLoads = 20'000;
  LoadTimes times = {static_cast<std::int64_t>(footprint), std::vector<std::uint32_t>(1024),
                     kCyclesPerTick};
  for (int i = 0; i < kLoads; ++i) {
    const double place = std::uniform_real_distribution()(random);
    const auto level = std::ranges::find_if(
        levels, [&](const Made& each) { return place <= Answered(each, footprint); });
    std::normal_distribution takes(kClockTicks + level->cycles / kCyclesPerTick,
                                   level->spread / kCyclesPerTick);
    ++times.counts[static_cast<std::size_t>(std::clamp(takes(random), 0.0, 1023.0))];
  }
  return times;
}

std::vector<LoadTimes> TimesOf(std::span<const Made> levels) {
  std::mt19937_64 random(1);
  std::vector<LoadTimes> times;
  for (double bytes = 8 * kKb; bytes <= 64 * kMb; bytes *= std::cbrt(2.0))
    times.push_back(TimesOf(levels, bytes, random));
  return times;
}

constexpr auto kServer =
    std::to_array<Made>({{4, 1, 64 * kKb}, {11, 1, kMb}, {78, 9, 4 * kMb}, {320, 25, 0}});

MemoryLevel Level(double cycles, std::optional<MemoryValue> capacity) {
  const MemoryValue value = {cycles, 0.98 * cycles, 1.02 * cycles};
  return {.cycles = value, .nanoseconds = value, .capacity = capacity};
}

// As a curve tells that rises from 11 to 320 cycles without a step.
std::vector<MemoryLevel> CurveOfServer() {
  return {Level(4, MemoryValue{64 * kKb, 60 * kKb, 66 * kKb}),
          Level(11, MemoryValue{1.7 * kMb, 0.6 * kMb, 5 * kMb}), Level(320, std::nullopt)};
}

TEST(LoadTimes, LevelsThatLieApartAreTold) {
  const auto timed = ReadLoadTimes(TimesOf(kServer), 4);
  ASSERT_THAT(timed, SizeIs(3));  // the first two are too near to each other
  EXPECT_NEAR(timed[1].cycles.value, 78 - 4, 3);
  EXPECT_NEAR(timed[2].cycles.value, 320 - 4, 5);
  ASSERT_TRUE(timed[0].capacity);
  EXPECT_LE(timed[0].capacity->low, kMb);
  EXPECT_GE(timed[0].capacity->high, kMb);
  ASSERT_TRUE(timed[1].capacity);
  EXPECT_LE(timed[1].capacity->low, 4 * kMb);
  EXPECT_GE(timed[1].capacity->high, 4 * kMb);
  EXPECT_FALSE(timed[2].capacity);
}

TEST(LoadTimes, TimesThatRunIntoEachOtherAreOneLevel) {
  constexpr auto kBlurred = std::to_array<Made>({{4, 1, 64 * kKb}, {100, 40, kMb}, {200, 40, 0}});
  EXPECT_THAT(ReadLoadTimes(TimesOf(kBlurred), 4), SizeIs(2));
}

// As on an Emerald Rapids: the third cache takes from 60 to 220 cycles beyond the first.
TEST(LoadTimes, WideHeapsMayTouch) {
  constexpr auto kWide =
      std::to_array<Made>({{5, 2, 48 * kKb}, {16, 2, 2 * kMb}, {120, 25, 10 * kMb}, {400, 70, 0}});
  const auto timed = ReadLoadTimes(TimesOf(kWide), 5);
  ASSERT_GE(timed.size(), 3U);
  EXPECT_NEAR(timed[timed.size() - 2].cycles.value, 115, 8);
}

TEST(LoadTimes, WhatTranslationAddsIsNoLevel) {
  constexpr auto kTranslated =
      std::to_array<Made>({{5, 1, 48 * kKb}, {16, 1, 384 * kKb}, {23, 1, 2 * kMb}, {400, 30, 0}});
  const auto timed = ReadLoadTimes(TimesOf(kTranslated), 5);
  ASSERT_GE(timed.size(), 2U);
  const auto& before_last = timed[timed.size() - 2];
  EXPECT_LT(before_last.least_cycles, 16);
  EXPECT_GT(before_last.most_cycles, 16);
  EXPECT_LE(before_last.capacity->low, 2 * kMb);
  EXPECT_GE(before_last.capacity->high, 2 * kMb);
}

TEST(LoadTimes, AFewLongOnesAreNoLevel) {
  auto times = TimesOf(kServer);
  for (LoadTimes& each : times) each.counts[900] += 800;  // 4 %
  EXPECT_THAT(ReadLoadTimes(times, 4), SizeIs(3));
}

TEST(LoadTimes, WhatNoFootprintOutgrowsHasNoEnd) {
  constexpr auto kLarge = std::to_array<Made>({{4, 1, 64 * kKb}, {78, 9, 60 * kMb}, {320, 25, 0}});
  const auto levels = ReadLoadTimes(TimesOf(kLarge), 4);
  ASSERT_FALSE(levels.empty());
  for (const TimedLevel& level : levels) EXPECT_FALSE(level.capacity) << level.cycles.value;
}

TEST(LoadTimes, TooFewFootprintsTellNothing) {
  auto times = TimesOf(kServer);
  times.resize(3);
  EXPECT_THAT(ReadLoadTimes(times, 4), IsEmpty());
  EXPECT_THAT(ReadLoadTimes({}, 4), IsEmpty());
}

TEST(AddTimedLevels, ALevelThatTheCurveDoesNotShowIsAdded) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_TRUE(levels[2].by_single_loads);
  EXPECT_NEAR(levels[2].cycles.value, 78, 3);
  EXPECT_FALSE(levels[1].by_single_loads);
  // What the curve could not end: 1.7 MB before, with an interval of eight times its lower end.
  EXPECT_LT(levels[1].capacity->high, 3 * levels[1].capacity->low);
  EXPECT_DOUBLE_EQ(levels[0].capacity->value, 64 * kKb);
  EXPECT_DOUBLE_EQ(levels[3].cycles.value, 320);
}

TEST(AddTimedLevels, WhatTheCurveTellsStays) {
  std::vector<MemoryLevel> levels = {Level(4, MemoryValue{64 * kKb, 60 * kKb, 66 * kKb}),
                                     Level(11, MemoryValue{kMb, 0.9 * kMb, 1.1 * kMb}),
                                     Level(80, MemoryValue{4 * kMb, 3.8 * kMb, 4.2 * kMb}),
                                     Level(320, std::nullopt)};
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_DOUBLE_EQ(levels[1].capacity->value, kMb);
  EXPECT_DOUBLE_EQ(levels[2].cycles.value, 80);
  EXPECT_FALSE(levels[2].by_single_loads);
}

// Footprints of which a cache answers a fifth and memory the rest made a level of 262 cycles.
TEST(AddTimedLevels, AMixtureOfTwoLevelsIsNone) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels.insert(levels.end() - 1, Level(262, MemoryValue{9 * kMb, 4 * kMb, 20 * kMb}));
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  std::vector<double> cycles;
  for (const MemoryLevel& level : levels) cycles.push_back(std::round(level.cycles.value / 10));
  EXPECT_THAT(cycles, ElementsAre(0, 1, 8, 32));
}

// Of footprints near to the level's end memory answers some loads, and the curve's mean has them.
TEST(AddTimedLevels, ALevelTakesAsLongAsItsOwnLoads) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  const MemoryLevel third = Level(87, MemoryValue{4 * kMb, 3.8 * kMb, 4.2 * kMb});
  levels.insert(levels.end() - 1, third);
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_NEAR(levels[2].cycles.value, 78, 3);
  EXPECT_DOUBLE_EQ(levels[2].capacity->value, 4 * kMb);
}

// From 160 KB on translation adds two cycles, and the curve is flat before and after.
TEST(AddTimedLevels, WhatTranslationAddsToALevelIsNone) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels.insert(levels.begin() + 1, Level(11, MemoryValue{200 * kKb, 140 * kKb, 280 * kKb}));
  levels[2].cycles.value = 13.6;
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_DOUBLE_EQ(levels[1].cycles.value, 11);
  EXPECT_GT(levels[1].capacity->high, kMb);
}

TEST(AddTimedLevels, MemoryThatTheCurveDoesNotTellIsAdded) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels.back() = Level(63, std::nullopt);
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_NEAR(levels[2].cycles.value, 78, 3);
  EXPECT_TRUE(levels[2].capacity);
  EXPECT_NEAR(levels[3].cycles.value, 320, 10);
  EXPECT_FALSE(levels[3].capacity);
}

// Nothing has both a latency beyond it and no end.
TEST(AddTimedLevels, MemoryIsNotAddedBehindALevelWithoutAnEnd) {
  std::vector<TimedLevel> timed = ReadLoadTimes(TimesOf(kServer), 4);
  for (TimedLevel& each : timed) each.capacity.reset();
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels.back() = Level(63, std::nullopt);
  AddTimedLevels(timed, levels);
  EXPECT_THAT(levels, SizeIs(3));
}

TEST(AddTimedLevels, TheFirstLevelStays) {
  std::vector<MemoryLevel> levels = {Level(4, MemoryValue{64 * kKb, 60 * kKb, 66 * kKb}),
                                     Level(5.5, std::nullopt)};
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  EXPECT_DOUBLE_EQ(levels.front().cycles.value, 4);
}

// Of three levels in one heap all are one, and it is as sure as its latency.
TEST(AddTimedLevels, LevelsOfOneHeapAreOne) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  for (const double cycles : {110, 80, 60})
    levels.insert(levels.begin() + 2, Level(cycles, MemoryValue{4 * kMb, 3.8 * kMb, 4.2 * kMb}));
  levels[4].contended = true;
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_NEAR(levels[2].cycles.value, 78, 3);
  EXPECT_FALSE(levels[2].contended);
}

TEST(AddTimedLevels, LevelsStayInTheirOrder) {
  const std::vector<TimedLevel> timed = {
      {.least_cycles = -2, .most_cycles = 2, .cycles = {0, -1, 1}},
      {.least_cycles = 60, .most_cycles = 300, .cycles = {111, 110, 112}}};
  std::vector<MemoryLevel> levels = {Level(4, MemoryValue{64 * kKb, 60 * kKb, 66 * kKb}),
                                     Level(130, MemoryValue{kMb, 0.9 * kMb, 1.1 * kMb}),
                                     Level(200, MemoryValue{4 * kMb, 3.8 * kMb, 4.2 * kMb}),
                                     Level(500, std::nullopt)};
  AddTimedLevels(timed, levels);
  EXPECT_TRUE(std::ranges::is_sorted(levels, {},
                                     [](const MemoryLevel& level) { return level.cycles.value; }));
}

// Neighbours have lines in the caches even while they do not run.
TEST(AddTimedLevels, WhatStrangersLeaveIsNoEnd) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels[1].capacity = MemoryValue{1.4 * kMb, 1.4 * kMb, 3 * kMb};
  levels[1].capacity_at_least = true;
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  ASSERT_THAT(levels, SizeIs(4));
  EXPECT_DOUBLE_EQ(levels[1].capacity->value, 1.4 * kMb);
  EXPECT_TRUE(levels[1].capacity_at_least);
  EXPECT_TRUE(levels[2].by_single_loads);
  EXPECT_TRUE(levels[2].capacity_at_least);
}

TEST(LoadTimes, VisitsAddUp) {
  std::optional<LoadTimes> all;
  Add({8192, {1, 2, 0}, 2.5}, all);
  Add({8192, {0, 1, 4}, 2.5}, all);
  EXPECT_EQ(all->bytes, 8192);
  EXPECT_THAT(all->counts, ElementsAre(1, 3, 4));
}

TEST(AddTimedLevels, MemoryTakesAsLongAsItsOwnLoads) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  levels.back() = Level(270, std::nullopt);
  AddTimedLevels(ReadLoadTimes(TimesOf(kServer), 4), levels);
  EXPECT_NEAR(levels.back().cycles.value, 320, 5);
}

TEST(AddTimedLevels, WithoutTimesNothingChanges) {
  std::vector<MemoryLevel> levels = CurveOfServer();
  AddTimedLevels({}, levels);
  EXPECT_THAT(levels, SizeIs(3));
}

}  // namespace
}  // namespace cyclescope::curves
