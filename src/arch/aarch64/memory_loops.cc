// Chains and streams of loads and stores on AArch64.
#include "arch/memory_loops.h"

#include <array>

#include "arch/follow_many.h"

namespace cyclescope::arch {

int CacheLineBytes() {
  // CTR_EL0.DminLine, bits 19:16: the logarithm of the words in the smallest data cache line.
  std::uint64_t type;
  asm volatile("mrs %0, ctr_el0" : "=r"(type));
  return 4 << (type >> 16 & 0xf);
}

const void* Follow(const void* at, std::uint64_t loops) {
  asm volatile(
      ".p2align 6\n0:\n\t.rept 32\n\tldr %[at], [%[at]]\n\t.endr\n\tsubs %[loops], %[loops], #1\n\t"
      "b.ne 0b"
      : [at] "+r"(at), [loops] "+r"(loops)
      :
      : "cc", "memory");
  return at;
}

#define LOAD(n) "ldr %[c" #n "], [%[c" #n "]]\n\t"
CYCLESCOPE_FOLLOW_MANY(LOAD,
                       "ldr %[scratch], [%[place]]\n\tldr %[scratch], [%[scratch]]\n\t"
                       "str %[scratch], [%[place]]",
                       "subs %[loads], %[loads], #1\n\tb.ne 0b")
#undef LOAD

namespace {

// A loop over blocks of 512 bytes, which writes zeros if it writes. `access` is done for every 32
// bytes, `\\at`, of the block.
#define CYCLESCOPE_STREAM(name, access)                                                   \
  void name(std::byte* to, const std::byte* from, std::size_t bytes) {                    \
    asm volatile(                                                                         \
        "movi v0.16b, #0\n\tmovi v1.16b, #0\n\t.p2align 6\n0:\n\t"                        \
        ".irp at, 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, " \
        "480\n\t" access                                                                  \
        "\n\t.endr\n\t"                                                                   \
        "add %[to], %[to], #512\n\tadd %[from], %[from], #512\n\t"                        \
        "subs %[bytes], %[bytes], #512\n\tb.ne 0b"                                        \
        : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)                           \
        :                                                                                 \
        : "cc", "memory", "v0", "v1");                                                    \
  }

CYCLESCOPE_STREAM(ReadPairs, "ldp q0, q1, [%[to], #\\at]")
CYCLESCOPE_STREAM(WritePairs, "stp q0, q1, [%[to], #\\at]")
CYCLESCOPE_STREAM(CopyPairs, "ldp q0, q1, [%[from], #\\at]\n\tstp q0, q1, [%[to], #\\at]")
CYCLESCOPE_STREAM(AroundPairs, "stnp q0, q1, [%[to], #\\at]")
#undef CYCLESCOPE_STREAM

constexpr std::array<Stream, 4> kStreams = {{
    {StreamKind::kRead, "ldp q", "", ReadPairs},
    {StreamKind::kWrite, "stp q", "", WritePairs},
    {StreamKind::kCopy, "ldp q, stp q", "", CopyPairs},
    {StreamKind::kWriteAround, "stnp q", "", AroundPairs},
}};

}  // namespace

std::span<const Stream> Streams() { return kStreams; }

}  // namespace cyclescope::arch
