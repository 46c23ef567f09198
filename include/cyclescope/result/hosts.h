// `cyclescope-mpi hosts`: latency and bandwidth between every pair of hosts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/describe.h"

namespace cyclescope {

struct HostLatency {
  std::int64_t bytes = 0;
  PairMatrix nanoseconds;
  PairMatrix low;
  PairMatrix high;
};

void Describe(auto& visit, Of<HostLatency> auto& latency) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("HostLatency", "How long messages of one size take between hosts.");
  visit.Required("bytes", latency.bytes, "Of a message.", kNew);
  visit.Required("nanoseconds", latency.nanoseconds,
                 "One way, half a round trip; null where nothing was measured.", kNew);
  visit.Optional("low", latency.low, "Lower ends of the intervals, which come from between visits.",
                 kNew);
  visit.Optional("high", latency.high, "Upper ends of the intervals.", kNew);
}

struct HostBandwidth {
  std::int64_t bytes = 0;
  PairMatrix gigabytes;
  PairMatrix low;
  PairMatrix high;
};

void Describe(auto& visit, Of<HostBandwidth> auto& bandwidth) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("HostBandwidth", "How much passes between hosts in a second.");
  visit.Required("bytes", bandwidth.bytes, "Of a message; many are under way at a time.", kNew);
  visit.Required("gb_per_s", bandwidth.gigabytes, "In 10^9 bytes, one way.", kNew);
  visit.Optional("low", bandwidth.low, "Lower ends of the intervals.", kNew);
  visit.Optional("high", bandwidth.high, "Upper ends of the intervals.", kNew);
}

struct HostGroup {
  std::string name;
  int level = 0;
  std::vector<std::string> hosts;
  double nanoseconds = 0;
};

void Describe(auto& visit, Of<HostGroup> auto& group) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("HostGroup",
               "Hosts that are closer to each other than to the rest: a rack, a switch.");
  visit.Required("name", group.name, "group A, ...", kNew);
  visit.Required("level", group.level, "0 is the tightest.", kNew);
  visit.Required("hosts", group.hosts, "Its members.", kNew);
  visit.Always("nanoseconds", group.nanoseconds, "Typical between its members.", kNew);
}

struct HostMatrix {
  std::vector<std::string> hosts;
  int rounds = 0;
  std::uint64_t seed = 0;
  std::vector<HostLatency> latency;
  HostBandwidth bandwidth;
  std::vector<HostGroup> groups;
  bool partial = false;
};

void Describe(auto& visit, Of<HostMatrix> auto& matrix) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("HostMatrix", "Latency and bandwidth between every pair of hosts, by MPI.");
  visit.Required("hosts", matrix.hosts, "Of rows and columns, in their order.", kNew);
  visit.Required("rounds", matrix.rounds,
                 "Visits to each pair; some may have one more where it is partial.", kNew);
  visit.Always("seed", matrix.seed, "Of the shuffled order of pairs; up to 64 bits.", kNew);
  visit.Required("latency", matrix.latency, "The shortest message first.", kNew);
  visit.Required("bandwidth", matrix.bandwidth, "With the longest messages.", kNew);
  visit.Optional("groups", matrix.groups, "Hosts that are close to each other.", kNew);
  visit.Optional("partial", matrix.partial, "Ended early: what was measured until then.", kNew);
}

}  // namespace cyclescope
