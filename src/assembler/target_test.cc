#include "assembler/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/features.h"
#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using testing::Contains;
using testing::Not;

// What the kernel of a virtual machine on a Neoverse V1 says.
const std::vector<std::string> kNeoverseV1Guest = {
    "aes",   "asimd", "asimddp", "asimdfhm", "asimdhp", "asimdrdm", "atomics", "bf16",
    "cpuid", "crc32", "dcpodp",  "dcpop",    "dgh",     "dit",      "evtstrm", "fcma",
    "flagm", "fp",    "fphp",    "i8mm",     "ilrcpc",  "jscvt",    "lrcpc",   "pmull",
    "rng",   "sha1",  "sha2",    "sha3",     "sha512",  "sm3",      "sm4",     "uscat"};

TEST(HostTarget, TakesAwayWhatTheKernelHides) {
  const Target target = HostTarget(Architecture::kAArch64, kNeoverseV1Guest, "neoverse-v1");
  EXPECT_EQ(target.cpu, "neoverse-v1");
  auto assembler = Assembler::Create(target);
  ASSERT_TRUE(assembler);
  EXPECT_TRUE(assembler->Parse("sdot v0.4s, v1.16b, v2.16b; cas x0, x1, [x2]; mrs x0, rndr"));
  for (const auto& [text, feature] :
       {std::pair{"add z0.s, z1.s, z2.s", "sve"}, {"pacga x0, x1, x2", "paca"}, {"sb", "sb"}}) {
    const auto parsed = assembler->Parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().features, testing::ElementsAre(feature)) << text;
  }
}

TEST(HostTarget, AddsWhatTheKernelOffersToAGenericCpu) {
  const std::vector<std::string> haswell_like = {
      "avx", "avx2", "bmi1", "bmi2",   "cmov",  "cx16",   "cx8",    "fxsr", "mmx",
      "sse", "sse2", "sse3", "sse4_1", "ssse3", "sse4_2", "popcnt", "xsave"};
  const Target target = HostTarget(Architecture::kX86_64, haswell_like, "qemu64");
  EXPECT_EQ(target.cpu, "") << "LLVM has no such name";
  EXPECT_THAT(target.features, Contains("+avx2"));
  EXPECT_THAT(target.features, Contains("-avx512f"));
  auto assembler = Assembler::Create(target);
  ASSERT_TRUE(assembler);
  EXPECT_TRUE(assembler->Parse("vpaddd ymm0, ymm1, ymm2; pdep rax, rbx, rcx"));
}

TEST(HostTarget, AFeatureNeedsAllOfItsWords) {
  const Target one = HostTarget(Architecture::kAArch64, std::vector<std::string>{"aes"}, "generic");
  EXPECT_THAT(one.features, Contains("-aes"));
  const Target both =
      HostTarget(Architecture::kAArch64, std::vector<std::string>{"aes", "pmull"}, "generic");
  EXPECT_THAT(both.features, Contains("+aes"));
}

TEST(FindHostCpu, FeaturesTellWhatAModelNumberHides) {
  const auto find = [](std::string_view reported, std::vector<std::string> offered) {
    return FindHostCpu(Architecture::kX86_64, offered, reported);
  };
  const HostCpu masked = find("rocketlake", {"avx512f", "amx_tile", "amx_fp16"});
  EXPECT_EQ(masked.name, "graniterapids");
  EXPECT_EQ(masked.by_features, "Granite Rapids");
  EXPECT_EQ(find("icelake-server", {"amx_tile"}).by_features, "Sapphire Rapids");
  for (const auto& [cpu, offered] :
       {std::pair<std::string, std::vector<std::string>>{"graniterapids", {"amx_tile", "amx_fp16"}},
        {"sapphirerapids", {"amx_tile"}},
        {"rocketlake", {"avx512f"}},
        {"a name of its own", {"amx_tile"}}}) {
    EXPECT_EQ(find(cpu, offered).name, cpu);
    EXPECT_EQ(find(cpu, offered).by_features, "") << cpu;
  }
  EXPECT_EQ(FindHostCpu(Architecture::kAArch64, std::vector<std::string>{}, "neoverse-v1").name,
            "neoverse-v1");
}

TEST(HiddenFeatures, AreWhatTheCpuHasAndProgramsMayNotUse) {
  const Target target =
      HostTarget(Architecture::kAArch64, std::vector<std::string>{"fp", "asimd"}, "neoverse-v1");
  EXPECT_THAT(HiddenFeatures(target), Contains("sve"));
  EXPECT_THAT(HiddenFeatures(target), Not(Contains("sve2"))) << "a Neoverse V1 has none";
  EXPECT_THAT(HiddenFeatures(target), Not(Contains("asimd"))) << "it is offered";
}

TEST(HiddenFeatures, OfAnUnknownCpuAreNone) {
  const Target target = HostTarget(Architecture::kX86_64, std::vector<std::string>{}, "qemu64");
  EXPECT_THAT(HiddenFeatures(target), testing::IsEmpty());
}

TEST(Features, AreAllLlvms) {
  for (const Architecture architecture : {Architecture::kX86_64, Architecture::kAArch64}) {
    Assembler assembler = Make(architecture, "");
    // LLVM warns of features that it does not know and goes on; so the names are checked here.
    testing::internal::CaptureStderr();
    for (const FeatureName& name : FeatureNames(architecture)) {
      Make(architecture, "", {fmt::format("+{}", name.llvm)});
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

TEST(Features, HaveTheKernelsWords) {
  EXPECT_EQ(FeatureWord(Architecture::kAArch64, "lse"), "atomics");
  EXPECT_EQ(FeatureWord(Architecture::kX86_64, "bmi"), "bmi1");
  EXPECT_EQ(FeatureWord(Architecture::kX86_64, "egpr"), "egpr") << "the kernel has no word";
}

TEST(KnownCpus, AreOfTheArchitecture) {
  EXPECT_THAT(KnownCpus(Architecture::kAArch64), Contains("neoverse-v1"));
  EXPECT_THAT(KnownCpus(Architecture::kX86_64), Contains("znver4"));
  EXPECT_THAT(KnownCpus(Architecture::kX86_64), Not(Contains("neoverse-v1")));
}

TEST(Architecture, HasOneName) {
  EXPECT_EQ(ParseArchitecture("x86_64"), Architecture::kX86_64);
  EXPECT_EQ(ParseArchitecture(ToString(Architecture::kAArch64)), Architecture::kAArch64);
  EXPECT_EQ(ParseArchitecture("riscv64"), std::nullopt);
}

TEST(LlvmVersion, IsThatWeBuildAgainst) { EXPECT_THAT(LlvmVersion(), testing::StartsWith("19.")); }

}  // namespace
}  // namespace cyclescope::assembler
