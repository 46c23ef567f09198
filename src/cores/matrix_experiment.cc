#include "cores/matrix_experiment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cores/residence.h"
#include "pairs/pair_statistics.h"
#include "pairs/schedule.h"
#include "statistics/spectrum.h"
#include "statistics/statistics.h"

namespace cyclescope::cores {
namespace {

// The fewest lines of a visit: below, their mean and spread say nothing.
constexpr int kFewestLines = 8;
// The most lines to draw at once: at their usual 8 us each, a run can be interrupted every 10 ms.
constexpr int kMostLinesPerDraw = 1024;
// The most lines of one pair and direction while a precision is sought.
constexpr int kMostLines = 16384;

// By how many half widths of an interval the least and the most of a few dozen draws of one value
// differ by chance: their range is below 5.5 standard errors in 99 of 100 cases, and a half width
// is 1.96 of them.
constexpr double kRangeByChance = 3;

// How many pairs that were measured at once are measured alone for comparison.
constexpr std::size_t kParallelSample = 24;

// How many pairs are followed where virtual CPUs move, and for how long without a break.
constexpr std::size_t kFollowedPairs = 4;
constexpr double kStretchNs = 200e6;

// What the visits to a pair in one direction have in common.
struct Direction {
  int lines = 0;         // that survived
  int lines_wanted = 0;  // at least
  std::int64_t kept = 0;
  std::int64_t rejected = 0;
  std::int64_t used_ns = 0;
  double line_variance = 0;  // relative, mean over visits
  double ns = 0;             // mean over visits, as are spreads and offset
  double within = 0;
  double between = 0;
  double offset = 0;
  int visits = 0;
};

class MatrixExperiment {
 public:
  MatrixExperiment(pairs::LineSource& source, const os::CpuList& cpus, const MatrixPlan& plan)
      : source_(source),
        cpus_(cpus),
        plan_(plan),
        random_(plan.seed),
        begin_(source.Now()),
        visits_(cpus.size()),
        directions_(cpus.size() * cpus.size()) {
    matrix_.cpus = cpus;
    matrix_.seed = plan.seed;
    for (PairMatrix* values : {&matrix_.nanoseconds, &matrix_.low, &matrix_.high,
                               &matrix_.spread_within, &matrix_.spread_between}) {
      *values = PairMatrix(cpus.size());
    }
    planned_rounds_ = std::max(plan.rounds.value_or(kDefaultRounds), 1);
    // A fixed number of lines may be too few for the number of visits.
    if (!plan.precision) {
      planned_rounds_ = std::clamp(plan.line.lines / kFewestLines, 1, planned_rounds_);
    }
  }

  Result<MeasuredMatrix> Run(const OnMatrixProgress& on_progress) {
    do {
      TRY(Round(on_progress));
    } while (!matrix_.partial && GoesOn());
    const std::int64_t duration_ns = source_.Now() - begin_;
    if (plan_.parallel && !matrix_.partial) TRY(CheckParallel());
    const pairs::StabilityVerdict verdict = pairs::JudgeStability(visits_);
    matrix_.stability = verdict.stability;
    matrix_.spectrum = statistics::FindSpectrum(visits_.All());
    FillCanary();
    if (verdict.stability == Stability::kFloating) {
      DescribeFloating();
      TRY(Follow(on_progress));
    } else {
      EstimateAll(verdict.stability == Stability::kDrifting);
    }
    MarkPairs();
    return MeasuredMatrix{std::move(matrix_), std::move(visits_), verdict, duration_ns};
  }

 private:
  bool GoesOn() const {
    const std::int64_t elapsed = source_.Now() - begin_;
    const bool watches = !plan_.rounds && plan_.precision && elapsed < plan_.watch_ns;
    // What comes after the plan has time of its own, so that it may find something to do again.
    if (is_idle_) return is_planned_ && watches;
    if (plan_.duration_ns) return elapsed < *plan_.duration_ns;
    return matrix_.rounds < planned_rounds_ || watches;
  }

