#include <gtest/gtest.h>

#include "os/linux/cpu_identity.h"
#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

const CpuIdentity kArm{.architecture = "aarch64"};
const CpuIdentity kX86Guest{.architecture = "x86_64", .hypervisor = true};
const CpuIdentity kX86Metal{.architecture = "x86_64", .hypervisor = false};

constexpr const char* kClockSources =
    "sys/devices/system/clocksource/clocksource0/available_clocksource";

TEST(DetectHypervisor, BelievesTheProcessorOnX86) {
  const FakeRoot root;
  root.Write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  root.Write(kClockSources, "tsc hpet acpi_pm\n");
  EXPECT_EQ(DetectHypervisor(kX86Metal, root.path()), "none");
  EXPECT_EQ(DetectHypervisor(kX86Guest, root.path()), "nitro");
}

TEST(DetectHypervisor, ReadsTheClockSources) {
  const FakeRoot root;
  root.Write("sys/class/dmi/id/sys_vendor", "QEMU\n");
  root.Write(kClockSources, "kvm-clock tsc acpi_pm\n");
  EXPECT_EQ(DetectHypervisor(kX86Guest, root.path()), "kvm");
}

TEST(DetectHypervisor, ReadsTheFirmware) {
  const FakeRoot root;
  root.Write("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
  root.Write("sys/class/dmi/id/product_name", "Virtual Machine\n");
  EXPECT_EQ(DetectHypervisor(kX86Guest, root.path()), "hyper-v");
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "hyper-v");
}

TEST(DetectHypervisor, KnowsRentedMetal) {
  const FakeRoot root;
  root.Write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  root.Write("sys/class/dmi/id/product_name", "c7g.metal\n");
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "none");
  root.Write("sys/class/dmi/id/product_name", "c7g.large\n");
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "nitro");
}

TEST(DetectHypervisor, ReadsTheDeviceTree) {
  const FakeRoot root;
  root.Write("proc/device-tree/compatible", std::string_view{"raspberrypi,4\0", 14});
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "none");
  root.Write("proc/device-tree/compatible", std::string_view{"linux,dummy-virt\0", 17});
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "unnamed");
  root.Write("proc/device-tree/hypervisor/compatible",
             std::string_view{"xen,xen-4.17\0xen,xen\0", 21});
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "xen");
}

TEST(DetectHypervisor, TakesTheKernelsWordFirst) {
  const FakeRoot root;
  root.Write("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(DetectHypervisor(kX86Metal, root.path()), "xen") << "the first guest of Xen";
}

TEST(DetectHypervisor, SaysWhenItDoesNotKnow) {
  const FakeRoot root;
  EXPECT_EQ(DetectHypervisor(kArm, root.path()), "");
  EXPECT_EQ(DetectHypervisor(kX86Guest, root.path()), "unnamed");
}

}  // namespace
}  // namespace cyclescope::os
