// What a measured snippet or loop says besides its figures, in words.
#pragma once

#include <string>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

// "without 'call sqrt', which is not counted"; empty where nothing is left out.
std::string LeftOutText(const BlockRow& row);

// "random data 2.35 cycles, constant data 1.00: data decide which way a branch goes"; empty where
// the time does not depend on data.
std::string DataText(const BlockRow& row);

// What would make it faster, where something known does: "4 accumulators would take it to 0.50
// cycles, if the order of additions does not matter"; else empty.
std::string AdviceText(const BlockRow& row);

// "16 KB of memory with random data, 512 and 1,024 trips"; empty where there is nothing to say.
std::string MemoryLayoutText(const BlockRow& row);

}  // namespace cyclescope
