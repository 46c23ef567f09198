// The arithmetic behind step_fit.h: the shapes that steps have, and least squares with few of them.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "curves/miss_shape.h"
#include "curves/step_fit.h"

namespace cyclescope::curves {

// The shapes that are tried.
inline constexpr auto kShapes = std::to_array<MissShape>({{Filling::kEven, 16},
                                                          {Filling::kEven, 8},
                                                          {Filling::kEven, 4},
                                                          {Filling::kScattered, 64},
                                                          {Filling::kScattered, 16},
                                                          {Filling::kScattered, 8},
                                                          {Filling::kScattered, 4},
                                                          {Filling::kScattered, 2},
                                                          {Filling::kRandom, 0},
                                                          {Filling::kKeeping, 0}});

// The shapes over the logarithm of the footprint, compared with the one where half of the loads
// miss: so that one shape can take another's place without a step being moved. As a table, since
// they are asked for very often.
class ShapeTable {
 public:
  ShapeTable() {
    for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
      half_[shape] = HalfOf(kShapes[shape]);
      for (std::size_t i = 0; i < kEntries; ++i) {
        const double log_ratio = kFirst + static_cast<double>(i) * kStride + half_[shape];
        shares_[shape][i] = MissedShare(kShapes[shape], std::exp(log_ratio));
      }
    }
  }

  double At(std::size_t shape, double log_over_half) const {
    const double place = (log_over_half - kFirst) / kStride;
    if (place <= 0) return 0;
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= kEntries) return shares_[shape].back();
    return std::lerp(shares_[shape][below], shares_[shape][below + 1],
                     place - static_cast<double>(below));
  }

  // Where half of the loads miss: the logarithm of that footprint over the cache's size.
  double Half(std::size_t shape) const { return half_[shape]; }

 private:
  static double HalfOf(const MissShape& shape) {
    double low = -1;
    double high = 1;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (MissedShare(shape, std::exp(middle)) < 0.5 ? low : high) = middle;
    }
    return low;
  }

  static constexpr double kFirst = -4;
  static constexpr double kStride = 0.01;
  static constexpr std::size_t kEntries = 1301;  // to e to the 9th
  std::array<double, kShapes.size()> half_{};
  std::array<std::array<double, kEntries>, kShapes.size()> shares_{};
};

const ShapeTable& Shapes();

struct Place {
  double log_half = 0;  // the footprint of which half of the loads miss
  std::size_t shape = 0;

  // What the cache holds.
  double log_bytes() const { return log_half - Shapes().Half(shape); }
};

// Weighted least squares with few columns: a constant and one for each place. Columns are tried and
// replaced one at a time, so that the products of all others are kept.
class Solver {
 public:
  struct Solution {
    std::vector<double> heights;                             // the constant's first
    double error = std::numeric_limits<double>::infinity();  // sum of squares
  };

  Solver(std::span<const FitPoint> points, double model_error) {
    for (const FitPoint& point : points) {
      const double error = std::hypot(point.sigma, model_error * point.latency);
      scale_.push_back(1 / std::max(error, 1e-12));
      target_.push_back(point.latency * scale_.back());
      log_bytes_.push_back(std::log(point.bytes));
    }
    all_ = Dot(target_, target_);
    Set(0, scale_);
  }

  double log_bytes(std::size_t point) const { return log_bytes_[point]; }

  // The fit of the constant alone. Latencies are positive, so that there is one.
  Solution Flat() const { return *Try(0, scale_); }

  std::vector<double> Column(const Place& place) const {
    std::vector<double> column(scale_.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] = scale_[i] * Shapes().At(place.shape, log_bytes_[i] - place.log_half);
    }
    return column;
  }

  // With another column in place of that one, or with one more. Unset where columns depend on each
  // other or a height would not be positive.
  std::optional<Solution> Try(std::size_t index, std::span<const double> column) const {
    Products products = products_;
    Put(index, column, products);
    return Solve(products);
  }

  void Set(std::size_t index, std::vector<double> column) {
    Put(index, column, products_);
    columns_.resize(std::max(columns_.size(), index + 1));
    columns_[index] = std::move(column);
  }

 private:
  static constexpr std::size_t kMaxColumns = 8;
  struct Products {
    std::size_t count = 0;
    std::array<std::array<double, kMaxColumns>, kMaxColumns> of_columns{};  // lower half
    std::array<double, kMaxColumns> with_target{};
  };

  static double Dot(std::span<const double> left, std::span<const double> right) {
    double sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
    return sum;
  }

  void Put(std::size_t index, std::span<const double> column, Products& products) const;
  std::optional<Solution> Solve(Products products) const;

  std::vector<double> scale_;
  std::vector<double> target_;
  std::vector<double> log_bytes_;
  double all_ = 0;
  std::vector<std::vector<double>> columns_;
  Products products_;
};

}  // namespace cyclescope::curves
