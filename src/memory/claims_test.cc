#include "memory/claims.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cyclescope::memory {
namespace {

constexpr double kClaimKb = 1024;
constexpr double kClaimMb = 1024 * kClaimKb;

MemoryLevel Level(std::string name, double low, double value, double high) {
  MemoryLevel level;
  level.name = std::move(name);
  level.capacity = MemoryValue{value, low, high};
  return level;
}

// A curve with points of these cycles.
MemoryCurve Curve(const std::vector<std::pair<double, double>>& points) {
  MemoryCurve curve;
  for (const auto& [bytes, cycles] : points) {
    curve.points.push_back({.bytes = static_cast<std::int64_t>(bytes),
                            .cycles = {cycles, 0.99 * cycles, 1.01 * cycles},
                            .nanoseconds = {cycles / 2, 0.99 * cycles / 2, 1.01 * cycles / 2},
                            .visits = 8});
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
  const std::vector<MemoryLevel> levels = {
      Level("L1", 46 * kClaimKb, 48 * kClaimKb, 50 * kClaimKb),
      Level("L2", 1.1 * kClaimMb, 1.2 * kClaimMb, 1.3 * kClaimMb),
      Level("L3", 7 * kClaimMb, 8 * kClaimMb, 9 * kClaimMb), Memory(500)};
  const auto findings = CompareWithClaims(levels,
                                          Curve({{8 * kClaimMb, 300},
                                                 {12 * kClaimMb, 450},
                                                 {64 * kClaimMb, 510},
                                                 {1024 * kClaimMb, 640}}),
                                          claimed);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, MemoryFindingKind::kSmallerCache);
  EXPECT_EQ(findings[0].level, "L2");
  EXPECT_EQ(findings[1].kind, MemoryFindingKind::kEarlyMemory);
  EXPECT_EQ(findings[1].level, "L3");
  EXPECT_EQ(*findings[1].found_bytes, 12 * kClaimMb);
  EXPECT_EQ(*findings[1].claimed_bytes, std::int64_t{480} << 20);
  EXPECT_EQ(*findings[1].memory_ns, 250);
}

TEST(CompareWithClaims, AnExclusiveCacheMayHoldAsMuchAsBoth) {
  const std::vector<os::CacheClaim> claimed = {{1, 32 << 10}, {2, 1 << 20}, {3, 2 << 20}};
  const std::vector<MemoryLevel> levels = {
      Level("L1", 31 * kClaimKb, 32 * kClaimKb, 33 * kClaimKb),
      Level("L2", 0.9 * kClaimMb, 1 * kClaimMb, 1.1 * kClaimMb),
      Level("L3", 2.8 * kClaimMb, 3 * kClaimMb, 3.2 * kClaimMb), Memory(300)};
  EXPECT_TRUE(
      CompareWithClaims(
          levels, Curve({{2 * kClaimMb, 50}, {4 * kClaimMb, 290}, {64 * kClaimMb, 300}}), claimed)
          .empty());
}

TEST(CompareWithClaims, SaysWhatIsMissingOnlyWhereItWasLookedFor) {
  const std::vector<os::CacheClaim> claimed = {{1, 32 << 10}, {2, 1 << 20}};
  std::vector<MemoryLevel> levels = {Level("L1", 31 * kClaimKb, 32 * kClaimKb, 33 * kClaimKb),
                                     {.name = "L2 or memory"}};
  EXPECT_TRUE(CompareWithClaims(levels, Curve({{1 * kClaimMb, 50}}), claimed).empty());
  EXPECT_TRUE(CompareWithClaims(levels, Curve({{64 * kClaimMb, 50}}), claimed).empty());
  levels.back() = Memory(50);
  const auto findings = CompareWithClaims(levels, Curve({{64 * kClaimMb, 50}}), claimed);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MemoryFindingKind::kNoSuchCache);
}

// What others shared, or left little time for, contradicts nothing.
TEST(CompareWithClaims, WhatIsNotClearContradictsNothing) {
  const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{300} << 20}};
  std::vector<MemoryLevel> levels = {Level("L1", 15 * kClaimKb, 16 * kClaimKb, 17 * kClaimKb),
                                     Level("L2", 150 * kClaimKb, 160 * kClaimKb, 170 * kClaimKb),
                                     Level("L3", 1 * kClaimMb, 2 * kClaimMb, 3 * kClaimMb),
                                     Level("L4", 90 * kClaimMb, 108 * kClaimMb, 120 * kClaimMb),
                                     Memory(500)};
  const MemoryCurve curve = Curve({{4 * kClaimMb, 490}, {1024 * kClaimMb, 510}});
  EXPECT_FALSE(CompareWithClaims(levels, curve, claimed).empty());
  for (MemoryLevel& level : levels) level.contended = level.capacity_at_least = true;
  EXPECT_TRUE(CompareWithClaims(levels, curve, claimed).empty());
}

