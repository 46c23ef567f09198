// What registers and memory hold when something is measured: 64-bit patterns whose elements, of
// whatever width, hold one value.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cyclescope::arch {

// What registers hold unless an experiment asks for something else: odd as an integer; as half,
// single or double precision every element lies between 1 and 2, so that nothing becomes denormal
// by accident.
inline constexpr std::uint64_t kUsualValue = 0x3ff1'3ff1'3ff1'3ff1;

constexpr std::uint64_t SinglePattern(float value) {
  const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
  return bits << 32 | bits;
}

constexpr std::uint64_t DoublePattern(double value) { return std::bit_cast<std::uint64_t>(value); }

constexpr std::uint64_t HalfPattern(std::uint16_t bits) { return bits * 0x0001'0001'0001'0001ULL; }

// The dividends, divisors and radicands of floating-point division and square root. Fast ones have
// a mantissa of zeros, slow ones a full one.
struct FloatPatterns {
  std::uint64_t fast;
  std::uint64_t slow_first;
  std::uint64_t slow_second;
};
inline constexpr FloatPatterns kHalfPatterns = {HalfPattern(0x3c00), HalfPattern(0x3e9b),
                                                HalfPattern(0x3d57)};
inline constexpr FloatPatterns kSinglePatterns = {SinglePattern(1.0F), SinglePattern(1.7320508F),
                                                  SinglePattern(1.2345678F)};
inline constexpr FloatPatterns kDoublePatterns = {
    DoublePattern(1.0), DoublePattern(1.7320508075688772), DoublePattern(1.2345678901234567)};

// A large number whose roots, quotients and the roots of those have a full mantissa, and a divisor.
// Single and double precision have divisors so near to one that a million divisions do not make the
// dividend small. Half precision has no such divisor, and roots tend to one: these stay slow for
// kDriftingLinks links.
struct SteadyPatterns {
  std::uint64_t large;
  std::uint64_t divisor;
};
inline constexpr SteadyPatterns kHalfSteady = {HalfPattern(0x7a9b), HalfPattern(0x3d57)};
inline constexpr SteadyPatterns kSingleSteady = {SinglePattern(3.7654321e20F),
                                                 SinglePattern(1.0000001F)};
inline constexpr SteadyPatterns kDoubleSteady = {DoublePattern(3.7654321098765432e200),
                                                 DoublePattern(1.0000001234567891)};
inline constexpr int kDriftingLinks = 8;

// Numbers just above one with a full mantissa: tens of thousands of multiplications by one of them,
// or divisions, neither overflow nor become denormal.
inline constexpr std::uint64_t kSingleNearOne = SinglePattern(1.0006124F);
inline constexpr std::uint64_t kDoubleNearOne = DoublePattern(1.0006123456789012);

// What an instruction takes the elements of its memory operand for.
enum class ElementKind : std::uint8_t {
  kInteger,  // and what is only moved
  kHalf,
  kBfloat16,
  kSingle,
  kDouble,
  kExtended,  // x87's 80 bits
  kDecimal,   // x87's 18 digits, packed
};

// An ordinary value of that kind in every eight bytes: no denormal, no NaN, nothing that a core
// treats in a special way. Floating-point elements of vectors are more than 2, of any width: where
// copies compute x * memory - x again and again, x must not fade away. (With 1.88 it became
// denormal, and Intel's cores then take 130 cycles for what takes 4.)
constexpr std::uint64_t OrdinaryPattern(ElementKind kind) {
  switch (kind) {
    case ElementKind::kInteger:
      return kUsualValue;
    case ElementKind::kHalf:
    case ElementKind::kBfloat16:
    case ElementKind::kSingle:
    case ElementKind::kDouble:
      return 0x4011'4011'4011'4011;
    case ElementKind::kExtended:
      // The mantissa, whose top bit is set, and behind it the exponent of 1 to 2: the low 16 bits
      // of the next eight bytes.
      return 0x8000'0000'0000'3fff;
    case ElementKind::kDecimal:
      return 0x1212'1212'1212'1212;
  }
  return kUsualValue;
}

// Values with which a chain is as fast or slow by itself, so that nothing has to stand between its
// links.
struct SteadyValues {
  std::array<std::uint64_t, 3> values;  // as in ValueSet
  std::uint64_t memory = 0;
  std::uint64_t on_chain = 0;  // what the source holds through which the chain goes
  bool drifts = false;         // for kDriftingLinks links; else for a million

  bool operator==(const SteadyValues&) const = default;
};

// Values with which an instruction whose time depends on them is measured; `values[i]` is for the
// i-th register that it reads, in the order of its operands and without masks.
struct ValueSet {
  std::string_view name;  // "fast", "slow"; empty where the instruction needs just this one
  std::array<std::uint64_t, 3> values;
  std::uint64_t memory = 0;  // every eight bytes of it
  std::optional<SteadyValues> steady = {};

  bool operator==(const ValueSet&) const = default;
};

}  // namespace cyclescope::arch
