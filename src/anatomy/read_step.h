// Reads the end of a window from overlaps by number of fillers.
//
// Overlap declines slowly while the window fills (what stands behind a head is dispatched later the
// more there is of it) and falls to nothing where the second head does not fit any more. The fall
// is what counts, not the half: before it, overlap may have fallen to two thirds.
//
// Most cores take several fillers from the one level to the other. They allocate in groups of as
// many instructions as they dispatch in a cycle, and a group waits until all of it fits. The second
// head stands at any place of its group: with one filler less than the window holds, it fits in one
// of six trips where groups are of six, with two less in two of six. So overlap falls in a straight
// line, and the size is where that line ends: the most fillers with which any overlap is left.
//
//   const StepReading reading = ReadStep(points);
//   if (reading.step) Use(reading.step->fits, reading.step->low, reading.step->high);
#pragma once

#include <optional>
#include <span>

#include "anatomy/overlap.h"

namespace cyclescope::anatomy {

// Where overlap ends. All are numbers of fillers.
struct Step {
  double fits = 0;  // the most with which some overlap is left
  int low = 0;      // up to here overlap is as before the fall
  // Ends of the fall that explain the points nearly as well as `fits`.
  int earliest_end = 0;
  int high = 0;  // the latest of them
  // Overlap was lost before the fall or left behind it, at places that nothing outvotes. `low`,
  // `earliest_end` and `high` have room for an end there.
  bool is_contradicted = false;
  double before = 0;
  double after = 0;      // overlap on both sides
  double deviation = 0;  // of points from the fit
};

enum class StepEnd {
  kFound,
  kBeyond,   // there was overlap up to the last point
  kUnclear,  // the levels lie too near to each other for the noise, or there are too few points
};

struct StepReading {
  StepEnd end = StepEnd::kUnclear;
  std::optional<Step> step;  // where it was found
  int most_fillers = 0;      // of all points
};

// The levels of a step that is accepted are at least this number of deviations apart.
inline constexpr double kDeviationsApart = 5;

// Points in any order, several for one number of fillers where there were several visits.
StepReading ReadStep(std::span<const OverlapPoint> points);

}  // namespace cyclescope::anatomy