// An Emerald Rapids with neighbours: L3's plateau did not show, and L2 seemed to end at 3.8 MB.
TEST(CompareWithClaims, ALevelThatIsOneStepWithTheNextIsNotCalledLarger) {
  const std::vector<os::CacheClaim> claimed = {
      {1, 48 << 10}, {2, 2 << 20}, {3, std::int64_t{260} << 20}};
  std::vector<MemoryLevel> levels = {Level("L1", 47 * kClaimKb, 48 * kClaimKb, 49 * kClaimKb),
                                     Level("L2", 2.9 * kClaimMb, 3.8 * kClaimMb, 4.4 * kClaimMb),
                                     {.name = "L3 or memory"}};
  const MemoryCurve curve =
      Curve({{1 * kClaimMb, 16}, {64 * kClaimMb, 60}, {1024 * kClaimMb, 350}});
  EXPECT_TRUE(CompareWithClaims(levels, curve, claimed).empty());
  levels[2] = Level("L3", 200 * kClaimMb, 260 * kClaimMb, 300 * kClaimMb);
  levels.push_back(Memory(350));
  const auto findings = CompareWithClaims(levels, curve, claimed);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MemoryFindingKind::kLargerCache);
}

// By a little less than a finding takes.
TEST(MemoryClaims, NearMissesAreNoFindings) {
  const std::vector<os::CacheClaim> claimed = {{1, 32 << 10}, {2, 1 << 20}};
  const MemoryLevel first = Level("L1", 31 * kClaimKb, 32 * kClaimKb, 33 * kClaimKb);
  const MemoryCurve curve = Curve(
      {{0.5 * kClaimMb, 16}, {0.9 * kClaimMb, 100}, {2 * kClaimMb, 290}, {64 * kClaimMb, 300}});
  const auto kinds = [&](const MemoryLevel& second, const MemoryCurve& of_curve) {
    std::vector<MemoryFindingKind> found;
    for (const MemoryFinding& finding :
         CompareWithClaims({first, second, Memory(300)}, of_curve, claimed))
      found.push_back(finding.kind);
    return found;
  };
  using Kinds = std::vector<MemoryFindingKind>;
  // The interval's end at 0.8 of what the system says, and a little below.
  EXPECT_EQ(kinds(Level("L2", 0.5 * kClaimMb, 0.7 * kClaimMb, 0.81 * kClaimMb), curve), Kinds());
  EXPECT_EQ(kinds(Level("L2", 0.5 * kClaimMb, 0.7 * kClaimMb, 0.79 * kClaimMb), curve),
            Kinds{MemoryFindingKind::kSmallerCache});
  // And beyond 1.2 of both caches.
  EXPECT_EQ(kinds(Level("L2", 1.23 * kClaimMb, 2 * kClaimMb, 3 * kClaimMb), curve), Kinds());
  EXPECT_EQ(kinds(Level("L2", 1.25 * kClaimMb, 2 * kClaimMb, 3 * kClaimMb), curve),
            Kinds{MemoryFindingKind::kLargerCache});
  // A footprint below the cache that takes 0.8 of what memory takes, and one that takes less.
  const auto from_half = [](double cycles) {
    return Curve({{0.5 * kClaimMb, cycles}, {2 * kClaimMb, 290}, {64 * kClaimMb, 300}});
  };
  const MemoryLevel whole = Level("L2", 0.9 * kClaimMb, kClaimMb, 1.1 * kClaimMb);
  EXPECT_EQ(kinds(whole, from_half(0.79 * 300)), Kinds());
  EXPECT_EQ(kinds(whole, from_half(0.8 * 300)), Kinds()) << "its interval ends below";
  EXPECT_EQ(kinds(whole, from_half(0.81 * 300)), Kinds{MemoryFindingKind::kEarlyMemory});
  // Footprints that end below twice the cache, and one level that is not clear.
  const auto without_second = [&](double most_bytes, bool contended) {
    std::vector<MemoryLevel> levels = {first, Memory(50)};
    levels[0].contended = contended;
    return CompareWithClaims(levels, Curve({{16 * kClaimKb, 4}, {most_bytes, 20}}), claimed).size();
  };
  EXPECT_EQ(without_second(1.9 * kClaimMb, false), 0u);
  EXPECT_EQ(without_second(2 * kClaimMb, true), 0u);
  EXPECT_EQ(without_second(2 * kClaimMb, false), 1u);
  // As many levels as the system lists, and one more.
  const MemoryLevel third = Level("L3", 7 * kClaimMb, 8 * kClaimMb, 9 * kClaimMb);
  EXPECT_EQ(CompareWithClaims({first, whole, third, Memory(300)}, curve, claimed).size(), 1u);
  MemoryLevel unclear = third;
  unclear.capacity_at_least = true;
  EXPECT_TRUE(CompareWithClaims({first, whole, unclear, Memory(300)}, curve, claimed).empty());
}

