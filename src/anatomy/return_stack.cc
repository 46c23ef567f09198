#include "anatomy/return_stack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// Each line has at least this number of points.
constexpr std::size_t kPointsOfLine = 4;
constexpr double kDeviationsOfBend = 5;
// A level beyond the stack costs at least this much more, as a share of one within: a mispredicted
// return costs more than a call.
constexpr double kLeastExcess = 0.3;
// No time is less doubtful than this share of it.
constexpr double kLeastErrorOfDepth = 0.003;
// Depths that explain the points worse by this much (squared deviations) are possible, too.
constexpr double kPossibleMisfitOfDepth = 9;
// A disturbed point counts no more than this.
constexpr double kMostMisfitOfDepth = 16;

constexpr std::size_t kMostTerms = 3;  // a constant, the slope, what is added to it beyond

struct LineFit {
  std::array<double, kMostTerms> terms{};
  double misfit = std::numeric_limits<double>::infinity();
  double excess_error = 0;  // of the last term
};

double BeyondOf(double at, double depth) { return std::max(at - depth, 0.0); }

// Solves the normal equations by elimination, with the inverse's last entry for the term's error.
std::optional<LineFit> SolveLines(std::array<std::array<double, kMostTerms + 1>, kMostTerms> rows,
                                  std::size_t terms) {
  for (std::size_t i = 0; i < terms; ++i) {
    if (std::abs(rows[i][i]) < 1e-12) return std::nullopt;
    for (std::size_t k = i + 1; k < terms; ++k) {
      const double factor = rows[k][i] / rows[i][i];
      for (std::size_t j = i; j <= kMostTerms; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  LineFit fit;
  fit.excess_error = 1 / std::sqrt(rows[terms - 1][terms - 1]);
  for (std::size_t i = terms; i-- > 0;) {
    double sum = rows[i][kMostTerms];
    for (std::size_t k = i + 1; k < terms; ++k) sum -= rows[i][k] * fit.terms[k];
    fit.terms[i] = sum / rows[i][i];
  }
  return fit;
}

// Two lines that meet at `depth`; one alone where it is unset. `errors` are those of the points,
// and points that are `dropped` count for nothing but the misfit.
std::optional<LineFit> FitLines(std::span<const CurvePoint> points, std::span<const double> errors,
                                std::optional<double> depth, const std::vector<bool>& dropped) {
  std::array<std::array<double, kMostTerms + 1>, kMostTerms> rows{};
  const std::size_t terms = depth ? kMostTerms : kMostTerms - 1;
  const auto column = [&depth](const CurvePoint& point) {
    return std::array<double, kMostTerms>{1, point.at, depth ? BeyondOf(point.at, *depth) : 0};
  };
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (dropped[p]) continue;
    const double weight = 1 / (errors[p] * errors[p]);
    const auto columns = column(points[p]);
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t k = 0; k < terms; ++k) rows[i][k] += weight * columns[i] * columns[k];
      rows[i][kMostTerms] += weight * columns[i] * points[p].value;
    }
  }
  auto fit = SolveLines(rows, terms);
  if (!fit) return fit;
  fit->misfit = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto columns = column(points[p]);
    double at = 0;
    for (std::size_t i = 0; i < terms; ++i) at += fit->terms[i] * columns[i];
    const double deviations = (points[p].value - at) / errors[p];
    fit->misfit += std::min(deviations * deviations, kMostMisfitOfDepth);
  }
  return fit;
}

// The same without the points that it explains worst, so that a disturbed one moves no line.
std::optional<LineFit> RobustFit(std::span<const CurvePoint> points, std::span<const double> errors,
                                 std::optional<double> depth) {
  std::vector<bool> dropped(points.size());
  auto fit = FitLines(points, errors, depth, dropped);
  for (int round = 0; fit && round < 3; ++round) {
    std::vector<double> excess(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double at = fit->terms[0] + fit->terms[1] * points[p].at +
                        fit->terms[2] * (depth ? BeyondOf(points[p].at, *depth) : 0);
      excess[p] = (points[p].value - at) / errors[p];
    }
    const double middle = statistics::Median(excess);
    for (std::size_t p = 0; p < points.size(); ++p)
      dropped[p] = std::abs(excess[p] - middle) > std::sqrt(kMostMisfitOfDepth);
    if (static_cast<std::size_t>(std::ranges::count(dropped, true)) * 4 > points.size()) return fit;
    fit = FitLines(points, errors, depth, dropped);
  }
  return fit;
}

}  // namespace

std::optional<ReturnStack> ReadReturnStack(std::span<const CurvePoint> points) {
  if (points.size() < 2 * kPointsOfLine) return std::nullopt;
  std::vector<double> errors;
  for (const CurvePoint& point : points)
    errors.push_back(std::max(point.error, kLeastErrorOfDepth * std::abs(point.value)));
  const auto line = RobustFit(points, errors, std::nullopt);
  std::vector<std::pair<double, LineFit>> fits;
  for (std::size_t i = kPointsOfLine; i + kPointsOfLine <= points.size(); ++i) {
    const double depth = points[i - 1].at;
    if (const auto fit = RobustFit(points, errors, depth)) fits.emplace_back(depth, *fit);
  }
  if (!line || fits.empty()) return std::nullopt;
  const auto best =
      std::ranges::min_element(fits, {}, [](const auto& fit) { return fit.second.misfit; });
  ReturnStack stack;
  for (const CurvePoint& point : points) stack.shared |= point.shared;
  // What neither explains scatters more than its errors say.
  const auto freedom = static_cast<double>(points.size() - kMostTerms);
  const double scale = std::max(best->second.misfit / freedom, 1.0);
  constexpr double kMostScaleRatio = 10;
  if (scale > kMostScaleRatio) return std::nullopt;
  const double within = best->second.terms[1];
  const double excess = best->second.terms[2];
  const bool is_clear =
      excess > kLeastExcess * within &&
      excess > kDeviationsOfBend * std::sqrt(scale) * best->second.excess_error &&
      line->misfit - best->second.misfit > kDeviationsOfBend * kDeviationsOfBend * scale;
  if (!is_clear) {
    const double line_scale = line->misfit / (freedom + 1);
    if (line->terms[1] <= 0 || line_scale > kMostScaleRatio) return std::nullopt;
    const double deepest = points.back().at;
    stack.depth = {deepest, deepest, deepest};
    stack.level_cycles = line->terms[1];
    stack.at_least = true;
    return stack;
  }
  stack.depth = {best->first, best->first, best->first};
  for (const auto& [depth, fit] : fits) {
    if (fit.misfit - best->second.misfit > kPossibleMisfitOfDepth * scale) continue;
    stack.depth.low = std::min(stack.depth.low, depth);
    stack.depth.high = std::max(stack.depth.high, depth);
  }
  stack.level_cycles = within;
  stack.beyond_cycles = within + excess;
  return stack;
}

}  // namespace cyclescope::anatomy
