#include "statistics/spectrum.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>
#include <vector>

#include "statistics/groups.h"
#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

// The grid on which the density is looked at, and the width of its kernel. Levels that are a fifth
// apart are told apart; the places on one die, which differ by up to a fifth, are not.
constexpr double kGridStep = 0.01;
constexpr double kBandwidth = 0.05;
// Between two levels the density falls below this share of the lower peak.
constexpr double kValleyShare = 0.5;

// How many values lie about each point of a grid, in units of one value right there.
struct Density {
  double first = 0;  // logarithm
  std::vector<double> values;

  double At(std::size_t point) const { return first + kGridStep * static_cast<double>(point); }
};

// `logs` ascend.
Density MakeDensity(std::span<const double> logs) {
  constexpr double kLogReach = 4 * kBandwidth;
  Density density;
  density.first = logs.front() - kLogReach;
  const double span = logs.back() + kLogReach - density.first;
  density.values.assign(static_cast<std::size_t>(span / kGridStep) + 2, 0);
  // Values are put on the grid before they are spread: 300,000 pairs would take long one by one.
  std::vector<double> counts(density.values.size(), 0);
  for (const double value : logs) {
    ++counts[static_cast<std::size_t>(std::lround((value - density.first) / kGridStep))];
  }
  const auto reach = static_cast<std::ptrdiff_t>(kLogReach / kGridStep);
  std::vector<double> kernel;
  for (std::ptrdiff_t i = 0; i <= reach; ++i) {
    kernel.push_back(std::exp(-std::pow(static_cast<double>(i) * kGridStep / kBandwidth, 2) / 2));
  }
  for (std::size_t from = 0; from < counts.size(); ++from) {
    if (counts[from] == 0) continue;
    for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
      const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(from) + i;
      if (to < 0 || to >= static_cast<std::ptrdiff_t>(counts.size())) continue;
      density.values[static_cast<std::size_t>(to)] +=
          counts[from] * kernel[static_cast<std::size_t>(std::abs(i))];
    }
  }
  return density;
}

struct Peak {
  std::size_t at = 0;
  std::size_t valley = 0;  // between this peak and the next
};

std::size_t Lowest(const Density& density, std::size_t begin, std::size_t end) {
  const auto first = density.values.begin();
  // Of a stretch without any value, the middle.
  const auto lowest = std::min_element(first + static_cast<std::ptrdiff_t>(begin),
                                       first + static_cast<std::ptrdiff_t>(end));
  auto last = lowest;
  while (last + 1 < first + static_cast<std::ptrdiff_t>(end) && *(last + 1) == *lowest) ++last;
  return static_cast<std::size_t>(lowest - first + (last - lowest) / 2);
}

// True if the dip between two neighbouring peaks is one that chance does not make: counts differ by
// more than twice their standard error. Where nothing lies between, two values are enough.
bool Apart(const Density& density, const Peak& left, const Peak& right, std::size_t all) {
  const double valley = density.values[left.valley];
  const double lower = std::min(density.values[left.at], density.values[right.at]);
  if (valley > kValleyShare * lower) return false;
  constexpr double kNoDensity = 0.01;
  if (valley < kNoDensity) return lower >= std::max(1.5, 0.002 * static_cast<double>(all));
  return lower - valley >= 2 * std::sqrt(lower + valley);
}

// Peaks that stand apart from each other: of two that do not, the higher stays.
std::vector<Peak> FindPeaks(const Density& density, std::size_t all) {
  std::vector<Peak> peaks;
  for (std::size_t i = 1; i + 1 < density.values.size(); ++i) {
    if (density.values[i] > density.values[i - 1] && density.values[i] >= density.values[i + 1]) {
      peaks.push_back({i, i});
    }
  }
  const auto find_valleys = [&] {
    for (std::size_t i = 0; i + 1 < peaks.size(); ++i) {
      peaks[i].valley = Lowest(density, peaks[i].at, peaks[i + 1].at);
    }
  };
  find_valleys();
  for (;;) {
    // The least separate pair goes first.
    std::size_t worst = peaks.size();
    double worst_depth = -1;
    for (std::size_t i = 0; i + 1 < peaks.size(); ++i) {
      if (Apart(density, peaks[i], peaks[i + 1], all)) continue;
      const double lower = std::min(density.values[peaks[i].at], density.values[peaks[i + 1].at]);
      const double depth = density.values[peaks[i].valley] / lower;
      if (depth > worst_depth) {
        worst_depth = depth;
        worst = i;
      }
    }
    if (worst == peaks.size()) return peaks;
    const bool left_is_lower =
        density.values[peaks[worst].at] < density.values[peaks[worst + 1].at];
    peaks.erase(peaks.begin() + static_cast<std::ptrdiff_t>(left_is_lower ? worst : worst + 1));
    find_valleys();
  }
}

