// Where cycles come from: the counters, or the ratio to a chain whose length in cycles is known. A
// source says which calls make up one sample, and what their records mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/call.h"

namespace cyclescope::measure {

// Two calls that differ by a known amount of work. Everything else they do (call, fences, loop) is
// the same in both, so that it vanishes from the difference.
struct LengthPair {
  sandbox::Call shorter;
  sandbox::Call longer;
  double extra_units =
      0;  // by which the longer call exceeds the shorter: instructions, links, iterations
  bool longer_doubles = false;  // it does all that the shorter does, twice
};

enum class Reject {
  kNone,
  kContextSwitch,
  kMigration,
  kBracketMismatch,  // the frequency changed, or something else ran, between the two references
  kCountersLost,     // the counters were not on the CPU all the time
  kUnlike,           // the longer call, which does the shorter's work twice, took another time each
  kImpossible,       // the longer call took no longer than the shorter one
};

// The difference between the longer and the shorter call. A rejected sample still has its values,
// unless it is impossible: where nothing better survives, they make the best estimate.
struct Sample {
  Reject reject = Reject::kNone;
  double cycles = 0;
  double ticks = 0;
  double shorter_ticks = 0;                // of the shorter call as a whole
  std::optional<double> instructions;      // counted, with counters only
  std::optional<double> reference_cycles;  // likewise
};

class CycleSource {
 public:
  virtual ~CycleSource() = default;

  // "counter-user", "counter", "reference".
  virtual std::string_view name() const = 0;

  // Appends the calls of one sample of `pair`.
  virtual void AppendCalls(const LengthPair& pair, std::vector<sandbox::Call>& calls) const = 0;

  // How many calls AppendCalls appends.
  virtual std::size_t calls_per_sample() const = 0;

  // Reads the records of those calls.
  virtual Sample Read(std::span<const sandbox::CallRecord> records) const = 0;
};

// Cycles as counted: warm-up, shorter, longer.
std::unique_ptr<CycleSource> MakeCounterSource(std::string_view name);

// Cycles as the ratio to a reference chain of one cycle per link: reference, warm-up, shorter,
// longer, reference.
//
// The warm-up (the longer and the shorter call, not looked at) stands after the reference, as the
// first microseconds of wide vector code after scalar code run slow: Neoverse V1 gives it three of
// its four pipes for 4 to 6 µs. The ratio comes from the sample's own two references; when they
// differ by more than 1 %, the sample is rejected.
struct ReferenceLengths {
  std::uint32_t chain = 0;  // index in arch::ReferenceChains()
  std::uint64_t links_per_loop = 0;
  std::uint64_t loops =
      0;  // of the timed reference; one further loop alone measures the call's overhead
};
std::unique_ptr<CycleSource> MakeReferenceSource(ReferenceLengths lengths);

}  // namespace cyclescope::measure
