// Chains and streams of loads and stores on x86-64.
#include "arch/memory_loops.h"

#include <cpuid.h>

#include <array>

#include "arch/follow_many.h"

namespace cyclescope::arch {

int CacheLineBytes() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  return static_cast<int>((ebx >> 8 & 0xff) * 8);  // of CLFLUSH (Intel SDM vol. 2, CPUID 01h)
}

const void* Follow(const void* at, std::uint64_t loops) {
  asm volatile(".p2align 6\n0:\n\t.rept 32\n\tmov (%[at]), %[at]\n\t.endr\n\tdec %[loops]\n\tjnz 0b"
               : [at] "+r"(at), [loops] "+r"(loops)
               :
               : "cc", "memory");
  return at;
}

#define LOAD(n) "mov (%[c" #n "]), %[c" #n "]\n\t"
CYCLESCOPE_FOLLOW_MANY(LOAD,
                       "mov (%[place]), %[scratch]\n\tmov (%[scratch]), %[scratch]\n\t"
                       "mov %[scratch], (%[place])",
                       "dec %[loads]\n\tjnz 0b")
#undef LOAD

namespace {

// A loop over blocks of 512 bytes, which writes zeros if it writes. `access` is done for every
// `width` bytes at `at` of the block.
#define CYCLESCOPE_STREAM(name, width, at_start, access, at_end)                                   \
  void name(std::byte* to, const std::byte* from, std::size_t bytes) {                             \
    asm volatile(at_start                                                                          \
                 "\n\t.p2align 6\n0:\n\t.set at, 0\n\t.rept 512 / " #width "\n\t" access           \
                 "\n\t.set at, at + " #width                                                       \
                 "\n\t.endr\n\t"                                                                   \
                 "add $512, %[to]\n\tadd $512, %[from]\n\tsub $512, %[bytes]\n\tjnz 0b\n\t" at_end \
                 : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)                           \
                 :                                                                                 \
                 : "cc", "memory", "xmm0");                                                        \
  }

CYCLESCOPE_STREAM(Read512, 64, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovaps at(%[to]), %%zmm0",
                  "vzeroupper")
CYCLESCOPE_STREAM(Write512, 64, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovaps %%zmm0, at(%[to])",
                  "vzeroupper")
CYCLESCOPE_STREAM(Copy512, 64, "vpxor %%xmm0, %%xmm0, %%xmm0",
                  "vmovaps at(%[from]), %%zmm0\n\tvmovaps %%zmm0, at(%[to])", "vzeroupper")
CYCLESCOPE_STREAM(Around512, 64, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovntps %%zmm0, at(%[to])",
                  "sfence\n\tvzeroupper")
CYCLESCOPE_STREAM(Read256, 32, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovaps at(%[to]), %%ymm0",
                  "vzeroupper")
CYCLESCOPE_STREAM(Write256, 32, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovaps %%ymm0, at(%[to])",
                  "vzeroupper")
CYCLESCOPE_STREAM(Copy256, 32, "vpxor %%xmm0, %%xmm0, %%xmm0",
                  "vmovaps at(%[from]), %%ymm0\n\tvmovaps %%ymm0, at(%[to])", "vzeroupper")
CYCLESCOPE_STREAM(Around256, 32, "vpxor %%xmm0, %%xmm0, %%xmm0", "vmovntps %%ymm0, at(%[to])",
                  "sfence\n\tvzeroupper")
CYCLESCOPE_STREAM(Read128, 16, "xorps %%xmm0, %%xmm0", "movaps at(%[to]), %%xmm0", "")
CYCLESCOPE_STREAM(Write128, 16, "xorps %%xmm0, %%xmm0", "movaps %%xmm0, at(%[to])", "")
CYCLESCOPE_STREAM(Copy128, 16, "xorps %%xmm0, %%xmm0",
                  "movaps at(%[from]), %%xmm0\n\tmovaps %%xmm0, at(%[to])", "")
CYCLESCOPE_STREAM(Around128, 16, "xorps %%xmm0, %%xmm0", "movntps %%xmm0, at(%[to])", "sfence")
#undef CYCLESCOPE_STREAM

constexpr std::array<Stream, 12> kStreams = {{
    {StreamKind::kRead, "vmovaps zmm", "avx512f", Read512},
    {StreamKind::kRead, "vmovaps ymm", "avx", Read256},
    {StreamKind::kRead, "movaps xmm", "", Read128},
    {StreamKind::kWrite, "vmovaps zmm", "avx512f", Write512},
    {StreamKind::kWrite, "vmovaps ymm", "avx", Write256},
    {StreamKind::kWrite, "movaps xmm", "", Write128},
    {StreamKind::kCopy, "vmovaps zmm", "avx512f", Copy512},
    {StreamKind::kCopy, "vmovaps ymm", "avx", Copy256},
    {StreamKind::kCopy, "movaps xmm", "", Copy128},
    {StreamKind::kWriteAround, "vmovntps zmm", "avx512f", Around512},
    {StreamKind::kWriteAround, "vmovntps ymm", "avx", Around256},
    {StreamKind::kWriteAround, "movntps xmm", "", Around128},
}};

}  // namespace

std::span<const Stream> Streams() { return kStreams; }

}  // namespace cyclescope::arch
