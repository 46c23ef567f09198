#include "curves/read_levels.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "curves/ladder.h"
#include "curves/miss_shape.h"
#include "curves/testing/simulated_memory.h"
#include "memory/claims.h"

namespace cyclescope::curves {
namespace {

struct Case {
  std::string name;
  SimulatedMemory memory;
  std::int64_t most_bytes = std::int64_t{512} << 20;
};

SimulatedMemory ThreeLevels() {
  return {.caches = {{48 * kKb, 5, 12},
                     {2 * kMb, 16, 16, SimulatedFilling::kScattered},
                     {32 * kMb, 70, 16, SimulatedFilling::kScattered, 0.01},
                     {0, 320, 0, SimulatedFilling::kEven, 0.02}}};
}

// The second level's lines are not in the third: together they hold what both hold.
SimulatedMemory ExclusiveThird() {
  return {.caches = {{32 * kKb, 4, 8},
                     {512 * kKb, 12, 8, SimulatedFilling::kScattered},
                     {(16 + 0.5) * kMb, 46, 16, SimulatedFilling::kRandom, 0.01},
                     {0, 380, 0, SimulatedFilling::kEven, 0.02}}};
}

SimulatedMemory PerformanceCore() {
  return {.caches = {{48 * kKb, 5, 12},
                     {1.25 * kMb, 15, 10, SimulatedFilling::kScattered},
                     {30 * kMb, 65, 12, SimulatedFilling::kRandom, 0.01},
                     {0, 400, 0, SimulatedFilling::kEven, 0.02}}};
}

SimulatedMemory EfficiencyCore() {
  return {.caches = {{32 * kKb, 3, 8},
                     {2 * kMb, 17, 16, SimulatedFilling::kScattered},
                     {30 * kMb, 85, 12, SimulatedFilling::kRandom, 0.01},
                     {0, 300, 0, SimulatedFilling::kEven, 0.02}}};
}

SimulatedMemory NoisySharedThird() {
  return {.caches = {{64 * kKb, 4, 4},
                     {1 * kMb, 13, 8, SimulatedFilling::kScattered, 0.01},
                     {16 * kMb, 90, 16, SimulatedFilling::kScattered, 0.06, 0.1},
                     {0, 330, 0, SimulatedFilling::kEven, 0.05}},
          .outliers = 0.08};
}

// It says 2 and 480 MB; a neighbour has the rest.
SimulatedMemory LyingMachine() {
  return {.caches = {{48 * kKb, 5, 12},
                     {1.2 * kMb, 16, 10, SimulatedFilling::kScattered, 0.01},
                     {8 * kMb, 140, 16, SimulatedFilling::kRandom, 0.03, 0.05},
                     {0, 565, 0, SimulatedFilling::kEven, 0.03}},
          .outliers = 0.05};
}

class SimulatedMemoryBulk : public testing::TestWithParam<Case> {};

// What the curve must tell, and what it did: empty where it is right.
std::string Mistake(const SimulatedMemory& memory, const std::vector<MemoryLevel>& levels) {
  if (levels.size() != memory.caches.size()) {
    std::string found = fmt::format("{} levels:", levels.size());
    for (const MemoryLevel& level : levels) {
      found += fmt::format(" {:.1f} to {:.0f} KB;", level.cycles.value,
                           level.capacity ? level.capacity->value / kKb : 0);
    }
    return found;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const SimulatedCache& cache = memory.caches[i];
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

TEST_P(SimulatedMemoryBulk, AreReadRight) {
  constexpr int kSeeds = 100;
  constexpr int kMostMistakes = 2;
  int mistakes = 0;
  std::string text;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedSource source(GetParam().memory, static_cast<std::uint64_t>(seed));
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

INSTANTIATE_TEST_SUITE_P(All, SimulatedMemoryBulk,
                         testing::Values(Case{"ThreeLevels", ThreeLevels()},
                                         Case{"ExclusiveThird", ExclusiveThird()},
                                         Case{"PerformanceCore", PerformanceCore()},
                                         Case{"EfficiencyCore", EfficiencyCore()},
                                         Case{"NoisySharedThird", NoisySharedThird()},
                                         Case{"LyingMachine", LyingMachine()}),
                         [](const auto& made) { return made.param.name; });

// What is wrong with levels that were read while neighbours used the core; empty where nothing is.
// What is marked may be far off, but lies on the right side; what is not marked is right.
std::string BusyMistake(const SimulatedMemory& memory, const std::vector<MemoryLevel>& levels) {
  if (levels.empty()) return "no levels";
  const auto is_about = [](double found, double truth, double most) {
    return std::abs(found / truth - 1) <= most;
  };
  const auto of_cycles = [&](double cycles) {
    return std::ranges::find_if(memory.caches, [&](const SimulatedCache& cache) {
      return is_about(cycles, cache.cycles, 0.15);
    });
  };
  if (levels.size() > memory.caches.size()) return Mistake(memory, levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const MemoryLevel& level = levels[i];
    if (i > 0 && (level.cycles.value <= levels[i - 1].cycles.value ||
                  level.nanoseconds.value <= levels[i - 1].nanoseconds.value))
      return level.name + " is nearer than the one before";
    const auto cache = of_cycles(level.cycles.value);
    if (!level.contended && cache == memory.caches.end())
      return fmt::format("{}: there is no level of {:.1f} cycles", level.name, level.cycles.value);
    if (!level.capacity) continue;
    // The cache that it is about, or the last of several that were taken for one.
    const SimulatedCache& own = memory.caches[i];
    if (level.capacity_at_least) {
      const SimulatedCache& last = memory.caches[memory.caches.size() - 2];
      if (level.capacity->value > 1.3 * last.bytes) return level.name + " holds too much";
    } else if (cache != memory.caches.end() && &*cache == &own &&
               !is_about(level.capacity->value, own.bytes, 0.3) &&
               (own.bytes < 0.9 * level.capacity->low || own.bytes > 1.1 * level.capacity->high)) {
      return fmt::format("{}: {:.0f} KB, not {}", level.name, level.capacity->value / kKb,
                         own.bytes / kKb);
    }
  }
  const double last = levels.back().cycles.value;
  const double most_off = levels.back().contended ? 0.35 : 0.15;
  if (!is_about(last, memory.caches.back().cycles, most_off))
    return fmt::format("memory takes {:.0f} cycles", last);
  return "";
}

struct BusyCase {
  std::string name;
  SimulatedMemory memory;
  double share;
  int visits;  // that there is time for
};

class BusyMemoryBulk : public testing::TestWithParam<BusyCase> {};

TEST_P(BusyMemoryBulk, NothingIsInvented) {
  constexpr int kSeeds = 100;
  constexpr int kMostMistakes = 2;
  int mistakes = 0;
  std::string text;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedMemory memory = GetParam().memory;
    memory.neighbour.share = GetParam().share;
    SimulatedSource source(memory, static_cast<std::uint64_t>(seed));
    const auto curve =
        MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall,
                     {.most_bytes = 128 << 20, .seed = static_cast<std::uint64_t>(seed)},
                     [&] { return source.visits() < GetParam().visits; });
    ASSERT_TRUE(curve);
    const std::string mistake = BusyMistake(memory, ReadLevels(*curve, {}, {}));
    if (mistake.empty()) continue;
    ++mistakes;
    text += fmt::format("seed {}: {}\n", seed, mistake);
  }
  EXPECT_LE(mistakes, kMostMistakes) << text;
}

INSTANTIATE_TEST_SUITE_P(All, BusyMemoryBulk,
                         testing::Values(BusyCase{"HalfOfTheTime", ThreeLevels(), 0.5, 1000},
                                         BusyCase{"HalfOfTheTimeInAHurry", ThreeLevels(), 0.5, 120},
                                         BusyCase{"NearlyAlways", ThreeLevels(), 0.95, 400},
                                         BusyCase{"OneVisitEach", ThreeLevels(), 0.9, 35}),
                         [](const auto& made) { return made.param.name; });

MemoryCurve Measured(const SimulatedMemory& memory, ChaseOrder order, std::int64_t most_bytes,
                     std::uint64_t seed) {
  SimulatedSource source(memory, seed);
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
  SimulatedMemory memory = ThreeLevels();
  memory.translation = {{64, 7}, {1536, 25}};
  int mistakes = 0;
  std::string text;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const MemoryCurve random = Measured(memory, ChaseOrder::kRandom, 512 << 20, seed);
    const MemoryCurve by_page = Measured(memory, ChaseOrder::kPageByPage, 512 << 20, seed);
    const MemoryCurve sparse = Measured(memory, ChaseOrder::kLinePerPage, 128 << 20, seed);
    const auto levels = ReadLevels(random, {by_page}, {});
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

// It says 2 and 480 MB.
TEST(ReadLevelsBulk, AMachineThatLiesIsContradicted) {
  const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{480} << 20}};
  constexpr int kSeeds = 100;
  int mistakes = 0;
  std::string text;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedSource source(LyingMachine(), static_cast<std::uint64_t>(seed));
    const auto curve = MeasureCurve(
        source, ChaseOrder::kRandom, PageKind::kSmall,
        {.most_bytes = std::int64_t{1} << 30, .seed = static_cast<std::uint64_t>(seed)});
    ASSERT_TRUE(curve);
    const auto findings =
        memory::CompareWithClaims(ReadLevels(*curve, {}, claimed), *curve, claimed);
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

TEST(ReadLevels, WhatFootprintsDidNotOutgrowIsNotCalledMemory) {
  SimulatedSource source(ThreeLevels(), 1);
  const auto curve =
      MeasureCurve(source, ChaseOrder::kRandom, PageKind::kSmall, {.most_bytes = 16 << 20});
  ASSERT_TRUE(curve);
  const auto levels =
      ReadLevels(*curve, {}, {{1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{32} << 20}});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[2].name, "L3 or memory");
  EXPECT_FALSE(levels[2].capacity);
  EXPECT_FALSE(memory::MemoryBegin(levels, *curve));
}

// A simulated curve that is flat between its steps: what a load takes from which footprint on.
struct Piece {
  double from_bytes;
  double cycles;
};

MemoryCurve CurveOf(std::span<const Piece> pieces) {
  MemoryCurve curve;
  for (double bytes = 1 * kKb; bytes <= 256 * kMb; bytes *= std::exp2(0.25)) {
    const auto after = std::ranges::find_if(
        pieces, [bytes](const Piece& piece) { return piece.from_bytes > bytes; });
    const double cycles = (after - 1)->cycles;
    curve.points.push_back({.bytes = static_cast<std::int64_t>(bytes),
                            .cycles = {cycles, 0.995 * cycles, 1.005 * cycles},
                            .nanoseconds = {cycles / 3, cycles / 3.02, cycles / 2.98},
                            .visits = 8});
  }
  return curve;
}

constexpr auto kRising = std::to_array<Piece>({{0, 4}, {64 * kKb, 20}, {kMb, 34}});
constexpr auto kWithoutTheLast = std::to_array<Piece>({{0, 4}, {64 * kKb, 20}});
const TranslationLevel kStore = {
    .page_bytes = 4096, .reach = {256, 250, 262}, .cycles = {14, 13, 15}};

TEST(ReadLevels, SingleLoadsTellACacheFromTranslation) {
  TranslationSigns signs = {.page_by_page = CurveOf(kWithoutTheLast), .stores = {kStore}};
  EXPECT_EQ(ReadLevels(CurveOf(kRising), signs, {}).size(), 2u);
  signs.timed = {{.capacity = MemoryValue{kMb, 0.8 * kMb, 1.2 * kMb}}};
  EXPECT_EQ(ReadLevels(CurveOf(kRising), signs, {}).size(), 3u);
  signs.timed = {{.capacity = MemoryValue{16 * kMb, 12 * kMb, 20 * kMb}}};
  EXPECT_EQ(ReadLevels(CurveOf(kRising), signs, {}).size(), 2u);
}

TEST(ReadLevels, WhatTriplesALatencyIsNoTranslation) {
  constexpr auto kHigh = std::to_array<Piece>({{0, 4}, {64 * kKb, 20}, {kMb, 90}});
  TranslationLevel store = kStore;
  store.cycles = {70, 68, 72};
  EXPECT_EQ(
      ReadLevels(CurveOf(kHigh), {.page_by_page = CurveOf(kWithoutTheLast), .stores = {store}}, {})
          .size(),
      3u);
}

// A core that fetches whole pages ahead hides the step to memory from the curve page by page, and a
// store of translations ends where the last cache does.
TEST(ReadLevels, TheLastCacheIsNotCalledMemory) {
  constexpr auto kCurve =
      std::to_array<Piece>({{0, 4}, {64 * kKb, 12}, {kMb, 90}, {32 * kMb, 220}});
  constexpr auto kByPage = std::to_array<Piece>({{0, 4}, {64 * kKb, 12}, {kMb, 90}});
  const TranslationLevel store = {
      .page_bytes = 4096, .reach = {8192, 8000, 8400}, .cycles = {140, 135, 145}};
  const TranslationSigns signs = {.page_by_page = CurveOf(kByPage), .stores = {store}};
  const auto levels = ReadLevels(CurveOf(kCurve), signs,
                                 {{1, 64 << 10}, {2, 1 << 20}, {3, std::int64_t{32} << 20}});
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_EQ(levels[3].name, "memory");
  EXPECT_NEAR(levels[3].cycles.value, 220, 2);
  // The system does not say how many caches there are: then the interval holds both.
  const auto unclaimed = ReadLevels(CurveOf(kCurve), signs, {});
  ASSERT_EQ(unclaimed.size(), 3u);
  EXPECT_LE(unclaimed[2].cycles.low, 90);
  EXPECT_GE(unclaimed[2].cycles.high, 219);
  EXPECT_GE(unclaimed[2].nanoseconds.high, 73);
}

// Too little to be a step: from 256 KB on translation adds 2 cycles, and then 3.
TEST(ReadLevels, ALevelsLatencyIsWithoutTranslation) {
  constexpr auto kRisesSlowly = std::to_array<Piece>(
      {{0, 4}, {64 * kKb, 20}, {256 * kKb, 22}, {512 * kKb, 23}, {4 * kMb, 200}});
  TranslationLevel store = kStore;
  store.reach = {64, 62, 66};
  const auto levels = ReadLevels(CurveOf(kRisesSlowly), {.stores = {store}}, {});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_DOUBLE_EQ(levels[1].cycles.value, 20);
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

// A curve of one line per page that rises because its lines no longer fit into a cache, as the same
// number of lines in few pages does, shows no store of translations.
TEST(ReadTranslation, AStepThatDataExplainIsNone) {
  MemoryCurve random;
  MemoryCurve sparse = {.page_bytes = 4096, .points = {}};
  for (int i = 0; i < 96; ++i) {
    const double lines = std::round(16 * std::exp2(i / 12.0));
    const double cycles = 4 + 30 * MissedShare({Filling::kEven, 8}, lines / 512);
    const auto point = [cycles](double bytes) {
      return MemoryPoint{.bytes = static_cast<std::int64_t>(bytes),
                         .cycles = {cycles, 0.995 * cycles, 1.005 * cycles},
                         .visits = 8};
    };
    random.points.push_back(point(64 * lines));
    sparse.points.push_back(point(4096 * lines));
  }
  EXPECT_TRUE(ReadTranslation(sparse, random, 64).empty());
}

// Page tables that leave a cache are no store of translations.
TEST(ReadTranslation, BeyondTheSecondStepArePageTables) {
  MemoryCurve random = {.points = {{.bytes = 64, .cycles = {4, 3.99, 4.01}, .visits = 8},
                                   {.bytes = 1 << 30, .cycles = {4, 3.99, 4.01}, .visits = 8}}};
  MemoryCurve sparse = {.page_bytes = 4096, .points = {}};
  for (int i = 0; i < 140; ++i) {
    const double pages = std::round(8 * std::exp2(i / 12.0));
    const double cycles =
        4 + (pages > 96 ? 7 : 0) + (pages > 1536 ? 25 : 0) + (pages > 6000 ? 300 : 0);
    sparse.points.push_back({.bytes = static_cast<std::int64_t>(4096 * pages),
                             .cycles = {cycles, 0.995 * cycles, 1.005 * cycles},
                             .visits = 8});
  }
  const auto stores = ReadTranslation(sparse, random, 64);
  ASSERT_EQ(stores.size(), 2u);
  EXPECT_NEAR(stores[0].reach.value, 96, 10);
  EXPECT_NEAR(stores[1].reach.value, 1536, 150);
}

TEST(JudgeHugePages, OnlyHugePagesOfWhichAsManyFitAsOfSmallOnesAreMarked) {
  const std::vector<TranslationLevel> small = {
      {PageKind::kSmall, 4096, {96, 90, 102}, {7, 7, 7}, {}},
      {PageKind::kSmall, 4096, {1790, 1720, 1830}, {80, 80, 80}, {}}};
  const TranslationLevel alike = {PageKind::kHuge, 2 << 20, {98, 92, 104}, {7, 7, 7}, {}};
  const TranslationLevel fewer = {PageKind::kHuge, 2 << 20, {32, 30, 34}, {7, 7, 7}, {}};
  std::vector<TranslationLevel> levels = {small[0], small[1], alike, fewer};
  JudgeHugePages(levels);
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_FALSE(levels[0].split_bytes);
  EXPECT_EQ(levels[2].split_bytes, 4096);
  EXPECT_FALSE(levels[3].split_bytes) << "the host has huge pages, too";
  levels = {small[1], alike};
  JudgeHugePages(levels);
  EXPECT_EQ(levels.size(), 1u) << "the first store was not seen with small pages";
}

// The interval of a level's latency holds it as often as it says.
TEST(ReadLevelsBulk, IntervalsOfLevelsHoldTheTruth) {
  int levels = 0;
  int held = 0;
  for (const SimulatedMemory& memory : {ThreeLevels(), PerformanceCore(), NoisySharedThird()}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto found = ReadLevels(Measured(memory, ChaseOrder::kRandom, 512 << 20, seed), {}, {});
      if (found.size() != memory.caches.size()) continue;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double truth = memory.caches[i].cycles;
        ++levels;
        held += found[i].cycles.low <= truth && truth <= found[i].cycles.high;
      }
    }
  }
  EXPECT_GT(levels, 300);
  EXPECT_GE(held, 0.93 * levels) << held << " of " << levels;
}

}  // namespace
}  // namespace cyclescope::curves
