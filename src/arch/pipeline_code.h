// Snippets that show what loads and stores do to each other. Each is repeated for ever. Where it
// has a counterpart without what is asked for, the difference of both counts. Text is in the
// architecture's own syntax (Intel's on x86-64).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cyclescope::arch {

struct PipelinePattern {
  std::string_view name;     // of the quantity
  std::string_view unit;     // of its value
  std::string_view pattern;  // what it is, for people
  std::string_view code;
  std::string_view without = {};  // the counterpart; empty: none
  int per = 1;                    // that the cycles of a repetition are divided by
};

std::span<const PipelinePattern> PipelinePatterns();

// What registers hold at first, as `block --set` names them: an address in memory that holds zeros,
// this far behind the first.
struct PatternAddress {
  std::string_view name;
  std::uint64_t offset = 0;
};
std::span<const PatternAddress> PatternAddresses();
// The registers that hold numbers at first: "rax=0,rbx=0".
std::string_view PatternNumbers();

}  // namespace cyclescope::arch
