#include "pairs/visits.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pairs/pair_statistics.h"
#include "statistics/groups.h"
#include "statistics/statistics.h"

namespace cyclescope::pairs {
namespace {

struct TimedLog {
  double time_ns = 0;
  double log = 0;        // of the visit's nanoseconds
  double deviation = 0;  // from the pair's usual
  double common = 0;     // what all pairs deviated by at the time
};

// One pair's visits, in order of time.
struct PairVisits {
  std::vector<TimedLog> visits;
  double error = 0;  // of one visit, relative
};

double MedianLog(const PairVisits& pair) {
  std::vector<double> logs;
  for (const TimedLog& visit : pair.visits) logs.push_back(visit.log);
  return statistics::Median(logs);
}

std::vector<PairVisits> Gather(const VisitTable& table) {
  std::vector<PairVisits> pairs;
  for (std::size_t row = 0; row < table.cpus(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      PairVisits pair;
      double squares = 0;
      for (std::size_t round = 0; round < table.rounds(); ++round) {
        const double both = table.Both(round, row, column);
        if (!(both > 0)) continue;
        const DirectedVisit& there = table.At(round, row, column);
        const DirectedVisit& visit = there.IsThere() ? there : table.At(round, column, row);
        squares += std::pow(visit.error_ns / both, 2);
        pair.visits.push_back({visit.time_ns, std::log(both)});
      }
      if (pair.visits.size() < 2) continue;
      pair.error = std::sqrt(squares / static_cast<double>(pair.visits.size()));
      const double usual = MedianLog(pair);
      for (TimedLog& visit : pair.visits) visit.deviation = visit.log - usual;
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

// With fewer pairs than this, what all do cannot be told from what one does.
constexpr std::size_t kMinPairsInCommon = 16;
// This number of visits in a row, to other pairs each, say what the machine did at a time.
constexpr std::size_t kWindow = 31;

// What all pairs had in common at each time: the median deviation of the visits about it. Returns
// the slowest time over the fastest.
double FindCommon(std::vector<PairVisits>& pairs) {
  std::vector<TimedLog*> all;
  for (PairVisits& pair : pairs) {
    for (TimedLog& visit : pair.visits) all.push_back(&visit);
  }
  std::ranges::sort(all, {}, [](const TimedLog* visit) { return visit->time_ns; });
  std::vector<double> effects;
  std::vector<double> window;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t reach = pairs.size() < kMinPairsInCommon ? pairs.size() / 2 : kWindow / 2;
    const std::size_t begin = i < reach ? 0 : i - reach;
    const std::size_t end = std::min(i + reach + 1, all.size());
    window.clear();
    for (std::size_t k = begin; k < end; ++k) window.push_back(all[k]->deviation);
    std::ranges::nth_element(window,
                             window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2));
    effects.push_back(window[window.size() / 2]);
    if (pairs.size() >= kMinPairsInCommon) all[i]->common = effects.back();
  }
  return std::exp(statistics::Quantile(effects, 0.95) - statistics::Quantile(effects, 0.05));
}

// ---- Pairs that moved

// Where visits fall into two parts, how many are in each.
struct Split {
  std::size_t low = 0;
  std::size_t high = 0;
  double gap = 0;  // logarithm
};

// The widest gap with at least two visits on both sides.
Split WidestGap(std::vector<double> logs) {
  std::ranges::sort(logs);
  Split split;
  for (std::size_t i = 2; i + 2 <= logs.size(); ++i) {
    const double gap = logs[i] - logs[i - 1];
    if (gap > split.gap) split = {i, logs.size() - i, gap};
  }
  return split;
}

struct Moves {
  int pairs = 0;       // that fall into two parts
  int pairs_down = 0;  // of those, with the shorter visits not in the majority
};

Moves CountMoves(const std::vector<PairVisits>& pairs) {
  // A visit's value is that of lines drawn anew, which differ; noise beyond that is below this.
  constexpr double kMinGapRatio = 0.16;
  constexpr double kStandardErrors = 5;
  Moves moves;
  for (const PairVisits& pair : pairs) {
    std::vector<double> logs;
    for (const TimedLog& visit : pair.visits) logs.push_back(visit.log - visit.common);
    const Split split = WidestGap(std::move(logs));
    if (split.gap < std::max(kMinGapRatio, kStandardErrors * pair.error)) continue;
    ++moves.pairs;
    if (split.low <= split.high) ++moves.pairs_down;
  }
  return moves;
}

// Visits that found two CPUs on one core which other visits found apart.
int CountSharedVisits(const std::vector<PairVisits>& pairs) {
  constexpr double kApartRatio = 1.5;
  int count = 0;
  for (const PairVisits& pair : pairs) {
    const auto shared = std::ranges::count_if(pair.visits, [](const TimedLog& visit) {
      return visit.log < std::log(statistics::kSameCoreNs);
    });
    const auto apart = std::ranges::count_if(pair.visits, [](const TimedLog& visit) {
      return visit.log > std::log(kApartRatio * statistics::kSameCoreNs);
    });
    if (shared > 0 && apart > 0) count += static_cast<int>(shared);
  }
  return count;
}

bool Floats(const Moves& moves, int shared_visits, std::size_t pairs) {
  // With fewer pairs than this nothing can be told from a load that comes and goes.
  constexpr std::size_t kFewestPairs = 3;
  if (shared_visits >= 2) return true;
  if (pairs < kFewestPairs) return false;
  const auto share_of = [pairs](int least, double share) {
    return std::max(least, static_cast<int>(std::ceil(share * static_cast<double>(pairs))));
  };
  return moves.pairs >= share_of(3, 0.03) && moves.pairs_down >= share_of(2, 0.015);
}

// ---- All pairs together

// A machine that changed by less is not reported.
constexpr double kDriftRatio = 1.03;

bool Drifts(const std::vector<PairVisits>& pairs, double ratio) {
  // Nine tenths of all values lie within 3.3 standard errors, and that itself is not certain.
  constexpr double kStandardErrors = 5;
  std::vector<double> errors;
  for (const PairVisits& pair : pairs) errors.push_back(pair.error);
  // The standard error of a median is a quarter above that of a mean.
  const auto together = static_cast<double>(std::min(pairs.size(), kWindow));
  const double error = 1.25 * statistics::Median(errors) / std::sqrt(together);
  return ratio >= kDriftRatio && std::log(ratio) > kStandardErrors * error;
}

// The visits of each of a few stretches as one.
std::vector<DirectedVisit> ByStretches(const std::vector<DirectedVisit>& visits) {
  constexpr std::size_t kStretches = 8;
  if (visits.size() <= kStretches) return visits;
  std::vector<DirectedVisit> stretches;
  for (std::size_t i = 0; i < kStretches; ++i) {
    double lines = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t k = i * visits.size() / kStretches; k < (i + 1) * visits.size() / kStretches;
         ++k) {
      lines += visits[k].lines;
      sum += static_cast<double>(visits[k].lines) * visits[k].mean_ns;
      squares += std::pow(static_cast<double>(visits[k].lines) * visits[k].error_ns, 2);
    }
    const auto mean = static_cast<float>(sum / lines);
    stretches.push_back(
        {mean, mean, static_cast<float>(std::sqrt(squares) / lines), static_cast<float>(lines)});
  }
  return stretches;
}

}  // namespace

std::vector<DirectedVisit> VisitTable::Of(std::size_t row, std::size_t column) const {
  std::vector<DirectedVisit> found;
  for (const std::vector<DirectedVisit>& round : rounds_) {
    const DirectedVisit& visit = round[row * cpus_ + column];
    if (visit.IsThere()) found.push_back(visit);
  }
  return found;
}

double VisitTable::Both(std::size_t round, std::size_t row, std::size_t column) const {
  const DirectedVisit& there = At(round, row, column);
  const DirectedVisit& back = At(round, column, row);
  if (there.IsThere() && back.IsThere()) {
    // Of a pair that moved between the two directions, one of them: a mean would be no level.
    const double ratio = there.median_ns / back.median_ns;
    constexpr double kSameDistanceRatio = 1.15;
    const bool alike = ratio < kSameDistanceRatio && ratio > 1 / kSameDistanceRatio;
    return alike ? (there.median_ns + back.median_ns) / 2
                 : std::min(there.median_ns, back.median_ns);
  }
  if (there.IsThere()) return there.median_ns;
  return back.IsThere() ? back.median_ns : PairMatrix::kNone;
}

std::vector<double> VisitTable::All() const {
  std::vector<double> all;
  for (const std::vector<DirectedVisit>& round : rounds_) {
    for (const DirectedVisit& visit : round) {
      if (visit.IsThere()) all.push_back(visit.median_ns);
    }
  }
  return all;
}

StabilityVerdict JudgeStability(const VisitTable& visits) {
  StabilityVerdict verdict;
  std::vector<PairVisits> pairs = Gather(visits);
  if (pairs.empty()) return verdict;
  verdict.drift_ratio = FindCommon(pairs);
  const Moves moves = CountMoves(pairs);
  const int shared_visits = CountSharedVisits(pairs);
  verdict.pairs_moved = moves.pairs;
  std::size_t all = 0;
  for (const PairVisits& pair : pairs) all += pair.visits.size();
  verdict.same_core_share = static_cast<double>(shared_visits) / static_cast<double>(all);
  if (Floats(moves, shared_visits, pairs.size())) {
    verdict.stability = Stability::kFloating;
  } else if (Drifts(pairs, verdict.drift_ratio)) {
    verdict.stability = Stability::kDrifting;
  }
  return verdict;
}

namespace {

// Of visits that are alike, or of all.
VisitEstimate EstimateOf(const std::vector<DirectedVisit>& all, bool drifts) {
  const std::vector<DirectedVisit> visits = ByStretches(all);
  double lines = 0;
  double sum = 0;
  for (const DirectedVisit& visit : visits) {
    lines += visit.lines;
    sum += static_cast<double>(visit.lines) * visit.mean_ns;
  }
  const double mean = sum / lines;
  double within = 0;   // variances of the mean, by what visits say of themselves and by how they
  double between = 0;  // differ
  for (const DirectedVisit& visit : visits) {
    const double weight = visit.lines / lines;
    within += std::pow(weight * visit.error_ns, 2);
    between += std::pow(weight * (visit.mean_ns - mean), 2);
  }
  const auto count = static_cast<double>(visits.size());
  const bool few = visits.size() < 3;
  const double variance = few ? within : between * count / (count - 1);
  const double of_one = drifts ? count : 1;
  const double half_width = HalfWidths(few ? lines - 1 : count - 1) * std::sqrt(variance * of_one);
  // Disturbance only ever adds, and few visits do not show its tail: in simulations of skewed noise
  // this reach, and none below it, makes intervals hold the mean in 93 % of cases or more.
  constexpr double kUpperReach = 1.6;
  return {mean, mean > 0 ? std::max(mean - half_width, 0.0) : mean - half_width,
          mean + kUpperReach * half_width};
}

}  // namespace

VisitEstimate EstimateFromVisits(const std::vector<DirectedVisit>& visits, bool drifts) {
  assert(!visits.empty());
  constexpr std::size_t kFewestVisits = 4;
  if (visits.size() < kFewestVisits) return EstimateOf(visits, drifts);
  // A visit far above the others met something else, as batches do. The lower quartile, since half
  // of them may be above.
  std::vector<double> means;
  for (const DirectedVisit& visit : visits) means.push_back(visit.mean_ns);
  const double limit = kDisturbedRatio * statistics::Quantile(means, 0.25);
  std::vector<DirectedVisit> usual = visits;
  if (limit > 0)
    std::erase_if(usual, [limit](const DirectedVisit& visit) { return visit.mean_ns > limit; });
  const std::size_t above = visits.size() - usual.size();
  if (4 * above <= visits.size()) return EstimateOf(usual, drifts);
  // More than a quarter of them are another state of the pair: the value is that of the state seen
  // most, or the mean of both where that is unclear, and another run may find either.
  const VisitEstimate lower = EstimateOf(usual, drifts);
  const VisitEstimate both = EstimateOf(visits, drifts);
  VisitEstimate estimate = 2 * above < visits.size() ? lower : both;
  estimate.low = std::min(lower.low, both.low);
  estimate.high = std::max(lower.high, both.high);
  return estimate;
}

}  // namespace cyclescope::pairs
