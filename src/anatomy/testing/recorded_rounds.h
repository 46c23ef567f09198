// Curves of rented machines (tests/data/anatomy): nanoseconds per trip of a loop with two loads
// that miss every cache and n fillers behind each, three rounds one after the other, each figure
// the least of three repeats of 1,200 trips, from a program that shares no code with ours. The
// Emerald Rapids had co-tenants in some of the rounds.
#pragma once

#include <string>
#include <vector>

#include "anatomy/overlap.h"

namespace cyclescope::anatomy::testing {

struct RecordedSample {
  int fillers = 0;
  HeadTimes times;
};
using RecordedRound = std::vector<RecordedSample>;

// Of a machine ("emerald-rapids", "neoverse-v1") with one filler.
const std::vector<RecordedRound>& RecordedRounds(const std::string& machine,
                                                 const std::string& filler);

// Medians with so few fillers that both misses are side by side.
HeadTimes SideBySideOf(const RecordedRound& round);

// By how much single times differed from these medians there, with all fillers: both chains of one
// sample, whose memory was of one moment, belong together.
std::vector<HeadTimes> RecordedNoise(const std::string& machine);

}  // namespace cyclescope::anatomy::testing
