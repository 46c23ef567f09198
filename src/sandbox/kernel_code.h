// Lays kernels out in the code region: one after the other, each at a multiple of 64 bytes and
// followed by its exit pad, with breakpoints between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cyclescope/base/error.h"
#include "sandbox/death.h"

namespace cyclescope::sandbox {

// Machine code that is entered at its begin and left by running off its end.
using Kernel = std::vector<std::uint8_t>;
using KernelView = std::span<const std::uint8_t>;

inline constexpr std::size_t kKernelAlignment = 64;
inline constexpr std::size_t kLongestKernel = 8 * 1024 * 1024;

struct KernelExtent {
  std::uint32_t offset = 0;  // from where the code region begins
  std::uint32_t size = 0;    // without the exit pad
};

// Where in the code region each kernel is.
struct KernelLayout {
  std::vector<KernelExtent> extents;
  std::size_t size = 0;  // of all that is written
};

// The first begins at `begin`, a multiple of kKernelAlignment. Fails if the kernels do not fit or
// are not made of whole instructions.
Result<KernelLayout> LayOut(std::span<const KernelView> kernels, std::size_t room,
                            std::size_t begin = 0);

// Writes the kernels, their exit pads and the breakpoints between them, and zeros before the first.
// The region has at least the layout's size.
void WriteKernels(std::span<const KernelView> kernels, const KernelLayout& layout,
                  std::span<std::uint8_t> region);

// The kernel that an offset in the code region belongs to.
std::optional<CodePlace> FindPlace(std::span<const KernelExtent> extents, std::uint64_t offset);

}  // namespace cyclescope::sandbox
