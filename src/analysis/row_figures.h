// A row's values as the one number that tables and models have, and what must be said with it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cyclescope/result/anatomy.h"
#include "cyclescope/result/frequency.h"
#include "cyclescope/result/host.h"
#include "cyclescope/result/instruction.h"

namespace cyclescope {

// The other end of a pair that goes through memory.
inline constexpr std::string_view kMemory = "memory";

// An exact latency well below a cycle means that the form was done before it reached any pipe: a
// move on a Neoverse V1 takes 0.75.
inline constexpr double kDoneAtRename = 0.85;

// True if it ran to its end; a disturbed row may have values.
inline bool RanToItsEnd(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

// The longest of a row's pairs, or nothing. Upper bounds count only where there is nothing better;
// pairs through memory never do, since models and tables know nothing of store forwarding.
const Latency* LongestLatency(const InstructionRow& row);

// The one that a table has room for: the longest, also through memory: `add [rax], rbx` has flags a
// cycle after rbx, and is an addition of five cycles all the same. The page shows the same
// (web/src/forms.ts).
const Latency* ShownLatency(const InstructionRow& row);

// What the model says of that pair. A document of an older version has only the model's whole,
// which is about the longest pair. Models know nothing of store forwarding.
std::optional<double> ModelLatencyOf(const InstructionRow& row, const Latency& pair);

inline bool IsUpperBound(const Latency& latency) {
  return latency.kind == LatencyKind::kUpperBound;
}

// Under a neighbour instructions only get slower: what was seen then is a bound, too.
inline bool IsUpperBound(const Throughput& throughput) {
  return throughput.upper_bound || throughput.cycles.contended;
}

// The number to show: where only an upper bound is known, that is the interval's upper end. The
// value itself may well be below the truth.
inline double ShownCycles(bool bound, const Estimate& estimate) {
  return bound ? estimate.high : estimate.value;
}

// What keeps a throughput from being better, where fillers told.
std::optional<Claim> LimitClaim(const Throughput& throughput);

// True if two values may be the same: their intervals overlap.
inline bool MayBeEqual(const Estimate& one, const Estimate& other) {
  return one.low <= other.high && other.low <= one.high;
}

// True if a window is a bound only because no other size of it was seen: it is the best that is
// known.
bool IsOneSizeAlone(const AnatomyRow& row);

// True if a value of `anatomy` is the best that is known of the whole core: not of a shared core,
// not of instructions of which several have one entry, and no bound but for want of another size.
bool TellsSize(const AnatomyRow& row);

// How fast the CPUs run, in the middle; unset where none was measured.
std::optional<double> MedianGhz(const std::vector<FrequencyRow>& rows);

// Why the size of a window does not compare with that of another core; unset where it does.
std::optional<ClaimCode> DoubtOfSize(const AnatomyRow& row, const Host& host);

// True if another thread shared the core while any of the row's values was measured.
bool IsContended(const InstructionRow& row);

}  // namespace cyclescope
