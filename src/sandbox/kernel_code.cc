#include "sandbox/kernel_code.h"

#include <fmt/core.h>

#include "arch/kernel_entry.h"
#include "sandbox/control_block.h"

namespace cyclescope::sandbox {
namespace {

void Append(std::span<const std::uint8_t> more, std::vector<std::uint8_t>& bytes) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// At least one breakpoint, so that running past an exit pad never leads into another kernel.
void AppendBreakpoints(std::vector<std::uint8_t>& bytes) {
  do {
    Append(arch::Breakpoint(), bytes);
  } while (bytes.size() % kKernelAlignment != 0);
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

Result<KernelCode> LayOut(std::span<const Kernel> kernels, std::size_t room) {
  if (kernels.size() > kMostKernels) {
    return Failed(fmt::format("{} kernels at once, and {} is the most that is loaded",
                              kernels.size(), kMostKernels));
  }
  KernelCode code;
  for (const Kernel& kernel : kernels) {
    if (auto good = Check(kernel); !good) return std::unexpected(good.error());
    code.extents.push_back(
        {static_cast<std::uint32_t>(code.bytes.size()), static_cast<std::uint32_t>(kernel.size())});
    Append(kernel, code.bytes);
    Append(arch::ExitPad(kernel.size()), code.bytes);
    AppendBreakpoints(code.bytes);
  }
  if (code.bytes.size() > room) {
    return Failed(fmt::format("the kernels have {} bytes together, and {} is the most that is "
                              "loaded",
                              code.bytes.size(), room),
                  "unroll less");
  }
  return code;
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
