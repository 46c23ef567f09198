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

// Whether two kinds of data make a difference: by intervals, and by one that matters.
bool DataMatter(const Estimate& random, const Estimate& constant);

// Why it does, and what would help, where that is known.
std::vector<Claim> DataClaims(const BlockRow& row);

// How many accumulators would make it faster; unset where more of them would not, or by little.
std::optional<Claim> AccumulatorClaim(const BlockRow& row);

// What binds it by the ports of its instructions; unset where two bounds are about the same.
std::optional<Claim> ClaimOf(const BlockPorts& ports);

// "16 KB of memory with random data, 512 and 1,024 trips"; empty where there is nothing to say.
std::string MemoryLayoutText(const BlockRow& row);

}  // namespace cyclescope
