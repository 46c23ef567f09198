// A core as a set of ports: how long a mix of instructions takes when it is repeated for ever.
//
// Each µop can go to any port of its set, and a port takes one µop a cycle. With the best possible
// choice of ports the time of a mix is
//
//   max( over all sets Q of ports: µops that can go nowhere but to Q / ports in Q,
//        slots of all instructions / slots that the core dispatches in a cycle )
//
// (Abel and Reineke, uops.info, ASPLOS 2019; Ritter and Hack, PMEvo, PLDI 2020).
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "predict/port_sets.h"

namespace cyclescope::ports {

using predict::kMostPorts;
using predict::Narrowest;
using predict::NarrowestOf;
using predict::PortSet;
using predict::PortTime;

// How many of a form a mix has, by the form's number. Sorted, each form once.
using Mix = std::vector<std::pair<std::size_t, int>>;
int Instructions(const Mix& mix);

// What one instruction asks of the core.
struct Usage {
  std::map<PortSet, int> uops;
  double slots = 1;
  // How long it keeps something busy that only its own kind uses: a divider, or a share of a
  // limit such as "three that write flags in a cycle". What uses the same ports is taken for the
  // same kind. 0 where nothing was seen.
  double own_cycles = 0;

  bool operator==(const Usage&) const = default;
};

// Cycles that one mix takes. `usage_of` has an element for each form that the mix has.
template <typename UsageOf>
double MixTime(const Mix& mix, const UsageOf& usage_of, double dispatch) {
  std::map<PortSet, double> uops;
  double slots = 0;
  std::map<PortSet, double> own;
  for (const auto& [form, count] : mix) {
    const Usage& usage = usage_of(form);
    PortSet kind = 0;
    for (const auto& [ports, number] : usage.uops) {
      uops[ports] += number * count;
      kind |= ports;
    }
    slots += usage.slots * count;
    own[kind] += usage.own_cycles * count;
  }
  double longest = 0;
  for (const auto& [kind, cycles] : own) longest = std::max(longest, cycles);
  return std::max({PortTime(uops), slots / dispatch, longest});
}

}  // namespace cyclescope::ports
