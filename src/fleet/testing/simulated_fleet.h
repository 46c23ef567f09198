// Fleets that tests make up: nodes that should be equal, and some of which are known not to be.
#pragma once

#include <cstdint>
#include <random>

#include "cyclescope/result/document.h"

namespace cyclescope::fleet::testing {

enum class Fate {
  kEqual,
  kSlowClock,  // every core's clock is slower
  kFarMemory,  // memory takes longer
  kNoisy,      // nothing is slower, but values are uncertain, and say so
};

// How equal nodes differ.
enum class NoiseShape {
  kNormal,
  kHeavy,   // Laplace: tails far heavier than a normal distribution's
  kSkewed,  // as disturbance is: it only makes things slower
};

struct FleetPlan {
  int nodes = 100;
  double slow_clock = 0;  // shares of the nodes
  double far_memory = 0;
  double noisy = 0;
  double slower_by = 0.03;
  double farther_by = 0.4;
  double spread = 1;  // how far equals differ: 1 is 0.2 % in clock, 1 % in memory
  NoiseShape shape = NoiseShape::kNormal;
  int forms = 40;   // of instructions, two metrics each
  int samples = 0;  // of each instruction, for documents of real size
  std::uint64_t seed = 1;
};

class SimulatedFleet {
 public:
  explicit SimulatedFleet(const FleetPlan& plan) : plan_(plan) {}

  Fate FateOf(int node) const;
  // A survey of it. What the node is stays from pass to pass, what is measured of it does not.
  Document Survey(int node, int pass = 0) const;

 private:
  FleetPlan plan_;
};

}  // namespace cyclescope::fleet::testing
