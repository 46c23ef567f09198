// What on a machine disturbs measuring. Facts are gathered first, and judged by a pure function, so
// that simulated machines can be judged in tests. Nothing is changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/check.h"
#include "cyclescope/result/host.h"
#include "measure/neighbours.h"
#include "measure/tick_clock.h"
#include "os/host.h"

namespace cyclescope::measure {

struct MachineFacts {
  Host host;  // with topology and allowed CPUs
  std::string
      counter_user_error;  // why counters cannot be read from user space; empty when they can
  std::string counter_system_error;  // why they cannot be read at all; empty when they can
  std::vector<Check> system_checks;  // of what only this system has
  std::vector<os::CpuLoad> loads;
  std::optional<double>
      stolen_share;  // of the time, by the hypervisor, since boot; unset where not counted
  TickClock clock;
  std::optional<arch::TickRate> declared_tick_rate;
  std::optional<Neighbours> neighbours;  // on our cores; unset where they could not be looked for
  std::string neighbours_error;          // why not
};

// Takes about a third of a second to see the load, and a twentieth for each CPU, of 16 at most, to
// see what shares its core. `host` is completed by the caller.
// `expected_width` is as CoreWatch has it.
MachineFacts GatherFacts(Host host, std::optional<double> expected_width);

std::vector<Check> Diagnose(const MachineFacts& facts);

}  // namespace cyclescope::measure
