#include "report/cores_text.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/core_summary.h"
#include "analysis/core_words.h"
#include "report/core_grid.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CoreMatrix Made(int cpus) {
  CoreMatrix matrix;
  matrix.test = "cas";
  matrix.instruction = "lock cmpxchg";
  matrix.nanoseconds = matrix.low = matrix.high = PairMatrix(cpus);
  for (int i = 0; i < cpus; ++i) {
    matrix.cpus.push_back(i);
    for (int j = 0; j < cpus; ++j) {
      if (i == j) continue;
      const double ns = 40 + i + 0.1 * j;
      matrix.nanoseconds.At(i, j) = ns;
      matrix.low.At(i, j) = ns - 0.5;
      matrix.high.At(i, j) = ns + 0.5;
    }
  }
  return matrix;
}

std::string Text(const CoreMatrix& matrix, const CoresTextOptions& options = {},
                 const TextStyle& style = {}) {
  Document document;
  document.clock.tick_hz = 2e9;
  document.cores = {matrix};
  return CoresText(document, options, style).value();
}

TEST(CoreGrid, StandsCloserWhereThereIsLessRoom) {
  EXPECT_EQ(CoreGridText(Made(3), {}, {.width = 20}),
            "      0  1  2\n"
            "   0    40 40\n"
            "   1 41    41\n"
            "   2 42 42\n");
}

TEST(CoresText, TheMatrixInItsFamiliarForm) {
  EXPECT_EQ(CoreGridText(Made(3), {}, {}),
            "         0     1     2\n"
            "    0         40    40\n"
            "    1   41          41\n"
            "    2   42    42\n");
}

TEST(CoresText, SummaryWithPairsAndUncertainty) {
  const std::string text = Text(Made(3));
  EXPECT_THAT(text, HasSubstr("compare-and-swap (cas), lock cmpxchg: one way, ns"));
  EXPECT_THAT(text, HasSubstr("min     40.1  39.6 to 40.6  0 to 1\n"));
  EXPECT_THAT(text, HasSubstr("max     42.1  41.6 to 42.6  2 to 1\n"));
  // Six pairs of +- 0.5 each: their mean is known to 0.5 over the root of six.
  EXPECT_THAT(text, HasSubstr("mean    41.1  40.9 to 41.3\n"));
}

// One level is what the table has: its median, and no second number beside it.
TEST(CoresText, OneLevelIsNotToldTwice) {
  CoreMatrix matrix = Made(3);
  matrix.spectrum.levels = {{.name = "other core", .nanoseconds = 38, .share = 1}};
  EXPECT_THAT(Text(matrix), Not(HasSubstr("level")));
  matrix.spectrum.levels.push_back({.name = "other die", .nanoseconds = 90, .share = 0.5});
  EXPECT_THAT(Text(matrix), HasSubstr("levels, by where most of their visits lie: other core 38"));
}

