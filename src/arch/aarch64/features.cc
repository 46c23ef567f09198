// CPU features on AArch64: the kernel's capability words (Documentation/arch/arm64/elf_hwcaps.rst).
#include <algorithm>
#include <array>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

// Bit n of each word, in the kernel's order and words (arch/arm64/include/uapi/asm/hwcap.h).
constexpr std::array<std::string_view, 32> kFirst = {
    "fp",      "asimd", "evtstrm", "aes",   "pmull",    "sha1",   "sha2", "crc32",
    "atomics", "fphp",  "asimdhp", "cpuid", "asimdrdm", "jscvt",  "fcma", "lrcpc",
    "dcpop",   "sha3",  "sm3",     "sm4",   "asimddp",  "sha512", "sve",  "asimdfhm",
    "dit",     "uscat", "ilrcpc",  "flagm", "ssbs",     "sb",     "paca", "pacg",
};

constexpr std::array<std::string_view, 46> kSecond = {
    "dcpodp",    "sve2",      "sveaes",  "svepmull",  "svebitperm", "svesha3",    "svesm4",
    "flagm2",    "frint",     "svei8mm", "svef32mm",  "svef64mm",   "svebf16",    "i8mm",
    "bf16",      "dgh",       "rng",     "bti",       "mte",        "ecv",        "afp",
    "rpres",     "mte3",      "sme",     "smei16i64", "smef64f64",  "smei8i32",   "smef16f32",
    "smeb16f32", "smef32f32", "smefa64", "wfxt",      "ebf16",      "sveebf16",   "cssc",
    "rprfm",     "sve2p1",    "sme2",    "sme2p1",    "smei16i32",  "smebi32i32", "smeb16b16",
    "smef16f16", "mops",      "hbc",     "sveb16b16",
};

template <std::size_t kSize>
void AppendSet(std::uint64_t word, const std::array<std::string_view, kSize>& names,
               std::vector<std::string>& features) {
  for (std::size_t bit = 0; bit < kSize; ++bit) {
    if ((word >> bit & 1) != 0) features.emplace_back(names[bit]);
  }
}

}  // namespace

std::vector<std::string> Features(CapabilityWords capabilities) {
  std::vector<std::string> features;
  AppendSet(capabilities.first, kFirst, features);
  AppendSet(capabilities.second, kSecond, features);
  std::ranges::sort(features);
  return features;
}

// Hardly any server has such cores.
bool CoresMayHaveThreads() { return false; }

std::optional<std::string> HypervisorSignature() { return std::nullopt; }

}  // namespace cyclescope::arch
