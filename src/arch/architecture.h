// Exactly what an architecture supplies to measuring: a folder src/arch/NAME implements every
// function declared here and in the other headers of this folder, and CMake chooses the folder.
// Code that differs between architectures stands nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::arch {

// "x86_64", "aarch64": the folder's name.
std::string_view Name();

// ---- The time-stamp counter

// Reads the time-stamp counter so that no earlier instruction is still under way, and no later one
// has begun.
std::uint64_t ReadTicks();

struct TickRate {
  double hz = 0;
  std::string source;  // where the number is from: "cntfrq_el0", "cpuid 15h"
};

// What the processor itself says about the counter's rate; unset where it does not say.
std::optional<TickRate> DeclaredTickRate();

// True if the counter runs at one rate whatever frequency or sleep state the core is in.
bool TicksAreInvariant();

// ---- Features

// The words with which the operating system describes the CPU to programs (AT_HWCAP, AT_HWCAP2).
struct CapabilityWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// What the CPU offers to programs here, in the kernel's words ("asimd", "sve"; "avx2", "bmi1"),
// sorted. On x86-64 the processor is asked itself, and what the operating system does not save
// (XCR0) is left out.
std::vector<std::string> Features(CapabilityWords capabilities);

// True if cores of this architecture run several threads at once. A virtual machine may hide that.
bool CoresMayHaveThreads();

// The name with which a hypervisor signs ("KVMKVMKVM", "Microsoft Hv"); empty where the processor
// says that there is none; unset where it says nothing of that.
std::optional<std::string> HypervisorSignature();

// ---- The reference chains

// A function that executes one dependent chain of a single instruction.
struct ReferenceChain {
  std::string_view instruction;  // as assembly text
  int least_cycles = 1;          // what one link may take on any processor we know of
  int most_cycles = 1;
  std::uint64_t links_per_loop = 0;
  void (*run)(std::uint64_t loops) = nullptr;
};

// At least three, on different pipes, each of which takes a whole number of cycles a link. The
// first takes one, if the others agree that it does.
std::span<const ReferenceChain> ReferenceChains();

// A loop that needs all of a core's throughput, so that whatever else runs on the core slows it
// down: independent additions over as many registers as the widest core we know of can use, and how
// many of them there are in one loop.
inline constexpr std::uint64_t kWideAddsPerLoop = 96;
void RunWideLoop(std::uint64_t loops);

// ---- Counters

// Reads the hardware counter that the kernel mapped to `index` (perf_event_mmap_page::index - 1),
// ordered like ReadTicks. Only legal while the kernel says that user space may.
std::uint64_t ReadCounter(std::uint32_t index);

// What perf_event_attr::config1 must hold so that the kernel lets user space read a counter, best
// first: the next is for kernels or processors that refuse the one before.
std::span<const std::uint64_t> UserCounterRequests();

// The wait hint of spin loops (pause, yield).
void Relax();

}  // namespace cyclescope::arch
