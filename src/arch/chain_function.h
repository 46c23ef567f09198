// Defines the function behind a reference chain: a hundred links, then the loop's end, aligned so
// that the loop never straddles more fetch lines than it must. An architecture supplies the links
// and how a loop counts down.
//
// CYCLESCOPE_CHAIN_FUNCTION(RunAdd, std::uint64_t, "r", kOdd, kOdd, "add %[value], %[value]",
//                           "dec %[loops]\n\tjnz 0b")
#pragma once

#include <cstdint>

namespace cyclescope::arch {

inline constexpr std::uint64_t kChainLinksPerLoop = 100;

}  // namespace cyclescope::arch

// `type` and `constraint` are those of the registers that the link names: `value`, which the chain
// runs through and which holds `first` at the start, and `other`, which keeps `constant`.
#define CYCLESCOPE_CHAIN_FUNCTION(name, type, constraint, first, constant, link, count_down) \
  void name(std::uint64_t loops) {                                                           \
    type value = first;                                                                      \
    type other = constant;                                                                   \
    asm volatile(                                                                            \
        ".p2align 6\n0:\n\t.rept 100\n\t" link "\n\t.endr\n\t" count_down                    \
        : [loops] "+r"(loops), [value] "+" constraint(value), [other] "+" constraint(other)  \
        :                                                                                    \
        : "cc");                                                                             \
  }
