#include "statistics/combine_runs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "statistics/sample_groups.h"
#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

// Of the value: states that lie nearer are one.
constexpr double kLeastStateGap = 0.01;

// Samples and visits: sums of more would not fit into a count.
constexpr int kMostCounted = 1 << 30;

double SystematicOf(double value) { return kSystematicDoubt * std::abs(value); }

// The part of an interval's side that comes from chance.
double ChanceSide(double value, double side) { return std::max(side - SystematicOf(value), 0.0); }

double VarianceOf(const Estimate& run, double confidence) {
  // The longer side may stand for a tail.
  const double side = ChanceSide(run.value, std::min(run.high - run.value, run.value - run.low));
  const double degrees = std::max(run.visits - 1, 2);
  const double error = side / StudentQuantile((1 + confidence) / 2, degrees);
  // Three visits may agree to the last digit by chance: that run would have all the weight.
  const double least = SystematicOf(run.value) / 4;
  return std::max(error * error, least * least);
}

double VarianceBetween(const std::vector<double>& values, const std::vector<double>& variances) {
  double weights = 0;
  double squares = 0;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = 1 / variances[i];
    weights += weight;
    squares += weight * weight;
    sum += weight * values[i];
  }
  double excess = -static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = values[i] - sum / weights;
    excess += distance * distance / variances[i];
  }
  return std::max(excess / (weights - squares / weights), 0.0);
}

// True if some value lies in all intervals: nothing then says that runs differ.
bool HaveOneInCommon(std::span<const Estimate> runs) {
  return std::ranges::max(runs, {}, &Estimate::low).low <=
         std::ranges::min(runs, {}, &Estimate::high).high;
}

// Sets value, low and high. The sides of the intervals are added as squares, by their weights, so
// that they need not be symmetric (as in analysis/compare.cc).
void AverageRuns(std::span<const Estimate> runs, double confidence, Estimate& combined) {
  std::vector<double> values;
  std::vector<double> variances;
  for (const Estimate& run : runs) {
    values.push_back(run.value);
    variances.push_back(VarianceOf(run, confidence));
  }
  // A value of nought has no variance, and neither have runs that all say so.
  if (std::ranges::any_of(variances, [](double variance) { return variance <= 0; })) return;
  const double between = HaveOneInCommon(runs) ? 0 : VarianceBetween(values, variances);
  const double quantile =
      StudentQuantile((1 + confidence) / 2, static_cast<double>(values.size() - 1));
  double weights = 0;
  double sum = 0;
  double below = 0;
  double above = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double weight = 1 / (variances[i] + between);
    const double chance = quantile * quantile * between;
    const double low_side = ChanceSide(runs[i].value, runs[i].value - runs[i].low);
    const double high_side = ChanceSide(runs[i].value, runs[i].high - runs[i].value);
    weights += weight;
    sum += weight * runs[i].value;
    below += weight * weight * (low_side * low_side + chance);
    above += weight * weight * (high_side * high_side + chance);
  }
  combined.value = sum / weights;
  const double systematic = SystematicOf(combined.value);
  // How runs differ is not known from two or three of them: the interval becomes no narrower than
  // the narrowest of theirs. What no run holds possible, all of them together do not either.
  double least_below = runs.front().value - runs.front().low;
  double least_above = runs.front().high - runs.front().value;
  double lowest = runs.front().low;
  double highest = runs.front().high;
  for (const Estimate& run : runs) {
    least_below = std::min(least_below, run.value - run.low);
    least_above = std::min(least_above, run.high - run.value);
    lowest = std::min(lowest, run.low);
    highest = std::max(highest, run.high);
  }
  const double below_side = std::max(systematic + std::sqrt(below) / weights, least_below);
  const double above_side = std::max(systematic + std::sqrt(above) / weights, least_above);
  combined.low = std::max(combined.value - below_side, lowest);
  combined.high = std::min(combined.value + above_side, highest);
}

// A state that a run saw, or its value where it saw one.
struct SeenState {
  double value = 0;
  double low = 0;
  double high = 0;
  double visits = 1;  // that saw it, as a weight: more than none
};

// A document may say anything of its visits. A state has a weight all the same.
constexpr double kLeastVisits = 1e-3;
double VisitsThatCount(double visits) {
  return visits > kLeastVisits ? std::min(visits, double{kMostCounted}) : kLeastVisits;
}

std::vector<SeenState> StatesOf(std::span<const Estimate> runs) {
  std::vector<SeenState> seen;
  for (const Estimate& run : runs) {
    if (run.states.empty()) {
      seen.push_back({run.value, run.low, run.high, VisitsThatCount(run.visits)});
    }
    for (const ValueState& state : run.states) {
      const bool is_value = state.value == run.value;
      const double doubt = SystematicOf(state.value);
      seen.push_back({state.value, is_value ? run.low : state.value - doubt,
                      is_value ? run.high : state.value + doubt,
                      VisitsThatCount(state.share * run.visits)});
    }
  }
  std::ranges::sort(seen, {}, &SeenState::value);
  return seen;
}