// An Emerald Rapids' L3, of which others left 11 MB: there a load took 174 cycles (100 to 377),
// half of what it took from 16 MB on.
TEST(MemoryClaims, AWideIntervalIsNotYetMemory) {
  MemoryCurve curve = Curve(
      {{8 * kClaimMb, 102}, {11 * kClaimMb, 174}, {16 * kClaimMb, 352}, {64 * kClaimMb, 347}});
  curve.points[1].cycles = {174, 100, 377};
  const std::optional<double> begin =
      MemoryBegin({Level("L1", kClaimKb, kClaimKb, kClaimKb), Memory(347)}, curve);
  ASSERT_TRUE(begin);
  EXPECT_EQ(*begin, 16 * kClaimMb);
  // A Cascade Lake's, of which compilers left 3 MB: half of the visits found them there.
  curve.points[1].cycles = {293, 78, 319};
  EXPECT_EQ(MemoryBegin({Level("L1", kClaimKb, kClaimKb, kClaimKb), Memory(347)}, curve),
            16 * kClaimMb);
}

// Nothing is known of a last level that may be a cache or memory, and takes 5 to 346 cycles.
TEST(MemoryClaims, AWideIntervalIsNoLevel) {
  const MemoryCurve curve = Curve({{kClaimKb, 5}, {64 * kClaimMb, 300}});
  const auto gap_of = [&](const std::string& name, double low, double high, bool has_first) {
    std::vector<MemoryLevel> levels;
    if (has_first) levels.push_back(Level("L1", 31 * kClaimKb, 32 * kClaimKb, 33 * kClaimKb));
    levels.push_back({.name = name, .cycles = {low, low, high}});
    const std::size_t before = levels.size();
    auto gap = TakeUnknownLevel(curve, levels);
    EXPECT_EQ(levels.size(), gap ? before - 1 : before);
    return gap;
  };
  const auto alone = gap_of("L1 or memory", 5, 346, false);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->from_bytes, kClaimKb);
  EXPECT_EQ(alone->cycles.high, 346);
  const auto beyond = gap_of("L2 or memory", 14, 346, true);
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->from_bytes, 32 * kClaimKb);
  // Just narrow enough, and just too wide.
  EXPECT_FALSE(gap_of("L2 or memory", 14, 28, true));
  EXPECT_TRUE(gap_of("L2 or memory", 14, 28.1, true));
  // What it is is known.
  EXPECT_FALSE(gap_of("memory", 100, 346, true));
  EXPECT_FALSE(gap_of("L1", 4, 14, false));
}

// A Cascade Lake's L3 that compilers kept busy: a load took 34 to 311 cycles. It was called an L3
// of 49.6 cycles, where others measure 70.
TEST(MemoryClaims, AWideIntervalBeforeMemoryIsNoLevel) {
  const MemoryCurve curve = Curve({{kClaimKb, 5}, {64 * kClaimMb, 300}});
  const auto levels_with = [](double low, double high) {
    std::vector<MemoryLevel> levels = {Level("L1", 31 * kClaimKb, 32 * kClaimKb, 33 * kClaimKb),
                                       Level("L2", 0.7 * kClaimMb, 0.9 * kClaimMb, 1 * kClaimMb),
                                       Level("L3", 1.9 * kClaimMb, 2.3 * kClaimMb, 2.8 * kClaimMb),
                                       Memory(308)};
    levels[0].cycles = {4, 4, 4};
    levels[1].cycles = {14, 13.9, 15.7};
    levels[2].cycles = {low, low, high};
    return levels;
  };
  std::vector<MemoryLevel> levels = levels_with(34, 311);
  const auto gap = TakeUnknownLevel(curve, levels);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->from_bytes, static_cast<std::int64_t>(0.9 * kClaimMb));
  EXPECT_EQ(gap->cycles.high, 311);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels.back().name, "memory");
  levels = levels_with(60, 120);
  EXPECT_FALSE(TakeUnknownLevel(curve, levels));
  EXPECT_EQ(levels.size(), 4u);
}

}  // namespace
}  // namespace cyclescope::memory
