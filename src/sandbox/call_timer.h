// Executes calls and times them: the same in the worker and in the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/counters.h"
#include "sandbox/call.h"
#include "sandbox/call_order.h"

namespace cyclescope::sandbox {

// Where kernels are, and what they are given. Empty where only reference chains are called.
struct KernelTable {
  std::uintptr_t code = 0;
  std::span<const std::uint32_t> offsets;  // of each kernel in the code
  std::uintptr_t scratch = 0;
  std::uintptr_t stack = 0;
  std::span<std::uint64_t> memory;            // all that kFillMemory fills
  std::span<std::uint64_t> page;              // likewise: pages in a row
  std::span<const std::uint64_t> page_image;  // what it fills each with; empty: as the memory
};

class CallTimer {
 public:
  // `counters` may be null.
  CallTimer(const KernelTable& kernels, os::Counters* counters);

  // Makes the calls in their order (call_order.h) and gives each record and its place to `take`,
  // which may get one for the same place again. Returns how many calls the run went through.
  // Allocates nothing, and makes no system call while the clock runs. Bookkeeping that does is
  // shared between neighbours: what stands after one call stands before the next.
  template <typename Take>
  std::size_t TimeAll(std::span<const Call> calls, Take take) {
    CallOrder order(calls);
    while (const auto place = order.Next()) {
      CallRecord record = Time(calls[*place]);
      record.looks = order.looks();
      take(*place, record);
      order.Made(record.ticks);
    }
    return order.passed();
  }

 private:
  CallRecord Time(const Call& call);

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
