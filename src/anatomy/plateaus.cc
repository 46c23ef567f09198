#include "anatomy/plateaus.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// What it costs to explain a point by nothing, and to begin another plateau, in squared deviations:
// fewer plateaus and fewer points outside of them explain more.
constexpr double kPointOutsideMisfit = 9;
constexpr double kNewPlateauMisfit = 12;
// A rise takes no longer than this.
constexpr double kLongestRiseRatio = 2;
// It begins at most so far before the last point that seems to be on the plateau.
constexpr double kDoubtfulEndRatio = 1.08;
// No plateau is flatter than this share of its value.
constexpr double kLeastScatter = 0.003;

// Sums over the first points, so that the misfit of any row of them takes no time.
class Sums {
 public:
  Sums(std::span<const CurvePoint> points, double unevenness) {
    double weights = 0, weighted = 0, squares = 0;
    rows_.push_back({});
    for (const CurvePoint& point : points) {
      const double error = std::hypot(point.error / point.value, unevenness);
      const double weight = 1 / (error * error);
      const double value = std::log(point.value);
      weights += weight;
      weighted += weight * value;
      squares += weight * value * value;
      rows_.push_back({weights, weighted, squares});
    }
  }

  // Of the points from `begin` to before `end` about their mean.
  double Misfit(std::size_t begin, std::size_t end) const {
    const double weighted = rows_[end].weighted - rows_[begin].weighted;
    const double misfit = rows_[end].squares - rows_[begin].squares - weighted * Mean(begin, end);
    return std::max(misfit, 0.0);
  }
  double Mean(std::size_t begin, std::size_t end) const {
    return (rows_[end].weighted - rows_[begin].weighted) / Weight(begin, end);
  }
  double Weight(std::size_t begin, std::size_t end) const {
    return rows_[end].weights - rows_[begin].weights;
  }

 private:
  struct Row {
    double weights = 0;
    double weighted = 0;
    double squares = 0;
  };
  std::vector<Row> rows_;
};

