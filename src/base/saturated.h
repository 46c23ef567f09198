// Sums and products of numbers that others chose: what does not fit ends at the largest number or
// the smallest, so that a check of the result refuses it.
#pragma once

#include <cstdint>
#include <limits>

namespace cyclescope {

constexpr std::int64_t SaturatedProduct(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  using Limits = std::numeric_limits<std::int64_t>;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}

constexpr std::int64_t SaturatedSum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  using Limits = std::numeric_limits<std::int64_t>;
  return a > 0 ? Limits::max() : Limits::min();
}

constexpr std::int64_t SaturatedSize(std::int64_t value) {
  return value < 0 ? SaturatedProduct(value, -1) : value;
}

}  // namespace cyclescope
