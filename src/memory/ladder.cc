#include "memory/ladder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "measure/statistics.h"
#include "memory/values.h"

namespace cyclescope::memory {
namespace {

bool IsQuiet(const ChaseVisit& visit) { return !visit.contended && !visit.cycles.empty(); }

// A curve under way. Footprints have numbers: twelve per doubling, or places in a list.
class Ladder {
 public:
  Ladder(LatencySource& source, ChaseOrder order, PageKind pages, const LadderSettings& settings,
         const IsOver& is_over)
      : source_(source),
        settings_(settings),
        is_over_(is_over),
        curve_{.order = order, .pages = pages},
        random_(settings.seed) {}

  Result<MemoryCurve> Run() {
    if (auto done = Visit(FirstNumbers(), {1, 1}); !done) return std::unexpected(done.error());
    has_first_round_ = true;
    for (const bool costly : {false, true}) {
      if (auto done = VisitAll(costly); !done) return std::unexpected(done.error());
    }
    for (const auto& [number, visits] : visits_) {
      auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (point) curve_.points.push_back(*point);
    }
    return std::move(curve_);
  }

 private:
  static constexpr int kPerDoubling = 12;

  bool IsOver() const {
    if (is_over_ && is_over_()) return true;
    return has_first_round_ && settings_.is_enough && settings_.is_enough();
  }

  std::vector<int> FirstNumbers() const {
    std::vector<int> numbers;
    if (!settings_.sizes.empty()) {
      numbers.resize(settings_.sizes.size());
      std::iota(numbers.begin(), numbers.end(), 0);
      return numbers;
    }
    const double doublings = std::log2(static_cast<double>(settings_.most_bytes) /
                                       static_cast<double>(settings_.least_bytes));
    const int last = static_cast<int>(std::floor(kPerDoubling * doublings));
    for (int number = 0; number <= last;) {
      numbers.push_back(number);
      number += IsCostly(number) ? kPerDoubling : kPerDoubling / 2;
    }
    return numbers;
  }

  std::int64_t BytesOf(int number) const {
    if (!settings_.sizes.empty()) return settings_.sizes[static_cast<std::size_t>(number)];
    const double bytes = static_cast<double>(settings_.least_bytes) *
                         std::exp2(static_cast<double>(number) / kPerDoubling);
    const auto units =
        static_cast<std::int64_t>(std::llround(bytes / static_cast<double>(settings_.unit_bytes)));
    return std::max<std::int64_t>(units, 2) * settings_.unit_bytes;
  }

  bool IsCostly(int number) const { return BytesOf(number) > settings_.costly_bytes; }

  // All that are, or are not, costly.
  Result<void> VisitAll(bool costly) {
    const auto visited = [&](const Enough& enough) {
      std::vector<int> numbers;
      for (const auto& [number, visits] : visits_) {
        if (IsCostly(number) == costly) numbers.push_back(number);
      }
      return Visit(std::move(numbers), enough);
    };
    std::size_t before = 0;
    while (before < visits_.size() && !IsOver()) {
      before = visits_.size();
      if (auto done = visited({settings_.first_visits, settings_.first_visits}); !done) return done;
      for (const int number : settings_.sizes.empty() ? Bends() : std::vector<int>()) {
        if (IsCostly(number) == costly) visits_[number];  // to be visited
      }
    }
    if (auto done = visited({settings_.visits, settings_.most_visits}); !done) return done;
    return costly ? Result<void>()
                  : Visit(Unsettled(), {settings_.most_visits, settings_.most_visits});
  }

  // How many visits to a footprint are enough: while nobody shared the core, and in all.
  struct Enough {
    int quiet;
    int all;
  };

  bool HasEnough(int number, const Enough& enough) const {
    const auto found = visits_.find(number);
    if (found == visits_.end()) return false;
    const int all = static_cast<int>(found->second.size());
    if (IsCostly(number)) return all >= std::min(enough.all, settings_.costly_visits);
    return all >= enough.all || std::ranges::count_if(found->second, IsQuiet) >= enough.quiet;
  }

