// The clock that a result was measured with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"

namespace cyclescope {

struct SelfCheckChain {
  std::string instruction;
  double ratio = 0;
};

void Describe(auto& visit, Of<SelfCheckChain> auto& chain) {
  visit.Struct("SelfCheckChain", "One chain of the self-check.");
  visit.Required("instruction", chain.instruction, "What the chain repeats.");
  visit.Required("ratio", chain.ratio, "Cycles per instruction over the first chain's.");
}

struct SelfCheck {
  bool trusted = false;
  std::optional<Claim> claim;
  std::string verdict;
  std::vector<SelfCheckChain> chains;
};

void Describe(auto& visit, Of<SelfCheck> auto& check) {
  visit.Struct("SelfCheck", "The check of the reference chains against each other.");
  visit.Required("trusted", check.trusted, "The chains agree.");
  visit.Optional("claim", check.claim, "How it ended.", {.since = "0.3"});
  visit.Optional("verdict", check.verdict, "The sentence of that claim.");
  visit.Optional("chains", check.chains, "The first is the unit.");
}

struct Clock {
  double tick_hz = 0;
  std::string tick_source;
  double calibrated_tick_hz = 0;
  bool invariant = false;
  double resolution_ns = 0;
  std::string cycle_source;
  std::string cycle_source_reason;
  std::optional<SelfCheck> self_check;
};

void Describe(auto& visit, Of<Clock> auto& clock) {
  visit.Struct("Clock", "The clock that everything was measured with.");
  visit.Required("tick_hz", clock.tick_hz, "Rate of the time-stamp counter.", {.exact = true});
  visit.Optional("tick_source", clock.tick_source,
                 "Where that rate comes from: cntfrq_el0, cpuid 15h, calibrated, ...");
  visit.Always("calibrated_tick_hz", clock.calibrated_tick_hz,
               "The same, measured with the operating system's clock.", {.exact = true});
  visit.Always("invariant", clock.invariant,
               "The counter runs at one rate whatever the core does.");
  visit.Always("resolution_ns", clock.resolution_ns, "The smallest step of the counter.");
  visit.Required("cycle_source", clock.cycle_source, "counter-user, counter or reference.");
  visit.Optional("cycle_source_reason", clock.cycle_source_reason,
                 "Why no better source was used; absent when the best was.");
  visit.Optional("jury", clock.self_check, "The reference's; absent when it was not needed.");
}

}  // namespace cyclescope
