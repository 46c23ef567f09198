// 64-bit patterns whose elements, of whatever width, hold one value.
#pragma once

#include <bit>
#include <cstdint>

namespace cyclescope::arch {

// What registers hold unless an experiment asks for something else: odd as an integer; as half,
// single or double precision every element lies between 1 and 2, so that nothing becomes denormal
// by accident.
inline constexpr std::uint64_t kUsualValue = 0x3ff1'3ff1'3ff1'3ff1;

// What memory holds unless an experiment asks for something else: as a floating-point number of any
// width, the x87's 80 bits included, it lies between -2 and -1.
inline constexpr std::uint64_t kUsualMemory = 0xbff1'bff1'bff1'bff1;

constexpr std::uint64_t SinglePattern(float value) {
  const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
  return bits << 32 | bits;
}

constexpr std::uint64_t DoublePattern(double value) { return std::bit_cast<std::uint64_t>(value); }

constexpr std::uint64_t HalfPattern(std::uint16_t bits) { return bits * 0x0001'0001'0001'0001ULL; }

// The dividends, divisors and radicands of floating-point division and square root. Cheap ones have
// a mantissa of zeros, dear ones a full one.
struct FloatPatterns {
  std::uint64_t cheap;
  std::uint64_t dear_first;
  std::uint64_t dear_second;
};
inline constexpr FloatPatterns kHalfPatterns = {HalfPattern(0x3c00), HalfPattern(0x3e9b),
                                                HalfPattern(0x3d57)};
inline constexpr FloatPatterns kSinglePatterns = {SinglePattern(1.0F), SinglePattern(1.7320508F),
                                                  SinglePattern(1.2345678F)};
inline constexpr FloatPatterns kDoublePatterns = {
    DoublePattern(1.0), DoublePattern(1.7320508075688772), DoublePattern(1.2345678901234567)};

}  // namespace cyclescope::arch
