#include "curves/step_solver.h"

namespace cyclescope::curves {

const ShapeTable& Shapes() {
  static const ShapeTable table;
  return table;
}

void Solver::Put(std::size_t index, std::span<const double> column, Products& products) const {
  assert(index < kMaxColumns);
  products.count = std::max(products.count, index + 1);
  products.with_target[index] = Dot(column, target_);
  for (std::size_t i = 0; i < products.count; ++i) {
    const double product = i == index ? Dot(column, column) : Dot(column, columns_[i]);
    products.of_columns[std::max(i, index)][std::min(i, index)] = product;
  }
}

std::optional<Solver::Solution> Solver::Solve(Products products) const {
  // Cholesky's decomposition in place, then forwards and backwards.
  auto& matrix = products.of_columns;
  auto& right = products.with_target;
  const std::size_t count = products.count;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
      if (i == j) {
        if (sum <= 1e-9 * matrix[i][i]) return std::nullopt;
        matrix[i][i] = std::sqrt(sum);
      } else {
        matrix[i][j] = sum / matrix[j][j];
      }
    }
  }
  double error = all_;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
    error -= right[i] * right[i];
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) right[i] -= matrix[k][i] * right[k];
    right[i] /= matrix[i][i];
    if (right[i] <= 0) return std::nullopt;
  }
  return Solution{{right.begin(), right.begin() + static_cast<std::ptrdiff_t>(count)},
                  std::max(error, 0.0)};
}

}  // namespace cyclescope::curves
