// For tests: a kernel in executable memory of this very process, with its exit pad and a stack.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/kernel_entry.h"

namespace cyclescope::arch {

class KernelInMemory {
 public:
  explicit KernelInMemory(std::span<const std::uint8_t> code) {
    page_ = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* end = std::ranges::copy(code, static_cast<std::uint8_t*>(page_)).out;
    std::ranges::copy(ExitPad(code.size()), end);
    mprotect(page_, kSize, PROT_READ | PROT_EXEC);
    SynchronizeCode(page_, kSize);
    PrepareKernelEntry({});
  }
  ~KernelInMemory() { munmap(page_, kSize); }
  KernelInMemory(const KernelInMemory&) = delete;
  KernelInMemory& operator=(const KernelInMemory&) = delete;

  std::uintptr_t entry() const { return reinterpret_cast<std::uintptr_t>(page_); }
  std::uintptr_t scratch() { return reinterpret_cast<std::uintptr_t>(scratch_.data()); }
  std::uintptr_t stack() { return reinterpret_cast<std::uintptr_t>(stack_.data() + kStack / 2); }

  // What the kernel stored to its scratch address.
  std::uint64_t Scratch(std::size_t index) const { return scratch_[index]; }
  void SetScratch(std::size_t index, std::uint64_t value) { scratch_[index] = value; }

 private:
  static constexpr std::size_t kSize = 65536;
  static constexpr std::size_t kStack = 1024;

  void* page_ = nullptr;
  std::array<std::uint64_t, 8> scratch_{};
  alignas(16) std::array<std::uint64_t, kStack> stack_{};
};

}  // namespace cyclescope::arch
