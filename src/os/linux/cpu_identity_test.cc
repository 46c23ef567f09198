#include "os/linux/cpu_identity.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cyclescope::os {
namespace {

TEST(IdentifyCpu, NamesIntel) {
  const CpuIdentity cpu = IdentifyCpu(
      "processor\t: 0\nvendor_id\t: GenuineIntel\n"
      "model name\t: Intel(R) Xeon(R) CPU           X5650  @ 2.67GHz\n"
      "microcode\t: 0x1f\nflags\t\t: fpu hypervisor_like aes\n\n"
      "processor\t: 1\nvendor_id\t: GenuineIntel\n");
  EXPECT_EQ(cpu.architecture, "x86_64");
  EXPECT_EQ(cpu.vendor, "Intel");
  EXPECT_EQ(cpu.model, "Intel(R) Xeon(R) CPU X5650 @ 2.67GHz");
  EXPECT_EQ(cpu.microcode, "0x1f");
  EXPECT_FALSE(cpu.hypervisor);
  EXPECT_EQ(cpu.cpus, 2);
}

TEST(IdentifyCpu, KnowsWhatPeopleCallAProcessor) {
  const auto named = [](std::string_view vendor, int family, int model, int stepping) {
    return IdentifyCpu(fmt::format("vendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\n"
                                   "model name\t: any\nstepping\t: {}\n",
                                   vendor, family, model, stepping))
        .microarchitecture;
  };
  EXPECT_EQ(named("GenuineIntel", 6, 173, 1), "Granite Rapids (Redwood Cove)");
  EXPECT_EQ(named("GenuineIntel", 6, 207, 2), "Emerald Rapids (Raptor Cove)");
  EXPECT_EQ(named("AuthenticAMD", 26, 2, 1), "Turin (Zen 5)");
  EXPECT_EQ(named("AuthenticAMD", 25, 17, 1), "Genoa (Zen 4)");
  // One model number, three products.
  EXPECT_EQ(named("GenuineIntel", 6, 85, 4), "Skylake-SP (Skylake)");
  EXPECT_EQ(named("GenuineIntel", 6, 85, 7), "Cascade Lake (Skylake)");
  EXPECT_EQ(named("GenuineIntel", 6, 85, 11), "Cooper Lake (Skylake)");
  // The same numbers of another vendor, and of a processor to come.
  EXPECT_EQ(named("AuthenticAMD", 6, 207, 2), "");
  EXPECT_EQ(named("GenuineIntel", 19, 1, 0), "");
}

TEST(IdentifyCpu, SeesTheHypervisorFlag) {
  EXPECT_TRUE(IdentifyCpu("flags : fpu hypervisor aes\n").hypervisor);
  EXPECT_TRUE(IdentifyCpu("flags : fpu hypervisor\n").hypervisor);
  EXPECT_FALSE(IdentifyCpu("flags : fpu no_hypervisor\n").hypervisor);
}

TEST(IdentifyCpu, KeepsAVendorItDoesNotKnow) {
  EXPECT_EQ(IdentifyCpu("vendor_id : MadeUpVendor\n").vendor, "MadeUpVendor");
}

TEST(IdentifyCpu, NamesArm) {
  const CpuIdentity cpu = IdentifyCpu(
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n"
      "CPU part\t: 0xd40\nCPU revision\t: 1\n");
  EXPECT_EQ(cpu.architecture, "aarch64");
  EXPECT_EQ(cpu.vendor, "Arm");
  EXPECT_EQ(cpu.model, "Arm Neoverse-V1");
  EXPECT_EQ(cpu.microarchitecture, "Neoverse-V1");
}

TEST(IdentifyCpu, NamesBothKindsOfCoreOnce) {
  const std::string_view little = "CPU implementer : 0x41\nCPU part : 0xd05\n";
  const std::string_view big = "CPU implementer : 0x41\nCPU part : 0xd41\n";
  std::string cpuinfo;
  for (const std::string_view core : {little, little, big, big}) cpuinfo += core;
  EXPECT_EQ(IdentifyCpu(cpuinfo).model, "Arm Cortex-A55 + Arm Cortex-A78");
  EXPECT_EQ(IdentifyCpu(cpuinfo).microarchitecture, "Cortex-A55 + Cortex-A78");
}

TEST(IdentifyCpu, ShowsNumbersItDoesNotKnow) {
  EXPECT_EQ(IdentifyCpu("CPU implementer : 0x41\nCPU part : 0x00f\n").model, "Arm part 0x00f");
  EXPECT_EQ(IdentifyCpu("CPU implementer : 0x41\nCPU part : 0x00f\n").microarchitecture, "");
  EXPECT_EQ(IdentifyCpu("CPU implementer : 0x01\nCPU part : 0x00f\n").model,
            "implementer 0x01 part 0x00f");
}

TEST(IdentifyCpu, IsEmptyWithoutAText) {
  const CpuIdentity cpu = IdentifyCpu("");
  EXPECT_EQ(cpu.architecture, "");
  EXPECT_EQ(cpu.model, "");
  EXPECT_EQ(cpu.cpus, 0);
}

}  // namespace
}  // namespace cyclescope::os
