#include "measure/cycle_lengths.h"

#include <algorithm>
#include <cmath>

#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

// A clock changes in steps of more than this, and what is alike within it is the same clock.
constexpr double kSameClockRatio = 0.01;
// How many visits to each side are nearby.
constexpr std::size_t kVisitsToEachSide = 4;

bool AreAlike(double one, double other) { return std::abs(one - other) <= kSameClockRatio * other; }

std::size_t FirstNearby(std::size_t visit) { return visit - std::min(visit, kVisitsToEachSide); }

}  // namespace

CycleLengths::CycleLengths(const CoreWatch& watch, const std::vector<ProbePair>& visits) {
  const Probe* last = nullptr;
  bool last_is_quiet = false;
  // Notes a probe, and says whether it was quiet. Mostly the one after a visit is also the one
  // before the next: it counts once.
  const auto note = [&](const Probe& probe) {
    if (last != nullptr && last->link_ticks == probe.link_ticks) return last_is_quiet;
    last = &probe;
    last_is_quiet = watch.StateOf(probe) == CoreState::kQuiet;
    const auto cycle_ticks = last_is_quiet ? watch.SteadyCycleTicks(probe) : std::nullopt;
    if (cycle_ticks) quiet_probes_.push_back({gaps_.size(), probe.clock_reading, *cycle_ticks});
    return last_is_quiet;
  };
  for (const auto& [before, after] : visits) {
    const bool was_quiet = note(before);
    const Gap gap = {note(after) && was_quiet, watch.CycleTicks(before, after)};
    if (gap.quiet) ++quiet_visits_;
    if (gap.quiet && !gap.cycle_ticks) ++quiet_changes_;
    gaps_.push_back(gap);
  }
}

// Two probes tell a cycle within half a per cent; several that agree tell it better together.
std::optional<double> CycleLengths::Of(std::size_t visit) const {
  const std::optional<double>& own = gaps_[visit].cycle_ticks;
  if (!own) return std::nullopt;
  std::vector<double> alike;
  const std::size_t end = std::min(visit + kVisitsToEachSide + 1, gaps_.size());
  for (std::size_t i = FirstNearby(visit); i < end; ++i) {
    const Gap& other = gaps_[i];
    if (other.cycle_ticks && other.quiet == gaps_[visit].quiet &&
        AreAlike(*other.cycle_ticks, *own)) {
      alike.push_back(*other.cycle_ticks);
    }
  }
  return statistics::Median(alike);
}

std::optional<double> CycleLengths::Between(std::size_t visit, const Readings& readings) const {
  if (!AreAlike(readings.first, readings.second)) return std::nullopt;
  const double reading = (readings.first + readings.second) / 2;
  std::vector<double> alike;
  const auto first =
      std::ranges::lower_bound(quiet_probes_, FirstNearby(visit), {}, &QuietProbe::visit);
  for (auto probe = first;
       probe != quiet_probes_.end() && probe->visit <= visit + kVisitsToEachSide; ++probe) {
    if (AreAlike(probe->reading, reading)) alike.push_back(probe->cycle_ticks);
  }
  if (alike.empty()) return std::nullopt;
  return statistics::Median(alike);
}

}  // namespace cyclescope::measure
