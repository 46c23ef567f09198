#include "cores/interpret.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "cores/findings.h"
#include "pairs/pair_statistics.h"
#include "statistics/groups.h"
#include "statistics/spectrum.h"
#include "statistics/statistics.h"

namespace cyclescope::cores {
namespace {

// A visit to two threads of one core takes no longer than this, also on a busy one.
constexpr double kStillSameCoreNs = 1.5 * statistics::kSameCoreNs;

// One value a pair: another program's matrix may have one direction only.
std::vector<double> PairValues(const CoreMatrix& matrix) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.nanoseconds.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      const double value =
          std::fmin(matrix.nanoseconds.At(row, column), matrix.nanoseconds.At(column, row));
      if (!std::isnan(value)) values.push_back(value);
    }
  }
  return values;
}

bool IsCore(const CoreGroup& group) { return group.nanoseconds <= statistics::kSameCoreNs; }

// A test of two lines takes about twice as long: there the system says what is one core, too.
bool IsCoreOfTopology(const CoreGroup& group) {
  return group.name.starts_with("core ") && group.nanoseconds <= 2 * statistics::kSameCoreNs;
}

// What is said of pairs by the tightest group that both CPUs are in; groups by likeness say
// nothing.
class PairNames {
 public:
  explicit PairNames(const CoreMatrix& matrix) {
    const std::vector<double> values = PairValues(matrix);
    const double usual = values.empty() ? 0 : statistics::Median(values);
    for (const CoreGroup& group : matrix.groups) {
      if (statistics::kLevelRatio * group.nanoseconds > usual) continue;
      std::vector<std::size_t>& group_of =
          group_of_.try_emplace(group.level, matrix.cpus.size(), 0).first->second;
      ++numbered_;
      for (const int cpu : group.cpus) group_of[statistics::RowOf(matrix, cpu)] = numbered_;
      if (IsCore(group) || IsCoreOfTopology(group)) cores_ = group.level;
    }
    for (const auto& [level, group_of] : group_of_) {
      if (level != cores_) wider_.push_back(level);
    }
  }

  std::string_view Of(std::size_t row, std::size_t column) const {
    for (const auto& [level, group_of] : group_of_) {
      if (group_of[row] == 0 || group_of[row] != group_of[column]) continue;
      if (level == cores_) return "same core";
      if (wider_.size() == 1) return "same cluster or die";
      if (level == wider_.front()) return "same cluster or tile";
      return level == wider_.back() && wider_.size() > 2 ? "same socket" : "same die";
    }
    return wider_.empty() ? "other core" : "other die or socket";
  }

 private:
  std::map<int, std::vector<std::size_t>> group_of_;  // by level, of each CPU; 0: none
  std::size_t numbered_ = 0;
  std::optional<int> cores_;  // the level of threads of a core
  std::vector<int> wider_;    // the other levels
};

// Levels by what most of their pairs are, where groups say so.
void NameLevels(CoreMatrix& matrix) {
  if (matrix.groups.empty()) return;
  const PairNames names(matrix);
  std::vector<std::map<std::string_view, int>> counts(matrix.spectrum.levels.size());
  for (std::size_t row = 0; row < matrix.cpus.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      const double value =
          std::fmin(matrix.nanoseconds.At(row, column), matrix.nanoseconds.At(column, row));
      if (!(value > 0) || counts.empty()) continue;
      ++counts[statistics::LevelOf(matrix.spectrum, value)][names.Of(row, column)];
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto most =
        std::ranges::max_element(counts[i], {}, [](const auto& c) { return c.second; });
    if (most != counts[i].end()) matrix.spectrum.levels[i].name = most->first;
  }
}

// Intervals of a machine whose CPUs move are of all pairs, and keep none apart.
std::vector<CoreGroup> Groups(const CoreMatrix& matrix, std::span<const CpuPlace> topology) {
  if (matrix.stability != Stability::kFloating) return statistics::FindGroups(matrix, topology);
  CoreMatrix values;
  values.cpus = matrix.cpus;
  values.nanoseconds = matrix.nanoseconds;
  return statistics::FindGroups(values, topology);
}

