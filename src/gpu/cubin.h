// What the driver's compiler made: an ELF file with one section of code for each kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cyclescope::gpu {

// The bytes of the section `.text.ENTRY`; none where the file is no such file.
std::optional<std::int64_t> CodeBytes(std::string_view cubin, std::string_view entry);

// The size of one machine instruction of that generation.
constexpr int InstructionBytes(int capability_major) { return capability_major >= 7 ? 16 : 8; }

}  // namespace cyclescope::gpu
