// Verdicts on fleets, and what is between hosts, that tests make up.
#pragma once

#include <cstddef>

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// Six nodes: two normal, one slow, one different, one with too little data and one without any.
Fleet SmallFleet();

// The same as a document.
Document FleetDocument();

// Pairs of hosts at a switch each: 1.5 µs within a pair, 4 µs between pairs.
HostMatrix SimulatedHosts(std::size_t hosts);
Document HostsDocument();

// A rack of 40 nodes with the metrics of a survey, most of them instructions'.
Document RackDocument();

// As large as fleets get: 10,000 nodes and 130 metrics.
Document LargeFleetDocument();

}  // namespace cyclescope::testing
