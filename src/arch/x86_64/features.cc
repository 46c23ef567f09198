// CPU features on x86-64: CPUID, less what the operating system does not save (XCR0).
#include <cpuid.h>

#include <algorithm>
#include <array>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

enum class Register { kEax, kEbx, kEcx, kEdx };

// Register state that the operating system must save for a feature to be usable (Intel SDM vol.
// 1, 13.1).
enum class State : std::uint64_t {
  kNone = 0,
  kAvx = 0x6,       // SSE and the upper halves of YMM
  kAvx512 = 0xe6,   // and opmask, the upper halves of ZMM, ZMM16-31
  kTile = 0x60000,  // AMX configuration and data
};

struct FeatureBit {
  std::string_view name;  // as in /proc/cpuinfo
  unsigned leaf;
  unsigned subleaf;
  Register reg;
  unsigned bit;
  State state = State::kNone;
};

constexpr auto kFeatureBits = std::to_array<FeatureBit>({
    {"cx8", 1, 0, Register::kEdx, 8},
    {"cmov", 1, 0, Register::kEdx, 15},
    {"clflush", 1, 0, Register::kEdx, 19},
    {"mmx", 1, 0, Register::kEdx, 23},
    {"fxsr", 1, 0, Register::kEdx, 24},
    {"sse", 1, 0, Register::kEdx, 25},
    {"sse2", 1, 0, Register::kEdx, 26},
    {"sse3", 1, 0, Register::kEcx, 0},
    {"pclmulqdq", 1, 0, Register::kEcx, 1},
    {"ssse3", 1, 0, Register::kEcx, 9},
    {"fma", 1, 0, Register::kEcx, 12, State::kAvx},
    {"cx16", 1, 0, Register::kEcx, 13},
    {"sse4_1", 1, 0, Register::kEcx, 19},
    {"sse4_2", 1, 0, Register::kEcx, 20},
    {"movbe", 1, 0, Register::kEcx, 22},
    {"popcnt", 1, 0, Register::kEcx, 23},
    {"aes", 1, 0, Register::kEcx, 25},
    {"xsave", 1, 0, Register::kEcx, 26},
    {"avx", 1, 0, Register::kEcx, 28, State::kAvx},
    {"f16c", 1, 0, Register::kEcx, 29, State::kAvx},
    {"rdrand", 1, 0, Register::kEcx, 30},
    {"fsgsbase", 7, 0, Register::kEbx, 0},
    {"bmi1", 7, 0, Register::kEbx, 3},
    {"avx2", 7, 0, Register::kEbx, 5, State::kAvx},
    {"bmi2", 7, 0, Register::kEbx, 8},
    {"erms", 7, 0, Register::kEbx, 9},
    {"rtm", 7, 0, Register::kEbx, 11},
    {"avx512f", 7, 0, Register::kEbx, 16, State::kAvx512},
    {"avx512dq", 7, 0, Register::kEbx, 17, State::kAvx512},
    {"rdseed", 7, 0, Register::kEbx, 18},
    {"adx", 7, 0, Register::kEbx, 19},
    {"avx512ifma", 7, 0, Register::kEbx, 21, State::kAvx512},
    {"clflushopt", 7, 0, Register::kEbx, 23},
    {"clwb", 7, 0, Register::kEbx, 24},
    {"avx512cd", 7, 0, Register::kEbx, 28, State::kAvx512},
    {"sha_ni", 7, 0, Register::kEbx, 29},
    {"avx512bw", 7, 0, Register::kEbx, 30, State::kAvx512},
    {"avx512vl", 7, 0, Register::kEbx, 31, State::kAvx512},
    {"avx512vbmi", 7, 0, Register::kEcx, 1, State::kAvx512},
    {"pku", 7, 0, Register::kEcx, 3},
    {"ospke", 7, 0, Register::kEcx, 4},
    {"waitpkg", 7, 0, Register::kEcx, 5},
    {"avx512_vbmi2", 7, 0, Register::kEcx, 6, State::kAvx512},
    {"user_shstk", 7, 0, Register::kEcx, 7},
    {"gfni", 7, 0, Register::kEcx, 8},
    {"vaes", 7, 0, Register::kEcx, 9, State::kAvx},
    {"vpclmulqdq", 7, 0, Register::kEcx, 10, State::kAvx},
    {"avx512_vnni", 7, 0, Register::kEcx, 11, State::kAvx512},
    {"avx512_bitalg", 7, 0, Register::kEcx, 12, State::kAvx512},
    {"avx512_vpopcntdq", 7, 0, Register::kEcx, 14, State::kAvx512},
    {"rdpid", 7, 0, Register::kEcx, 22},
    {"cldemote", 7, 0, Register::kEcx, 25},
    {"movdiri", 7, 0, Register::kEcx, 27},
    {"movdir64b", 7, 0, Register::kEcx, 28},
    {"enqcmd", 7, 0, Register::kEcx, 29},
    {"avx512_vp2intersect", 7, 0, Register::kEdx, 8, State::kAvx512},
    {"serialize", 7, 0, Register::kEdx, 14},
    {"tsxldtrk", 7, 0, Register::kEdx, 16},
    {"amx_bf16", 7, 0, Register::kEdx, 22, State::kTile},
    {"avx512_fp16", 7, 0, Register::kEdx, 23, State::kAvx512},
    {"amx_tile", 7, 0, Register::kEdx, 24, State::kTile},
    {"amx_int8", 7, 0, Register::kEdx, 25, State::kTile},
    {"sha512", 7, 1, Register::kEax, 0, State::kAvx},
    {"sm3", 7, 1, Register::kEax, 1, State::kAvx},
    {"sm4", 7, 1, Register::kEax, 2, State::kAvx},
    {"raoint", 7, 1, Register::kEax, 3},
    {"avx_vnni", 7, 1, Register::kEax, 4, State::kAvx},
    {"avx512_bf16", 7, 1, Register::kEax, 5, State::kAvx512},
    {"cmpccxadd", 7, 1, Register::kEax, 7},
    {"amx_fp16", 7, 1, Register::kEax, 21, State::kTile},
    {"hreset", 7, 1, Register::kEax, 22},
    {"avx_ifma", 7, 1, Register::kEax, 23, State::kAvx},
    {"avx_vnni_int8", 7, 1, Register::kEdx, 4, State::kAvx},
    {"avx_ne_convert", 7, 1, Register::kEdx, 5, State::kAvx},
    {"amx_complex", 7, 1, Register::kEdx, 8, State::kTile},
    {"avx_vnni_int16", 7, 1, Register::kEdx, 10, State::kAvx},
    {"prefetchi", 7, 1, Register::kEdx, 14},
    {"avx10", 7, 1, Register::kEdx, 19, State::kAvx512},
    {"xsaveopt", 0xd, 1, Register::kEax, 0},
    {"xsavec", 0xd, 1, Register::kEax, 1},
    {"ptwrite", 0x14, 0, Register::kEbx, 4},
    {"kl", 0x19, 0, Register::kEbx, 0},
    {"lahf_lm", 0x80000001, 0, Register::kEcx, 0},
    {"lzcnt", 0x80000001, 0, Register::kEcx, 5},
    {"sse4a", 0x80000001, 0, Register::kEcx, 6},
    {"3dnowprefetch", 0x80000001, 0, Register::kEcx, 8},
    {"xop", 0x80000001, 0, Register::kEcx, 11, State::kAvx},
    {"lwp", 0x80000001, 0, Register::kEcx, 15},
    {"fma4", 0x80000001, 0, Register::kEcx, 16, State::kAvx},
    {"tbm", 0x80000001, 0, Register::kEcx, 21},
    {"mwaitx", 0x80000001, 0, Register::kEcx, 29},
    {"3dnowext", 0x80000001, 0, Register::kEdx, 30},
    {"3dnow", 0x80000001, 0, Register::kEdx, 31},
    {"clzero", 0x80000008, 0, Register::kEbx, 0},
    {"rdpru", 0x80000008, 0, Register::kEbx, 4},
    {"wbnoinvd", 0x80000008, 0, Register::kEbx, 9},
});

