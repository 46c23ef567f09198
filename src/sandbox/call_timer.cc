#include "sandbox/call_timer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "arch/architecture.h"
#include "arch/kernel_entry.h"
#include "os/clock.h"
#include "os/cpus.h"

namespace cyclescope::sandbox {
namespace {

// As std::ranges::fill, but the system copies what is filled already, many words at a time, and
// only where the memory is not as it should be: code writes to little of it, and to look takes half
// of the time.
void Fill(std::span<std::uint64_t> memory, std::uint64_t word) {
  constexpr std::size_t kFirst = 8;
  constexpr std::size_t kMaxWordsAtOnce = 512;  // stays in the nearest cache
  std::size_t filled = std::min(kFirst, memory.size());
  std::ranges::fill(memory.first(filled), word);
  while (filled < memory.size()) {
    const std::size_t count = std::min({filled, kMaxWordsAtOnce, memory.size() - filled});
    const std::size_t bytes = count * sizeof(word);
    if (std::memcmp(&memory[filled], memory.data(), bytes) != 0)
      std::memcpy(&memory[filled], memory.data(), bytes);
    filled += count;
  }
}

}  // namespace

CallTimer::CallTimer(const KernelTable& kernels, os::Counters* counters)
    : kernels_(kernels), counters_(counters), before_(Here()) {}

CallTimer::Place CallTimer::Here() { return {os::ContextSwitches(), os::CurrentCpu()}; }

CallRecord CallTimer::Time(const Call& call) {
  switch (call.entry.kind) {
    case Entry::Kind::kReferenceChain: {
      const auto run = arch::ReferenceChains()[call.entry.index].run;
      return TimeBody(call, [run, loops = call.loops] { run(loops); });
    }
    case Entry::Kind::kWideLoop:
      return TimeBody(call, [loops = call.loops] { arch::RunWideLoop(loops); });
    case Entry::Kind::kFillMemory:
      Fill(kernels_.memory, call.loops);
      if (kernels_.page_image.empty()) {
        Fill(kernels_.page, call.loops);
      } else {
        for (std::size_t at = 0; at < kernels_.page.size(); at += kernels_.page_image.size())
          std::ranges::copy(kernels_.page_image, &kernels_.page[at]);
      }
      return {};
    case Entry::Kind::kKernel:
      break;
  }
  const std::uintptr_t entry = kernels_.code + kernels_.offsets[call.entry.index];
  return TimeBody(call, [this, entry, loops = call.loops] {
    arch::EnterKernel(entry, loops, kernels_.scratch, kernels_.stack);
  });
}

template <typename Body>
CallRecord CallTimer::TimeBody(const Call& call, Body body) {
  // Counters outside, ticks inside: reading counters may be a system call, and costs more.
  std::optional<os::CounterValues> first;
  std::optional<os::CounterValues> last;
  if (counters_ != nullptr) first = counters_->Read();
  const std::uint64_t begin = arch::ReadTicks();
  body();
  const std::uint64_t end = arch::ReadTicks();
  if (counters_ != nullptr) last = counters_->Read();

  CallRecord record;
  record.ticks = end - begin;
  if (first && last) {
    record.cycles = last->cycles - first->cycles;
    record.instructions = last->instructions - first->instructions;
    record.reference_cycles = last->reference_cycles - first->reference_cycles;
    record.counters_valid = true;
  }
  if (call.goes_on) return record;
  const Place after = Here();
  record.context_switches =
      static_cast<std::uint32_t>(after.context_switches - before_.context_switches);
  record.migrated = after.cpu != before_.cpu;
  before_ = after;
  return record;
}

}  // namespace cyclescope::sandbox
