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

}  // namespace
}  // namespace cyclescope