struct Row {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The rows of points that explain the curve at the least cost (dynamic programming over where the
// last of them begins).
std::vector<Row> CheapestRows(std::span<const CurvePoint> points, const PlateauLimits& limits) {
  const Sums sums(points, limits.unevenness);
  const std::size_t count = points.size();
  std::vector<double> cost(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::optional<std::size_t>> begins(count + 1);
  cost[0] = 0;
  for (std::size_t end = 1; end <= count; ++end) {
    cost[end] = cost[end - 1] + kPointOutsideMisfit;
    for (std::size_t begin = 0; begin + limits.least_points <= end; ++begin) {
      if (points[end - 1].at < limits.least_span * points[begin].at) break;
      const double with = cost[begin] + kNewPlateauMisfit + sums.Misfit(begin, end);
      if (with >= cost[end]) continue;
      cost[end] = with;
      begins[end] = begin;
    }
  }
  std::vector<Row> rows;
  for (std::size_t end = count; end > 0;) {
    if (!begins[end]) {
      --end;
      continue;
    }
    rows.push_back({*begins[end], end});
    end = *begins[end];
  }
  std::ranges::reverse(rows);
  return rows;
}

// True if one value is a step above another.
bool IsStep(const Plateau& low, const Plateau& high, const PlateauLimits& limits) {
  return high.value >= low.value * (1 + limits.least_step) &&
         high.value - low.value >= limits.least_deviations * std::hypot(low.error, high.error);
}

Plateau PlateauOf(std::span<const CurvePoint> points, const Row& row) {
  std::vector<double> values;
  Plateau plateau;
  for (const CurvePoint& point : points.subspan(row.begin, row.end - row.begin)) {
    values.push_back(point.value);
    plateau.shared |= point.shared;
  }
  plateau.value = statistics::Median(values);
  plateau.first_at = points[row.begin].at;
  plateau.last_at = points[row.end - 1].at;
  plateau.scatter = std::max(statistics::kDeviationsOfNormal * statistics::MedianDeviation(values),
                             kLeastScatter * plateau.value);
  plateau.error = plateau.scatter / std::sqrt(static_cast<double>(values.size()));
  return plateau;
}

// Where a plateau ends. The first points behind its end are only a little above it, where its
// structure fills up slowly: what is above by more than the plateau's own points scatter is beyond.
void FindEnd(std::span<const CurvePoint> points, const Row& row, const PlateauLimits& limits,
             Plateau& plateau) {
  constexpr double kDeviationsOfPoint = 3;
  const auto is_above = [&plateau](const CurvePoint& point, double deviations) {
    return point.value - plateau.value > deviations * std::hypot(plateau.scatter, point.error);
  };
  std::size_t last = row.end - 1;
  while (last > row.begin && is_above(points[last], kDeviationsOfPoint)) --last;
  plateau.last_at = points[last].at;
  for (std::size_t i = last + 1; i < points.size(); ++i) {
    if (!is_above(points[i], limits.least_deviations)) continue;
    // One disturbed point is no end: what comes next is above, too.
    if (i + 1 < points.size() && i + 1 < row.end && !is_above(points[i + 1], kDeviationsOfPoint))
      continue;
    plateau.first_beyond_at = points[i].at;
    return;
  }
}

// A structure that fills up set by set is missed more and more from its size on: the times rise on
// a line that begins there. Points a little above the plateau may be noise; the line through those
// in the middle of the rise tells where it begins.
void FindBeginOfRise(std::span<const CurvePoint> points, double next_value, Plateau& plateau) {
  constexpr double kMinShareOfRise = 0.08;
  constexpr double kMaxShareOfRise = 0.75;
  const double height = next_value - plateau.value;
  std::vector<CurvePoint> rise;
  for (const CurvePoint& point : points) {
    if (point.at < plateau.last_at / kDoubtfulEndRatio) continue;
    const double share = (point.value - plateau.value) / height;
    const bool is_clear =
        point.value - plateau.value > 2 * std::hypot(plateau.scatter, point.error);
    if (point.at > plateau.last_at * kLongestRiseRatio || share > kMaxShareOfRise) break;
    if (share > kMinShareOfRise && is_clear) rise.push_back(point);
  }
  if (rise.size() < 3) return;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < rise.size(); ++i) {
    for (std::size_t k = i + 1; k < rise.size(); ++k)
      slopes.push_back((rise[k].value - rise[i].value) / (rise[k].at - rise[i].at));
  }
  const double slope = statistics::Median(slopes);
  if (slope <= 0) return;
  std::vector<double> begins;
  for (const CurvePoint& point : rise)
    begins.push_back(point.at - (point.value - plateau.value) / slope);
  const double begin = statistics::Median(begins);
  if (begin < plateau.last_at / kDoubtfulEndRatio || begin >= plateau.end_high) return;
  plateau.end_at = begin;
  plateau.end_low = std::min(plateau.end_low, begin);
  plateau.hidden_end = begin - plateau.value / slope;
}

}  // namespace

bool IsPieceOfRise(std::span<const Plateau> plateaus, std::size_t place) {
  constexpr double kLeastSpanBetween = 1.4;
  const bool is_between = place > 0 && place + 1 < plateaus.size();
  return is_between && plateaus[place].last_at < kLeastSpanBetween * plateaus[place].first_at;
}

std::vector<Plateau> FindPlateaus(std::span<const CurvePoint> points, const PlateauLimits& limits) {
  struct Found {
    Row row;
    Plateau plateau;
  };
  std::vector<Found> found;
  for (const Row& row : CheapestRows(points, limits)) {
    Found next = {row, PlateauOf(points, row)};
    // What is above a later part of the curve is not what the structure takes.
    while (!found.empty() && IsStep(next.plateau, found.back().plateau, limits)) found.pop_back();
    // One plateau with a disturbed point in it.
    while (!found.empty() && !IsStep(found.back().plateau, next.plateau, limits)) {
      next.row.begin = found.back().row.begin;
      next.plateau = PlateauOf(points, next.row);
      found.pop_back();
    }
    found.push_back(next);
  }
  std::vector<Plateau> plateaus;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Plateau plateau = found[i].plateau;
    FindEnd(points, found[i].row, limits, plateau);
    plateau.end_at = plateau.last_at;
    // Points that are all a little above it may be the begin of a slow rise.
    plateau.end_low = plateau.first_at;
    for (const CurvePoint& point : points) {
      if (point.at <= plateau.last_at && point.value <= plateau.value) plateau.end_low = point.at;
    }
    plateau.end_high = plateau.first_beyond_at.value_or(plateau.last_at);
    if (i + 1 < found.size()) FindBeginOfRise(points, found[i + 1].plateau.value, plateau);
    plateaus.push_back(plateau);
  }
  return plateaus;
}

}  // namespace cyclescope::anatomy
