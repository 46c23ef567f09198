// Taking turns on a cache line, on AArch64.
#include "arch/ping_pong.h"

#include <array>

namespace cyclescope::arch {
namespace {

// The frame around one turn. `turn` branches to 1 when it is not this side's turn yet. Failed tries
// are counted there, off the path that a successful turn takes. The loop starts on a cache line of
// its own, so that fetch does not depend on where the linker put it.
#define CYCLESCOPE_TAKE_TURNS(name, turn)                                                         \
  std::uint64_t name(Side& side, std::uint64_t turns, std::uint64_t tries) {                      \
    std::uint64_t value, scratch;                                                                 \
    asm volatile(                                                                                 \
        ".arch_extension lse\n\t.p2align 6\n0:\n\t" turn                                          \
        "\n\tsubs %[turns], %[turns], #1\n\tb.ne 0b\n\tb 2f\n"                                    \
        "1:\n\tsubs %[tries], %[tries], #1\n\tb.ne 0b\n2:"                                        \
        : [turns] "+r"(turns), [tries] "+r"(tries), [seen] "+r"(side.seen), [put] "+r"(side.put), \
          [ticks] "+r"(side.arrival_ticks), [value] "=&r"(value), [scratch] "=&r"(scratch)        \
        : [own] "r"(side.own), [other] "r"(side.other)                                            \
        : "cc", "memory");                                                                        \
    return turns;                                                                                 \
  }

// Relaxed order throughout: the line itself is the only thing the sides agree on.
CYCLESCOPE_TAKE_TURNS(Cas,
                      "mov %[value], %[seen]\n\t"
                      "cas %[value], %[put], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.ne 1f")

// What a compiler makes of the default memory order.
CYCLESCOPE_TAKE_TURNS(CasOrdered,
                      "mov %[value], %[seen]\n\t"
                      "casal %[value], %[put], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.ne 1f")

// A lost reservation counts as a failed try: the line was taken away in between. Swapping tokens is
// the same loop.
CYCLESCOPE_TAKE_TURNS(CasExclusive,
                      "ldxr %[value], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.ne 1f\n\t"
                      "stxr %w[scratch], %[put], [%[own]]\n\t"
                      "cbnz %w[scratch], 1f")

// Every try swaps this side's token in. Finding the partner's means that the line has been there
// since, so turns alternate although no try is conditional.
CYCLESCOPE_TAKE_TURNS(Exchange,
                      "swp %[put], %[value], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.ne 1f")

CYCLESCOPE_TAKE_TURNS(Add,
                      "ldadd %[put], %[value], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "add %[seen], %[value], %[put]\n\t"
                      "b.eq 1f")

// Exclusive accesses only store when it is this side's turn: if every try did, each would break the
// other's reservation, and hardly any would get through.
CYCLESCOPE_TAKE_TURNS(AddExclusive,
                      "ldxr %[value], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.eq 1f\n\t"
                      "add %[value], %[value], %[put]\n\t"
                      "stxr %w[scratch], %[value], [%[own]]\n\t"
                      "cbnz %w[scratch], 1f\n\t"
                      "mov %[seen], %[value]")

CYCLESCOPE_TAKE_TURNS(Store,
                      "ldr %[value], [%[own]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.ne 1f\n\t"
                      "str %[put], [%[own]]")

CYCLESCOPE_TAKE_TURNS(TwoLines,
                      "ldar %[value], [%[other]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.eq 1f\n\t"
                      "mov %[seen], %[value]\n\t"
                      "stlr %[put], [%[own]]\n\t"
                      "add %[put], %[put], #1")

// The ISB after the branch keeps the arrival from being stamped before the load that saw it (Arm
// ARM, B2.3: a control dependence orders a read before an ISB and all after it); the second keeps
// the next message from carrying the stamp of the last one's arrival.
CYCLESCOPE_TAKE_TURNS(Message,
                      "ldr %[value], [%[other]]\n\t"
                      "cmp %[value], %[seen]\n\t"
                      "b.eq 1f\n\t"
                      "mov %[seen], %[value]\n\t"
                      "isb\n\t"
                      "mrs %[scratch], cntvct_el0\n\t"
                      "sub %[scratch], %[scratch], %[value], lsr #1\n\t"
                      "add %[ticks], %[ticks], %[scratch]\n\t"
                      "eor %[put], %[put], #1\n\t"
                      "isb\n\t"
                      "mrs %[scratch], cntvct_el0\n\t"
                      "add %[scratch], %[put], %[scratch], lsl #1\n\t"
                      "str %[scratch], [%[own]]")

#undef CYCLESCOPE_TAKE_TURNS

constexpr std::array<PingPong, 10> kPingPongs = {{
    {"cas", "cas", "atomics", Protocol::kToken, Cas},
    {"cas", "ldxr/stxr", "", Protocol::kToken, CasExclusive},
    {"cas", "casal", "atomics", Protocol::kToken, CasOrdered},
    {"exchange", "swp", "atomics", Protocol::kToken, Exchange},
    {"exchange", "ldxr/stxr", "", Protocol::kToken, CasExclusive},
    {"add", "ldadd", "atomics", Protocol::kCount, Add},
    {"add", "ldxr/stxr", "", Protocol::kCount, AddExclusive},
    {"store", "str", "", Protocol::kToken, Store},
    {"two-lines", "stlr", "", Protocol::kTwoLines, TwoLines},
    {"message", "str", "", Protocol::kMessage, Message},
}};

}  // namespace

std::span<const PingPong> PingPongs() { return kPingPongs; }

}  // namespace cyclescope::arch