  // One visit to every pair. Of a pair, either CPU may be first; they alternate.
  Result<void> Round(const OnMatrixProgress& on_progress) {
    const pairs::Schedule schedule = plan_.parallel ? pairs::Schedule::AllAtOnce(cpus_, random_)
                                                    : pairs::Schedule::OneByOne(cpus_, random_);
    is_planned_ =
        is_planned_ && !is_idle_ && !plan_.duration_ns && matrix_.rounds < planned_rounds_;
    is_idle_ = true;
    for (std::size_t set = 0; set < schedule.sets(); ++set) {
      std::vector<pairs::CpuPair> pairs;
      for (const pairs::CpuPair pair : schedule.Set(set)) {
        if (!silent_.contains(std::minmax(pair.first, pair.second))) pairs.push_back(pair);
      }
      for (int turn = 0; turn < 2; ++turn) {
        TRY(VisitAll(pairs));
        for (pairs::CpuPair& pair : pairs) std::swap(pair.first, pair.second);
      }
      pairs_visited_ += schedule.Set(set).size();
      const bool last_set = set + 1 == schedule.sets();
      if (last_set && !is_idle_) ++matrix_.rounds;
      if (!on_progress(matrix_, ProgressNow(schedule.pairs())) && !(last_set && !GoesOn())) {
        matrix_.partial = true;
        break;
      }
    }
    return {};
  }

  Progress ProgressNow(std::size_t pairs) const {
    if (plan_.duration_ns) {
      const auto total = static_cast<std::size_t>(*plan_.duration_ns / 1'000'000);
      const auto done = static_cast<std::size_t>((source_.Now() - begin_) / 1'000'000);
      return {std::min(done, total), total};
    }
    const std::size_t planned = pairs * static_cast<std::size_t>(planned_rounds_);
    return {std::min(pairs_visited_, planned), planned};
  }

  // One direction of disjoint pairs.
  Result<void> VisitAll(std::span<const pairs::CpuPair> pairs) {
    if (statistics_.size() < pairs.size()) statistics_.resize(pairs.size());
    std::vector<pairs::CpuPair> active;
    pairs::LinePlan line_plan = plan_.line;
    line_plan.lines = 0;
    std::int64_t budget = 0;
    for (const pairs::CpuPair pair : pairs) {
      const Direction& direction = Of(pair);
      const std::int64_t share = BudgetOfVisit(direction);
      const int lines = LinesOfVisit(direction);
      if (lines == 0 || (plan_.budget_ns > 0 && share == 0)) continue;
      budget = std::max(budget, share);
      active.push_back(pair);
      line_plan.lines = std::max(line_plan.lines, lines);
    }
    if (active.empty()) return {};
    // A round in which there is nothing to visit is none.
    if (std::exchange(is_idle_, false)) visits_.BeginRound();
    for (std::size_t i = 0; i < active.size(); ++i) statistics_[i].Clear();
    const int wanted = plan_.precision ? kFewestLines : line_plan.lines;
    int left = line_plan.lines;
    const std::int64_t begin = source_.Now();
    std::vector<bool> silent(active.size(), false);
    while (left > 0) {
      line_plan.lines = std::min(left, kMostLinesPerDraw);
      left -= line_plan.lines;
      if (budget > 0) {
        line_plan.budget_ns = budget - (source_.Now() - begin);
        if (line_plan.budget_ns <= 0) break;
      }
      auto draws = TRY(source_.Draw(active, line_plan));
      for (std::size_t i = 0; i < active.size(); ++i) {
        statistics_[i].Add(draws[i]);
        silent[i] = silent[i] || draws[i].timed_out;
      }
      if (std::ranges::find(silent, true) != silent.end()) break;
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
      Of(active[i]).used_ns += source_.Now() - begin;
      Record(active[i], wanted, begin, statistics_[i]);
      if (silent[i]) silent_.insert(std::minmax(active[i].first, active[i].second));
      if (silent[i]) matrix_.timed_out.emplace_back(active[i].first, active[i].second);
    }
    return {};
  }

  int RoundsLeft() const { return std::max(1, planned_rounds_ - matrix_.rounds); }

