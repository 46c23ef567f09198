// Time stamps, counters and the wait hint on x86-64.
#include <cpuid.h>
#include <immintrin.h>
#include <x86intrin.h>

#include <array>
#include <optional>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

struct CpuidLeaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

std::optional<CpuidLeaf> Cpuid(unsigned leaf) {
  CpuidLeaf found;
  if (__get_cpuid(leaf, &found.eax, &found.ebx, &found.ecx, &found.edx) == 0) return std::nullopt;
  return found;
}

// CPUID 15h: the counter's rate is the crystal's times ebx / eax.
std::optional<TickRate> FromCrystal() {
  const auto leaf = Cpuid(0x15);
  if (!leaf || leaf->eax == 0 || leaf->ebx == 0 || leaf->ecx == 0) return std::nullopt;
  return TickRate{static_cast<double>(leaf->ecx) * leaf->ebx / leaf->eax, "cpuid 15h"};
}

// Hypervisors that follow VMware's convention state the counter's rate in kHz.
std::optional<TickRate> FromHypervisor() {
  const auto features = Cpuid(1);
  if (!features || (features->ecx & (1U << 31)) == 0) return std::nullopt;
  CpuidLeaf leaf;
  __cpuid(0x40000000, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
  if (leaf.eax < 0x40000010) return std::nullopt;
  __cpuid(0x40000010, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
  if (leaf.eax == 0) return std::nullopt;
  return TickRate{leaf.eax * 1e3, "cpuid 40000010h"};
}

}  // namespace

std::string_view Name() { return "x86_64"; }

std::uint64_t ReadTicks() {
  // Intel SDM vol. 2, RDTSC: LFENCE before it waits until all earlier instructions have completed;
  // LFENCE after it keeps later ones from beginning. On AMD LFENCE does this too, as Linux sets it
  // to be serialising.
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
}

std::optional<TickRate> DeclaredTickRate() {
  // CPUID 16h is left out on purpose: it names a marketing frequency, rounded to 100 MHz, not the
  // counter's rate.
  if (auto rate = FromCrystal()) return rate;
  return FromHypervisor();
}

bool TicksAreInvariant() {
  const auto leaf = Cpuid(0x80000007);
  return leaf && (leaf->edx & (1U << 8)) != 0;
}

std::uint64_t ReadCounter(std::uint32_t index) {
  _mm_lfence();
  const std::uint64_t value = __rdpmc(static_cast<int>(index));
  _mm_lfence();
  return value;
}

std::span<const std::uint64_t> UserCounterRequests() {
  // Every event may be read by its owner, without being asked.
  static constexpr std::array<std::uint64_t, 1> kRequests = {0};
  return kRequests;
}

void Relax() { _mm_pause(); }

}  // namespace cyclescope::arch
