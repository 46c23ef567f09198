// What the GPU executes, by NVIDIA's disassembler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::gpu {

// The instructions of the first kernel of a cubin, those between the two readings of the clock;
// empty where nvdisasm is not installed.
std::vector<std::string> Disassemble(std::string_view cubin);

// Those lines of what nvdisasm prints.
std::vector<std::string> TimedLines(std::string_view listing);

}  // namespace cyclescope::gpu
