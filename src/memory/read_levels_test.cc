#include "memory/read_levels.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "memory/ladder.h"
#include "memory/miss_shape.h"
#include "memory/testing/made_memory.h"

namespace cyclescope::memory {
namespace {

constexpr double kKb = 1024;
constexpr double kMb = 1024 * kKb;

struct Case {
  std::string name;
  MadeMemory memory;
  std::int64_t most_bytes = std::int64_t{512} << 20;
};

MadeMemory ThreeLevels() {
  return {.caches = {{48 * kKb, 5, 12},
                     {2 * kMb, 16, 16, MadeFilling::kScattered},
                     {32 * kMb, 70, 16, MadeFilling::kScattered, 0.01},
                     {0, 320, 0, MadeFilling::kEven, 0.02}}};
}

// The second level's lines are not in the third: together they hold what both hold.
MadeMemory ExclusiveThird() {
  return {.caches = {{32 * kKb, 4, 8},
                     {512 * kKb, 12, 8, MadeFilling::kScattered},
                     {(16 + 0.5) * kMb, 46, 16, MadeFilling::kRandom, 0.01},
                     {0, 380, 0, MadeFilling::kEven, 0.02}}};
}

MadeMemory PerformanceCore() {
  return {.caches = {{48 * kKb, 5, 12},
                     {1.25 * kMb, 15, 10, MadeFilling::kScattered},
                     {30 * kMb, 65, 12, MadeFilling::kRandom, 0.01},
                     {0, 400, 0, MadeFilling::kEven, 0.02}}};
}

MadeMemory EfficiencyCore() {
  return {.caches = {{32 * kKb, 3, 8},
                     {2 * kMb, 17, 16, MadeFilling::kScattered},
                     {30 * kMb, 85, 12, MadeFilling::kRandom, 0.01},
                     {0, 300, 0, MadeFilling::kEven, 0.02}}};
}

MadeMemory NoisySharedThird() {
  return {.caches = {{64 * kKb, 4, 4},
                     {1 * kMb, 13, 8, MadeFilling::kScattered, 0.01},
                     {16 * kMb, 90, 16, MadeFilling::kScattered, 0.06, 0.1},
                     {0, 330, 0, MadeFilling::kEven, 0.05}},
          .outliers = 0.08};
}

// It says 2 and 480 MB; a stranger has the rest.
MadeMemory LyingMachine() {
  return {.caches = {{48 * kKb, 5, 12},
                     {1.2 * kMb, 16, 10, MadeFilling::kScattered, 0.01},
                     {8 * kMb, 140, 16, MadeFilling::kRandom, 0.03, 0.05},
                     {0, 565, 0, MadeFilling::kEven, 0.03}},
          .outliers = 0.05};
}

class MadeMemoryBulk : public testing::TestWithParam<Case> {};

// What the curve must tell, and what it did: empty where it is right.
std::string Mistake(const MadeMemory& memory, const std::vector<MemoryLevel>& levels) {
  if (levels.size() != memory.caches.size()) {
    std::string found = fmt::format("{} levels:", levels.size());
    for (const MemoryLevel& level : levels) {
      found += fmt::format(" {:.1f} to {:.0f} KB;", level.cycles.value,
                           level.capacity ? level.capacity->value / kKb : 0);
    }
    return found;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const MadeCache& cache = memory.caches[i];
    if (std::abs(levels[i].cycles.value / cache.cycles - 1) > 0.03)
      return fmt::format("{}: {:.2f} cycles, not {}", levels[i].name, levels[i].cycles.value,
                         cache.cycles);
    if (i + 1 == levels.size()) continue;
    if (std::abs(levels[i].capacity->value / cache.bytes - 1) > 0.1)
      return fmt::format("{}: {:.0f} KB, not {}", levels[i].name, levels[i].capacity->value / kKb,
                         cache.bytes / kKb);
  }
  return "";
}

TEST_P(MadeMemoryBulk, AreReadRight) {
  constexpr int kSeeds = 100;
  constexpr int kMostMistakes = 2;
  int mistakes = 0;
  std::string text;
  for (int seed = 0; seed < kSeeds; ++seed) {
    MadeSource source(GetParam().memory, static_cast<std::uint64_t>(seed));
    const auto curve = MeasureCurve(
        source, ChaseOrder::kRandom, PageKind::kSmall,
        {.most_bytes = GetParam().most_bytes, .seed = static_cast<std::uint64_t>(seed)});
    ASSERT_TRUE(curve);
    const std::string mistake = Mistake(GetParam().memory, ReadLevels(*curve, {}, {}));
    if (mistake.empty()) continue;
    ++mistakes;
    text += fmt::format("seed {}: {}\n", seed, mistake);
  }
  EXPECT_LE(mistakes, kMostMistakes) << text;
}

INSTANTIATE_TEST_SUITE_P(All, MadeMemoryBulk,
                         testing::Values(Case{"ThreeLevels", ThreeLevels()},
                                         Case{"ExclusiveThird", ExclusiveThird()},
                                         Case{"PerformanceCore", PerformanceCore()},
                                         Case{"EfficiencyCore", EfficiencyCore()},
                                         Case{"NoisySharedThird", NoisySharedThird()},
                                         Case{"LyingMachine", LyingMachine()}),
                         [](const auto& made) { return made.param.name; });

MemoryCurve Measured(const MadeMemory& memory, ChaseOrder order, std::int64_t most_bytes,
                     std::uint64_t seed) {
  MadeSource source(memory, seed);
  LadderSettings settings = {.most_bytes = most_bytes, .seed = seed};
  if (order == ChaseOrder::kLinePerPage) {
    settings.least_bytes = 4 * 4096;
    settings.unit_bytes = 4096;
  }
  auto curve = MeasureCurve(source, order, PageKind::kSmall, settings);
  EXPECT_TRUE(curve);
  curve->page_bytes = 4096;
  return *curve;
}

// What translation takes is no cache, and caches are no translation.
TEST(ReadLevelsBulk, TellsTranslationFromCaches) {
  MadeMemory memory = ThreeLevels();
  memory.translation = {{64, 7}, {1536, 25}};
  int mistakes = 0;
  std::string text;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const MemoryCurve random = Measured(memory, ChaseOrder::kRandom, 512 << 20, seed);
    const MemoryCurve by_page = Measured(memory, ChaseOrder::kPageByPage, 512 << 20, seed);
    const MemoryCurve sparse = Measured(memory, ChaseOrder::kLinePerPage, 128 << 20, seed);
    const auto levels = ReadLevels(random, by_page, {});
    if (levels.size() != 4) {
      ++mistakes;
      text += fmt::format("seed {}: {}\n", seed, Mistake(memory, levels));
    }
    const auto stores = ReadTranslation(sparse, random, 64);
    const bool is_right = stores.size() == 2 && std::abs(stores[0].reach.value / 64 - 1) < 0.1 &&
                          std::abs(stores[1].reach.value / 1536 - 1) < 0.1 &&
                          std::abs(stores[0].cycles.value / 7 - 1) < 0.2 &&
                          std::abs(stores[1].cycles.value / 25 - 1) < 0.2;
    if (is_right) continue;
    ++mistakes;
    text += fmt::format("seed {}:", seed);
    for (const TranslationLevel& store : stores) {
      text += fmt::format(" {:.0f} pages, {:.1f} cycles;", store.reach.value, store.cycles.value);
    }
    text += '\n';
  }
  EXPECT_LE(mistakes, 1) << text;
}

MemoryLevel Level(std::string name, double low, double value, double high) {
  MemoryLevel level;
  level.name = std::move(name);
  level.capacity = MemoryValue{value, low, high};
  return level;
}

// A curve with points of so many cycles each.
MemoryCurve Curve(const std::vector<std::pair<double, double>>& points) {
  MemoryCurve curve;
  for (const auto& [bytes, cycles] : points) {
    curve.points.push_back({.bytes = static_cast<std::int64_t>(bytes),
                            .cycles = {cycles, 0.99 * cycles, 1.01 * cycles},
                            .nanoseconds = {cycles / 2, 0.99 * cycles / 2, 1.01 * cycles / 2}});
  }
  return curve;
}

MemoryLevel Memory(double cycles) {
  MemoryLevel level;
  level.name = "memory";
  level.cycles = {cycles, cycles, cycles};
  level.nanoseconds = {cycles / 2, cycles / 2, cycles / 2};
  return level;
}

TEST(CompareWithClaims, ContradictsWhatIsCertainAndNothingElse) {
  const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{480} << 20}};
  const std::vector<MemoryLevel> levels = {Level("L1", 46 * kKb, 48 * kKb, 50 * kKb),
                                           Level("L2", 1.1 * kMb, 1.2 * kMb, 1.3 * kMb),
                                           Level("L3", 7 * kMb, 8 * kMb, 9 * kMb), Memory(500)};
  const auto findings = CompareWithClaims(
      levels, Curve({{8 * kMb, 300}, {12 * kMb, 450}, {64 * kMb, 510}, {1024 * kMb, 640}}),
      claimed);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, MemoryFindingKind::kSmallerCache);
  EXPECT_EQ(findings[0].level, "L2");
  EXPECT_EQ(findings[1].kind, MemoryFindingKind::kEarlyMemory);
  EXPECT_EQ(findings[1].level, "L3");
  EXPECT_EQ(*findings[1].found_bytes, 12 * kMb);
  EXPECT_EQ(*findings[1].claimed_bytes, std::int64_t{480} << 20);
  EXPECT_EQ(*findings[1].memory_ns, 250);
}

