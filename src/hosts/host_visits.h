// Between hosts as between cores: every pair in several visits, in shuffled rounds with disjoint
// pairs at once. Measuring is elsewhere (src/mpi): here is in which order, and what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/result/hosts.h"
#include "pairs/visits.h"

namespace cyclescope::hosts {

struct HostPlan {
  int rounds = 8;
  std::vector<std::int64_t> sizes = {8, 64, 1024, 16'384, 262'144, 1'048'576};  // bytes, ascending
  std::uint64_t seed = 0;
};

// Sets of disjoint pairs of hosts, by number, which are visited at once. Every pair is in one of
// them, either of the two first. The same on every rank with the same seed and round.
using PairSets = std::vector<std::vector<std::pair<int, int>>>;
PairSets PairsOfRound(std::size_t hosts, std::uint64_t seed, int round);

// What one visit to a pair found: of latency for each size, and of bandwidth as time per byte.
// Plain data, which travels as it is.
struct PairVisit {
  int first = 0;
  int second = 0;
  int size = 0;  // a place in the plan's sizes; below 0: of bandwidth
  pairs::DirectedVisit visit;
};
inline constexpr int kOfBandwidth = -1;

// The visit that samples of one size make: a trimmed mean with its error. At least one sample.
pairs::DirectedVisit VisitOf(std::vector<double> samples_ns);

// The matrix that all visits make: values with intervals from between the visits, and groups from
// the shortest messages.
HostMatrix ConcludeHosts(const std::vector<std::string>& hosts, const HostPlan& plan,
                         std::span<const PairVisit> visits, int rounds);

}  // namespace cyclescope::hosts
