// What is read from curves of rented machines, which a program that shares no code with ours
// recorded (testing/recorded_rounds.h).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "anatomy/overlap.h"
#include "anatomy/read_step.h"
#include "anatomy/testing/recorded_rounds.h"
#include "anatomy/window_bounds.h"
#include "arch/window_code.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

using testing::RecordedRound;
using testing::RecordedRounds;

std::vector<OverlapPoint> PointsOf(const RecordedRound& round) {
  const HeadTimes side_by_side = testing::SideBySideOf(round);
  std::vector<OverlapPoint> points;
  for (const testing::RecordedSample& sample : round)
    points.push_back({sample.fillers, OverlapOf(sample.times, side_by_side)});
  return points;
}

// Of each round in which a step was clear.
std::vector<Step> StepsOf(const std::string& machine, const std::string& filler) {
  std::vector<Step> steps;
  for (const RecordedRound& round : RecordedRounds(machine, filler)) {
    const StepReading reading = ReadStep(PointsOf(round));
    if (reading.step) steps.push_back(*reading.step);
  }
  return steps;
}

// Of the rounds with the largest size, all together: a core that was shared shows less.
double LargestOf(const std::string& machine, const std::string& filler) {
  constexpr double kSameSizeRatio = 0.85;
  double largest = 0;
  for (const Step& step : StepsOf(machine, filler)) largest = std::max(largest, step.fits);
  std::vector<OverlapPoint> all;
  for (const RecordedRound& round : RecordedRounds(machine, filler)) {
    const std::vector<OverlapPoint> points = PointsOf(round);
    const StepReading reading = ReadStep(points);
    if (reading.step && reading.step->fits >= kSameSizeRatio * largest)
      all.insert(all.end(), points.begin(), points.end());
  }
  const StepReading reading = ReadStep(all);
  return reading.step ? reading.step->fits : 0;
}

struct Known {
  std::string filler;
  double low = 0;
  double high = 0;
};

// Grids of 4 up to 160 fillers and of 8 beyond: nothing can be told more exactly.
TEST(RecordedWindows, EmeraldRapids) {
  for (const Known& known :
       {Known{"nop", 496, 512}, Known{"int", 496, 512}, Known{"load", 188, 196},
        Known{"store", 110, 116}, Known{"flags", 232, 248}, Known{"vec", 248, 296}}) {
    const double largest = LargestOf("emerald-rapids", known.filler);
    EXPECT_GE(largest, known.low) << known.filler;
    EXPECT_LE(largest, known.high) << known.filler;
  }
}

TEST(RecordedWindows, EmeraldRapidsShowsSmallerFlagsWhileTheCoreIsShared) {
  std::vector<Step> steps = StepsOf("emerald-rapids", "flags");
  ASSERT_EQ(steps.size(), 3U);
  std::ranges::sort(steps, {}, &Step::fits);
  EXPECT_NEAR(steps.front().fits, 180, 8);
  EXPECT_NEAR(steps.back().fits, 240, 8);
}

TEST(RecordedWindows, NeoverseV1) {
  for (const Known& known :
       {Known{"nop", 500, 516}, Known{"int", 142, 150}, Known{"vec", 120, 130},
        Known{"fp", 246, 268}, Known{"flags", 56, 64}, Known{"load", 140, 150},
        Known{"store", 56, 72}, Known{"branch", 248, 272}, Known{"int+vec", 244, 260}}) {
    const double largest = LargestOf("neoverse-v1", known.filler);
    EXPECT_GE(largest, known.low) << known.filler;
    EXPECT_LE(largest, known.high) << known.filler;
  }
}

// What the program's fillers take on AArch64, by its source.
const std::vector<arch::WindowFiller>& RecordedFillers() {
  using enum arch::Window;
  static const std::vector<arch::WindowFiller> fillers = {
      {kReorderBuffer, "nop", {"nop"}},
      {kReorderBuffer,
       "int+vec",
       {"add", "fadd v.2d"},
       {{kIntegerRegisters, 0.5}, {kVectorRegisters, 0.5}}},
      {kReorderBuffer,
       "mix",
       {"add", "fadd v.2d", "add", "cmp"},
       {{kIntegerRegisters, 0.5}, {kVectorRegisters, 0.25}, {kFlags, 0.25}}},
      {kReorderBuffer,
       "mix6",
       {"add", "fadd v.2d", "cmp", "ldr", "add", "str"},
       {{kIntegerRegisters, 3.0 / 6},
        {kVectorRegisters, 1.0 / 6},
        {kFlags, 1.0 / 6},
        {kLoads, 1.0 / 6},
        {kStores, 1.0 / 6}}},
      {kIntegerRegisters, "int", {"add"}},
      {kVectorRegisters, "vec", {"fadd v.2d"}},
      {kVectorRegisters, "fp", {"fadd d"}},
      {kFlags, "flags", {"cmp"}},
      {kLoads, "load", {"ldr"}, {{kIntegerRegisters}}},
      {kStores, "store", {"str"}},
      {kBranches, "branch", {"b.ne"}},
      {kScheduler, "wait-int", {"add"}, {{kIntegerRegisters}}},
  };
  return fillers;
}

