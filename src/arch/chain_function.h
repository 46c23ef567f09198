// Defines the function behind a reference chain: a hundred links, then the loop's end, aligned so
// that the loop never straddles more fetch lines than it must. An architecture supplies the links
// and how a loop counts down.
//
// CYCLESCOPE_CHAIN_FUNCTION(RunAdd, "add %[value], %[value]", "dec %[loops]\n\tjnz 0b")
#pragma once

#include <cstdint>

namespace cyclescope::arch {

inline constexpr std::uint64_t kChainLinksPerLoop = 100;

}  // namespace cyclescope::arch

#define CYCLESCOPE_CHAIN_FUNCTION(name, link, count_down)                          \
  void name(std::uint64_t loops) {                                                 \
    std::uint64_t value = 0x9e3779b97f4a7c15;                                      \
    std::uint64_t other = 0x2545f4914f6cdd1d;                                      \
    asm volatile(".p2align 6\n0:\n\t.rept 100\n\t" link "\n\t.endr\n\t" count_down \
                 : [loops] "+r"(loops), [value] "+r"(value), [other] "+r"(other)   \
                 :                                                                 \
                 : "cc");                                                          \
  }
