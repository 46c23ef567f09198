// A probe: how fast the core runs right now, and whether another thread uses it. It takes some
// microseconds and stands before and after everything that is measured.
//
// It times the reference chains and the wide loop. Time only ever gets lost, so of several chains
// whose length in cycles is known, the one that implies the shortest cycle is right. And a thread
// on the core's other hyperthread takes slots from the wide loop: on Redwood Cove an add takes 0.20
// cycles there when no other thread uses the core, and 0.24 to 0.37 when one does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sandbox/call.h"

namespace cyclescope::measure {

inline constexpr std::size_t kProbeChains = 3;

// How often each loop repeats in a probe, beyond what a shorter call does, which is timed as
// well and taken off: what is left has no overhead of the call in it. The shorter call is a loop of
// some length, too: a single pass may lack the branch at the loop's end that the predictor misses,
// which would make a cycle look longer than it is. How much that is was not measured by itself.
struct ProbeLengths {
  std::array<std::uint64_t, kProbeChains> chain_loops{};
  std::uint64_t wide_loops = 0;
};

// How many calls one probe is.
inline constexpr std::size_t kProbeCalls = 2 * (kProbeChains + 1);

struct Probe {
  bool disturbed = false;  // the thread was switched or moved, or the clock made no sense
  std::array<double, kProbeChains> link_ticks{};
  double wide_ticks = 0;     // of one add of the wide loop
  double clock_reading = 0;  // ticks of the call that ClockReading makes, which a probe contains
  // The same as counted, where there are counters.
  std::optional<double> link_cycles;  // of the first chain
  std::optional<double> wide_cycles;
};

// The longer call's count less the shorter's. The worker's records are not to be trusted, so this
// may be negative.
double Excess(std::uint64_t longer, std::uint64_t shorter);

void AppendProbe(const ProbeLengths& lengths, std::vector<sandbox::Call>& calls);
// A reading of the clock: a call that takes a part of a microsecond. Where it takes as long as in a
// probe, the clock is the one of that probe.
sandbox::Call ClockReading(const ProbeLengths& lengths);
// Two probes. The second is taken only when the longer wide call of the first takes more than
// `most_percent` of the last chain's ticks; it is repeated until it takes less, and when it never
// does the run ends there.
void AppendProbeAndSecond(const ProbeLengths& lengths, std::uint32_t most_percent,
                          std::vector<sandbox::Call>& calls);
// About how long the second of such two took with all its repetitions, of which the last is known;
// 0 when it was not taken. `records` are its own.
double TicksOfSecond(std::span<const sandbox::CallRecord> records);
// How many hundredths it takes when things are as in that probe.
double WidePercent(const ProbeLengths& lengths, const Probe& probe);
// `records` are those of the calls that AppendProbe appended.
Probe ReadProbe(const ProbeLengths& lengths, std::span<const sandbox::CallRecord> records);

}  // namespace cyclescope::measure
