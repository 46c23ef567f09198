#include "hosts/host_visits.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "pairs/schedule.h"
#include "statistics/groups.h"
#include "statistics/statistics.h"

namespace cyclescope::hosts {
namespace {

// One pair's visits, in both directions.
using VisitsByPair = std::map<std::pair<int, int>, std::vector<pairs::DirectedVisit>>;

VisitsByPair VisitsOfSize(std::span<const PairVisit> visits, int size) {
  VisitsByPair by_pair;
  for (const PairVisit& each : visits) {
    if (each.size == size) by_pair[std::minmax(each.first, each.second)].push_back(each.visit);
  }
  return by_pair;
}

// A message goes there and back, so that both directions are one value.
void SetBoth(PairMatrix& matrix, const std::pair<int, int>& pair, double value) {
  const auto one = static_cast<std::size_t>(pair.first);
  const auto other = static_cast<std::size_t>(pair.second);
  matrix.At(one, other) = matrix.At(other, one) = value;
}

HostLatency LatencyOf(std::span<const PairVisit> visits, int size, std::int64_t bytes,
                      std::size_t hosts) {
  HostLatency latency = {bytes, PairMatrix(hosts), PairMatrix(hosts), PairMatrix(hosts)};
  for (auto& [pair, of_pair] : VisitsOfSize(visits, size)) {
    const pairs::VisitEstimate estimate = pairs::EstimateFromVisits(of_pair);
    SetBoth(latency.nanoseconds, pair, estimate.ns);
    SetBoth(latency.low, pair, estimate.low);
    SetBoth(latency.high, pair, estimate.high);
  }
  return latency;
}

// A time per byte in nanoseconds is the inverse of gigabytes in a second.
HostBandwidth BandwidthOf(std::span<const PairVisit> visits, std::int64_t bytes,
                          std::size_t hosts) {
  HostBandwidth bandwidth = {bytes, PairMatrix(hosts), PairMatrix(hosts), PairMatrix(hosts)};
  for (auto& [pair, of_pair] : VisitsOfSize(visits, kOfBandwidth)) {
    const pairs::VisitEstimate estimate = pairs::EstimateFromVisits(of_pair);
    SetBoth(bandwidth.gigabytes, pair, 1 / estimate.ns);
    SetBoth(bandwidth.low, pair, 1 / estimate.high);
    // An interval of a time may reach down to nothing.
    SetBoth(bandwidth.high, pair, 1 / std::max(estimate.low, estimate.ns / 10));
  }
  return bandwidth;
}

std::vector<HostGroup> GroupsOf(const std::vector<std::string>& hosts, const HostLatency& latency) {
  CoreMatrix matrix;
  matrix.cpus.resize(hosts.size());
  std::iota(matrix.cpus.begin(), matrix.cpus.end(), 0);
  matrix.nanoseconds = latency.nanoseconds;
  std::vector<HostGroup> groups;
  for (const CoreGroup& found : statistics::FindGroups(matrix, {})) {
    HostGroup group;
    group.name = found.name;
    group.level = found.level;
    group.nanoseconds = found.nanoseconds;
    for (const int host : found.cpus) group.hosts.push_back(hosts[static_cast<std::size_t>(host)]);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

PairSets PairsOfRound(std::size_t hosts, std::uint64_t seed, int round) {
  os::CpuList numbers(hosts);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::seed_seq mixed = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(round)};
  std::mt19937_64 random(mixed);
  const pairs::Schedule schedule = pairs::Schedule::AllAtOnce(numbers, random);
  PairSets sets;
  for (std::size_t i = 0; i < schedule.sets(); ++i) {
    sets.emplace_back();
    for (const pairs::CpuPair& pair : schedule.Set(i))
      sets.back().emplace_back(pair.first, pair.second);
  }
  return sets;
}

pairs::DirectedVisit VisitOf(std::vector<double> samples_ns) {
  pairs::DirectedVisit visit;
  visit.median_ns = static_cast<float>(statistics::Median(samples_ns));
  visit.lines = static_cast<float>(samples_ns.size());
  if (samples_ns.size() < 2) {
    visit.mean_ns = visit.median_ns;
    return visit;
  }
  // A quarter from each end: disturbances are long, and not rare.
  const std::size_t cut = (samples_ns.size() - 1) / 4;
  const statistics::Trimmed trimmed = statistics::TrimmedOf(std::move(samples_ns), cut);
  visit.mean_ns = static_cast<float>(trimmed.mean);
  visit.error_ns = static_cast<float>(trimmed.error);
  return visit;
}

HostMatrix ConcludeHosts(const std::vector<std::string>& hosts, const HostPlan& plan,
                         std::span<const PairVisit> visits, int rounds) {
  HostMatrix matrix;
  matrix.hosts = hosts;
  matrix.rounds = rounds;
  matrix.seed = plan.seed;
  matrix.partial = rounds < plan.rounds;
  for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
    matrix.latency.push_back(
        LatencyOf(visits, static_cast<int>(size), plan.sizes[size], hosts.size()));
  }
  matrix.bandwidth = BandwidthOf(visits, plan.sizes.back(), hosts.size());
  matrix.groups = GroupsOf(hosts, matrix.latency.front());
  return matrix;
}

}  // namespace cyclescope::hosts
