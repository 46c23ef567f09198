// What the test of entering kernels needs from an architecture.
#pragma once

#include <cstdint>
#include <span>

namespace cyclescope::arch {

// Stores loop count, scratch address and stack pointer to the scratch address.
std::span<const std::uint8_t> StoreArguments();

// Stores the bits of all other general registers, taken together, to the scratch address; but not
// of the one that the entry address is in.
std::span<const std::uint8_t> StoreOtherRegisters();

// Overwrites every register that a function has to preserve, but for the stack pointer.
std::span<const std::uint8_t> OverwriteCalleeSaved();

// Enters a kernel with a known value in each such register, and looks whether they are back.
bool CalleeSavedSurvive(std::uintptr_t entry, std::uintptr_t scratch, std::uintptr_t stack);

}  // namespace cyclescope::arch
