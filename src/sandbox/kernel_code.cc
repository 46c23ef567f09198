#include "sandbox/kernel_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "arch/kernel_entry.h"
#include "base/try.h"
#include "sandbox/control_block.h"

namespace cyclescope::sandbox {
namespace {

// With at least one breakpoint, so that running past an exit pad never leads into another kernel.
std::size_t PaddedSize(std::size_t size) {
  const std::size_t least = size + arch::ExitPad(size).size() + arch::Breakpoint().size();
  return (least + kKernelAlignment - 1) / kKernelAlignment * kKernelAlignment;
}

Result<void> Check(std::span<const std::uint8_t> kernel) {
  if (kernel.size() > kLongestKernel) {
    return Failed(fmt::format("the generated code has {} bytes, and {} is the most that is run",
                              kernel.size(), kLongestKernel),
                  "unroll less");
  }
  if (kernel.size() % arch::InstructionAlignment() != 0) {
    return BadInput(fmt::format("{} bytes of code are not a whole number of {}-byte instructions",
                                kernel.size(), arch::InstructionAlignment()));
  }
  return {};
}

}  // namespace

Result<KernelLayout> LayOut(std::span<const KernelView> kernels, std::size_t room,
                            std::size_t begin) {
  if (kernels.size() > kMostKernels) {
    return Failed(fmt::format("{} kernels at once, and {} is the most that is loaded",
                              kernels.size(), kMostKernels));
  }
  KernelLayout layout;
  layout.size = begin;
  for (const KernelView kernel : kernels) {
    TRY(Check(kernel));
    layout.extents.push_back(
        {static_cast<std::uint32_t>(layout.size), static_cast<std::uint32_t>(kernel.size())});
    layout.size += PaddedSize(kernel.size());
  }
  if (layout.size > room) {
    return Failed(fmt::format("the kernels have {} bytes together, and {} is the most that is "
                              "loaded",
                              layout.size, room),
                  "unroll less");
  }
  return layout;
}

void WriteKernels(std::span<const KernelView> kernels, const KernelLayout& layout,
                  std::span<std::uint8_t> region) {
  // The most that there is room for behind an exit pad.
  std::array<std::uint8_t, 2 * kKernelAlignment> breakpoints{};
  for (std::size_t i = 0; i < breakpoints.size(); ++i)
    breakpoints[i] = arch::Breakpoint()[i % arch::Breakpoint().size()];
  // Not std::ranges::copy, which GCC 12 makes a byte at a time where the source is const: of a
  // sweep that was a good part.
  const std::size_t begin = kernels.empty() ? 0 : layout.extents.front().offset;
  std::uint8_t* at = std::fill_n(region.data(), begin, std::uint8_t{0});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    at = std::copy_n(kernels[i].data(), kernels[i].size(), at);
    const auto pad = arch::ExitPad(kernels[i].size());
    at = std::copy_n(pad.data(), pad.size(), at);
    const std::size_t next = i + 1 < kernels.size() ? layout.extents[i + 1].offset : layout.size;
    at = std::copy_n(breakpoints.data(), region.data() + next - at, at);
  }
}

std::optional<CodePlace> FindPlace(std::span<const KernelExtent> extents, std::uint64_t offset) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const KernelExtent& extent = extents[i];
    // The end counts too: there the program counter stands after a system call that comes last.
    if (offset >= extent.offset && offset - extent.offset <= extent.size) {
      return CodePlace{static_cast<std::uint32_t>(i), offset - extent.offset};
    }
  }
  return std::nullopt;
}

}  // namespace cyclescope::sandbox