// What levels are called by their order alone: times do not say what stands between two CPUs. Only
// two threads of a core answer each other as fast as that.
std::string_view NameOf(std::size_t index, std::size_t count, bool has_same_core) {
  if (has_same_core && index == 0) return "same core";
  const std::size_t others = has_same_core ? count - 1 : count;
  const std::size_t place = has_same_core ? index - 1 : index;
  if (others == 1) return "other core";
  if (place == 0) return has_same_core ? "nearest other core" : "nearest";
  return place + 1 == others ? "farthest" : "farther";
}

CoreLevel MakeLevel(std::span<const double> logs, double peak, std::size_t all) {
  // The peak of the density is as coarse as its grid.
  constexpr double kSameLevelShare = 0.08;
  const auto about = std::ranges::subrange(std::ranges::lower_bound(logs, peak - kSameLevelShare),
                                           std::ranges::upper_bound(logs, peak + kSameLevelShare));
  const double centre = about.empty() ? peak : Median(std::vector(about.begin(), about.end()));
  CoreLevel level;
  level.nanoseconds = std::exp(centre);
  const auto last = static_cast<double>(logs.size() - 1);
  level.low = std::exp(logs[static_cast<std::size_t>(0.05 * last)]);
  level.high = std::exp(logs[static_cast<std::size_t>(std::ceil(0.95 * last))]);
  level.share = static_cast<double>(logs.size()) / static_cast<double>(all);
  return level;
}

// Bars of one width on the logarithmic scale. The last holds what lies beyond it: a few disturbed
// values must not squeeze all others into one bar.
void AddBars(std::span<const double> logs, CoreSpectrum& spectrum) {
  constexpr std::size_t kMostBars = 24;
  constexpr double kMinBarLogWidth = 0.05;
  constexpr double kChartedShare = 0.995;
  const double top =
      logs[static_cast<std::size_t>(kChartedShare * static_cast<double>(logs.size() - 1))];
  const double span = top - logs.front();
  const double step = std::max(kMinBarLogWidth, span / kMostBars * (1 + 1e-9));
  spectrum.first_ns = std::exp(logs.front());
  spectrum.step = std::exp(step);
  spectrum.counts.assign(static_cast<std::size_t>(span / step) + 1, 0);
  for (const double value : logs) {
    const auto bar = static_cast<std::size_t>((value - logs.front()) / step);
    ++spectrum.counts[std::min(bar, spectrum.counts.size() - 1)];
  }
}

}  // namespace

CoreSpectrum FindSpectrum(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (value > 0 && std::isfinite(value)) logs.push_back(std::log(value));
  }
  CoreSpectrum spectrum;
  if (logs.size() < 2) return spectrum;
  std::ranges::sort(logs);
  AddBars(logs, spectrum);

  const Density density = MakeDensity(logs);
  const std::vector<Peak> peaks = FindPeaks(density, logs.size());
  auto begin = logs.begin();
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const auto end = i + 1 == peaks.size()
                         ? logs.end()
                         : std::upper_bound(begin, logs.end(), density.At(peaks[i].valley));
    if (begin == end) continue;
    spectrum.levels.push_back(
        MakeLevel(std::span(begin, end), density.At(peaks[i].at), logs.size()));
    begin = end;
  }
  const bool has_same_core =
      !spectrum.levels.empty() && spectrum.levels.front().nanoseconds <= kSameCoreNs;
  for (std::size_t i = 0; i < spectrum.levels.size(); ++i) {
    spectrum.levels[i].name = NameOf(i, spectrum.levels.size(), has_same_core);
  }
  return spectrum;
}

std::size_t LevelOf(const CoreSpectrum& spectrum, double nanoseconds) {
  assert(!spectrum.levels.empty());
  const auto distance = [nanoseconds](const CoreLevel& level) {
    return std::abs(std::log(nanoseconds / level.nanoseconds));
  };
  const auto nearest = std::ranges::min_element(spectrum.levels, {}, distance);
  return static_cast<std::size_t>(nearest - spectrum.levels.begin());
}

}  // namespace cyclescope::statistics