using PointsOfFiller = std::function<std::vector<OverlapPoint>(const std::string& filler)>;

// The rows that `anatomy` would make of these points of a V1.
std::map<std::string, AnatomyRow> NeoverseV1Rows(const PointsOfFiller& points_of) {
  std::vector<AnatomyRow> rows;
  for (const arch::WindowFiller& filler : RecordedFillers()) {
    const StepReading reading = ReadStep(points_of(std::string(filler.name)));
    AnatomyRow& row = rows.emplace_back();
    if (!reading.step) continue;
    const double heads = arch::EntriesOfHeads(filler.window);
    row.value = AnatomyValue{reading.step->fits + heads, reading.step->low + heads,
                             reading.step->high + heads};
  }
  MarkBounds(RecordedFillers(), rows);
  MarkNops(RecordedFillers(), rows);
  std::map<std::string, AnatomyRow> by_filler;
  for (std::size_t i = 0; i < rows.size(); ++i)
    by_filler.emplace(RecordedFillers()[i].name, rows[i]);
  return by_filler;
}

std::vector<OverlapPoint> AllPointsOf(const std::string& machine, const std::string& filler) {
  std::vector<OverlapPoint> all;
  for (const RecordedRound& round : RecordedRounds(machine, filler)) {
    const std::vector<OverlapPoint> points = PointsOf(round);
    all.insert(all.end(), points.begin(), points.end());
  }
  return all;
}

std::map<std::string, AnatomyRow> NeoverseV1Rows() {
  return NeoverseV1Rows(
      [](const std::string& filler) { return AllPointsOf("neoverse-v1", filler); });
}

// What was read from these curves by eye, and is published: 512 nop, 147 integer registers, 125
// vectors, 59 flags, 60 to 70 stores.
TEST(RecordedWindows, SizesOfANeoverseV1) {
  const std::map<std::string, AnatomyRow> rows = NeoverseV1Rows();
  for (const Known& known : {Known{"nop", 502, 518}, Known{"int", 145, 152}, Known{"vec", 121, 130},
                             Known{"flags", 56, 64}, Known{"store", 56, 72}}) {
    const AnatomyRow& row = rows.at(known.filler);
    ASSERT_TRUE(row.value) << known.filler;
    EXPECT_GE(row.value->value, known.low) << known.filler;
    EXPECT_LE(row.value->value, known.high) << known.filler;
    EXPECT_FALSE(row.at_least) << known.filler;
  }
}

// Loads end where the registers do that they write, half vectors where vectors do, and so on: what
// another window ends is no size.
TEST(RecordedWindows, BoundsOfANeoverseV1) {
  struct Bound {
    std::string filler;
    double at_least = 0;
    std::string window;
  };
  const std::map<std::string, AnatomyRow> rows = NeoverseV1Rows();
  for (const Bound& bound :
       {Bound{"int+vec", 244, "vector registers"}, Bound{"mix", 220, "flags"},
        Bound{"mix6", 300, "integer registers"}, Bound{"load", 140, "integer registers"},
        Bound{"wait-int", 140, "integer registers"}}) {
    const AnatomyRow& row = rows.at(bound.filler);
    ASSERT_TRUE(row.value) << bound.filler;
    EXPECT_TRUE(row.at_least) << bound.filler << ' ' << row.value->value;
    EXPECT_GE(row.value->value, bound.at_least) << bound.filler;
    EXPECT_EQ(row.note, "ends with the " + bound.window) << bound.filler;
  }
}

// A V1 has one thread a core: every round shows the same.
TEST(RecordedWindows, RoundsOfAQuietCoreAgree) {
  for (const char* filler : {"nop", "int", "vec", "load", "int+vec"}) {
    const std::vector<Step> steps = StepsOf("neoverse-v1", filler);
    ASSERT_EQ(steps.size(), 3U) << filler;
    const auto [least, most] = std::ranges::minmax(steps, {}, &Step::fits);
    EXPECT_LE(most.fits - least.fits, 12) << filler;
  }
}