TEST(CoresText, MarksWhatCannotBeTrusted) {
  CoreMatrix matrix = Made(3);
  matrix.disturbed = {{0, 1}};
  matrix.timed_out = {{2, 0}};
  matrix.nanoseconds.At(2, 0) = PairMatrix::kNone;
  const std::string text = Text(matrix);
  EXPECT_THAT(text, HasSubstr("    0         40*   40\n"));
  EXPECT_THAT(text, HasSubstr("    2     !   42\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("* disturbed"), HasSubstr("! one of the two CPUs")));
}

TEST(CoresText, PartialResultsSaySo) {
  CoreMatrix matrix = Made(3);
  matrix.partial = true;
  matrix.nanoseconds.At(1, 2) = PairMatrix::kNone;
  EXPECT_THAT(Text(matrix), HasSubstr("partial: interrupted after 5 of 6 pairs"));
  matrix.nanoseconds.At(1, 2) = 42;
  EXPECT_THAT(Text(matrix), HasSubstr("partial: interrupted after every pair was visited"));
}

TEST(CoresText, NothingMeasured) {
  CoreMatrix matrix = Made(2);
  matrix.nanoseconds = PairMatrix(2);
  EXPECT_THAT(Text(matrix), HasSubstr("no pair was measured"));
}

TEST(CoresText, SpreadsRejectsOffsetsAndTheParallelCheck) {
  CoreMatrix matrix = Made(2);
  matrix.spread_within = matrix.spread_between = matrix.clock_offset = PairMatrix(2);
  matrix.spread_within.At(0, 1) = 0.15;
  matrix.spread_between.At(0, 1) = 6.4;
  matrix.clock_offset.At(0, 1) = -12.5;
  matrix.batches_kept = 900;
  matrix.batches_rejected = 100;
  matrix.parallel = {.pairs = 24, .ratio = 1.031};
  EXPECT_THAT(Text(matrix),
              AllOf(HasSubstr("repeatability 0.15 ns, interquartile range 6.4 ns"),
                    HasSubstr("100 of 1000 batches dropped as disturbed (10.0 %)"),
                    HasSubstr("+3.1 % against 24 pairs"), HasSubstr("differ by up to 12.5 ns")));
}

TEST(CoresText, GroupsAndFindings) {
  CoreMatrix matrix = Made(4);
  matrix.groups = {{.name = "core 0", .cpus = {0, 1}, .nanoseconds = 9.5, .in_topology = true}};
  matrix.findings = {{.kind = FindingKind::kOutlier, .cpus = {0, 1}, .text = "something is odd"}};
  const std::string text = Text(matrix);
  EXPECT_THAT(text, HasSubstr("core 0        9.5  0-1\n"));
  EXPECT_THAT(text, HasSubstr("! something is odd\n"));
}

TEST(CoresText, ManyCpusGetASummaryByGroup) {
  CoreMatrix matrix = Made(66);
  for (int core = 0; core < 33; ++core) {
    matrix.groups.push_back({.name = "core " + std::to_string(core),
                             .cpus = {2 * core, 2 * core + 1},
                             .nanoseconds = 9.0 + 0.01 * core});
  }
  const std::string text = Text(matrix);
  EXPECT_THAT(text, HasSubstr("66 CPUs; --full prints the whole matrix"));
  EXPECT_THAT(text, HasSubstr("    0  33 x core          2        9.2  9.0  9.3\n"));
  EXPECT_THAT(text, Not(HasSubstr("   65 ")));

  const std::string full = Text(matrix, {.full = true});
  EXPECT_THAT(full, HasSubstr("\n   65 "));
  EXPECT_THAT(full, HasSubstr("and 1 more; --json lists all"));
}

TEST(CoresText, UnitsOtherThanNanoseconds) {
  EXPECT_THAT(Text(Made(2), {.unit = CoreUnit::kTicks}),
              AllOf(HasSubstr("one way, ticks"), HasSubstr("    0         80\n")));
}

// CPU 1 runs at a third of CPU 0's speed: in cycles its pairs are the nearest, not the farthest.
TEST(CoresText, FiguresAreMadeInTheUnitThatTheyAreShownIn) {
  Document document;
  document.cores = {Made(3)};
  for (const auto& [cpu, ghz] : {std::pair{0, 3.0}, std::pair{1, 1.0}, std::pair{2, 3.0}}) {
    FrequencyRow& row = document.frequency.emplace_back();
    row.cpu = cpu;
    row.core_ghz.value = ghz;
  }
  const std::string text = CoresText(document, {.unit = CoreUnit::kCycles}, {}).value();
  // Rows 40.1, 40.2 and 42.0, 42.1 times three, and 41.0, 41.2 times one.
  EXPECT_THAT(text, HasSubstr("min       41.0  40.5 to 41.5    1 to 0\n"));
  EXPECT_THAT(text, HasSubstr("median   120.5  119.0 to 122.0\n"));
  EXPECT_THAT(text, HasSubstr("mean      95.9  "));
  EXPECT_THAT(text, HasSubstr("max      126.3  124.8 to 127.8  2 to 1\n"));
}

TEST(CoresText, LevelsOfAFileAreWhateverItSays) {
  CoreMatrix matrix = Made(66);
  for (const int level : {-5, 7, std::numeric_limits<int>::max()}) {
    matrix.groups.push_back({.name = "group A", .level = level, .cpus = {0, 1}});
  }
  EXPECT_THAT(Text(matrix), HasSubstr("2147483647  1 x group"));
}

TEST(CoresText, AHeatMapOnlyWithColour) {
  CoreMatrix matrix = Made(3);
  matrix.nanoseconds.At(0, 2) = 200;
  EXPECT_THAT(Text(matrix), Not(HasSubstr("\x1b")));
  const std::string text = Text(matrix, {}, {.color = true});
  EXPECT_THAT(text, HasSubstr("48;5;22m   40 "));  // the nearest
  EXPECT_THAT(text, HasSubstr("48;5;88m  200 "));  // the farthest
}

TEST(CoresText, WhatAFileHoldsIsNoCommandToTheTerminal) {
  CoreMatrix matrix = Made(2);
  matrix.test = "cas\x1b[2J";
  matrix.findings = {{.kind = FindingKind::kOutlier, .cpus = {}, .text = "\x1b[2J"}};
  EXPECT_THAT(Text(matrix), Not(HasSubstr("\x1b")));
}

TEST(CoreSummary, OfTwoTheMiddleIsBetweenThem) {
  CoreMatrix matrix = Made(2);
  matrix.nanoseconds.At(0, 1) = 40;
  matrix.nanoseconds.At(1, 0) = 50;
  EXPECT_DOUBLE_EQ(Summarize(matrix)->median, 45);
}

TEST(CoresText, AFindingAboutAPairIsInTheUnitOfTheMatrix) {
  CoreMatrix matrix = Made(2);
  matrix.findings = {{.kind = FindingKind::kAsymmetry,
                      .cpus = {matrix.cpus[0], matrix.cpus[1]},
                      .nanoseconds = 50,
                      .compared_ns = 40}};
  const CoreScale cycles{.unit = "cycles", .per_nanosecond = {2, 3}};
  EXPECT_EQ(FindingText(matrix, matrix.findings[0], cycles),
            fmt::format("CPU {0} to {1} takes 100.0 cycles, but {1} to {0} takes 120.0 cycles",
                        matrix.cpus[0], matrix.cpus[1]));
}

TEST(CoreSummary, WithoutIntervals) {
  CoreMatrix matrix = Made(3);
  matrix.low = matrix.high = {};
  const auto summary = Summarize(matrix);
  ASSERT_TRUE(summary.has_value());
  EXPECT_DOUBLE_EQ(summary->least.value, 40.1);
  EXPECT_EQ(summary->pairs, 6u);
  EXPECT_TRUE(std::isnan(summary->mean_low));
  EXPECT_THAT(Text(matrix), HasSubstr("min     40.1            0 to 1\n"));
}

TEST(CoresText, ClocksAreOfMessagesOnly) {
  Document document;
  CoreMatrix& matrix = document.cores.emplace_back();
  matrix.cpus = {0, 1};
  matrix.nanoseconds = PairMatrix(2);
  matrix.nanoseconds.At(0, 1) = 40;
  EXPECT_THAT(CoresText(document, {}, {}).value(), Not(HasSubstr("clocks of two CPUs")));
  matrix.clock_offset = PairMatrix(2);
  matrix.clock_offset.At(0, 1) = -12.5;
  EXPECT_THAT(CoresText(document, {}, {}).value(), HasSubstr("differ by up to 12.5 ns"));
}

}  // namespace
}  // namespace cyclescope
