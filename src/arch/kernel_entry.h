// How a process enters generated code (a kernel) and gets back whole, whatever the code did to
// registers, flags, floating-point control and stack pointer. Like architecture.h, every folder
// src/arch/NAME implements all of it.
//
// A kernel is entered with the loop count in the first argument register and the scratch address in
// the second, on a stack of its own, all other general registers zero: no pointer into the process
// lies around for it to use by accident. It may change every register, and ends by running into the
// exit pad behind it, which leads to code that restores everything from memory it finds relative to
// the program counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arch/architecture.h"

namespace cyclescope::arch {

// Call once in the thread that is to enter kernels, and again after a fork. `capabilities` say what
// else has to be put right on the way out.
void PrepareKernelEntry(CapabilityWords capabilities);

// Enters the kernel at `entry`, with the stack pointer at `stack`, and returns when the kernel
// reaches its exit pad. One kernel at a time in a process: the way back is in static memory.
void EnterKernel(std::uintptr_t entry, std::uint64_t loops, std::uintptr_t scratch,
                 std::uintptr_t stack);

// The exit pad of a kernel of `size` bytes that begins at a multiple of eight: a jump to code that
// restores everything, by an address that stands behind the jump. It trusts no register, stack or
// flag.
std::vector<std::uint8_t> ExitPad(std::size_t size);

// Instructions begin at multiples of this many bytes.
std::size_t InstructionAlignment();

// A breakpoint instruction: what fills the room between kernels.
std::span<const std::uint8_t> Breakpoint();

// Makes the calling thread see code that another process wrote to the shared pages at `begin`.
void SynchronizeCode(const void* begin, std::size_t size);

// To be called first in a handler of faults: takes back what generated code may have set and the
// system leaves set for handlers, so that compiled code runs as it expects to.
void RestoreHandlerState();

}  // namespace cyclescope::arch
