#include "anatomy/front_end.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "arch/front_end_code.h"
#include "arch/kernel_parts.h"
#include "cyclescope/result/estimate.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// Jumps right behind each other share what a core keeps per line or block of code, far ones share
// sets of its buffers: so there are several distances. Those of a line and more show the cache.
constexpr auto kStrides = std::to_array<std::int64_t>({8, 16, 32, 64, 128, 256});
constexpr auto kQuickStrides = std::to_array<std::int64_t>({16, 64, 128});
constexpr std::int64_t kFewestJumps = 8;
constexpr std::int64_t kMostJumps = 24576;
constexpr std::int64_t kMostJumpBytes = std::int64_t{1} << 20;
// A loop of less is mostly its end.
constexpr std::int64_t kLeastCodeBytes = 256;
constexpr std::int64_t kMostCodeBytes = 256 << 10;
// Loops of less than a line, and of more.
constexpr auto kAlignedInstructions = std::to_array<std::int64_t>({8, 24});
constexpr auto kFarCodeBytes =
    std::to_array<std::int64_t>({512 << 10, 1 << 20, 2 << 20, 4 << 20, 7 << 20});
// Of a trip. More than a history holds, so that the branches of one trip are no pattern.
constexpr std::int64_t kBranches = 32;
constexpr double kConfidence = 0.95;
constexpr std::int64_t kDeepestCalls = 48;
constexpr std::int64_t kMostHistory = 1200;
// Of the second branch's misses; a step goes from none of them to all.
constexpr double kWantedErrorOfShare = 0.15;
constexpr std::int64_t kMostIndirectTargets = 6144;

}  // namespace

FrontEnd FrontEndFinder::Find() {
  FrontEnd found;
  using Part = void (FrontEndFinder::*)(FrontEnd&);
  constexpr auto kParts =
      std::to_array<Part>({&FrontEndFinder::FindJumps, &FrontEndFinder::FindStraight,
                           &FrontEndFinder::FindMispredict, &FrontEndFinder::FindReturnStack,
                           &FrontEndFinder::FindHistory, &FrontEndFinder::FindIndirect,
                           &FrontEndFinder::FindAlignment, &FrontEndFinder::FindFarCode});
  for (const Part part : kParts) {
    if (!GoesOn()) break;
    (this->*part)(found);
  }
  return found;
}

Curve FrontEndFinder::PerCount(const CodePattern& pattern, const CurveRange& range,
                               const PlateauLimits& limits) {
  return ExploreCurve(range, limits, [&](std::span<const std::int64_t> counts) {
    std::vector<CodePattern> patterns;
    for (const std::int64_t count : counts) {
      patterns.push_back(pattern);
      patterns.back().count = count;
    }
    const auto times = times_.Measure(patterns);
    std::vector<std::optional<CurvePoint>> points(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!times[i]) continue;
      const auto units = static_cast<double>(counts[i]);
      points[i] =
          CurvePoint{units, times[i]->cycles / units, times[i]->error / units, times[i]->shared};
    }
    return points;
  });
}

void FrontEndFinder::FindJumps(FrontEnd& found) {
  const std::span<const std::int64_t> strides =
      settings_.quick ? std::span<const std::int64_t>(kQuickStrides) : kStrides;
  for (const std::int64_t stride : strides) {
    if (!GoesOn()) return;
    const CurveRange range = {.least = kFewestJumps,
                              .most = std::min(kMostJumps, kMostJumpBytes / stride)};
    found.jump_curves.push_back(
        {stride, PerCount({.kind = PatternKind::kJumps, .stride = stride}, range, {})});
  }
  found.jumps = ReadJumps(found.jump_curves);
}

void FrontEndFinder::FindStraight(FrontEnd& found) {
  const auto mixes = arch::StraightMixes();
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    if (!GoesOn()) return;
    if (settings_.quick && arch::IsNopAlone(mixes[i].code)) continue;
    const auto unit = static_cast<std::int64_t>(mixes[i].code.size());
    const CurveRange range = {.least = kLeastCodeBytes / mixes[i].bytes,
                              .most = kMostCodeBytes / mixes[i].bytes,
                              .unit = unit};
    found.straight_curves.push_back(
        {i, mixes[i].bytes, arch::IsNopAlone(mixes[i].code),
         PerCount({.kind = PatternKind::kStraight, .mix = i}, range, {})});
  }
  found.straight = ReadStraight(found.straight_curves, found.jumps.cache);
}

void FrontEndFinder::FindAlignment(FrontEnd& found) {
  if (settings_.quick) return;
  for (const std::int64_t instructions : kAlignedInstructions) {
    if (!GoesOn()) return;
    found.alignment.push_back(MeasureAlignment(times_, instructions));
  }
}

// Far more code than the first cache holds, with few points: where it comes from shows in its
// speed, and the time of a trip is that of millions of instructions.
void FrontEndFinder::FindFarCode(FrontEnd& found) {
  if (settings_.quick) return;
  const auto& mix = arch::StraightMixes().front();
  const auto unit = static_cast<std::int64_t>(mix.code.size());
  std::vector<CodePattern> patterns;
  for (const std::int64_t bytes : kFarCodeBytes) {
    patterns.push_back({.kind = PatternKind::kStraight, .count = bytes / mix.bytes / unit * unit});
  }
  const auto times = times_.Measure(patterns);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!times[i]) continue;
    const auto instructions = static_cast<double>(patterns[i].count);
    found.far_code.push_back({instructions * mix.bytes, times[i]->cycles / instructions,
                              times[i]->error / instructions, times[i]->shared});
  }
}

