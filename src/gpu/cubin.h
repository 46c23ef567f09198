// What the driver's compiler made: an ELF file with one section of code for each kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::gpu {

// The bytes of the section `.text.ENTRY`; none where the file is no such file.
std::optional<std::int64_t> CodeBytes(std::string_view cubin, std::string_view entry);

// The size of one machine instruction of that generation.
constexpr int InstructionBytes(int capability_major) { return capability_major >= 7 ? 16 : 8; }

// The instructions of a kernel, those between the two readings of the clock, by NVIDIA's
// disassembler; empty where nvdisasm is not installed.
std::vector<std::string> Disassemble(std::string_view cubin, std::string_view entry);
// The same lines of a listing that nvdisasm printed.
std::vector<std::string> TimedLines(std::string_view listing, std::string_view entry);

}  // namespace cyclescope::gpu
