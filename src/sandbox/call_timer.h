// Executes calls and times them: the same in the worker and in the calling thread.
#pragma once

#include <cstdint>
#include <span>

#include "os/counters.h"
#include "sandbox/call.h"

namespace cyclescope::sandbox {

// Where kernels are, and what they are given. Empty where only reference chains are called.
struct KernelTable {
  std::uintptr_t code = 0;
  std::span<const std::uint32_t> offsets;  // of each kernel in the code
  std::uintptr_t scratch = 0;
  std::uintptr_t stack = 0;
  std::span<std::uint64_t> memory;            // all that kFillMemory fills
  std::span<std::uint64_t> page;              // likewise
  std::span<const std::uint64_t> page_image;  // what it fills the page with; empty: as the memory
};

class CallTimer {
 public:
  // `counters` may be null.
  CallTimer(const KernelTable& kernels, os::Counters* counters);

  // Allocates nothing, and makes no system call while the clock runs. Bookkeeping that does is
  // shared between neighbours: what stands after one call stands before the next.
  CallRecord Time(const Call& call);

 private:
  struct Place {
    std::int64_t context_switches = 0;
    int cpu = 0;
  };
  static Place Here();

  template <typename Body>
  CallRecord TimeBody(const Call& call, Body body);

  KernelTable kernels_;
  os::Counters* counters_;
  Place before_;
};

}  // namespace cyclescope::sandbox
