#include "curves/ladder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/try.h"
#include "statistics/sample_groups.h"
#include "statistics/statistics.h"

namespace cyclescope::curves {
namespace {

bool IsQuiet(const ChaseVisit& visit) { return !visit.contended && !visit.cycles.empty(); }

// A curve under way. Footprints have numbers: twelve per doubling, or places in a list.
class Ladder {
 public:
  Ladder(LatencySource& source, ChaseOrder order, PageKind pages, const LadderSettings& settings,
         const GoesOn& goes_on)
      : source_(source),
        settings_(settings),
        goes_on_(goes_on),
        curve_{.order = order, .pages = pages},
        random_(settings.seed) {}

  Result<MemoryCurve> Run() {
    // The small ones first: they take little time, and tell most.
    for (const bool costly : {false, true}) {
      std::vector<int> numbers = FirstNumbers();
      std::erase_if(numbers, [&](int number) { return IsCostly(number) != costly; });
      TRY(Visit(std::move(numbers), {1, 1}));
    }
    has_first_round_ = true;
    for (const bool costly : {false, true}) {
      TRY(VisitAll(costly));
    }
    std::size_t all = 0;
    std::size_t contended = 0;
    for (const auto& [number, visits] : visits_) {
      all += visits.size();
      contended += static_cast<std::size_t>(
          std::ranges::count_if(visits, [](const ChaseVisit& visit) { return visit.contended; }));
      auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (point) curve_.points.push_back(*point);
    }
    if (all > 0) curve_.contended_share = static_cast<double>(contended) / static_cast<double>(all);
    return std::move(curve_);
  }

 private:
  static constexpr int kPerDoubling = 12;

  bool HasToEnd() const {
    if (!MayGoOn(goes_on_)) return true;
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

  bool HasTimeFor(int number) const {
    return !IsCostly(number) || !settings_.has_time_for || settings_.has_time_for(BytesOf(number));
  }

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
    while (before < visits_.size() && !HasToEnd()) {
      before = visits_.size();
      TRY(visited({settings_.first_visits, settings_.first_visits}));
      for (const int number : settings_.sizes.empty() ? Bends() : std::vector<int>()) {
        if (IsCostly(number) == costly) visits_[number];  // to be visited
      }
    }
    TRY(visited({settings_.visits, settings_.most_visits}));
    return costly ? Result<void>()
                  : Visit(Unsettled(), {settings_.most_visits, settings_.most_visits});
  }

  // How many visits to a footprint are enough: while no other thread shared the core, and in all.
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
      std::erase_if(numbers, [&](int number) {
        return left_out_.contains(number) || HasEnough(number, enough);
      });
      if (numbers.empty()) return {};
      std::ranges::shuffle(numbers, random_);
      for (const int number : numbers) {
        if (HasToEnd()) return {};
        if (!HasTimeFor(number)) {
          left_out_.insert(number);
          continue;
        }
        visits_[number].push_back(
            TRY(source_.Visit({curve_.order, curve_.pages, BytesOf(number)})));
      }
    }
  }

  double ErrorAt(const MemoryPoint& point) const {
    return statistics::ErrorOf(point.cycles, point.visits, settings_.confidence);
  }

  // Small ones whose visits differ.
  std::vector<int> Unsettled() const {
    constexpr double kMaxErrorRatio = 0.02;
    std::vector<int> numbers;
    for (const auto& [number, visits] : visits_) {
      const auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (!point || point->bytes > settings_.most_bytes_often) continue;
      if (2 * ErrorAt(*point) > kMaxErrorRatio * point->cycles.value) numbers.push_back(number);
    }
    return numbers;
  }

  // Footprints halfway between neighbours that differ.
  std::vector<int> Bends() const {
    constexpr double kMinDifferenceRatio = 0.04;
    const int finest_gap = kPerDoubling / settings_.finest;
    const int costly_gap = kPerDoubling / settings_.costly_finest;
    std::vector<int> numbers;
    std::optional<std::pair<int, MemoryPoint>> before;
    for (const auto& [number, visits] : visits_) {
      const auto point = PointOf(BytesOf(number), visits, settings_.confidence);
      if (!point) continue;
      if (before) {
        const int gap = number - before->first;
        const double left = before->second.cycles.value;
        const double difference = std::abs(point->cycles.value - left);
        const bool differs = difference > kMinDifferenceRatio * left &&
                             difference > 2 * ErrorAt(before->second) &&
                             difference > 2 * ErrorAt(*point);
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
  const GoesOn& goes_on_;
  MemoryCurve curve_;
  std::mt19937_64 random_;
  std::map<int, std::vector<ChaseVisit>> visits_;
  std::set<int> left_out_;        // those that there was no time for
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
    cycles.push_back(statistics::Mean(visit.cycles));
    nanoseconds.push_back(statistics::Mean(visit.nanoseconds));
    samples.insert(samples.end(), visit.nanoseconds.begin(), visit.nanoseconds.end());
  }
  if (cycles.empty()) return std::nullopt;
  // A thread that shares the core takes time and lines, and gives none: the least value is the
  // nearest to the truth.
  if (!any_quiet) {
    cycles = {std::ranges::min(cycles)};
    nanoseconds = {std::ranges::min(nanoseconds)};
  }
  // What few visits agree on is in doubt as what was contended is.
  constexpr std::size_t kMinSettledVisits = 3;
  const double doubt =
      any_quiet && cycles.size() >= kMinSettledVisits ? 0 : statistics::kContendedDoubt;
  return MemoryPoint{.bytes = bytes,
                     .cycles = statistics::ValueOf(cycles, confidence, doubt),
                     .nanoseconds = statistics::ValueOf(nanoseconds, confidence, doubt),
                     .p10_ns = statistics::Quantile(samples, 0.1),
                     .p90_ns = statistics::Quantile(samples, 0.9),
                     .visits = static_cast<int>(cycles.size()),
                     .contended = !any_quiet};
}

Result<MemoryCurve> MeasureCurve(LatencySource& source, ChaseOrder order, PageKind pages,
                                 const LadderSettings& settings, const GoesOn& goes_on) {
  return Ladder(source, order, pages, settings, goes_on).Run();
}

}  // namespace cyclescope::curves
