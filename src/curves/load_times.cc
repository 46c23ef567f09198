#include "curves/load_times.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::curves {
namespace {

// A level that answers fewer loads of a footprint than this is not looked at there, and one that
// does so everywhere is none: an interrupt, or a page that had to be looked up, takes long as well.
constexpr double kMinLoadShare = 0.15;
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

// Of the footprints that the level answers enough loads of: the middle of the middles.
MemoryValue LatencyOf(const std::vector<LoadTimes>& times, const TickRange& range, double base) {
  std::vector<double> middles;
  double factor = 0;
  for (const LoadTimes& each : times) {
    if (ShareOf(each, range) < kMinLoadShare) continue;
    factor = each.cycles_per_tick;
    middles.push_back((QuantileOf(SharesOf(each), range, 0.5) - base) * factor);
  }
  if (middles.empty()) return {};
  // Within half a tick nothing is known.
  const auto [least, most] = std::ranges::minmax(middles);
  return {statistics::Median(middles), least - factor / 2, most + factor / 2};
}

// How often loads take about as long as each tick: means over a part of what they take beyond the
// first cache, which takes `base`.
std::vector<double> Smooth(const std::vector<double>& shares, double base) {
  constexpr double kLeastTicks = 4;
  constexpr double kSmoothedShare = 0.2;
  std::vector<double> smooth;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double beyond = std::max(static_cast<double>(i) - base, 0.0);
    const auto half = static_cast<std::size_t>(std::max(kLeastTicks, kSmoothedShare * beyond) / 2);
    const std::size_t begin = i - std::min(i, half);
    const std::size_t end = std::min(i + half, shares.size());
    const double sum = std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(begin),
                                       shares.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    smooth.push_back(sum / static_cast<double>(end - begin));
  }
  return smooth;
}

// Divides times where few loads lie between two heaps of them.
std::vector<TickRange> Split(const std::vector<double>& smooth) {
  constexpr double kValleyToHeapRatio = 0.2;  // compared with the heaps on both sides
  std::vector<TickRange> ranges = {{0, smooth.size()}};
  double heap = 0;
  double valley = 0;
  std::size_t valley_at = 0;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    if (smooth[i] <= valley) {
      valley = smooth[i];
      valley_at = i;
    }
    const bool has_left = valley < kValleyToHeapRatio * heap;
    const bool is_next = has_left && valley < kValleyToHeapRatio * smooth[i];
    if (is_next) {
      ranges.back().end = valley_at;
      ranges.push_back({valley_at, smooth.size()});
    }
    if (is_next || smooth[i] > heap) heap = valley = smooth[i];
  }
  return ranges;
}

// Without those that answer few loads everywhere, and those that take little longer than the one
// before, as a load does whose address has to be translated first: what they have is the one's
// before them. `first` are the cycles of the first cache.
std::vector<TickRange> Levels(const std::vector<TickRange>& ranges,
                              const std::vector<LoadTimes>& times, double base, double first) {
  constexpr double kLeastRatio = 1.6;
  std::vector<TickRange> levels;
  double last = 0;
  for (const TickRange& range : ranges) {
    const auto answered = std::ranges::count_if(
        times, [&](const LoadTimes& each) { return ShareOf(each, range) >= kMinLoadShare; });
    const bool is_level = static_cast<std::size_t>(answered) >= kFewestFootprints;
    const double cycles = is_level ? LatencyOf(times, range, base).value + first : 0;
    if (levels.empty() || cycles > kLeastRatio * last) {
      levels.push_back(range);
      last = cycles;
    } else {
      levels.back().end = range.end;
    }
  }
  return levels;
}

// Between what a level was found to hold, and where most loads miss it: how a cache chooses what to
// replace decides where in between, and that is not known. `end` is the tick before which it
// answers.
std::optional<MemoryValue> CapacityOf(const std::vector<LoadTimes>& times, std::size_t end) {
  // With pages anywhere, half of the loads miss from here on, as a share of what the cache holds.
  constexpr double kHalfMissedShare = 0.9;
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
  const double high = std::max(half / kHalfMissedShare, held);
  // What counts the loads takes room in small caches.
  constexpr double kLeastTimedBytes = 256 << 10;
  if (high < kLeastTimedBytes || !is_outgrown) return std::nullopt;
  return MemoryValue{std::sqrt(held * high), held, high};
}

// `beyond_first` are the cycles beyond those of the first cache.
bool Holds(const TimedLevel& timed, double beyond_first) {
  constexpr double kSameLevelRatio = 1.2;
  return timed.least_cycles / kSameLevelRatio <= beyond_first &&
         beyond_first <= timed.most_cycles * kSameLevelRatio;
}

double WidthOf(const MemoryValue& value) { return value.high - value.low; }

// A capacity that the curve could not tell. Where neighbours are the reason, single loads cannot
// tell it either: the lines of the thread that just had the core are still in its caches.
bool IsVague(const MemoryLevel& level) {
  constexpr double kVagueCapacityRatio = 3;
  return level.capacity && !level.capacity_at_least &&
         level.capacity->high > kVagueCapacityRatio * level.capacity->low;
}

