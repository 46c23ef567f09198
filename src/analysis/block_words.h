// What a measured snippet or loop says besides its figures, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

// "without 'call sqrt', which is not counted"; empty where nothing is left out.
std::string LeftOutText(const BlockRow& row);

// What stands before the row, since its cycles are not those of what was asked for: what is left
// out, and that branches never go another way. Empty where there is nothing.
std::string FirstWords(const BlockRow& row);

// The row's notes but for those in its first words.
std::vector<std::string> FurtherNotes(const BlockRow& row);

// "random data 2.35, constant data 1.00"; empty where the time does not depend on data.
std::string DataText(const BlockRow& row);

// True if a loop takes longer in one case than in another: by intervals, and by what matters.
bool TimesDiffer(const Estimate& first, const Estimate& second);

// Adds what a loop takes at each place of its line of code, where that differs: the row has the
// value of most places then, or of the faster half, and its states are those of the places. The
// offset of the place whose value it has; unset where there is no difference.
std::optional<int> AddPlaces(std::vector<BlockPlace> places, BlockRow& row);

// "1.25 cycles at byte 0 or 32 of a line, 3.00 at 16 or 48"; empty where that makes no difference.
std::string PlacesText(const BlockRow& row);

// Adds what a loop takes with each kind of data, the usual one first: of kinds that take the same
// only the first. Nothing where all do.
void AddData(std::vector<BlockData> kinds, BlockRow& row);

// Why it does, and what would help, where that is known.
std::vector<Claim> DataClaims(const BlockRow& row);

// Of a loop in which data decide about a branch: that it is predicted well, where random data cost
// no more than constant ones.
std::optional<Claim> PredictionClaim(const Estimate& random, const Estimate& constant);

// How many accumulators would make it faster; unset where more of them would not, or by little.
std::optional<Claim> AccumulatorClaim(const BlockRow& row);

// What binds it by the ports of its instructions; unset where two bounds are about the same.
std::optional<Claim> ClaimOf(const BlockPorts& ports);

// "16 KB of memory with random data, 512 and 1,024 trips"; empty where there is nothing to say.
std::string MemoryLayoutText(const BlockRow& row);

}  // namespace cyclescope
