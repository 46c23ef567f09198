#include "measure/quiet_search.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace cyclescope::measure {
namespace {

// A machine may have hundreds of CPUs; a look at some of them in turn is enough.
constexpr std::size_t kMostLooks = 16;
// Probes in a row from which a core can be seen to be quiet for the first time.
constexpr int kLearningProbes = 16;

}  // namespace

QuietSearch::QuietSearch(sandbox::CodeExecutor& executor, const Instrument& instrument,
                         QuietPlaces places)
    : executor_(executor), instrument_(instrument), places_(std::move(places)) {}

bool QuietSearch::Find(const GoesOn& goes_on) {
  // Quiet moments last some milliseconds: a longer sleep misses them.
  constexpr std::int64_t kFirstSleepNs = 250'000;
  constexpr std::int64_t kMostSleepNs = 1'000'000;
  if (!has_probed_all_ && !ProbeAll()) return false;
  const auto here = std::ranges::find(places_.cpus, executor_.cpu());
  auto place = static_cast<std::size_t>(here - places_.cpus.begin());
  if (TryCpusFrom(place)) return true;
  // To look again while no neighbour leaves is waiting, too.
  std::int64_t begin = places_.wall_clock.now_ns();
  for (std::int64_t sleep = kFirstSleepNs; !PatienceIsSpent() && MayGoOn(goes_on);
       sleep = std::min(2 * sleep, kMostSleepNs)) {
    // Jobs of our own that share a core should take turns, so each waits for another time. The
    // core's own noise makes the times differ.
    places_.wall_clock.sleep(sleep + begin % sleep);
    place += kMostLooks;
    const bool is_quiet = TryCpusFrom(place);
    const std::int64_t end = places_.wall_clock.now_ns();
    waited_ += std::chrono::nanoseconds(end - std::exchange(begin, end));
    if (is_quiet) return true;
  }
  return false;
}

bool QuietSearch::TryCpusFrom(std::size_t place) {
  if (places_.cpus.empty()) return TryCpu(executor_.cpu());
  for (std::size_t i = 0; i < std::min(places_.cpus.size(), kMostLooks); ++i) {
    if (TryCpu(places_.cpus[(place + i) % places_.cpus.size()])) return true;
  }
  return false;
}

bool QuietSearch::ProbeAll() {
  has_probed_all_ = true;
  const int home = executor_.cpu();
  for (std::size_t i = 0; i < std::min(places_.cpus.size(), kMostLooks); ++i) {
    if (!ProbeOn(places_.cpus[i], kLearningProbes))
      break;  // the worker says why when it is next used
  }
  return executor_.MoveTo(home).has_value();
}

bool QuietSearch::TryCpu(int cpu) {
  // Chains that do not fit together are an emulator's, or a strong neighbour's: the latter leaves.
  constexpr std::size_t kProbesToGiveUp = 200;
  // To learn what quiet is takes more of them in a row than to see that it is.
  const auto probes = ProbeOn(cpu, instrument_.watch().QuietWidth() ? 2 : kLearningProbes);
  if (!instrument_.watch().trusted() && instrument_.watch().probes() < kProbesToGiveUp)
    return false;
  if (!probes || std::ranges::any_of(*probes, [this](const Probe& probe) {
        return probe.disturbed || instrument_.watch().StateOf(probe) == CoreState::kContended;
      })) {
    return false;
  }
  quiet_probe_.reset();
  if (instrument_.watch().StateOf(probes->back()) == CoreState::kQuiet)
    quiet_probe_ = probes->back();
  return true;
}

Result<std::vector<Probe>> QuietSearch::ProbeOn(int cpu, int probes) {
  TRY(executor_.MoveTo(cpu));
  ++looks_;
  return instrument_.TakeProbes(executor_, cpu, probes);
}

}  // namespace cyclescope::measure
