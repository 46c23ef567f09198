// Measures a curve: which footprints, how often, in which order.
//
// Footprints are first two per doubling. Where neighbours differ by more than their noise, the one
// in the middle is measured too, until there are twelve per doubling. Then all are visited in
// rounds, in shuffled order, so that the visits to one lie apart in time, until each has enough
// visits while no other thread shared the core; those whose visits differ most get more, since they
// tell how a cache fills up. Large footprints, whose visits take long, come last, after one visit
// each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "curves/latency_source.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/memory.h"

namespace cyclescope::curves {

struct LadderSettings {
  std::int64_t least_bytes = 1024;
  std::int64_t most_bytes = 0;
  std::int64_t unit_bytes = 64;  // footprints are multiples: a line, or a page
  int first_visits = 3;          // of a footprint when it is new
  int visits = 8;                // while no other thread shared the core
  // In all: of a footprint whose core was shared, or of up to this number of bytes and with visits
  // that differ by more than some percent.
  int most_visits = 24;
  std::int64_t most_bytes_often = std::int64_t{32} << 20;
  int finest = 12;  // footprints per doubling where the curve bends: 12, 6, 4 or 2
  // A visit to more than this takes long: fewer of them, and fewer footprints per doubling.
  std::int64_t costly_bytes = std::int64_t{64} << 20;
  int costly_visits = 3;
  int costly_finest = 4;
  std::vector<std::int64_t> sizes;  // ascending: these footprints instead, and no others
  double confidence = 0.95;
  std::uint64_t seed = 1;
  // Asked before every visit but the first to each of the first footprints: true ends the curve,
  // which is whole then, if less precise. Unset: it never does.
  std::function<bool()> is_enough;
  // Asked before a visit to a costly footprint: false leaves it out from then on. Unset: there is.
  std::function<bool(std::int64_t bytes)> has_time_for;
};

// `goes_on` is asked before each visit. The points have no order by time, and only footprints with
// at least one undisturbed visit are in.
Result<MemoryCurve> MeasureCurve(LatencySource& source, ChaseOrder order, PageKind pages,
                                 const LadderSettings& settings, const GoesOn& goes_on = {});

// The point that visits to one footprint make: quiet ones, where there are any, and otherwise the
// one that took least.
std::optional<MemoryPoint> PointOf(std::int64_t bytes, const std::vector<ChaseVisit>& visits,
                                   double confidence);

}  // namespace cyclescope::curves
