// What the GPU executes, by NVIDIA's disassembler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::gpu {

// The instructions of a kernel in a cubin, those between the two readings of the clock; empty where
// nvdisasm is not installed.
std::vector<std::string> Disassemble(std::string_view cubin, std::string_view entry);

// Those lines of what nvdisasm prints.
std::vector<std::string> TimedLines(std::string_view listing, std::string_view entry);

}  // namespace cyclescope::gpu
