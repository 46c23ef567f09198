// What the front end of a core is asked: how long does a trip through this pattern of code take?
// The machine answers (worker_code_times.h), or a simulated front end in tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cyclescope::anatomy {

enum class PatternKind {
  kStraight,  // `count` instructions of a mix, one after the other
  kAligned,   // `count` instructions of a mix in a loop that begins `stride` bytes behind a line
  kJumps,     // `count` taken jumps, the next `stride` bytes further each time
  kBranches,  // `count` branches on bits of a word
  kReturns,   // calls in calls, `count` deep; each function calls the next from one of two places
  kHistory,   // a branch on a bit, `count` taken jumps, a second branch
  kText,      // the lines of `text`, `count` times
  kIndirect,  // an indirect jump that goes to `count` targets in turn, in a random order
};

// How branches on bits turn out.
enum class Outcomes {
  kRandom,       // each by a random bit of its own
  kNeverTaken,   //
  kAlwaysTaken,  //
  kAlternating,  //
  // Of kHistory: the second branch by the first one's random bit. Of kReturns: all by one bit.
  kSameBit,
};

struct CodePattern {
  PatternKind kind = PatternKind::kStraight;
  std::int64_t count = 0;
  std::int64_t stride = 0;  // of kJumps and kAligned
  std::size_t mix = 0;      // of kStraight and kAligned: which of arch::StraightMixes()
  Outcomes outcomes = Outcomes::kRandom;
  std::vector<std::string> text;  // of kText

  bool operator==(const CodePattern&) const = default;
};

struct CodeTime {
  double cycles = 0;    // of one trip
  double error = 0;     // its standard error
  bool shared = false;  // another thread shared the core
};

struct PatternPair {
  CodePattern longer;
  CodePattern shorter;
};

class CodeTimes {
 public:
  virtual ~CodeTimes() = default;
  // One for each pattern; unset where it could not be measured.
  virtual std::vector<std::optional<CodeTime>> Measure(std::span<const CodePattern> patterns) = 0;
  // By how much the trips of each pair differ, where that is little of what they take: up to that
  // error, or as far as it can be told. Here from their times; a source that can visits both one
  // after the other, so that what changes slowly is in both.
  virtual std::vector<std::optional<CodeTime>> MeasureDifferences(
      std::span<const PatternPair> pairs, double wanted_error);
};

inline std::vector<std::optional<CodeTime>> CodeTimes::MeasureDifferences(
    std::span<const PatternPair> pairs, double /*wanted_error*/) {
  std::vector<CodePattern> patterns;
  for (const PatternPair& pair : pairs)
    patterns.insert(patterns.end(), {pair.longer, pair.shorter});
  const auto times = Measure(patterns);
  std::vector<std::optional<CodeTime>> differences(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& longer = times[2 * i];
    const auto& shorter = times[2 * i + 1];
    if (!longer || !shorter) continue;
    differences[i] =
        CodeTime{longer->cycles - shorter->cycles, std::hypot(longer->error, shorter->error),
                 longer->shared || shorter->shared};
  }
  return differences;
}

}  // namespace cyclescope::anatomy
