// Taking turns on a cache line, on x86-64.
#include "arch/ping_pong.h"

#include <array>

namespace cyclescope::arch {
namespace {

// The frame around one turn. `turn` branches to 1 when it is not this side's turn yet. Failed tries
// are counted there, off the path that a successful turn takes. The loop starts on a cache line of
// its own, so that fetch does not depend on where the linker put it. `value` is rax, as cmpxchg and
// rdtsc want it; rdtsc also writes rdx.
#define CYCLESCOPE_TAKE_TURNS(name, turn)                                                         \
  std::uint64_t name(Side& side, std::uint64_t turns, std::uint64_t tries) {                      \
    std::uint64_t value, scratch;                                                                 \
    asm volatile(                                                                                 \
        ".p2align 6\n0:\n\t" turn                                                                 \
        "\n\tdec %[turns]\n\tjnz 0b\n\tjmp 2f\n"                                                  \
        "1:\n\tdec %[tries]\n\tjnz 0b\n2:"                                                        \
        : [turns] "+r"(turns), [tries] "+r"(tries), [seen] "+r"(side.seen), [put] "+r"(side.put), \
          [ticks] "+r"(side.arrival_ticks), [value] "=&a"(value), [scratch] "=&d"(scratch)        \
        : [own] "r"(side.own), [other] "r"(side.other)                                            \
        : "cc", "memory");                                                                        \
    return turns;                                                                                 \
  }

CYCLESCOPE_TAKE_TURNS(Cas,
                      "mov %[seen], %[value]\n\t"
                      "lock cmpxchg %[put], (%[own])\n\t"
                      "jne 1f")

// Every try swaps this side's token in. Finding the partner's means that the line has been there
// since, so turns alternate although no try is conditional.
CYCLESCOPE_TAKE_TURNS(Exchange,
                      "mov %[put], %[value]\n\t"
                      "xchg %[value], (%[own])\n\t"
                      "cmp %[seen], %[value]\n\t"
                      "jne 1f")

CYCLESCOPE_TAKE_TURNS(Add,
                      "mov %[put], %[value]\n\t"
                      "lock xadd %[value], (%[own])\n\t"
                      "cmp %[seen], %[value]\n\t"
                      "lea (%[value],%[put]), %[seen]\n\t"
                      "je 1f")

CYCLESCOPE_TAKE_TURNS(Store,
                      "mov (%[own]), %[value]\n\t"
                      "cmp %[seen], %[value]\n\t"
                      "jne 1f\n\t"
                      "mov %[put], (%[own])")

// Loads acquire and stores release on x86-64 as they are (Intel SDM vol. 3, 9.2.2).
CYCLESCOPE_TAKE_TURNS(TwoLines,
                      "mov (%[other]), %[value]\n\t"
                      "cmp %[seen], %[value]\n\t"
                      "je 1f\n\t"
                      "mov %[value], %[seen]\n\t"
                      "mov %[put], (%[own])\n\t"
                      "inc %[put]")

// The first LFENCE keeps the arrival from being stamped before the load that saw it; the second
// keeps the next message from carrying the stamp of the last one's arrival. The arrival's sum is
// kept as now - sent, with sent in `seen`, whose lowest bit is not part of the stamp.
CYCLESCOPE_TAKE_TURNS(Message,
                      "mov (%[other]), %[value]\n\t"
                      "cmp %[seen], %[value]\n\t"
                      "je 1f\n\t"
                      "mov %[value], %[seen]\n\t"
                      "shr %[value]\n\t"
                      "sub %[value], %[ticks]\n\t"
                      "lfence\n\t"
                      "rdtsc\n\t"
                      "shl $32, %[scratch]\n\t"
                      "or %[scratch], %[value]\n\t"
                      "add %[value], %[ticks]\n\t"
                      "xor $1, %[put]\n\t"
                      "lfence\n\t"
                      "rdtsc\n\t"
                      "shl $32, %[scratch]\n\t"
                      "or %[scratch], %[value]\n\t"
                      "lea (%[put],%[value],2), %[value]\n\t"
                      "mov %[value], (%[own])")

#undef CYCLESCOPE_TAKE_TURNS

constexpr std::array<PingPong, 6> kPingPongs = {{
    {"cas", "lock cmpxchg", "", Protocol::kToken, Cas},
    {"exchange", "xchg", "", Protocol::kToken, Exchange},
    {"add", "lock xadd", "", Protocol::kCount, Add},
    {"store", "mov", "", Protocol::kToken, Store},
    {"two-lines", "mov", "", Protocol::kTwoLines, TwoLines},
    {"message", "mov", "", Protocol::kMessage, Message},
}};

}  // namespace

std::span<const PingPong> PingPongs() { return kPingPongs; }

}  // namespace cyclescope::arch