// Which register state the operating system saves; none where it does not use XSAVE.
std::uint64_t SavedState() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kOsxsave = 1U << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | static_cast<std::uint64_t>(high) << 32;
}

bool IsSet(const FeatureBit& feature) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(feature.leaf, feature.subleaf, &eax, &ebx, &ecx, &edx) == 0) return false;
  const std::array<unsigned, 4> registers = {eax, ebx, ecx, edx};
  return (registers[static_cast<std::size_t>(feature.reg)] >> feature.bit & 1) != 0;
}

}  // namespace

std::vector<std::string> Features(CapabilityWords /*capabilities*/) {
  const std::uint64_t saved = SavedState();
  std::vector<std::string> features;
  for (const FeatureBit& feature : kFeatureBits) {
    const auto needed = static_cast<std::uint64_t>(feature.state);
    if ((saved & needed) == needed && IsSet(feature)) features.emplace_back(feature.name);
  }
  std::ranges::sort(features);
  return features;
}

bool CoresMayHaveThreads() { return true; }

std::optional<std::string> HypervisorSignature() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kIsGuest = 1U << 31;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return std::nullopt;
  if ((ecx & kIsGuest) == 0) return "";
  // The convention of all hypervisors: twelve letters at this leaf, which no processor has.
  std::array<unsigned, 3> letters{};
  __cpuid(0x40000000, eax, letters[0], letters[1], letters[2]);
  const std::string text(reinterpret_cast<const char*>(letters.data()), sizeof(letters));
  const std::string signature = text.substr(0, text.find('\0'));
  return signature.empty() ? "unnamed" : signature;
}

}  // namespace cyclescope::arch
