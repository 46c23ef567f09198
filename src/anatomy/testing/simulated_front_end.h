// A front end on paper: sizes and speeds are known, and it answers how long patterns of code take,
// with the noise of a shared machine.
//
//   SimulatedFrontEnd core;
//   core.target_levels = {{96, 0.5}, {8192, 1.0}};
//   ReadJumps(...) of what it answers must find 96 and 8192
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "anatomy/code_times.h"

namespace cyclescope::anatomy::testing {

class SimulatedFrontEnd final : public CodeTimes {
 public:
  // ---- What the core is like

  struct Targets {
    double entries = 0;
    double cycles = 0;  // of a jump that it holds
  };
  std::vector<Targets> target_levels = {{128, 0.6}, {6144, 2.0}, {12288, 3.4}};
  double unknown_target_cycles = 12;
  // More jumps than entries: all of a set are missed where a set has one too many. The share of
  // entries over which sets fill up.
  double filling = 0.12;
  double cache_bytes = 32768;
  double cycles_per_line = 2;  // beyond the cache
  double dispatch = 6;
  double decode = 6;
  double fetch_bytes = 32;         // a cycle, of the decoders
  double second_cache_bytes = 16;  // a cycle
  double decoded_instructions = 4096;
  double fetch_block_cycles = 0;  // that each block of 64 bytes costs a loop besides
  double loop_buffer = 0;         // instructions; 0: none
  double loop_buffer_speed = 0;   // a cycle
  double return_stack = 20;
  double history = 194;  // taken branches
  double indirect_targets = 1024;
  double mispredict_cycles = 20;
  double branch_cycles = 1;
  // Of PatternKind::kText; a test that uses it says what its text takes.
  std::function<double(const CodePattern&)> text_cycles = [](const CodePattern&) { return 1.0; };

  // ---- What disturbs it

  double noise = 0.004;         // standard deviation of a time, relative
  double spike_share = 0.02;    // of measurements, that something slowed down unseen
  double most_spike = 0.4;      // by up to this share
  double unmeasured_share = 0;  // of measurements, that fail
  double shared_share = 0;      // of measurements, beside another thread
  std::mt19937_64 random{1};

  std::vector<std::optional<CodeTime>> Measure(std::span<const CodePattern> patterns) override;

  // Without noise.
  double CyclesOf(const CodePattern& pattern, bool shared) const;

  int measured = 0;  // patterns, in all

 private:
  double JumpCycles(const CodePattern& pattern, bool shared) const;
  double AlignedCycles(const CodePattern& pattern) const;
  double StraightCycles(const CodePattern& pattern, bool shared) const;
};

}  // namespace cyclescope::anatomy::testing