  // The time that a visit may take, 0 where there is none left or no limit: what is left of the
  // budget is shared by the planned visits that are left, and each one that is not planned gets as
  // much as a planned one.
  std::int64_t BudgetOfVisit(const Direction& direction) const {
    if (plan_.budget_ns == 0) return 0;
    const std::int64_t left = is_planned_ ? plan_.budget_ns - direction.used_ns : plan_.budget_ns;
    if (left <= 0) return 0;
    return std::max<std::int64_t>(left / (is_planned_ ? RoundsLeft() : planned_rounds_), 1);
  }

  // As many lines as it takes to be precise in the end, spread over the visits that are left.
  int LinesOfVisit(const Direction& direction) const {
    const int fewest = std::max(kFewestLines, plan_.line.lines / planned_rounds_);
    if (!plan_.precision) {
      const int missing = plan_.line.lines - direction.lines_wanted;
      return std::max(0, missing + RoundsLeft() - 1) / RoundsLeft();
    }
    if (direction.visits == 0 || direction.lines >= kMostLines) return fewest;
    const double error = *plan_.precision / 2 / pairs::HalfWidths(direction.lines);
    const double needed =
        std::min<double>(1.1 * direction.line_variance / std::pow(error, 2), kMostLines);
    const double missing = (needed - direction.lines) / RoundsLeft();
    // Comparing with NaN is false: values of zero have no relative variance.
    return missing > fewest ? static_cast<int>(missing) : fewest;
  }

