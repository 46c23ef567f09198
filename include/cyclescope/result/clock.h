// The clock that a result was measured with.
#pragma once

#include <string>
#include <vector>

namespace cyclescope {

// One chain of the reference jury: its cycles per instruction, as a ratio to the first chain's.
struct JuryChain {
  std::string instruction;
  double ratio = 0;
};

struct Jury {
  bool trusted = false;
  std::string verdict;  // one sentence
  std::vector<JuryChain> chains;
};

struct Clock {
  double tick_hz = 0;
  std::string tick_source;        // "cntfrq_el0", "cpuid 15h", "calibrated", ...
  double calibrated_tick_hz = 0;  // against the operating system's clock
  bool invariant = false;         // the time-stamp counter runs at one rate whatever the core does
  double resolution_ns = 0;
  std::string cycle_source;         // "counter-user", "counter", "reference"
  std::string cycle_source_reason;  // why a better source was not used; empty when the best was
  Jury jury;                        // the reference's; chains are empty when it was not needed
};

}  // namespace cyclescope
