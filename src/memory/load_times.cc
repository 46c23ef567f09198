#include "memory/load_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cyclescope::memory {
namespace {

// A level that answers fewer loads of a footprint than this is not looked at there, and one that
// does so everywhere is none: an interrupt, or a page that had to be looked up, takes long as well.
constexpr double kFewestLoads = 0.15;
constexpr std::size_t kFewestFootprints = 2;

// What took from `begin` to before `end` ticks.
struct TickRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

double LoadsOf(const LoadTimes& times) {
  return std::accumulate(times.counts.begin(), times.counts.end(), 0.0);
}

double ShareOf(const LoadTimes& times, const TickRange& range) {
  const auto first = times.counts.begin();
  const double part = std::accumulate(first + static_cast<std::ptrdiff_t>(range.begin),
                                      first + static_cast<std::ptrdiff_t>(range.end), 0.0);
  return part / LoadsOf(times);
}

// The tick before which that share of the loads within the range lies.
double QuantileOf(const std::vector<double>& shares, const TickRange& range, double quantile) {
  const auto from = shares.begin() + static_cast<std::ptrdiff_t>(range.begin);
  const auto to = shares.begin() + static_cast<std::ptrdiff_t>(range.end);
  const double wanted = quantile * std::accumulate(from, to, 0.0);
  double before = 0;
  for (auto at = from; at != to; ++at) {
    if (*at > 0 && before + *at >= wanted)
      return static_cast<double>(at - shares.begin()) + (wanted - before) / *at;
    before += *at;
  }
  return static_cast<double>(range.end);
}

std::vector<double> SharesOf(const LoadTimes& times) {
  const double all = LoadsOf(times);
  std::vector<double> shares;
  for (const std::uint32_t count : times.counts) shares.push_back(count / all);
  return shares;
}

// All footprints alike, however many loads of each there are.
std::vector<double> MeanShares(const std::vector<LoadTimes>& times) {
  std::vector<double> mean(times.front().counts.size());
  for (const LoadTimes& each : times) {
    const std::vector<double> shares = SharesOf(each);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += shares[i] / static_cast<double>(times.size());
  }
  return mean;
}

// Ranges between which there are times that hardly any load takes. `base` is what loads of the
// first cache take.
std::vector<TickRange> Split(const std::vector<double>& shares, double base) {
  constexpr double kHardlyAny = 0.003;
  constexpr double kLeastTicks = 4;
  constexpr double kLeastPart = 0.2;  // of what a load takes beyond the first cache
  std::vector<TickRange> ranges;
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double beyond = std::max(static_cast<double>(i) - base, 0.0);
    const auto wide = static_cast<std::size_t>(std::max(kLeastTicks, kLeastPart * beyond));
    const std::size_t end = std::min(i + wide, shares.size());
    const double inside = std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(i),
                                          shares.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    const bool is_gap = inside < kHardlyAny;
    if (!begin && !is_gap) begin = i;
    if (begin && is_gap) ranges.push_back({*std::exchange(begin, std::nullopt), i});
  }
  if (begin) ranges.push_back({*begin, shares.size()});
  return ranges;
}

// Without those that answer few loads everywhere; what they have goes to the one before them. Each
// begins where the one before it ends.
std::vector<TickRange> Levels(const std::vector<TickRange>& ranges,
                              const std::vector<LoadTimes>& times) {
  std::vector<TickRange> levels;
  for (const TickRange& range : ranges) {
    const auto answered = std::ranges::count_if(
        times, [&](const LoadTimes& each) { return ShareOf(each, range) >= kFewestLoads; });
    if (levels.empty() || static_cast<std::size_t>(answered) >= kFewestFootprints)
      levels.push_back(range);
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].begin = i == 0 ? 0 : levels[i - 1].end;
    levels[i].end = i + 1 == levels.size() ? times.front().counts.size()
                                           : (levels[i].end + levels[i + 1].begin) / 2;
  }
  return levels;
}

// Between what a level was found to hold, and where most loads miss it: how a cache chooses what to
// replace decides where in between, and that is not known. `end` is the tick before which it
// answers.
std::optional<MemoryValue> CapacityOf(const std::vector<LoadTimes>& times, std::size_t end) {
  // With pages anywhere, half of the loads miss from here on, as a share of what the cache holds.
  constexpr double kHalfMisses = 0.9;
  double held = 0;
  double half = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double answered = ShareOf(times[i], {0, end});
    const auto bytes = static_cast<double>(times[i].bytes);
    // The largest of many would be too large by chance.
    const double doubt = 2 * std::sqrt(answered * (1 - answered) / LoadsOf(times[i]));
    held = std::max(held, (answered - doubt) * bytes);
    if (answered >= 0.5 && i + 1 < times.size()) {
      const double next = ShareOf(times[i + 1], {0, end});
      const double place = next < 0.5 ? (answered - 0.5) / (answered - next) : 1;
      half = bytes * std::pow(static_cast<double>(times[i + 1].bytes) / bytes, place);
    }
  }
  const bool is_outgrown = ShareOf(times.back(), {0, end}) < 0.5;
  if (half == 0 || !is_outgrown) return std::nullopt;
  const double high = half / kHalfMisses;
  return MemoryValue{std::sqrt(held * high), held, high};
}