// Overlap with stores falls slowly, from 56 to 68.
TEST(RecordedWindows, NeoverseV1StoresEndWhereTheyHaveFallen) {
  const std::vector<Step> steps = StepsOf("neoverse-v1", "store");
  ASSERT_EQ(steps.size(), 3U);
  for (const Step& step : steps) {
    EXPECT_GE(step.low, 52);
    EXPECT_LE(step.low, 64);
    EXPECT_GE(step.fits, 64);
    EXPECT_LE(step.fits, 70);
  }
}

// ---- Resampled: of each number of fillers as many visits as were recorded, drawn from these by
// chance (bootstrap). That is what other runs would have seen.

constexpr unsigned kResamples = 200;

std::vector<OverlapPoint> ResampledPoints(std::span<const OverlapPoint> points,
                                          std::mt19937& random) {
  std::map<int, std::vector<double>> by_fillers;
  for (const OverlapPoint& point : points) by_fillers[point.fillers].push_back(point.overlap);
  std::vector<OverlapPoint> resampled;
  for (const auto& [fillers, overlaps] : by_fillers) {
    std::uniform_int_distribution<std::size_t> any(0, overlaps.size() - 1);
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      resampled.push_back({fillers, overlaps[any(random)]});
  }
  return resampled;
}

// Sizes of one filler, of all seeds: each is near the median, or its interval has room for it; and
// each is what the core has, or its interval reaches there.
void ExpectRightInAll(const Known& known, const std::vector<AnatomyValue>& sizes) {
  constexpr double kToleranceFillers = 3;
  // Sizes may be withheld, but not often.
  EXPECT_GE(sizes.size(), 0.9 * kResamples) << known.filler;
  std::vector<double> values;
  for (const AnatomyValue& size : sizes) values.push_back(size.value);
  const double median = statistics::Median(values);
  for (const AnatomyValue& size : sizes) {
    const std::string words = fmt::format("{}: {} ({} to {}), median {}", known.filler, size.value,
                                          size.low, size.high, median);
    EXPECT_TRUE(std::abs(size.value - median) <= kToleranceFillers ||
                (size.low <= median && median <= size.high))
        << words;
    EXPECT_TRUE(size.low <= known.high && known.low <= size.high) << words;
  }
}

TEST(RecordedWindowsBulk, ResampledSizesOfANeoverseV1) {
  const std::vector<Known> all = {Known{"nop", 506, 514}, Known{"int", 145, 152},
                                  Known{"vec", 121, 130}, Known{"flags", 56, 62},
                                  Known{"store", 56, 72}};
  std::map<std::string, std::vector<AnatomyValue>> sizes;
  for (unsigned seed = 1; seed <= kResamples; ++seed) {
    std::mt19937 random(seed);
    const auto rows = NeoverseV1Rows([&random](const std::string& filler) {
      return ResampledPoints(AllPointsOf("neoverse-v1", filler), random);
    });
    for (const Known& known : all) {
      const AnatomyRow& row = rows.at(known.filler);
      if (row.value && !row.at_least) sizes[known.filler].push_back(*row.value);
    }
  }
  for (const Known& known : all) ExpectRightInAll(known, sizes[known.filler]);
}

// Some of the visits were beside a co-tenant, at random numbers of fillers. Where all of a round
// was (the flags), rounds are no visits of one state, so these are left out.
TEST(RecordedWindowsBulk, ResampledSizesOfAnEmeraldRapids) {
  for (const Known& known : {Known{"nop", 496, 503}, Known{"int", 496, 512},
                             Known{"load", 190, 193}, Known{"store", 110, 114}}) {
    const std::vector<OverlapPoint> points = AllPointsOf("emerald-rapids", known.filler);
    std::vector<AnatomyValue> sizes;
    for (unsigned seed = 1; seed <= kResamples; ++seed) {
      std::mt19937 random(seed);
      const StepReading reading = ReadStep(ResampledPoints(points, random));
      if (!reading.step) continue;
      sizes.push_back({reading.step->fits, static_cast<double>(reading.step->low),
                       static_cast<double>(reading.step->high)});
    }
    ExpectRightInAll(known, sizes);
  }
}

}  // namespace
}  // namespace cyclescope::anatomy
