// How long a cycle was while visits were made: what the probes around each of them tell, and those
// around the visits before and behind it.
//
//   const CycleLengths lengths(watch, probes_around_visits);
//   if (const auto ticks = lengths.Of(visit)) ...           // the clock was the same all the time
//   if (const auto ticks = lengths.Between(visit, {before_sample, behind_sample})) ...
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/core_watch.h"
#include "measure/probe.h"

namespace cyclescope::measure {

struct ProbePair {
  Probe before;
  Probe after;
};

class CycleLengths {
 public:
  // The probes around visits that were made one after the other.
  CycleLengths(const CoreWatch& watch, const std::vector<ProbePair>& visits);

  // A cycle of a visit, in ticks; unset where the clock changed between its probes, or one was
  // disturbed.
  std::optional<double> Of(std::size_t visit) const;

  // Between two readings of the clock (probe.h) within a visit on a quiet core. Unset where the
  // clock changed between them, or where no quiet probe nearby was taken at that clock.
  struct Readings {
    double first = 0;
    double second = 0;
  };
  std::optional<double> Between(std::size_t visit, const Readings& readings) const;

  // Visits on a quiet core, and those of them in which the clock changed.
  std::size_t quiet_visits() const { return quiet_visits_; }
  std::size_t quiet_changes() const { return quiet_changes_; }

 private:
  struct Gap {  // between the probes of a visit
    bool quiet = false;
    std::optional<double> cycle_ticks;
  };
  struct QuietProbe {
    std::size_t visit = 0;
    double reading = 0;
    double cycle_ticks = 0;
  };

  std::vector<Gap> gaps_;
  std::vector<QuietProbe> quiet_probes_;  // in the order of time
  std::size_t quiet_visits_ = 0;
  std::size_t quiet_changes_ = 0;
};

}  // namespace cyclescope::measure
