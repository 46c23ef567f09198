#include "os/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/architecture.h"
#include "os/cpus.h"
#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Optional;

TEST(DescribeHost, ReadsAServerOfTwoSockets) {
  const Host host = DescribeHost(RecordedMachine("xeon-2-sockets"));
  EXPECT_EQ(host.name, "rack7");
  EXPECT_EQ(host.architecture, "x86_64");
  EXPECT_EQ(host.cpu_model, "Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz");
  EXPECT_EQ(host.cpu_vendor, "Intel");
  EXPECT_EQ(host.microcode, "0xb000040");
  EXPECT_EQ(host.kernel, "Linux 6.1.0-18-amd64");
  EXPECT_EQ(host.system, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(host.hypervisor, "none");
  EXPECT_EQ(host.cpus_online, 32);
  EXPECT_THAT(host.cpus_isolated, ElementsAre(14, 15, 30, 31));
  EXPECT_EQ(host.governor, "performance");
  EXPECT_THAT(host.turbo, Optional(true));
  EXPECT_THAT(host.smt, Optional(true));
  EXPECT_EQ(host.huge_pages, "always");
  EXPECT_DOUBLE_EQ(host.load_1min, 1.25);
}

TEST(DescribeHost, ReadsAHybridDesktop) {
  const Host host = DescribeHost(RecordedMachine("hybrid-desktop"));
  EXPECT_EQ(host.cpu_model, "13th Gen Intel(R) Core(TM) i5-13500");
  EXPECT_EQ(host.system, "Ubuntu 24.04.1 LTS");
  EXPECT_EQ(host.cpus_online, 20);
  EXPECT_EQ(host.governor, "powersave");
  EXPECT_THAT(host.turbo, Optional(false)) << "intel_pstate/no_turbo is 1";
}

TEST(DescribeHost, ReadsAnArmServer) {
  const Host host = DescribeHost(RecordedMachine("arm-server"));
  EXPECT_EQ(host.architecture, "aarch64");
  EXPECT_EQ(host.cpu_model, "HiSilicon Kunpeng 920");
  EXPECT_EQ(host.cpu_vendor, "HiSilicon");
  EXPECT_EQ(host.microcode, "");
  EXPECT_EQ(host.hypervisor, "none");
  EXPECT_EQ(host.cpus_online, 64);
  EXPECT_THAT(host.turbo, Optional(true)) << "cpufreq/boost is 1";
  EXPECT_THAT(host.smt, Optional(false));
}

TEST(DescribeHost, ReadsAVirtualMachineThatHidesEverything) {
  const Host host = DescribeHost(RecordedMachine("hiding-vm"));
  EXPECT_EQ(host.cpu_model, "AMD EPYC Processor");
  EXPECT_EQ(host.cpu_vendor, "AMD");
  EXPECT_EQ(host.hypervisor, "kvm");
  EXPECT_EQ(host.cpus_online, 4);
  EXPECT_EQ(host.governor, "");
  EXPECT_EQ(host.turbo, std::nullopt);
  EXPECT_EQ(host.smt, std::nullopt);
  EXPECT_EQ(host.huge_pages, "");
  EXPECT_THAT(host.cpus_isolated, IsEmpty());
}

TEST(DescribeHost, IsNoErrorWithoutAnyFile) {
  const FakeRoot root;
  const Host host = DescribeHost(root.path());
  EXPECT_EQ(host.name, "");
  EXPECT_EQ(host.architecture, arch::Name());
  EXPECT_EQ(host.kernel, "");
  EXPECT_EQ(host.cpus_online, std::nullopt);
}

TEST(DescribeHost, TakesTheGovernorOfTheFirstCpuThatIsOn) {
  const FakeRoot root;
  root.Write("sys/devices/system/cpu/online", "2-3\n");
  root.Write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n");
  EXPECT_EQ(DescribeHost(root.path()).governor, "schedutil");
}

TEST(DescribeHost, ReadsThisMachine) {
  const Host host = DescribeHost();
  EXPECT_EQ(host.architecture, arch::Name());
  EXPECT_THAT(host.kernel, HasSubstr("Linux "));
  EXPECT_FALSE(host.cpu_model.empty());
  EXPECT_GE(host.cpus_online, static_cast<int>(AllowedCpus().value().size()));
}

TEST(SampleLoad, IsAShareOfEachCpu) {
  const auto loads = SampleLoad(0.1);
  EXPECT_THAT(loads, testing::SizeIs(Le(OnlineCpus().size())));
  for (const CpuLoad& load : loads) {
    EXPECT_THAT(load.busy, testing::AllOf(Ge(0.0), Le(1.0)));
  }
}

}  // namespace
}  // namespace cyclescope::os