// Single loads that take about as long come from one level, even if the curve is flat twice among
// them: where loads that one cache and memory answer mix, or where translation adds something.
void MergeLevelsOfOneHeap(const std::vector<TimedLevel>& timed, std::vector<MemoryLevel>& levels) {
  constexpr double kSameLevelRatio = 1.5;
  const double first = levels.front().cycles.value;
  double most = first;  // of what the level at i was merged from
  for (std::size_t i = 0; i + 1 < levels.size();) {
    MemoryLevel& own = levels[i];
    MemoryLevel& next = levels[i + 1];
    const double next_cycles = next.cycles.value;
    const auto is_of = [&](const TimedLevel& each) {
      return Holds(each, own.cycles.value - first) && Holds(each, next_cycles - first);
    };
    const bool is_memory = i + 2 == levels.size();
    const bool is_one = next_cycles < kSameLevelRatio * most && std::ranges::any_of(timed, is_of) &&
                        !(i == 0 && is_memory);
    most = next_cycles;
    if (!is_one) {
      ++i;
      continue;
    }
    // A cache's own latency is the lower one, since translation adds to the other. Memory's is the
    // higher one, since a cache answered some loads of the other.
    if (!is_memory) {
      next.cycles = own.cycles;
      next.nanoseconds = own.nanoseconds;
      next.contended = own.contended;
    }
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Corrects a level that the curve has by what single loads tell.
void Correct(const TimedLevel& timed, const MemoryLevel& by_time, std::size_t index,
             std::vector<MemoryLevel>& levels) {
  MemoryLevel& level = levels[index];
  const bool is_last = index + 1 == levels.size();
  // The curve's latency may be too low, where a nearer level answered some of the loads, or too
  // high, where a farther one did, or where translation adds something. All that translation adds
  // belongs to the last level.
  const bool is_low = level.cycles.value < by_time.cycles.low;
  const bool is_high = !is_last && level.cycles.low > by_time.cycles.high;
  const bool is_vague = !is_last && WidthOf(level.cycles) > 2 * WidthOf(by_time.cycles);
  // Loads of the first cache are what all others are compared with.
  const bool is_told = timed.least_cycles > 0;
  const bool is_in_order = (index == 0 || levels[index - 1].cycles.value < by_time.cycles.value) &&
                           (is_last || by_time.cycles.value < levels[index + 1].cycles.value);
  if (is_told && is_in_order && (is_low || is_high || is_vague)) {
    level.cycles = by_time.cycles;
    level.nanoseconds = by_time.nanoseconds;
    level.contended = false;
  }
  if (timed.capacity && (!level.capacity || IsVague(level))) {
    level.capacity = timed.capacity;
    level.capacity_at_least = false;
  }
}

}  // namespace

void Add(const LoadTimes& times, std::optional<LoadTimes>& to) {
  if (!to) {
    to = times;
    return;
  }
  assert(to->bytes == times.bytes && to->counts.size() == times.counts.size());
  std::ranges::transform(to->counts, times.counts, to->counts.begin(), std::plus());
}

std::vector<TimedLevel> ReadLoadTimes(const std::vector<LoadTimes>& times, double first_cycles) {
  if (times.size() < 2 * kFewestFootprints) return {};
  const std::vector<double> smallest = SharesOf(times.front());
  const double base = QuantileOf(smallest, {0, smallest.size()}, 0.5);
  const std::vector<double> shares = MeanShares(times);
  const std::vector<TickRange> ranges =
      Levels(Split(Smooth(shares, base)), times, base, first_cycles);
  std::vector<TimedLevel> levels;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    constexpr double kTailShare = 0.01;
    const double factor = times.front().cycles_per_tick;
    TimedLevel level;
    level.least_cycles = (QuantileOf(shares, ranges[i], kTailShare) - base) * factor;
    level.most_cycles = (QuantileOf(shares, ranges[i], 1 - kTailShare) - base) * factor;
    level.cycles = LatencyOf(times, ranges[i], base);
    if (i + 1 < ranges.size()) level.capacity = CapacityOf(times, ranges[i].end);
    levels.push_back(level);
  }
  return levels;
}

void AddTimedLevels(const std::vector<TimedLevel>& timed, std::vector<MemoryLevel>& levels) {
  if (timed.empty() || levels.size() < 2) return;
  MergeLevelsOfOneHeap(timed, levels);
  const double first = levels.front().cycles.value;
  const double factor = levels.front().nanoseconds.value / first;
  const auto scaled = [first](const MemoryValue& value, double by) {
    return MemoryValue{(value.value + first) * by, (value.low + first) * by,
                       (value.high + first) * by};
  };
  for (const TimedLevel& each : timed) {
    MemoryLevel by_time;
    by_time.cycles = scaled(each.cycles, 1);
    by_time.nanoseconds = scaled(each.cycles, factor);
    by_time.capacity = each.capacity;
    by_time.by_single_loads = true;
    const auto belongs = [&](const MemoryLevel& level) {
      return Holds(each, level.cycles.value - first);
    };
    // The farthest that it may be.
    const auto own = std::find_if(levels.rbegin(), levels.rend(), belongs);
    if (own != levels.rend()) {
      Correct(each, by_time, static_cast<std::size_t>(std::distance(own, levels.rend())) - 1,
              levels);
      continue;
    }
    const auto next = std::ranges::find_if(levels, [&](const MemoryLevel& level) {
      return level.cycles.value > by_time.cycles.value;
    });
    // Beyond all that the curve tells, only what is much farther: looking up a translation takes
    // long as well. Then the level before it has to have an end.
    constexpr double kNextLevelRatio = 2;
    const bool is_last = next == levels.end() && levels.back().capacity &&
                         by_time.cycles.value > kNextLevelRatio * levels.back().cycles.value;
    const bool is_between = next != levels.begin() && next != levels.end() && each.capacity;
    if (!is_between && !is_last) continue;
    if (is_between && (next - 1)->capacity_at_least) {
      by_time.capacity->value = by_time.capacity->low;
      by_time.capacity_at_least = true;
    }
    levels.insert(next, std::move(by_time));
  }
  levels.back().capacity.reset();
}

}  // namespace cyclescope::curves
