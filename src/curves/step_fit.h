// Explains a curve of latencies by the fewest steps: each is a cache that the footprint outgrows.
//
//   const StepFit fit = FitSteps(points, {});
//   fit.steps[0].bytes;       // what the first cache holds
//   fit.LatencyBefore(0);     // what a load from it takes
//
// A load takes the first cache's latency, and for each cache that misses some more: so the curve is
// a sum of known shapes (miss_shape.h) with unknown places and heights. Steps are added one by one,
// the one that explains most first, as long as there is something to explain that is more than
// noise. It is pure: no clock, no memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "curves/miss_shape.h"

namespace cyclescope::curves {

struct FitPoint {
  double bytes = 0;
  double latency = 0;
  double sigma = 0;  // standard error of the latency
};

struct Step {
  double bytes = 0;
  double height = 0;
  MissShape shape;
  double bytes_low = 0;
  double bytes_high = 0;
};

struct LatencyRange {
  double low = 0;
  double high = 0;
};

struct StepFit {
  double first = 0;         // latency before all steps
  std::vector<Step> steps;  // ascending by bytes
  // What the latency before each step could be as well, and beyond the last.
  std::vector<LatencyRange> ranges;

  double LatencyBefore(std::size_t step) const;
  double LatencyAt(double bytes) const;
};

struct FitLimits {
  // A step that adds less than this share of the latency before it is none.
  double least_height = 0.2;
  // What shapes and caches have not in common, as a share of the latency.
  double model_error = 0.02;
  // Steps lie at least this far apart: less is one step with a shape of its own.
  double least_ratio = 1.8;
  // Between two steps the curve is nearly flat over footprints that differ by this factor: where it
  // rises by a fifth over less, they are one step.
  double least_plateau = 1.5;
  std::size_t most_steps = 6;
};

// Points ascend by bytes. Without points there is no fit; with fewer than six there are no steps.
StepFit FitSteps(std::span<const FitPoint> points, const FitLimits& limits);

}  // namespace cyclescope::curves
