#include "analysis/host_words.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(MachineKind, OfAVirtualMachine) {
  Host host;
  host.cpus_online = 2;
  host.hypervisor = "kvm";
  EXPECT_EQ(MachineKind(host), "2 CPUs, virtual machine (kvm)");
  host.hypervisor = kUnnamedHypervisor;
  EXPECT_EQ(MachineKind(host), "2 CPUs, virtual machine");
  host.hypervisor = "none";
  EXPECT_EQ(MachineKind(host), "2 CPUs");
}

TEST(Microarchitecture, SaysWhatTheModelNumberWas) {
  EXPECT_EQ(MicroarchitectureByFeatures("Granite Rapids", "Rocket Lake (Cypress Cove)"),
            "Granite Rapids or later (by its features; its model number is Rocket Lake's)");
  EXPECT_EQ(MicroarchitectureByFeatures("Sapphire Rapids", ""),
            "Sapphire Rapids or later (by its features)");
}

TEST(SameKindOfCpu, OneNameOfVirtualMachinesIsSeveralKinds) {
  Host first;
  first.architecture = "x86_64";
  first.cpu_model = "Intel(R) Xeon(R) Processor";
  first.microarchitecture = "Sapphire Rapids (Golden Cove)";
  Host second = first;
  EXPECT_TRUE(AreSameKindOfCpu(first, second));
  second.microarchitecture = "Emerald Rapids (Raptor Cove)";
  EXPECT_FALSE(AreSameKindOfCpu(first, second));
  second = first;
  second.cpu_model = "Intel(R) Xeon(R) Platinum 8480+";
  EXPECT_FALSE(AreSameKindOfCpu(first, second));
  second = first;
  second.architecture = "aarch64";
  EXPECT_FALSE(AreSameKindOfCpu(first, second));
}

}  // namespace
}  // namespace cyclescope
