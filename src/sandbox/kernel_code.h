// Lays kernels out in the code region: one after the other, each at a multiple of 64 bytes and
// followed by its exit pad, with breakpoints between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "sandbox/death.h"

namespace cyclescope::sandbox {

// Machine code that is entered at its begin and left by running off its end.
using Kernel = std::vector<std::uint8_t>;

inline constexpr std::size_t kKernelAlignment = 64;
inline constexpr std::size_t kLongestKernel = 256 * 1024;

struct KernelExtent {
  std::uint32_t offset = 0;  // from where the code region begins
  std::uint32_t size = 0;    // without the exit pad
};

// The bytes for the code region, and where in them each kernel is.
struct KernelCode {
  std::vector<std::uint8_t> bytes;
  std::vector<KernelExtent> extents;
};

// Fails if the kernels do not fit or are not made of whole instructions.
Result<KernelCode> LayOut(std::span<const Kernel> kernels, std::size_t room);

// The kernel that an offset in the code region belongs to.
std::optional<CodePlace> FindPlace(std::span<const KernelExtent> extents, std::uint64_t offset);

}  // namespace cyclescope::sandbox
