// The program of a simulated core, laid out as it is used in each cycle: numbers are whole, and
// what a µop waits for and who waits for it stand one after the other.
//
//   const PipelineProgram laid_out(core, program);
//   for (const FixedInstruction& each : laid_out.instructions) …
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "predict/pipeline.h"

namespace cyclescope::predict {

using Time = std::int64_t;  // in cycles
inline constexpr Time kNotYet = std::numeric_limits<Time>::max();
// Parts of slots and cycles are counted in these.
inline constexpr std::int64_t kMilli = 1000;

inline std::int64_t Milli(double value) {
  return static_cast<std::int64_t>(std::llround(value * static_cast<double>(kMilli)));
}

// A number of cycles that may have a fraction, as whole numbers with that average.
struct WholeCycles {
  Time whole = 0;
  std::int64_t fraction = 0;  // in thousandths

  explicit WholeCycles(double cycles) {
    const std::int64_t milli = Milli(cycles);
    whole = milli >= 0 ? milli / kMilli : -((-milli + kMilli - 1) / kMilli);
    fraction = milli - whole * kMilli;
  }
};

// What a µop waits for.
struct FixedInput {
  WholeCycles cycles;
  std::size_t uop = 0;
  int iterations = 0;
  bool behind_retirement = false;
};

// Who waits for a µop.
struct Consumer {
  std::size_t uop = 0;
  int iterations = 0;
  std::size_t input = 0;  // in all inputs
  bool behind_retirement = false;
};

struct FixedUop {
  PortSet ports = 0;
  int unit = -1;
  std::int64_t unit_milli = 0;
  Time done_cycles = 1;  // from its start until it may retire
  int instruction = 0;
  std::optional<MovedValue> moves;
  bool in_bank = false;  // it loads from a bank that others wait for
  std::uint32_t input_begin = 0;
  std::uint32_t input_end = 0;
  std::uint32_t consumer_begin = 0;
  std::uint32_t consumer_end = 0;
};

struct FixedInstruction {
  std::int64_t slots_milli = 0;
  std::uint32_t first_uop = 0;
  std::uint32_t end_uop = 0;
  std::array<int, kWindows> needs{};  // entries, the scheduler's as well
  std::array<RegisterMask, kFilesOfMoves> writes{};
  bool jumps = false;
};

struct PipelineProgram {
  PipelineProgram(const PipelineCore& core, const BlockProgram& program);

  std::vector<FixedUop> uops;
  std::vector<FixedInstruction> instructions;
  std::vector<FixedInput> inputs;
  std::vector<Consumer> consumers;
  int most_iterations = 1;       // that an input lies back
  bool waits_to_retire = false;  // one of them waits until another has retired
};

}  // namespace cyclescope::predict
