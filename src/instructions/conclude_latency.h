// From measured chains to the latency of an operand pair.
#pragma once

#include <optional>

#include "cyclescope/result/instruction.h"
#include "instructions/evidence.h"
#include "instructions/plan.h"

namespace cyclescope::instructions {

struct MeasuredPair {
  Latency latency;
  const measure::Measurement* chain = nullptr;  // what it was made from
  double instructions_per_link = 1;             // that ran, connectors included
  // With flags that two instructions wrote, where that takes another time.
  std::optional<Latency> with_mixed_flags = {};
};

// What rows are called whose time depends on what wrote the flags: the same instruction all of
// them, or one some and another the others.
inline constexpr char kWholeFlags[] = "whole flag";
inline constexpr char kMixedFlags[] = "mixed flag";

// No core reads its first cache, and then does something with what it read, in fewer cycles.
inline constexpr double kMinUpdateCycles = 3;

// What one measured chain says: the connectors are taken off, or leave an upper bound. Unset where
// it, or one of its connectors, has no value. Where one is chosen from several `chains`, the
// interval is wider for it.
std::optional<MeasuredPair> ReadChain(const ChainPlan& chain, Evidence& evidence, int chains = 1);

// What all chains of the pair say.
std::optional<MeasuredPair> ConcludePair(const PairPlan& pair, Evidence& evidence);

// No chain is faster than the core takes copies: a latency that is no longer than the throughput is
// an upper bound. (Under a mask the old destination passes `vdivpd` by; a chain through it takes as
// long as independent copies do.) What takes one cycle takes no less, and updates of one place in
// memory wait for each other in fact.
void BoundByThroughput(const Throughput& throughput, Latency& latency);

// What it takes in the fastest of its states: connectors and bounds count so, since a core can do
// it.
Estimate InFastestState(Estimate estimate);

// True if it is no whole number of cycles, as far as its interval can tell.
bool IsFraction(const Estimate& estimate);

// Adds what the first measurements call for. A chain of accumulations may go round for ever with or
// without the core's short cut for it, depending on how it started: Neoverse V1 chains `usra`
// at 1.2 or 2.4 cycles. So a chain that does not take a whole number of cycles is planned again
// with other starts. False when there is nothing to add.
bool ExtendPlan(std::span<const measure::Measurement> measurements,
                const Circumstances& circumstances, Planner& planner, FormPlan& plan);

}  // namespace cyclescope::instructions