bool LieApart(double low_value, double low_end, double high_value, double high_begin) {
  return high_begin > low_end && high_value - low_value > kLeastStateGap * std::abs(low_value);
}

// Sorted groups of states, each of which may be one.
std::vector<std::vector<SeenState>> GroupsOf(const std::vector<SeenState>& seen) {
  std::vector<std::vector<SeenState>> groups;
  double end = 0;
  for (const SeenState& state : seen) {
    if (groups.empty() || LieApart(groups.back().back().value, end, state.value, state.low)) {
      groups.emplace_back();
      end = state.high;
    }
    groups.back().push_back(state);
    end = std::max(end, state.high);
  }
  return groups;
}

double VisitsOf(const std::vector<SeenState>& group) {
  return std::accumulate(group.begin(), group.end(), 0.0,
                         [](double sum, const SeenState& state) { return sum + state.visits; });
}

double CentreOf(const std::vector<SeenState>& group) {
  double sum = 0;
  for (const SeenState& state : group) sum += state.visits * state.value;
  return sum / VisitsOf(group);
}

void CountSamples(std::span<const Estimate> runs, Estimate& combined) {
  combined.kept = combined.rejected = combined.visits = 0;
  combined.end = SamplingEnd::kBudget;
  combined.samples.clear();
  for (const Estimate& run : runs) {
    combined.kept = SumOfCounts(combined.kept, run.kept);
    combined.rejected = SumOfCounts(combined.rejected, run.rejected);
    combined.visits = SumOfCounts(combined.visits, run.visits);
    if (run.end == SamplingEnd::kPrecise) combined.end = SamplingEnd::kPrecise;
    combined.samples.insert(combined.samples.end(), run.samples.begin(), run.samples.end());
  }
}

Estimate CombineSound(std::span<const Estimate> runs, double confidence) {
  Estimate combined = runs.front();
  combined.like.clear();
  CountSamples(runs, combined);
  const auto groups = GroupsOf(StatesOf(runs));
  if (groups.size() == 1) {
    combined.states.clear();
    combined.two_modes = std::ranges::any_of(runs, &Estimate::two_modes);
    AverageRuns(runs, confidence, combined);
    return combined;
  }
  combined.two_modes = true;
  combined.states.clear();
  double visits = 0;
  for (const auto& group : groups) visits += VisitsOf(group);
  for (const auto& group : groups)
    combined.states.push_back({CentreOf(group), VisitsOf(group) / visits});
  const auto& largest = *std::ranges::max_element(groups, {}, VisitsOf);
  std::vector<Estimate> of_largest;
  for (const SeenState& state : largest) {
    Estimate estimate;
    estimate.value = state.value;
    estimate.low = state.low;
    estimate.high = state.high;
    estimate.visits = std::max(static_cast<int>(std::lround(state.visits)), 1);
    of_largest.push_back(estimate);
  }
  combined.value = of_largest.front().value;
  combined.low = of_largest.front().low;
  combined.high = of_largest.front().high;
  if (of_largest.size() > 1) AverageRuns(of_largest, confidence, combined);
  return combined;
}

}  // namespace

Soundness SoundnessOf(const Estimate& estimate) {
  if (estimate.disturbed) return Soundness::kDisturbed;
  return estimate.contended ? Soundness::kContended : Soundness::kQuiet;
}

int SumOfCounts(int one, int other) {
  const auto sum = std::int64_t{one} + other;
  return static_cast<int>(std::clamp<std::int64_t>(sum, 0, kMostCounted));
}

bool MayBeOneState(const Estimate& one, const Estimate& other) {
  const Estimate& lower = one.value <= other.value ? one : other;
  const Estimate& upper = one.value <= other.value ? other : one;
  return !LieApart(lower.value, lower.high, upper.value, upper.low);
}

Estimate CombineRuns(std::span<const Estimate> runs, double confidence) {
  const Soundness best = SoundnessOf(std::ranges::min(runs, {}, SoundnessOf));
  std::vector<Estimate> sound;
  for (const Estimate& run : runs) {
    if (SoundnessOf(run) == best) sound.push_back(run);
  }
  if (sound.size() == 1) return sound.front();
  // Beside another thread code only gets slower: the fastest run says most.
  if (best == Soundness::kContended) return std::ranges::min(sound, {}, &Estimate::high);
  if (best == Soundness::kDisturbed)
    return std::ranges::min(sound, {}, [](const Estimate& run) { return run.high - run.low; });
  return CombineSound(sound, confidence);
}

}  // namespace cyclescope::statistics