TEST(CompareWithClaims, AnExclusiveCacheMayHoldAsMuchAsBoth) {
  const std::vector<os::CacheClaim> claimed = {{1, 32 << 10}, {2, 1 << 20}, {3, 2 << 20}};
  const std::vector<MemoryLevel> levels = {Level("L1", 31 * kKb, 32 * kKb, 33 * kKb),
                                           Level("L2", 0.9 * kMb, 1 * kMb, 1.1 * kMb),
                                           Level("L3", 2.8 * kMb, 3 * kMb, 3.2 * kMb), Memory(300)};
  EXPECT_TRUE(
      CompareWithClaims(levels, Curve({{2 * kMb, 50}, {4 * kMb, 290}, {64 * kMb, 300}}), claimed)
          .empty());
}

TEST(CompareWithClaims, SaysWhatIsMissingOnlyWhereItWasLookedFor) {
  const std::vector<os::CacheClaim> claimed = {{1, 32 << 10}, {2, 1 << 20}};
  std::vector<MemoryLevel> levels = {Level("L1", 31 * kKb, 32 * kKb, 33 * kKb),
                                     {.name = "L2 or memory"}};
  EXPECT_TRUE(CompareWithClaims(levels, Curve({{1 * kMb, 50}}), claimed).empty());
  EXPECT_TRUE(CompareWithClaims(levels, Curve({{64 * kMb, 50}}), claimed).empty());
  levels.back() = Memory(50);
  const auto findings = CompareWithClaims(levels, Curve({{64 * kMb, 50}}), claimed);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MemoryFindingKind::kNoSuchCache);
}

