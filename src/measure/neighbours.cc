#include "measure/neighbours.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "os/cpus.h"

namespace cyclescope::measure {
namespace {

// All watches together, by CPU.
std::vector<SharedTime> SharesOf(const CoreWatches& watches, const std::vector<int>& cpus) {
  std::vector<SharedTime> shares;
  for (const auto& watch : watches.all()) {
    std::ranges::copy(watch->Shares(), std::back_inserter(shares));
  }
  for (const int cpu : cpus) {
    if (std::ranges::find(shares, cpu, &SharedTime::cpu) == shares.end())
      shares.push_back({.cpu = cpu});
  }
  std::ranges::sort(shares, {}, &SharedTime::cpu);
  return shares;
}

Result<void> LookInRounds(const Host& host, const TickClock& clock, const std::vector<int>& cpus,
                          const NeighbourSettings& settings, CoreWatches& watches) {
  // Time alone tells: nothing here needs counters.
  auto executor = TRY(MakeInProcessExecutor(std::nullopt));
  const CycleSource source{"reference", ""};
  std::vector<Instrument> instruments;
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      TRY(os::Pin(cpus[i]));
      if (round == 0) {
        instruments.push_back(TRY(Instrument::SetUp(clock, source, *executor, cpus[i],
                                                    watches.Of(cpus[i], host.topology))));
      }
      TRY(instruments[i].ProbeFor(settings.look_ns, *executor, cpus[i], settings.wall_clock));
    }
  }
  return {};
}

}  // namespace

Result<Neighbours> LookForNeighbours(const Host& host, const TickClock& clock,
                                     const NeighbourSettings& settings) {
  const std::vector<int> cpus = os::SomeOf(host.cpus_allowed, settings.most_cpus);
  CoreWatches watches(settings.expected_width);
  const auto looked = LookInRounds(host, clock, cpus, settings, watches);
  const auto unpinned = os::Unpin(host.cpus_allowed);
  if (!looked) return std::unexpected(looked.error());
  if (!unpinned) return std::unexpected(unpinned.error());
  Neighbours neighbours;
  neighbours.seconds = static_cast<double>(settings.look_ns) * settings.rounds / 1e9;
  neighbours.trusted =
      std::ranges::all_of(watches.all(), [](const auto& watch) { return watch->trusted(); });
  neighbours.cpus = SharesOf(watches, cpus);
  return neighbours;
}

bool IsPlainlySlower(double wide_shared, double wide_quiet) {
  constexpr double kPlainRatio = 1.1;  // twice the noise within which a core counts as quiet
  return wide_quiet > 0 && wide_shared > kPlainRatio * wide_quiet;
}

}  // namespace cyclescope::measure
