#include "pairs/pair_statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::pairs {
namespace {

struct LineBatches {
  double median = 0;
  double range = 0;
  int kept = 0;
};

// Reorders `batches`.
LineBatches Condense(std::span<double> batches) {
  std::ranges::sort(batches);
  // Above the shortest even where that is below zero, as a message between two clocks can be.
  const double limit = batches.front() + std::abs(batches.front()) * (kDisturbedRatio - 1);
  const auto kept =
      static_cast<std::size_t>(std::ranges::upper_bound(batches, limit) - batches.begin());
  const double median = (batches[(kept - 1) / 2] + batches[kept / 2]) / 2;
  return {median, batches[kept - 1] - batches[0], static_cast<int>(kept)};
}

}  // namespace

double HalfWidths(double degrees) {
  return statistics::StudentQuantile((1 + kConfidence) / 2, std::max(static_cast<int>(degrees), 1));
}

statistics::Trimmed TrimmedMeanOf(std::vector<double> values, double share) {
  constexpr std::size_t kMinValuesToCut = 8;
  const std::size_t count = values.size();
  assert(count >= 2);
  const std::size_t least = count >= kMinValuesToCut ? 1 : 0;
  const auto cut = std::clamp(static_cast<std::size_t>(share * static_cast<double>(count)), least,
                              (count - 2) / 2);
  return statistics::TrimmedOf(std::move(values), cut);
}

void PairStatistics::Clear() {
  line_ns_.clear();
  line_range_.clear();
  line_offset_.clear();
  kept_ = 0;
  rejected_ = 0;
}

void PairStatistics::Add(const LineDraw& draw) {
  std::vector<double> batches;
  for (std::size_t line = 0; line < draw.lines(); ++line) {
    const auto begin = draw.batch_ns.begin() + static_cast<std::ptrdiff_t>(line * draw.batches);
    batches.assign(begin, begin + draw.batches);
    // After a context switch it is unknown which batches the line met with warm caches.
    if (draw.switched[line] != 0) {
      rejected_ += draw.batches;
      continue;
    }
    const LineBatches condensed = Condense(batches);
    kept_ += condensed.kept;
    rejected_ += draw.batches - condensed.kept;
    // One batch has nothing to be compared with.
    if (2 * condensed.kept < draw.batches) continue;
    line_ns_.push_back(condensed.median);
    line_range_.push_back(condensed.range);
    if (!draw.offset_ns.empty()) {
      const std::span offsets(draw.offset_ns);
      line_offset_.push_back(
          statistics::Median(offsets.subspan(line * draw.batches, draw.batches)));
    }
  }
}

PairEstimate PairStatistics::Estimate(int lines_wanted) const {
  const statistics::Trimmed trimmed = TrimmedMeanOf(line_ns_, kTrimmedShare);
  const double half_width = HalfWidths(trimmed.degrees) * trimmed.error;
  PairEstimate estimate;
  estimate.ns = trimmed.mean;
  estimate.median_ns = statistics::Median(line_ns_);
  estimate.error_ns = trimmed.error;
  estimate.low = trimmed.mean - half_width;
  estimate.high = trimmed.mean + half_width;
  std::vector<double> ranges = line_range_;
  estimate.spread_within = statistics::Nth(ranges, ranges.size() / 2);
  std::vector<double> lines_ns = line_ns_;
  const double third_quartile = statistics::Nth(lines_ns, (lines_ns.size() - 1) * 3 / 4);
  estimate.spread_between = third_quartile - statistics::Nth(lines_ns, (lines_ns.size() - 1) / 4);
  estimate.offset_ns = line_offset_.empty() ? std::numeric_limits<double>::quiet_NaN()
                                            : statistics::Median(line_offset_);
  estimate.lines = lines();
  estimate.disturbed = 2 * lines() < lines_wanted || rejected_ > kept_;
  return estimate;
}

}  // namespace cyclescope::pairs
