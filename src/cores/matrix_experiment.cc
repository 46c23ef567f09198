#include "cores/matrix_experiment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "cores/pair_statistics.h"
#include "cores/schedule.h"
#include "measure/statistics.h"
#include "os/clock.h"

namespace cyclescope::cores {
namespace {

// The most lines to draw at once: at their usual 8 us each, a run can be interrupted every 10 ms.
constexpr int kMostLinesPerDraw = 1024;
// The most lines of one pair while a precision is sought.
constexpr int kMostLines = 16384;

// How often the canary is looked at, beside the end of the run.
constexpr std::size_t kCanaryChecks = 16;
constexpr std::size_t kLeastRoundsBetweenCanaryChecks = 8;
// By how many half widths of an interval the least and the most of a few dozen draws of one value
// differ by chance: their range is below 5.5 standard errors in 99 of 100 cases, and a half width
// is 1.96 of them.
constexpr double kRangeByChance = 3;

// How many pairs that were measured at once are measured alone for comparison.
constexpr std::size_t kParallelSample = 24;

struct PairOutcome {
  std::optional<PairEstimate> estimate;  // unset when there was nothing to estimate from
  bool timed_out = false;
};

class MatrixExperiment {
 public:
  MatrixExperiment(LineSource& source, const os::CpuList& cpus, const MatrixPlan& plan)
      : source_(source), cpus_(cpus), plan_(plan), random_(plan.seed) {
    matrix_.cpus = cpus;
    matrix_.seed = plan.seed;
    for (PairMatrix* values : {&matrix_.nanoseconds, &matrix_.low, &matrix_.high,
                               &matrix_.spread_within, &matrix_.spread_between}) {
      *values = PairMatrix(cpus.size());
    }
  }

  Result<CoreMatrix> Run(const OnMatrixProgress& on_progress) {
    const Schedule schedule =
        plan_.parallel ? Schedule::AllAtOnce(cpus_, random_) : Schedule::OneByOne(cpus_, random_);
    const CpuPair canary = schedule.Round(0).front();
    const std::size_t canary_period =
        std::max(kLeastRoundsBetweenCanaryChecks, schedule.rounds() / kCanaryChecks);
    Progress progress = {0, schedule.pairs()};
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      const auto pairs = schedule.Round(round);
      const auto outcomes = MeasureRound(pairs);
      if (!outcomes) return std::unexpected(outcomes.error());
      for (std::size_t i = 0; i < pairs.size(); ++i) Record(pairs[i], (*outcomes)[i]);

      progress.done += pairs.size();
      const bool last = round + 1 == schedule.rounds();
      if (!on_progress(matrix_, progress) && !last) {
        matrix_.partial = true;
        break;
      }
      if (last || (round + 1) % canary_period == 0) {
        if (auto checked = CheckCanary(canary); !checked) return std::unexpected(checked.error());
      }
    }
    if (plan_.parallel && !matrix_.partial) {
      if (auto checked = CheckParallel(schedule); !checked) return std::unexpected(checked.error());
    }
    return std::move(matrix_);
  }

 private:
  // Draws lines for all of the pairs until each is precise, or its budget is spent.
  Result<std::vector<PairOutcome>> MeasureRound(std::span<const CpuPair> pairs) {
    if (statistics_.size() < pairs.size()) statistics_.resize(pairs.size());
    for (PairStatistics& statistics : statistics_) statistics.Clear();
    std::vector<PairOutcome> outcomes(pairs.size());

    const std::int64_t begin = os::MonotonicNanoseconds();
    LinePlan line_plan = plan_.line;
    line_plan.lines = std::min(line_plan.lines, kMostLinesPerDraw);
    std::vector<std::size_t> active(pairs.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    while (!active.empty()) {
      if (plan_.budget_ns > 0) {
        line_plan.budget_ns = plan_.budget_ns - (os::MonotonicNanoseconds() - begin);
        if (line_plan.budget_ns <= 0) break;
      }
      std::vector<CpuPair> drawn;
      for (const std::size_t i : active) drawn.push_back(pairs[i]);
      auto draws = source_.Draw(drawn, line_plan);
      if (!draws) return std::unexpected(draws.error());

      int wanted = 0;
      std::vector<std::size_t> unfinished;
      for (std::size_t i = 0; i < active.size(); ++i) {
        const std::size_t pair = active[i];
        statistics_[pair].Add((*draws)[i]);
        outcomes[pair].timed_out = (*draws)[i].timed_out;
        const int missing = outcomes[pair].timed_out ? 0 : LinesMissing(statistics_[pair]);
        if (missing == 0) continue;
        wanted = std::max(wanted, missing);
        unfinished.push_back(pair);
      }
      active = std::move(unfinished);
      line_plan.lines = std::min(wanted, kMostLinesPerDraw);
    }

    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (statistics_[i].lines() >= 2)
        outcomes[i].estimate = statistics_[i].Estimate(plan_.line.lines);
      // The budget was spent before two lines were through: as good as no answer.
      if (!outcomes[i].estimate) outcomes[i].timed_out = true;
      matrix_.batches_kept += statistics_[i].batches_kept();
      matrix_.batches_rejected += statistics_[i].batches_rejected();
    }
    return outcomes;
  }