void FrontEndFinder::FindMispredict(FrontEnd& found) {
  constexpr auto kOutcomes = std::to_array(
      {Outcomes::kRandom, Outcomes::kAlternating, Outcomes::kNeverTaken, Outcomes::kAlwaysTaken});
  constexpr std::size_t kRepeats = 7;
  std::vector<CodePattern> patterns;
  for (std::size_t i = 0; i < kRepeats * kOutcomes.size(); ++i) {
    patterns.push_back({.kind = PatternKind::kBranches,
                        .count = kBranches,
                        .outcomes = kOutcomes[i % kOutcomes.size()]});
  }
  const auto times = times_.Measure(patterns);
  Mispredict mispredict;
  // Of the repeats beside no other thread, if there are some.
  const auto summary = [&](std::size_t outcome) -> std::optional<Estimate> {
    std::vector<double> own;
    std::vector<double> all;
    for (std::size_t i = outcome; i < times.size(); i += kOutcomes.size()) {
      if (!times[i]) continue;
      all.push_back(times[i]->cycles);
      if (!times[i]->shared) own.push_back(times[i]->cycles);
    }
    if (all.size() < kRepeats / 2) return std::nullopt;
    mispredict.shared |= own.size() < kRepeats / 2;
    return statistics::Summarize(own.size() < kRepeats / 2 ? all : own, 0, kConfidence,
                                 statistics::Grouping::kOneGroup);
  };
  const auto random = summary(0);
  const auto alternating = summary(1);
  const auto never = summary(2);
  const auto always = summary(3);
  if (!random || !alternating || !never || !always) return;
  // One that is taken every other time is predicted, or there is nothing to compare with.
  constexpr double kMaxAlternatingRatio = 1.5;
  if (alternating->value > kMaxAlternatingRatio * std::max(never->value, always->value)) return;
  // Half of the random ones are mispredicted.
  const auto missed = static_cast<double>(kBranches) / 2;
  const auto width = [](const Estimate& estimate) { return (estimate.high - estimate.low) / 2; };
  mispredict.cycles = (random->value - alternating->value) / missed;
  mispredict.error = std::hypot(width(*random), width(*alternating)) / 2 / missed;
  mispredict.random_cycles = random->value / kBranches;
  mispredict.fixed_cycles = alternating->value / kBranches;
  constexpr double kMinDeviations = 5;
  if (mispredict.cycles > kMinDeviations * mispredict.error) found.mispredict = mispredict;
}

std::vector<CurvePoint> FrontEndFinder::TimesByDepth(Outcomes outcomes) {
  std::vector<CodePattern> patterns;
  constexpr std::int64_t kShallowest = 2;
  for (std::int64_t depth = kShallowest; depth <= kDeepestCalls; ++depth)
    patterns.push_back({.kind = PatternKind::kReturns, .count = depth, .outcomes = outcomes});
  // Twice, since what disturbs code only makes it slower.
  const auto first = times_.Measure(patterns);
  const auto second = times_.Measure(patterns);
  std::vector<CurvePoint> points;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::optional<CodeTime> time = first[i];
    if (second[i] && (!time || (time->shared && !second[i]->shared) ||
                      (time->shared == second[i]->shared && second[i]->cycles < time->cycles)))
      time = second[i];
    if (!time) continue;
    points.push_back(
        {static_cast<double>(patterns[i].count), time->cycles, time->error, time->shared});
  }
  return points;
}

// What is fetched behind a mispredicted branch puts calls of its own on the stack, which then seems
// to hold fewer: with a random bit for each level 17 of a Golden Cove's 20. With one bit for all
// levels, only the first branch of a trip is mispredicted. But where other predictors know a return
// by the branches before it, such calls show no end: then each level has its bit.
void FrontEndFinder::FindReturnStack(FrontEnd& found) {
  for (const Outcomes outcomes : {Outcomes::kSameBit, Outcomes::kRandom}) {
    if (!GoesOn()) return;
    found.return_points = TimesByDepth(outcomes);
    found.return_stack = ReadReturnStack(found.return_points);
    if (found.return_stack && !found.return_stack->at_least) return;
  }
}

void FrontEndFinder::FindHistory(FrontEnd& found) {
  if (!found.mispredict) return;
  const double missed = found.mispredict->cycles / 2;
  HistorySearch search({.least = 4, .most = kMostHistory, .per_doubling = 3});
  for (std::vector<std::int64_t> counts = search.Next(); !counts.empty() && GoesOn();
       counts = search.Next()) {
    std::vector<PatternPair> pairs;
    for (const std::int64_t count : counts) {
      const CodePattern other = {.kind = PatternKind::kHistory, .count = count};
      pairs.push_back({other, other});
      pairs.back().shorter.outcomes = Outcomes::kSameBit;
    }
    const auto differences = times_.MeasureDifferences(pairs, kWantedErrorOfShare * missed);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto& difference = differences[i];
      if (!difference) continue;
      search.Add({static_cast<double>(counts[i]), 1 - difference->cycles / missed,
                  difference->error / missed, difference->shared});
    }
  }
  found.history_points = search.points();
  found.history = search.Read();
}

void FrontEndFinder::FindIndirect(FrontEnd& found) {
  const CurveRange range = {.least = 4, .most = kMostIndirectTargets, .per_doubling = 3};
  // A mispredicted jump costs several times as much as a predicted one.
  const PlateauLimits limits = {.unevenness = 0.05, .least_step = 0.5};
  found.indirect_curve = PerCount({.kind = PatternKind::kIndirect}, range, limits);
  if (found.indirect_curve.plateaus.empty()) return;
  const Plateau& held = found.indirect_curve.plateaus.front();
  found.indirect = SizeReading{RangeOf(held), held.value, !held.first_beyond_at, held.shared};
}

}  // namespace cyclescope::anatomy
