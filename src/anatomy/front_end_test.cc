#include "anatomy/front_end.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/claims.h"
#include "anatomy/testing/simulated_front_end.h"
#include "arch/front_end_code.h"

namespace cyclescope::anatomy {
namespace {

using testing::SimulatedFrontEnd;

bool IsWithin(double expected, double found) {
  return std::abs(found - expected) <= std::max(2.0, 0.02 * expected);
}

// Within 2 or 2 %.
void ExpectSize(double expected, const SizeRange& found, const std::string& what) {
  EXPECT_TRUE(IsWithin(expected, found.value))
      << what << ": " << found.value << ", not " << expected;
}

// The same, or an interval that says how vague it is and has the size in it.
void ExpectSizeOrInterval(double expected, const SizeRange& found, const std::string& what) {
  const bool is_inside = found.low <= expected && expected <= found.high;
  EXPECT_TRUE(IsWithin(expected, found.value) || is_inside)
      << what << ": " << found.value << " (" << found.low << " to " << found.high << "), not "
      << expected;
}

TEST(FrontEnd, FindsWhatASimulatedCoreHas) {
  SimulatedFrontEnd core;
  const FrontEnd found = FrontEndFinder(core, {}).Find();
  ASSERT_EQ(found.jumps.targets.size(), 3);
  ExpectSize(128, found.jumps.targets[0].entries, "first targets");
  EXPECT_NEAR(found.jumps.targets[0].cycles, 0.6, 0.02);
  ExpectSize(6144, found.jumps.targets[1].entries, "second targets");
  ExpectSize(12288, found.jumps.targets[2].entries, "third targets");
  ASSERT_TRUE(found.jumps.cache);
  ExpectSize(32768, found.jumps.cache->bytes, "first cache");
  ASSERT_TRUE(found.straight.dispatch);
  EXPECT_NEAR(found.straight.dispatch->value, 6, 0.1);
  ASSERT_TRUE(found.straight.decode);
  EXPECT_TRUE(found.straight.decode->at_least);
  ASSERT_TRUE(found.mispredict);
  EXPECT_NEAR(found.mispredict->cycles, 20, 0.5);
  ASSERT_TRUE(found.return_stack);
  ExpectSize(20, found.return_stack->depth, "return stack");
  ASSERT_TRUE(found.history);
  ExpectSize(194, found.history->size, "history");
  ASSERT_TRUE(found.indirect);
  ExpectSize(1024, found.indirect->size, "indirect targets");
}

const AnatomyRow& RowNamed(const std::vector<AnatomyRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &AnatomyRow::name);
  EXPECT_NE(found, rows.end()) << name;
  return *found;
}

ClaimCode CodeOf(const std::vector<AnatomyRow>& rows, std::string_view name) {
  const AnatomyRow& row = RowNamed(rows, name);
  EXPECT_TRUE(row.claim) << name;
  return row.claim ? row.claim->code : ClaimCode::kPairsMissing;
}

TEST(FrontEndRows, WithAReadingThereIsNoReason) {
  SimulatedFrontEnd core;
  const FrontEnd found = FrontEndFinder(core, {}).Find();
  const std::vector<AnatomyRow> rows = RowsOf(found);
  for (const AnatomyRow& row : rows) {
    EXPECT_TRUE(row.value) << row.name;
    EXPECT_EQ(row.reason, "") << row.name;
    EXPECT_EQ(row.note, row.claim ? Sentence(*row.claim) : "") << row.name;
  }
  EXPECT_EQ(CodeOf(rows, "branch targets"), ClaimCode::kJumpTime);
  EXPECT_EQ(CodeOf(rows, "first code cache"), ClaimCode::kLineTimeBeyond);
  EXPECT_EQ(CodeOf(rows, "mispredicted branch"), ClaimCode::kBranchTimes);
  EXPECT_EQ(CodeOf(rows, "return stack"), ClaimCode::kCallTimeBeyond);
  EXPECT_EQ(CodeOf(rows, "indirect targets"), ClaimCode::kJumpTimeWithin);
  // A stack that was not outgrown has no time beyond it.
  FrontEnd deep = found;
  deep.return_stack->at_least = true;
  EXPECT_EQ(CodeOf(RowsOf(deep), "return stack"), ClaimCode::kCallTime);
}

// One reading less, and all others as they were.
TEST(FrontEndRows, WithoutAReadingThereIsAReason) {
  SimulatedFrontEnd core;
  const FrontEnd found = FrontEndFinder(core, {}).Find();
  const auto expect = [&](std::string_view name, ClaimCode code, const FrontEnd& without) {
    const std::vector<AnatomyRow> rows = RowsOf(without);
    EXPECT_EQ(CodeOf(rows, name), code) << name;
    EXPECT_EQ(RowNamed(rows, name).note, "") << name;
    const auto unclear = std::ranges::count(rows, Status::kUnmeasurable, &AnatomyRow::status);
    EXPECT_EQ(unclear, 1) << name;
  };
  FrontEnd without = found;
  without.jumps.targets.clear();
  expect("branch targets", ClaimCode::kNoJumpSteps, without);
  without = found;
  without.jumps.cache.reset();
  expect("first code cache", ClaimCode::kNoCodeEnd, without);
  without = found;
  without.mispredict.reset();
  expect("mispredicted branch", ClaimCode::kNoBranchPenalty, without);
  without = found;
  without.return_stack.reset();
  expect("return stack", ClaimCode::kNoCallStep, without);
  without = found;
  without.history.reset();
  expect("branch history", ClaimCode::kNoHistoryEnd, without);
  without = found;
  without.indirect.reset();
  expect("indirect targets", ClaimCode::kNoIndirectPlateau, without);
}

// Of each size: what lies within a factor of two is one, and what does not is none.
TEST(FrontEndRows, ASizeWithinAFactorOfTwoIsNotVague) {
  SimulatedFrontEnd core;
  core.decode = 4;
  const FrontEnd found = FrontEndFinder(core, {}).Find();
  const auto rows_with = [&](double high) {
    const SizeRange size = {100, 100, high};
    FrontEnd vague = found;
    vague.jumps.targets.resize(1);
    vague.jumps.targets[0].entries = size;
    vague.jumps.cache->bytes = size;
    vague.straight.decoded->instructions = size;
    vague.straight.loop_buffer.reset();
    vague.return_stack->depth = size;
    vague.history->size = size;
    vague.indirect->size = size;
    return RowsOf(vague);
  };
  for (const char* name : {"branch targets", "first code cache", "decoded code", "return stack",
                           "branch history", "indirect targets"}) {
    EXPECT_TRUE(RowNamed(rows_with(200), name).value) << name;
    const AnatomyRow vague = RowNamed(rows_with(201), name);
    EXPECT_FALSE(vague.value) << name;
    EXPECT_EQ(vague.status, Status::kUnmeasurable) << name;
    EXPECT_EQ(vague.reason, "it ends anywhere from 100 to 201, which is no size") << name;
    EXPECT_EQ(vague.note, "") << name;
  }
}

// A plateau whose end may be anywhere ends at the cache's bytes, too, as far as can be told. It is
// not what the cache costs for that: the jumps behind it are no more of the same level.
TEST(ReadJumps, AVagueEndIsNotThatOfTheCache) {
  const auto curve = [](std::int64_t stride, std::vector<Plateau> plateaus) {
    return JumpCurve{stride, {.points = {}, .plateaus = std::move(plateaus)}};
  };
  const auto plateau = [](double value, double first, double last, std::optional<double> beyond) {
    return Plateau{.value = value,
                   .error = 0.01,
                   .first_at = first,
                   .last_at = last,
                   .first_beyond_at = beyond,
                   .end_at = last,
                   .end_low = last,
                   .end_high = beyond.value_or(last)};
  };
  const auto largest_of_two_cycles = [&](double end, double beyond) {
    const std::vector<JumpCurve> curves = {
        curve(32, {plateau(1.4, 8, 150, 155), plateau(2, 200, end, beyond),
                   plateau(2.9, 7000, 12'000, 12'100), plateau(8, 16'000, 24'000, std::nullopt)}),
        curve(64, {plateau(2, 8, 512, 520), plateau(4, 600, 16'384, std::nullopt)}),
        curve(128, {plateau(2, 8, 256, 260), plateau(4, 300, 8192, std::nullopt)})};
    const JumpReading reading = ReadJumps(curves);
    EXPECT_TRUE(reading.cache);
    double most = 0;
    for (const TargetLevel& level : reading.targets) {
      if (level.cycles < 2.5) most = std::max(most, level.entries.value);
    }
    return most;
  };
  EXPECT_EQ(largest_of_two_cycles(400, 6000), 512) << "the size by jumps 64 bytes apart";
  // The cache's: half of its lines' cost, and the level goes on.
  EXPECT_EQ(largest_of_two_cycles(1000, 1040), 12'000);
}

// One cycle a jump up to that many of them, three beyond.
JumpCurve OneStep(std::int64_t stride, double end) {
  JumpCurve curve{.stride = stride};
  constexpr double kPointRatio = 1.1;
  for (double jumps = 8; jumps < 20'000; jumps *= kPointRatio) {
    const double at = std::round(jumps);
    curve.curve.points.push_back({at, at <= end ? 1.0 : 3.0, 0.01});
  }
  curve.curve.plateaus = FindPlateaus(curve.curve.points, {});
  return curve;
}

TEST(ReadJumps, ALevelThatMayEndWithAnUnknownCacheIsABound) {
  const JumpReading one_distance = ReadJumps(std::vector{OneStep(16, 4096)});
  ASSERT_FALSE(one_distance.cache);
  ASSERT_EQ(one_distance.targets.size(), 1);
  EXPECT_TRUE(one_distance.targets[0].at_least);
  // The same number at two distances is not the same number of bytes.
  const JumpReading two = ReadJumps(std::vector{OneStep(8, 4096), OneStep(16, 4096)});
  ASSERT_FALSE(two.targets.empty());
  EXPECT_FALSE(two.targets[0].at_least);
  // Less than any cache.
  const JumpReading few = ReadJumps(std::vector{OneStep(16, 128)});
  ASSERT_FALSE(few.targets.empty());
  EXPECT_FALSE(few.targets[0].at_least);
}

// As on a Golden Cove, whose cache of 32 KB read as 36 to 39: a jump takes two cycles, and a line
// that is missed takes four of the next cache's, at the same time.
TEST(ReadJumps, TheCachesIntervalHasRoomForMissesThatCostNothingAtFirst) {
  constexpr double kCacheBytes = 32768;
  constexpr double kSetsFillOver = 0.3;  // of the cache's bytes, until every line is missed
  std::vector<JumpCurve> curves;
  for (const std::int64_t stride : {64, 128, 256}) {
    JumpCurve& curve = curves.emplace_back();
    curve.stride = stride;
    constexpr double kSteps = 1.015;
    for (double bytes = 4096; bytes < 262144; bytes *= kSteps) {
      const double missed = std::clamp((bytes / kCacheBytes - 1) / kSetsFillOver, 0.0, 1.0);
      curve.curve.points.push_back(
          {std::round(bytes / static_cast<double>(stride)), std::max(2.0, 4 * missed), 0.01});
    }
    curve.curve.plateaus = FindPlateaus(curve.curve.points, {});
  }
  const JumpReading reading = ReadJumps(curves);
  ASSERT_TRUE(reading.cache);
  EXPECT_GT(reading.cache->bytes.value, 1.1 * kCacheBytes);
  EXPECT_LE(reading.cache->bytes.low, 1.02 * kCacheBytes);
  EXPECT_FALSE(IsVague(reading.cache->bytes));
}

TEST(FrontEnd, FindsTheStoreOfDecodedInstructions) {
  SimulatedFrontEnd core;
  core.decode = 4;
  const FrontEnd found = FrontEndFinder(core, {}).Find();
  ASSERT_TRUE(found.straight.decoded);
  ExpectSize(4096, found.straight.decoded->instructions, "decoded");
  ASSERT_TRUE(found.straight.decode);
  EXPECT_NEAR(found.straight.decode->value, 4, 0.1);
  EXPECT_FALSE(found.straight.decode->at_least);
}

// Random cores under noise as on a shared machine. A size may be absent or marked, and must not be
// wrong without a mark.
TEST(FrontEndBulk, NoWrongSizeWithoutAMark) {
  constexpr int kSeeds = 200;
  int asked = 0;
  int given = 0;
  int precise = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto between = [&random](double low, double high) {
      return std::exp(
          std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
    };
    SimulatedFrontEnd core;
    core.random.seed(static_cast<std::uint64_t>(seed));
    const double first = std::round(between(32, 256));
    const double second = std::round(between(1500, 6000));
    core.target_levels = {{first, between(0.5, 1.0)}, {second, between(1.6, 2.2)}};
    core.unknown_target_cycles = between(8, 16);
    core.cache_bytes = 32768 * (seed % 2 + 1);
    core.cycles_per_line = between(1.5, 4);
    core.filling = between(0.03, 0.3);
    core.return_stack = std::round(between(8, 32));
    core.history = std::round(between(30, 400));
    core.mispredict_cycles = between(10, 25);
    core.indirect_targets = std::round(between(64, 2500));
    core.dispatch = std::round(between(4, 8));
    core.decode = std::round(between(3, core.dispatch));
    core.decoded_instructions = std::round(between(1500, 3000));
    core.noise = between(0.001, 0.01);
    core.fetch_block_cycles = seed % 3 == 0 ? 0 : between(0.2, 2);
    const FrontEnd found = FrontEndFinder(core, {}).Find();
    const std::string what = "seed " + std::to_string(seed);
    const auto check = [&](double expected, const std::optional<SizeRange>& size, bool marked,
                           const std::string& name) {
      ++asked;
      if (!size || marked) return;
      ++given;
      precise += IsWithin(expected, size->value) ? 1 : 0;
      ExpectSizeOrInterval(expected, *size, what + ", " + name);
    };
    const auto& targets = found.jumps.targets;
    std::string levels;
    for (const TargetLevel& level : targets)
      levels += fmt::format(" {:.0f} ({:.2f} cycles, stride {})", level.entries.value, level.cycles,
                            level.stride);
    ASSERT_LE(targets.size(), 2) << what << ":" << levels << ", not " << first << ", " << second;
    for (std::size_t i = 0; i < targets.size(); ++i)
      check(core.target_levels[i].entries, targets[i].entries,
            targets[i].at_least || targets[i].shared, "targets");
    if (found.jumps.cache) check(core.cache_bytes, found.jumps.cache->bytes, false, "cache");
    if (found.return_stack)
      check(core.return_stack, found.return_stack->depth, found.return_stack->at_least, "returns");
    if (found.history) check(core.history, found.history->size, found.history->at_least, "history");
    if (found.indirect)
      check(core.indirect_targets, found.indirect->size, found.indirect->at_least, "indirect");
    ASSERT_TRUE(found.mispredict) << what;
    EXPECT_NEAR(found.mispredict->cycles, core.mispredict_cycles,
                std::max(0.5, 5 * found.mispredict->error))
        << what;
    for (const AlignmentCost& cost : found.alignment) {
      ASSERT_TRUE(cost.lost) << what;
      EXPECT_NEAR(cost.lost->cycles, core.fetch_block_cycles, std::max(0.05, 5 * cost.lost->error))
          << what << ", alignment of " << cost.instructions;
    }
    ASSERT_TRUE(found.straight.dispatch) << what;
    EXPECT_NEAR(found.straight.dispatch->value, core.dispatch, 0.1) << what;
  }
  EXPECT_GT(given, asked * 0.9);
  EXPECT_GT(precise, given * 0.97);
}

}  // namespace
}  // namespace cyclescope::anatomy
