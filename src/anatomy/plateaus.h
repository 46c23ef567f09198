// Reads a curve that is flat in parts: what something costs, over how much of it there is. Each
// part is a structure of the core that holds all of it; where it ends, the structure is full.
//
//   const std::vector<Plateau> plateaus = FindPlateaus(points, {});
//   plateaus[0].value;            // cycles while it fits
//   plateaus[0].end_at;           // the most that fits
//
// Pure: no clock, no code.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cyclescope::anatomy {

// An interval reaches this number of standard errors to both sides.
inline constexpr double kDeviationsOfInterval = 2;

struct CurvePoint {
  double at = 0;
  double value = 0;
  double error = 0;     // standard error of the value
  bool shared = false;  // another thread shared the core
};

struct PlateauLimits {
  std::size_t least_points = 3;
  // Its last point over its first: in the middle of a rise, neighbouring points are alike, too.
  double least_span = 1.25;
  // What a plateau is not flat by, as a share of its value: no structure is used evenly.
  double unevenness = 0.02;
  // A step that adds less than this share is none.
  double least_step = 0.1;
  // Nor is one of fewer standard errors than this.
  double least_deviations = 5;
};

struct Plateau {
  double value = 0;
  double error = 0;    // its standard error
  double scatter = 0;  // standard deviation of its points
  double first_at = 0;
  double last_at = 0;  // the last point that is clearly on it
  // The first point that is clearly above it; unset where the curve ends with it.
  std::optional<double> first_beyond_at;
  // Where it ends: where the rise to the next plateau begins, as far as that can be told.
  double end_at = 0;
  double end_low = 0;
  double end_high = 0;
  // Where the line through that rise comes from nothing: where it begins if what is missed beyond
  // the end waits while something else takes the plateau's time, so that it shows only when it
  // takes longer. Unset where no such line was seen.
  std::optional<double> hidden_end = {};
  bool shared = false;  // some of its points are
};

// True if one of them lies between others and is no longer than a piece of a rise: where a
// structure fills up slowly, some of the points on the way to the next plateau are level by chance.
bool IsPieceOfRise(std::span<const Plateau> plateaus, std::size_t place);

// Ascending, each clearly above the one before. Points ascend by `at`; those that are above what
// comes later (a disturbed point, the loop around few of them) belong to no plateau.
std::vector<Plateau> FindPlateaus(std::span<const CurvePoint> points, const PlateauLimits& limits);

}  // namespace cyclescope::anatomy
