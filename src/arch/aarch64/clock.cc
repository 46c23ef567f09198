// Time stamps, counters and the wait hint on AArch64.
#include <array>
#include <cstdint>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

// PMEVCNTR<n>_EL0 has its number in its name, so reading one chosen at run time takes an
// instruction for each.
template <std::uint32_t kIndex>
std::uint64_t ReadEventCounter(std::uint32_t index) {
  if constexpr (kIndex > 30) {
    return 0;
  } else {
    if (index != kIndex) return ReadEventCounter<kIndex + 1>(index);
    std::uint64_t value;
    // op0=3, op1=3, CRn=c14, CRm=0b10:n<4:3>, op2=n<2:0> (Arm ARM, PMEVCNTR<n>_EL0).
    asm volatile("mrs %0, s3_3_c14_c%1_%2" : "=r"(value) : "i"(8 + kIndex / 8), "i"(kIndex % 8));
    return value;
  }
}

// The kernel's number for the cycle counter, which is not an event counter (ARMV8_PMU_CYCLE_IDX in
// drivers/perf). It keeps the fixed instruction counter, 32, from events that user space reads.
constexpr std::uint32_t kCycleCounterIndex = 31;

}  // namespace

std::string_view Name() { return "aarch64"; }

std::uint64_t ReadTicks() {
  // Arm ARM, D11.1.2: the counter may be read early or speculatively unless an ISB stands before
  // the read. The one after it keeps later instructions from beginning.
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
  return ticks;
}

std::optional<TickRate> DeclaredTickRate() {
  std::uint64_t hz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  if (hz == 0) return std::nullopt;
  return TickRate{static_cast<double>(hz), "cntfrq_el0"};
}

// The architecture promises a fixed rate (Arm ARM, D11.1: the system counter).
bool TicksAreInvariant() { return true; }

std::uint64_t ReadCounter(std::uint32_t index) {
  asm volatile("isb" ::: "memory");
  std::uint64_t value;
  if (index == kCycleCounterIndex) {
    asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
  } else {
    value = ReadEventCounter<0>(index);
  }
  asm volatile("isb" ::: "memory");
  return value;
}

std::span<const std::uint64_t> UserCounterRequests() {
  // Bit 1 asks for user access, bit 0 for a counter of 64 bits (format/rdpmc and format/long of the
  // PMU in sysfs). Event counters have 64 bits from PMUv3p5 on.
  static constexpr std::array<std::uint64_t, 2> kRequests = {0b11, 0b10};
  return kRequests;
}

void Relax() { asm volatile("yield"); }

}  // namespace cyclescope::arch