  // Rounds over the footprints until each has enough.
  Result<void> Visit(std::vector<int> numbers, const Enough& enough) {
    while (true) {
      std::erase_if(numbers, [&](int number) { return HasEnough(number, enough); });
      if (numbers.empty()) return {};
      std::ranges::shuffle(numbers, random_);
      for (const int number : numbers) {
        if (IsOver()) return {};
        auto visit = source_.Visit({curve_.order, curve_.pages, BytesOf(number)});
        if (!visit) return std::unexpected(visit.error());
        visits_[number].push_back(std::move(*visit));
      }
    }
  }

  // Small ones whose visits differ.
  std::vector<int> Unsettled() const {
    constexpr double kMostDifference = 0.02;
    std::vector<int> numbers;
    for (const auto& [number, visits] : visits_) {
      const auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (!point || point->bytes > settings_.most_bytes_often) continue;
      const MemoryValue& value = point->cycles;
      if (std::min(value.high - value.value, value.value - value.low) >
          kMostDifference * value.value)
        numbers.push_back(number);
    }
    return numbers;
  }

  // Footprints halfway between neighbours that differ.
  std::vector<int> Bends() const {
    constexpr double kLeastDifference = 0.04;
    const int finest_gap = kPerDoubling / settings_.finest;
    const int costly_gap = kPerDoubling / settings_.costly_finest;
    std::vector<int> numbers;
    std::optional<std::pair<int, MemoryPoint>> before;
    for (const auto& [number, visits] : visits_) {
      const auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (!point) continue;
      if (before) {
        const int gap = number - before->first;
        const MemoryValue& left = before->second.cycles;
        const MemoryValue& right = point->cycles;
        const bool differs = std::abs(right.value - left.value) > kLeastDifference * left.value &&
                             (right.low > left.value || right.high < left.value) &&
                             (left.high < right.value || left.low > right.value);
        const int least_gap = IsCostly(number) ? std::max(finest_gap, costly_gap) : finest_gap;
        const int middle = before->first + gap / 2;
        if (differs && gap > least_gap && BytesOf(middle) != BytesOf(number) &&
            BytesOf(middle) != BytesOf(before->first)) {
          numbers.push_back(middle);
        }
      }
      before = {number, *point};
    }
    std::erase_if(numbers, [this](int number) { return visits_.contains(number); });
    return numbers;
  }

  LatencySource& source_;
  const LadderSettings& settings_;
  const cyclescope::memory::IsOver& is_over_;
  MemoryCurve curve_;
  std::mt19937_64 random_;
  std::map<int, std::vector<ChaseVisit>> visits_;
  bool has_first_round_ = false;  // over the first footprints
};

}  // namespace

std::optional<MemoryPoint> PointOf(std::int64_t bytes, const std::vector<ChaseVisit>& visits,
                                   double confidence) {
  const bool any_quiet = std::ranges::any_of(visits, IsQuiet);
  std::vector<double> cycles;
  std::vector<double> nanoseconds;
  std::vector<double> samples;
  for (const ChaseVisit& visit : visits) {
    if (visit.cycles.empty() || (any_quiet && visit.contended)) continue;
    // The mean, since how lines share sets differs from sample to sample, with a long tail.
    cycles.push_back(measure::TrimmedMean(visit.cycles, 0));
    nanoseconds.push_back(measure::TrimmedMean(visit.nanoseconds, 0));
    samples.insert(samples.end(), visit.nanoseconds.begin(), visit.nanoseconds.end());
  }
  if (cycles.empty()) return std::nullopt;
  // As everywhere, what was contended is in doubt by 3 % more; so is what few visits agree on.
  constexpr std::size_t kFewVisits = 3;
  const double doubt = any_quiet && cycles.size() >= kFewVisits ? 0 : 0.03;
  return MemoryPoint{.bytes = bytes,
                     .cycles = ValueOf(cycles, confidence, doubt),
                     .nanoseconds = ValueOf(nanoseconds, confidence, doubt),
                     .p10_ns = measure::Quantile(samples, 0.1),
                     .p90_ns = measure::Quantile(samples, 0.9),
                     .visits = static_cast<int>(cycles.size()),
                     .contended = !any_quiet};
}

Result<MemoryCurve> MeasureCurve(LatencySource& source, ChaseOrder order, PageKind pages,
                                 const LadderSettings& settings, const IsOver& is_over) {
  return Ladder(source, order, pages, settings, is_over).Run();
}

}  // namespace cyclescope::memory
