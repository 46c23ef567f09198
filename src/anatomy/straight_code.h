// What straight code tells: how much of it is fetched at which speed, and how wide the front end
// is.
//
// Instructions a cycle over how many of them a loop has. Code that is kept decoded may run faster
// than the decoders are, code in the first cache runs at their speed, code beyond it at the speed
// of the second cache. Pure: no clock, no code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anatomy/branch_targets.h"
#include "anatomy/explore_curve.h"

namespace cyclescope::anatomy {

// Cycles of one instruction over the number of instructions.
struct StraightCurve {
  std::size_t mix = 0;
  int bytes = 0;                   // of an instruction
  bool fills_slots_alone = false;  // a `nop`: some cores fuse pairs of them
  Curve curve;
};

struct PerCycle {
  double value = 0;
  double low = 0;
  double high = 0;
  bool at_least = false;
  bool shared = false;
  std::size_t mix = 0;
};

// A part of the core that feeds code at one speed.
struct CodeLevel {
  std::size_t mix = 0;
  SizeRange instructions;  // that it holds
  PerCycle speed;
  bool at_least = false;
};

struct StraightReading {
  // Levels that end before the first cache does, by size.
  std::optional<CodeLevel> loop_buffer;
  std::optional<CodeLevel> decoded;
  std::optional<CodeLevel> first_cache;  // by the mix that shows it
  std::optional<PerCycle> beyond_cache;
  std::optional<PerCycle> dispatch;
  std::optional<PerCycle> decode;
  std::optional<PerCycle> fetch_bytes;
};

// `cache` is the first cache of code, where it is known from jumps.
StraightReading ReadStraight(std::span<const StraightCurve> curves,
                             const std::optional<CodeCache>& cache);

}  // namespace cyclescope::anatomy
