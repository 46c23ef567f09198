// Hand-encoded kernels for this folder's tests; one file per architecture implements all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>

#include "sandbox/death.h"
#include "sandbox/kernel_code.h"

namespace cyclescope::sandbox::testing {

// Code that ends its process.
struct DeadlyCode {
  const char* name;
  Kernel code;
  DeathKind kind;
  bool only_on_hardware = false;  // emulators do not bother
  bool has_no_stack = false;      // for a handler of faults, where that has none of its own
};
std::span<const DeadlyCode> DeadlyCodes();

// Code that leaves registers or control state as no function may, and that a worker survives.
struct HarmlessCode {
  const char* name;
  Kernel code;
};
std::span<const HarmlessCode> HarmlessCodes();

// Dies of an illegal instruction unless it is entered with the floating-point control, flags and
// thread pointer that a process starts with.
Kernel ControlStateProbe();

// A loop over `links` dependent additions, each of them one cycle.
Kernel AddChain(std::size_t links);

// Stores the loop count into the first eight bytes of the scratch memory.
Kernel StoreLoopCount();

// Dies of an illegal instruction unless the first eight bytes of the scratch memory are 42.
Kernel ExpectScratch42();

// Stores eight bytes to an address.
Kernel StoreTo(std::uintptr_t address);

// Calls a function of this process.
Kernel CallFunction(std::uintptr_t function, std::array<std::uint64_t, 3> arguments);

// True if there is a system-call instruction anywhere in it: what must not run without a filter.
bool ContainsSystemCall(std::span<const std::uint8_t> code);

// For building the above.
inline void Append(std::span<const std::uint8_t> more, Kernel& kernel) {
  std::ranges::copy(more, std::back_inserter(kernel));
}
inline void AppendValue(std::uint64_t value, Kernel& kernel) {
  std::array<std::uint8_t, sizeof(value)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  Append(bytes, kernel);
}

}  // namespace cyclescope::sandbox::testing