// It says 2 and 480 MB.
TEST(ReadLevelsBulk, AMachineThatLiesIsContradicted) {
  const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{480} << 20}};
  constexpr int kSeeds = 100;
  int mistakes = 0;
  std::string text;
  for (int seed = 0; seed < kSeeds; ++seed) {
    MadeSource source(LyingMachine(), static_cast<std::uint64_t>(seed));
    const auto curve = MeasureCurve(
        source, ChaseOrder::kRandom, PageKind::kSmall,
        {.most_bytes = std::int64_t{1} << 30, .seed = static_cast<std::uint64_t>(seed)});
    ASSERT_TRUE(curve);
    const auto findings = CompareWithClaims(ReadLevels(*curve, {}, claimed), *curve, claimed);
    const bool is_right =
        findings.size() == 2 && findings[0].kind == MemoryFindingKind::kSmallerCache &&
        findings[0].level == "L2" && findings[1].kind == MemoryFindingKind::kEarlyMemory &&
        *findings[1].found_bytes > 8 * kMb && *findings[1].found_bytes < 20 * kMb;
    if (is_right) continue;
    ++mistakes;
    text += fmt::format("seed {}: {} findings\n", seed, findings.size());
  }
  EXPECT_LE(mistakes, 2) << text;
}

// A curve of single visits, as a machine that was building software gave it: 16 cycles from 64 KB
// on, and some 20 from 512 KB to 1 MB, in which the second level had lines of others.
TEST(ReadLevels, FootprintsVisitedOnceMakeNoLevelOfTheirNoise) {
  struct Point {
    double kilobytes;
    double cycles;
  };
  const auto curve_of = [](std::initializer_list<Point> points) {
    MemoryCurve curve;
    for (const auto& [kilobytes, cycles] : points) {
      MemoryPoint& point = curve.points.emplace_back();
      point.bytes = static_cast<std::int64_t>(kilobytes * kKb);
      point.cycles = {cycles, cycles * 0.9975, cycles * 1.0025};
      point.nanoseconds = {cycles / 2.6, cycles / 2.7, cycles / 2.5};
      point.visits = 1;
    }
    return curve;
  };
  const MemoryCurve random =
      curve_of({{1, 5.0},        {1, 5.1},       {2, 5.0},       {3, 5.0},       {4, 5.2},
                {6, 5.1},        {8, 5.2},       {11, 5.0},      {16, 5.1},      {23, 5.1},
                {32, 5.1},       {45, 5.7},      {64, 16.7},     {90, 16.1},     {128, 16.0},
                {181, 16.2},     {256, 18.0},    {362, 16.1},    {512, 38.1},    {724, 20.5},
                {1024, 22.1},    {1448, 60.9},   {2048, 114.0},  {2896, 273.5},  {4096, 223.3},
                {5793, 366.6},   {8192, 260.0},  {11585, 318.1}, {16384, 340.0}, {23170, 305.0},
                {32768, 337.4},  {46341, 403.8}, {65536, 367.5}, {92682, 312.3}, {185364, 432.8},
                {370728, 430.3}, {741455, 429.4}});
  const MemoryCurve page_by_page =
      curve_of({{1, 5.2},       {1, 5.2},       {2, 5.3},       {3, 5.2},        {4, 5.2},
                {6, 5.2},       {8, 5.4},       {11, 5.6},      {16, 5.7},       {23, 6.9},
                {32, 11.1},     {45, 16.3},     {64, 16.6},     {90, 17.9},      {128, 18.7},
                {181, 16.4},    {256, 17.1},    {362, 17.0},    {512, 19.6},     {724, 28.4},
                {1024, 54.3},   {1448, 60.0},   {2048, 69.8},   {2896, 70.2},    {4096, 112.8},
                {5793, 158.5},  {11585, 118.7}, {16384, 156.1}, {23170, 143.2},  {32768, 166.4},
                {46341, 174.1}, {65536, 153.0}, {92682, 175.3}, {185364, 152.3}, {370728, 131.5},
                {741455, 152.8}});
  const auto levels = ReadLevels(random, page_by_page, {});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_NEAR(levels[0].cycles.value, 5, 0.2);
  EXPECT_NEAR(levels[1].cycles.value, 16, 1.5);
  EXPECT_GT(levels[1].capacity->high, 1 * kMb);
}