  // How many more lines a pair needs, by what its lines so far show.
  int LinesMissing(const PairStatistics& statistics) const {
    if (!plan_.precision) return std::max(0, plan_.line.lines - statistics.lines_drawn());
    if (statistics.lines_drawn() >= kMostLines) return 0;
    const int lines = statistics.lines();
    if (lines < 2) return plan_.line.lines;
    const measure::Interval interval = statistics.Interval();
    const double value = (interval.low + interval.high) / 2;
    const double excess = (interval.high - interval.low) / value / *plan_.precision;
    if (excess <= 1) return 0;
    // The width falls with the square root of the lines. A tenth more, lest a small remainder takes
    // another draw.
    constexpr int kFewestToAdd = 16;
    const double needed = 1.1 * lines * excess * excess;
    return std::max(kFewestToAdd, static_cast<int>(std::min<double>(needed, kMostLines)) - lines);
  }

  std::size_t Index(int cpu) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cpus_, cpu) - cpus_.begin());
  }

  void Record(CpuPair pair, const PairOutcome& outcome) {
    if (outcome.timed_out) matrix_.timed_out.emplace_back(pair.first, pair.second);
    if (!outcome.estimate) return;
    const PairEstimate& estimate = *outcome.estimate;
    const std::size_t row = Index(pair.first);
    const std::size_t column = Index(pair.second);
    matrix_.nanoseconds.At(row, column) = estimate.ns;
    matrix_.low.At(row, column) = estimate.low;
    matrix_.high.At(row, column) = estimate.high;
    matrix_.spread_within.At(row, column) = estimate.spread_within;
    matrix_.spread_between.At(row, column) = estimate.spread_between;
    if (!std::isnan(estimate.offset_ns)) {
      if (matrix_.clock_offset.size() == 0) matrix_.clock_offset = PairMatrix(cpus_.size());
      matrix_.clock_offset.At(row, column) = estimate.offset_ns;
    }
    if (estimate.disturbed) matrix_.disturbed.emplace_back(pair.first, pair.second);
  }

  Result<void> CheckCanary(CpuPair pair) {
    const auto outcomes = MeasureRound(std::span(&pair, 1));
    if (!outcomes) return std::unexpected(outcomes.error());
    const std::size_t row = Index(pair.first);
    const std::size_t column = Index(pair.second);
    const auto& estimate = outcomes->front().estimate;
    if (!estimate || estimate->disturbed || !matrix_.nanoseconds.Has(row, column)) return {};
    if (!matrix_.canary) {
      const double before = matrix_.nanoseconds.At(row, column);
      matrix_.canary = {pair.first, pair.second, 0, before, before, 0};
    }
    CoreCanary& canary = *matrix_.canary;
    ++canary.checks;
    canary.least_ns = std::min(canary.least_ns, estimate->ns);
    canary.most_ns = std::max(canary.most_ns, estimate->ns);
    canary.expected_ns = std::max(canary.expected_ns, kRangeByChance * estimate->Width() / 2);
    return {};
  }

  Result<void> CheckParallel(const Schedule& schedule) {
    std::vector<CpuPair> all;
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      // Two pairs need four CPUs: with fewer, nothing ran at once.
      const auto pairs = schedule.Round(round);
      if (pairs.size() > 1) all.insert(all.end(), pairs.begin(), pairs.end());
    }
    std::vector<CpuPair> sample;
    std::ranges::sample(all, std::back_inserter(sample), kParallelSample, random_);
    std::vector<double> ratios;
    for (const CpuPair pair : sample) {
      const auto outcomes = MeasureRound(std::span(&pair, 1));
      if (!outcomes) return std::unexpected(outcomes.error());
      const double at_once = matrix_.nanoseconds.At(Index(pair.first), Index(pair.second));
      const auto& alone = outcomes->front().estimate;
      if (alone && !alone->disturbed && !std::isnan(at_once)) ratios.push_back(at_once / alone->ns);
    }
    if (!ratios.empty())
      matrix_.parallel = {static_cast<int>(ratios.size()), measure::Median(ratios)};
    return {};
  }

  LineSource& source_;
  const os::CpuList& cpus_;
  const MatrixPlan& plan_;
  std::mt19937_64 random_;
  CoreMatrix matrix_;
  std::vector<PairStatistics> statistics_;  // one per pair of a round, used again for the next
};

}  // namespace

Result<CoreMatrix> MeasureMatrix(LineSource& source, const os::CpuList& cpus,
                                 const MatrixPlan& plan, const OnMatrixProgress& on_progress) {
  assert(cpus.size() >= 2);
  return MatrixExperiment(source, cpus, plan).Run(on_progress);
}

}  // namespace cyclescope::cores
