// The one primitive that all measuring of code is built from: call a piece of code with a loop
// count, and note what the clock and the counters said around it. What the calls mean (reference,
// warm-up, target) is the measure layer's business.
#pragma once

#include <cstdint>

namespace cyclescope::sandbox {

// What to call.
struct Entry {
  enum class Kind : std::uint32_t {
    kKernel,          // one that was loaded into the worker
    kReferenceChain,  // our own: a chain whose length in cycles is known
    kWideLoop,        // our own: independent adds, as many at once as the core can
    kFillMemory,      // not timed: every eight bytes of the scratch memory get the value of `loops`
  };
  Kind kind = Kind::kKernel;
  std::uint32_t index = 0;  // of the kernel in the load, or in arch::ReferenceChains(); else 0

  bool operator==(const Entry&) const = default;
};

struct Call {
  Entry entry;
  std::uint64_t loops = 0;
  // The next call follows at once: whether either was interrupted stands in the next one's record.
  // Looking takes a system call, which takes a good part of a microsecond.
  bool goes_on = false;
  // Unless 0: the call is too slow when it takes more than this number of hundredths of what the
  // last but one before it took (calls come in pairs). Then it is the last one of its run, but
  // where a second look follows.
  std::uint32_t most_percent = 0;
  // Unless 0: part of a second look, made only when the call before the look was too slow. A look
  // is a few calls in a row, the last of which may be too slow again: then all of them are made
  // again, at most this number of times, and their last records count.
  std::uint16_t max_retries = 0;
};

inline Call KernelCall(std::size_t index, std::uint64_t loops) {
  return {.entry = {.kind = Entry::Kind::kKernel, .index = static_cast<std::uint32_t>(index)},
          .loops = loops};
}

struct CallRecord {
  std::uint64_t ticks = 0;
  std::uint64_t cycles = 0;  // the counters' three; 0 without counters
  std::uint64_t instructions = 0;
  std::uint64_t reference_cycles = 0;
  // These and `migrated`: during the call and those before it that went on.
  std::uint32_t context_switches = 0;
  std::uint16_t looks = 0;  // of a second look: how often it was made
  bool counters_valid = false;
  bool migrated = false;
};

}  // namespace cyclescope::sandbox