TEST(ReadLevels, WhatFootprintsDidNotOutgrowIsNotCalledMemory) {
  MadeSource source(ThreeLevels(), 1);
  const auto curve =
      MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall, {.most_bytes = 16 << 20});
  ASSERT_TRUE(curve);
  const auto levels =
      ReadLevels(*curve, {}, {{1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{32} << 20}});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[2].name, "L3 or memory");
  EXPECT_FALSE(levels[2].capacity);
  EXPECT_FALSE(MemoryBegin(levels, *curve));
}

// A store of scattered pages and two ways: half of the loads miss 16 % before it is full, so that
// the step is found by points that all lie below what the store holds.
TEST(ReadTranslation, AStoreThatIsFullBeyondTheLastPoint) {
  MemoryCurve random;
  random.points = {{.bytes = 4096, .cycles = {4, 3.99, 4.01}, .visits = 8}};
  MemoryCurve sparse = {.page_bytes = 4096, .points = {}};
  constexpr int kPoints = 96;
  const auto pages_of = [](int number) { return std::round(16 * std::exp2(number / 12.0)); };
  const double holds = 1.19 * pages_of(kPoints - 3);
  for (int i = 0; i < kPoints; ++i) {
    const double cycles = 4 + 30 * MissedShare({Filling::kScattered, 2}, pages_of(i) / holds);
    sparse.points.push_back({.bytes = static_cast<std::int64_t>(4096 * pages_of(i)),
                             .cycles = {cycles, 0.995 * cycles, 1.005 * cycles},
                             .visits = 8});
  }
  const auto levels = ReadTranslation(sparse, random, 64);
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_GT(levels[0].reach.value, pages_of(kPoints - 1)) << "or this shows nothing";
  EXPECT_LT(levels[0].cycles.low, levels[0].cycles.value);
  EXPECT_GT(levels[0].cycles.high, levels[0].cycles.value);
}

}  // namespace
}  // namespace cyclescope::memory
