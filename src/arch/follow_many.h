// Defines FollowMany: an architecture supplies how a load follows one chain in a register, one in
// memory, and how a loop counts down.
#pragma once

#include "arch/memory_loops.h"

// Texts of asm stand side by side, without parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

#define CYCLESCOPE_CHAIN(n) [c##n] "+r"(chains[n])

// One load of each of the first chains per loop. `load(n)` is the text of one.
#define CYCLESCOPE_FOLLOW_2(load, count_down)                                  \
  asm volatile(".p2align 6\n0:\n\t" load(0) load(1) count_down                 \
               : [loads] "+r"(loads), CYCLESCOPE_CHAIN(0), CYCLESCOPE_CHAIN(1) \
               :                                                               \
               : "cc", "memory")
#define CYCLESCOPE_FOLLOW_4(load, count_down)                                   \
  asm volatile(".p2align 6\n0:\n\t" load(0) load(1) load(2) load(3) count_down  \
               : [loads] "+r"(loads), CYCLESCOPE_CHAIN(0), CYCLESCOPE_CHAIN(1), \
                 CYCLESCOPE_CHAIN(2), CYCLESCOPE_CHAIN(3)                       \
               :                                                                \
               : "cc", "memory")
#define CYCLESCOPE_FOLLOW_8(load, count_down)                                               \
  asm volatile(".p2align 6\n0:\n\t" load(0) load(1) load(2) load(3) load(4) load(5) load(6) \
                   load(7) count_down                                                       \
               : [loads] "+r"(loads), CYCLESCOPE_CHAIN(0), CYCLESCOPE_CHAIN(1),             \
                 CYCLESCOPE_CHAIN(2), CYCLESCOPE_CHAIN(3), CYCLESCOPE_CHAIN(4),             \
                 CYCLESCOPE_CHAIN(5), CYCLESCOPE_CHAIN(6), CYCLESCOPE_CHAIN(7)              \
               :                                                                            \
               : "cc", "memory")

// `in_memory` follows the chain whose place in memory `place` points to, using `scratch`.
#define CYCLESCOPE_FOLLOW_MANY(load, in_memory, count_down)                                  \
  void FollowMany(std::span<const void*> chains, std::uint64_t loads) {                      \
    switch (chains.size()) {                                                                 \
      case 2:                                                                                \
        CYCLESCOPE_FOLLOW_2(load, count_down);                                               \
        return;                                                                              \
      case 4:                                                                                \
        CYCLESCOPE_FOLLOW_4(load, count_down);                                               \
        return;                                                                              \
      case 8:                                                                                \
        CYCLESCOPE_FOLLOW_8(load, count_down);                                               \
        return;                                                                              \
      default:                                                                               \
        break;                                                                               \
    }                                                                                        \
    for (; loads > 0; --loads) {                                                             \
      for (const void*& place : chains) {                                                    \
        const void* scratch;                                                                 \
        asm volatile(in_memory : [scratch] "=&r"(scratch) : [place] "r"(&place) : "memory"); \
      }                                                                                      \
    }                                                                                        \
  }

// NOLINTEND(bugprone-macro-parentheses)