  std::size_t Index(int cpu) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cpus_, cpu) - cpus_.begin());
  }

  Direction& Of(pairs::CpuPair pair) {
    return directions_[Index(pair.first) * cpus_.size() + Index(pair.second)];
  }

  void Record(pairs::CpuPair pair, int lines_wanted, std::int64_t begin,
              const pairs::PairStatistics& statistics) {
    Direction& direction = Of(pair);
    matrix_.batches_kept += statistics.batches_kept();
    matrix_.batches_rejected += statistics.batches_rejected();
    direction.kept += statistics.batches_kept();
    direction.rejected += statistics.batches_rejected();
    direction.lines_wanted += lines_wanted;
    direction.lines += statistics.lines();
    if (statistics.lines() < 2) return;

    const pairs::PairEstimate estimate = statistics.Estimate(0);
    const std::size_t row = Index(pair.first);
    const std::size_t column = Index(pair.second);
    visits_.At(row, column) = {static_cast<float>(estimate.ns),
                               static_cast<float>(estimate.median_ns),
                               static_cast<float>(estimate.error_ns),
                               static_cast<float>(estimate.lines), static_cast<double>(begin)};
    ++direction.visits;
    const double share = 1.0 / direction.visits;
    const auto add = [share](double& mean, double value) { mean += (value - mean) * share; };
    add(direction.line_variance, std::pow(estimate.error_ns / estimate.ns, 2) * estimate.lines);
    add(direction.within, estimate.spread_within);
    add(direction.between, estimate.spread_between);
    matrix_.spread_within.At(row, column) = direction.within;
    matrix_.spread_between.At(row, column) = direction.between;
    if (!std::isnan(estimate.offset_ns)) {
      if (matrix_.clock_offset.size() == 0) matrix_.clock_offset = PairMatrix(cpus_.size());
      add(direction.offset, estimate.offset_ns);
      matrix_.clock_offset.At(row, column) = direction.offset;
    }
    // For the progress display; the estimate is made in the end.
    add(direction.ns, estimate.ns);
    matrix_.nanoseconds.At(row, column) = direction.ns;
  }

  void Put(std::size_t row, std::size_t column, const pairs::VisitEstimate& estimate) {
    matrix_.nanoseconds.At(row, column) = estimate.ns;
    matrix_.low.At(row, column) = estimate.low;
    matrix_.high.At(row, column) = estimate.high;
  }

  // ---- When all rounds are done

  // Pairs whose values are doubtful or missing.
  void MarkPairs() {
    std::set timed_out_pairs(matrix_.timed_out.begin(), matrix_.timed_out.end());
    for (std::size_t row = 0; row < cpus_.size(); ++row) {
      for (std::size_t column = 0; column < cpus_.size(); ++column) {
        if (row == column) continue;
        const Direction& direction = directions_[row * cpus_.size() + column];
        const std::pair pair(cpus_[row], cpus_[column]);
        if (direction.visits == 0) {
          // The budget was spent before two lines were through: as good as no answer.
          if (direction.used_ns > 0) timed_out_pairs.insert(pair);
          continue;
        }
        if (2 * direction.lines < direction.lines_wanted || direction.rejected > direction.kept) {
          matrix_.disturbed.push_back(pair);
        }
      }
    }
    matrix_.timed_out.assign(timed_out_pairs.begin(), timed_out_pairs.end());
  }

  void FillCanary() {
    const std::vector<pairs::DirectedVisit> visits = visits_.Of(0, 1);
    if (visits.size() < 2) return;
    CoreCanary& canary = matrix_.canary.emplace();
    canary = {cpus_[0],          cpus_[1],          static_cast<int>(visits.size()) - 1,
              visits[0].mean_ns, visits[0].mean_ns, 0};
    for (const pairs::DirectedVisit& visit : visits) {
      canary.least_ns = std::min<double>(canary.least_ns, visit.mean_ns);
      canary.most_ns = std::max<double>(canary.most_ns, visit.mean_ns);
      const double half_width = pairs::HalfWidths(visit.lines - 1) * visit.error_ns;
      canary.expected_ns = std::max(canary.expected_ns, kRangeByChance * half_width);
    }
  }

  void EstimateAll(bool drifts) {
    for (std::size_t row = 0; row < cpus_.size(); ++row) {
      for (std::size_t column = 0; column < cpus_.size(); ++column) {
        std::vector<pairs::DirectedVisit> visits = visits_.Of(row, column);
        if (!visits.empty()) Put(row, column, pairs::EstimateFromVisits(std::move(visits), drifts));
      }
    }
  }

  // Where CPUs move, a pair's place is one of all that there are: its value is the median of what
  // was seen, and another run may see whatever any pair of this one did.
  void DescribeFloating() {
    std::vector<double> all = visits_.All();
    const double lowest = statistics::Quantile(all, (1 - pairs::kConfidence) / 2);
    const double highest = statistics::Quantile(all, (1 + pairs::kConfidence) / 2);
    CoreFloating& floating = matrix_.floating.emplace();
    floating.visits.assign(visits_.rounds(), PairMatrix(cpus_.size()));
    for (std::size_t row = 0; row < cpus_.size(); ++row) {
      for (std::size_t column = 0; column < cpus_.size(); ++column) {
        std::vector<double> values;
        for (std::size_t round = 0; round < visits_.rounds(); ++round) {
          const pairs::DirectedVisit& visit = std::as_const(visits_).At(round, row, column);
          if (!visit.IsThere()) continue;
          floating.visits[round].At(row, column) = visit.median_ns;
          values.push_back(visit.median_ns);
        }
        if (values.empty()) continue;
        const auto [least, most] = std::ranges::minmax(values);
        Put(row, column,
            {statistics::Median(values), std::min(least, lowest), std::max(most, highest)});
      }
    }
    for (const CoreLevel& level : matrix_.spectrum.levels) {
      floating.levels.push_back({level.nanoseconds, level.share, std::nullopt});
    }
  }

  // A few pairs, one after the other, each on one line after another for a stretch.
  Result<void> Follow(const OnMatrixProgress& on_progress) {
    Residence residence(matrix_.spectrum);
    std::vector<pairs::CpuPair> pairs;
    const pairs::Schedule schedule = pairs::Schedule::OneByOne(cpus_, random_);
    for (std::size_t i = 0; i < schedule.sets() && pairs.size() < kFollowedPairs; ++i) {
      const pairs::CpuPair pair = schedule.Set(i).front();
      if (!silent_.contains(std::minmax(pair.first, pair.second))) pairs.push_back(pair);
    }
    const std::int64_t begin = source_.Now();
    const Progress all_done = ProgressNow(schedule.pairs());
    for (std::size_t turn = 0; !pairs.empty() && source_.Now() - begin < plan_.follow_ns; ++turn) {
      if (!on_progress(matrix_, all_done)) break;
      TRY(FollowStretch(pairs[turn % pairs.size()], residence));
    }
    CoreFloating& floating = *matrix_.floating;
    floating.followed_ms = residence.FollowedMs();
    floating.residence_ms = residence.OverallMs();
    for (std::size_t i = 0; i < floating.levels.size(); ++i) {
      floating.levels[i].residence_ms = residence.LevelMs(i);
    }
    return {};
  }

  Result<void> FollowStretch(pairs::CpuPair pair, Residence& residence) {
    constexpr int kRoundTrips = 500;
    const double usual = matrix_.nanoseconds.At(Index(pair.first), Index(pair.second));
    const double batch_ns = 2 * kRoundTrips * std::max(std::isnan(usual) ? 0 : usual, 1.0);
    pairs::LinePlan line_plan = plan_.line;
    line_plan.lines = 1;
    line_plan.round_trips = kRoundTrips;
    line_plan.batches = std::max(1, static_cast<int>(kStretchNs / batch_ns));
    line_plan.budget_ns = 0;
    const auto draws = TRY(source_.Draw(std::span(&pair, 1), line_plan));
    std::vector<FollowedBatch> batches;
    for (const double ns : draws.front().batch_ns) batches.push_back({2 * kRoundTrips * ns, ns});
    residence.Follow(batches);
    return {};
  }

  Result<void> CheckParallel() {
    // Two pairs need four CPUs: with fewer, nothing ran at once.
    if (cpus_.size() < 4) return {};
    std::vector<double> ratios;
    const pairs::Schedule schedule = pairs::Schedule::OneByOne(cpus_, random_);
    for (std::size_t i = 0; i < std::min(schedule.sets(), kParallelSample); ++i) {
      const pairs::CpuPair pair = schedule.Set(i).front();
      const double at_once = matrix_.nanoseconds.At(Index(pair.first), Index(pair.second));
      if (std::isnan(at_once)) continue;
      pairs::LinePlan line_plan = plan_.line;
      line_plan.budget_ns = plan_.budget_ns;
      line_plan.lines = std::min(std::max(Of(pair).lines, kFewestLines), kMostLinesPerDraw);
      const auto draws = TRY(source_.Draw(std::span(&pair, 1), line_plan));
      pairs::PairStatistics alone;
      alone.Add(draws.front());
      if (alone.lines() < kFewestLines / 2 || draws.front().timed_out) continue;
      ratios.push_back(at_once / alone.Estimate(0).ns);
    }
    if (!ratios.empty()) {
      matrix_.parallel = ParallelCheck{static_cast<int>(ratios.size()), statistics::Median(ratios)};
    }
    return {};
  }

  pairs::LineSource& source_;
  const os::CpuList& cpus_;
  const MatrixPlan& plan_;
  std::mt19937_64 random_;
  std::int64_t begin_;
  int planned_rounds_ = 1;
  bool is_planned_ = true;  // whether the round is one of them
  bool is_idle_ = false;    // whether it visited nothing
  std::size_t pairs_visited_ = 0;
  CoreMatrix matrix_;
  pairs::VisitTable visits_;
  std::vector<Direction> directions_;     // by row and column
  std::set<std::pair<int, int>> silent_;  // pairs that did not answer, which are not asked again
  std::vector<pairs::PairStatistics> statistics_;  // one per pair of a set, used again for the next
};

}  // namespace

std::int64_t WatchNs(std::size_t cpus) {
  constexpr std::int64_t kPerPairNs = 20'000'000;
  constexpr std::int64_t kLeastNs = 100'000'000;
  constexpr std::int64_t kMostNs = 2'500'000'000;
  const auto pairs = static_cast<std::int64_t>(cpus * (cpus - 1) / 2);
  return std::clamp(pairs * kPerPairNs, kLeastNs, kMostNs);
}

Result<MeasuredMatrix> MeasureMatrix(pairs::LineSource& source, const os::CpuList& cpus,
                                     const MatrixPlan& plan, const OnMatrixProgress& on_progress) {
  assert(cpus.size() >= 2);
  return MatrixExperiment(source, cpus, plan).Run(on_progress);
}

}  // namespace cyclescope::cores
