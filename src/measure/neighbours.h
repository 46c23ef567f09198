// Whether neighbours share our cores, found out by probes alone: for `doctor`, before anything is
// measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "measure/core_watch.h"
#include "measure/instrument.h"
#include "measure/tick_clock.h"

namespace cyclescope::measure {

struct Neighbours {
  bool trusted = false;  // the chains and the clock fit together: something can be said at all
  double seconds = 0;    // for which each CPU was looked at
  std::vector<SharedTime> cpus;  // those looked at
};

struct NeighbourSettings {
  // Looks at a CPU are this long, in rounds over all of them: so that one short visit of a
  // neighbour does not decide.
  std::int64_t look_ns = 10'000'000;
  int rounds = 5;
  std::size_t most_cpus = 16;  // of a large machine, spread evenly
  WallClock wall_clock = SystemWallClock();
  std::optional<double> expected_width;  // as CoreWatch has it
};

// The calling thread visits the allowed CPUs, and may use all of them again afterwards.
Result<Neighbours> LookForNeighbours(const Host& host, const TickClock& clock,
                                     const NeighbourSettings& settings = {});

// Whether an independent add took plainly longer beside another thread than on a core that looked
// quiet. Where it did not, that core was hardly quiet, and the two numbers tell a reader nothing.
bool IsPlainlySlower(double wide_shared, double wide_quiet);

}  // namespace cyclescope::measure