// True if every visit found the group's CPUs on one core.
bool Persists(const CoreGroup& group, const MeasuredMatrix& measured) {
  for (const int first : group.cpus) {
    for (const int second : group.cpus) {
      const std::size_t row = statistics::RowOf(measured.matrix, first);
      const std::size_t column = statistics::RowOf(measured.matrix, second);
      for (std::size_t round = 0; first < second && round < measured.visits.rounds(); ++round) {
        if (measured.visits.Both(round, row, column) > kStillSameCoreNs) return false;
      }
    }
  }
  return true;
}

// True if the run was so long that CPUs which happened to be on one core would have left it.
bool SawThemMove(const MeasuredMatrix& measured) {
  constexpr double kResidencesToSeeMoves = 10;
  const auto& floating = measured.matrix.floating;
  return floating && floating->residence_ms &&
         static_cast<double>(measured.duration_ns) / 1e6 >
             kResidencesToSeeMoves * *floating->residence_ms;
}

void KeepWhatPersists(MeasuredMatrix& measured) {
  const bool floats = measured.verdict.stability == Stability::kFloating;
  const bool long_enough = floats && SawThemMove(measured);
  std::erase_if(measured.matrix.groups, [&](const CoreGroup& group) {
    if (floats && !(IsCore(group) && long_enough)) return true;
    return IsCore(group) && !Persists(group, measured);
  });
}

// Two CPUs that stay where they are have one distance: what their visits differ by is scatter.
void KeepOneLevel(CoreMatrix& matrix) {
  std::vector<CoreLevel>& levels = matrix.spectrum.levels;
  if (matrix.cpus.size() != 2 || levels.size() < 2) return;
  CoreLevel all = *std::ranges::max_element(levels, {}, &CoreLevel::share);
  all.low = levels.front().low;
  all.high = levels.back().high;
  all.share = 1;
  all.name = all.nanoseconds <= statistics::kSameCoreNs ? "same core" : "other core";
  levels = {all};
}

// How much slower two CPUs run a loop together, which confirms a shared core: the least of several
// times, since a neighbour slows the loop, too, and comes and goes. 0 where the CPUs are no longer
// as close as they were before, so that the loop tells nothing.
double ConfirmSharedCore(pairs::CpuPair pair, const CoreMatrix& matrix, pairs::LineSource& source) {
  constexpr int kTrials = 3;
  double slowdown = source.Slowdown(pair);
  for (int i = 1; i < kTrials && slowdown > 0; ++i)
    slowdown = std::min(slowdown, source.Slowdown(pair));
  const double before = matrix.nanoseconds.At(statistics::RowOf(matrix, pair.first),
                                              statistics::RowOf(matrix, pair.second));
  constexpr int kLines = 8;
  constexpr std::int64_t kBudgetNs = 20'000'000;
  const auto draws =
      source.Draw(std::span(&pair, 1), pairs::LinePlan{.lines = kLines, .budget_ns = kBudgetNs});
  if (!draws || std::isnan(before)) return slowdown;
  pairs::PairStatistics after;
  after.Add(draws->front());
  if (after.lines() < 2) return slowdown;
  const bool was_close = before <= statistics::kSameCoreNs;
  const bool is_close = after.Estimate(0).median_ns <= kStillSameCoreNs;
  return was_close && !is_close ? 0 : slowdown;
}

}  // namespace

void Interpret(CoreMatrix& matrix, std::span<const CpuPlace> topology) {
  matrix.spectrum = statistics::FindSpectrum(PairValues(matrix));
  matrix.groups = statistics::FindGroups(matrix, topology);
  NameLevels(matrix);
  matrix.findings = FindFindings(matrix, topology, {});
}

void Interpret(MeasuredMatrix& measured, std::span<const CpuPlace> topology,
               pairs::LineSource& source, const GoesOn& goes_on) {
  CoreMatrix& matrix = measured.matrix;
  matrix.groups = Groups(matrix, topology);
  KeepWhatPersists(measured);
  if (measured.verdict.stability != Stability::kFloating) {
    NameLevels(matrix);
    KeepOneLevel(matrix);
  }
  std::vector<CoreTrial> trials;
  for (const pairs::CpuPair pair : PairsOnTrial(matrix, topology)) {
    if (!MayGoOn(goes_on)) break;
    trials.push_back({pair, ConfirmSharedCore(pair, matrix, source)});
  }
  matrix.findings = FindFindings(matrix, topology, trials, measured.verdict);
}

}  // namespace cyclescope::cores