// From the middles of the footprints that the level answers most loads of: what others take off or
// add at the edges counts least there.
MemoryValue LatencyOf(const std::vector<LoadTimes>& times, const TickRange& range, double base) {
  MemoryValue latency;
  double most = 0;
  for (const LoadTimes& each : times) {
    const double share = ShareOf(each, range);
    if (share < kFewestLoads) continue;
    // Within half a tick nothing is known.
    const double half = each.cycles_per_tick / 2;
    const double middle =
        (QuantileOf(SharesOf(each), range, 0.5) - base) * each.cycles_per_tick;
    latency.low = most == 0 ? middle - half : std::min(latency.low, middle - half);
    latency.high = most == 0 ? middle + half : std::max(latency.high, middle + half);
    if (share > most) latency.value = middle;
    most = std::max(most, share);
  }
  return latency;
}

// `beyond_first` are the cycles beyond those of the first cache.
bool Holds(const TimedLevel& timed, double beyond_first) {
  constexpr double kNearly = 1.2;
  return timed.least_cycles / kNearly <= beyond_first && beyond_first <= timed.most_cycles * kNearly;
}

// A capacity that the curve could not tell.
bool IsVague(const MemoryLevel& level) {
  constexpr double kVague = 3;
  return level.capacity && (level.capacity_at_least || level.capacity->high > kVague * level.capacity->low);
}

// Where loads that one cache and memory answer mix, the curve may be flat for a while: such a level
// has no loads of its own.
void RemoveMixtures(const std::vector<TimedLevel>& timed, std::vector<MemoryLevel>& levels) {
  constexpr double kNear = 1.5;
  const double first = levels.front().cycles.value;
  for (std::size_t i = 1; i + 1 < levels.size();) {
    const double own = levels[i].cycles.value;
    const double next = levels[i + 1].cycles.value;
    const auto is_of = [&](const TimedLevel& each) {
      return Holds(each, own - first) && Holds(each, next - first);
    };
    const bool is_mixture = next < kNear * own && std::any_of(timed.begin() + 1, timed.end(), is_of);
    if (is_mixture)
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

}  // namespace

std::vector<TimedLevel> ReadLoadTimes(const std::vector<LoadTimes>& times) {
  if (times.size() < 2 * kFewestFootprints) return {};
  const std::vector<double> smallest = SharesOf(times.front());
  const double base = QuantileOf(smallest, {0, smallest.size()}, 0.5);
  const std::vector<double> shares = MeanShares(times);
  const std::vector<TickRange> ranges = Levels(Split(shares, base), times);
  std::vector<TimedLevel> levels;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    constexpr double kFew = 0.01;
    const double factor = times.front().cycles_per_tick;
    TimedLevel level;
    level.least_cycles = (QuantileOf(shares, ranges[i], kFew) - base) * factor;
    level.most_cycles = (QuantileOf(shares, ranges[i], 1 - kFew) - base) * factor;
    level.cycles = LatencyOf(times, ranges[i], base);
    if (i + 1 < ranges.size()) level.capacity = CapacityOf(times, ranges[i].end);
    levels.push_back(level);
  }
  return levels;
}

void AddTimedLevels(const std::vector<TimedLevel>& timed, std::vector<MemoryLevel>& levels) {
  if (timed.empty() || levels.size() < 2) return;
  RemoveMixtures(timed, levels);
  const double first = levels.front().cycles.value;
  const double factor = levels.front().nanoseconds.value / first;
  const auto scaled = [first](const MemoryValue& value, double by) {
    return MemoryValue{(value.value + first) * by, (value.low + first) * by,
                       (value.high + first) * by};
  };
  for (const TimedLevel& each : timed) {
    const auto belongs = [&](const MemoryLevel& level) {
      return Holds(each, level.cycles.value - first);
    };
    // The farthest that it may be.
    const auto own = std::find_if(levels.rbegin(), levels.rend(), belongs);
    if (own != levels.rend()) {
      // Read from footprints of which a nearer level answered some loads.
      if (each.least_cycles > 0 && own->cycles.value < each.cycles.low + first) {
        own->cycles = scaled(each.cycles, 1);
        own->nanoseconds = scaled(each.cycles, factor);
      }
      if (each.capacity && IsVague(*own)) {
        own->capacity = each.capacity;
        own->capacity_at_least = false;
      }
      continue;
    }
    const auto next = std::ranges::find_if(levels, [&](const MemoryLevel& level) {
      return level.cycles.value > each.cycles.value + first;
    });
    if (!each.capacity || next == levels.begin() || next == levels.end()) continue;
    MemoryLevel level;
    level.cycles = scaled(each.cycles, 1);
    level.nanoseconds = scaled(each.cycles, factor);
    level.capacity = each.capacity;
    level.by_single_loads = true;
    levels.insert(next, std::move(level));
  }
}

}  // namespace cyclescope::memory
