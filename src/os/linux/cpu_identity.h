// Which processor this is, as /proc/cpuinfo has it, or which hypervisor stands before it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cyclescope::os {

struct CpuIdentity {
  std::string architecture;       // "x86_64", "aarch64"; empty where the text does not show it
  std::string vendor;             // "Intel", "AMD", "Arm", ...
  std::string model;              // both names joined by " + " where two kinds of core are built in
  std::string microarchitecture;  // "Granite Rapids (Redwood Cove)"; empty where unknown
  std::string microcode;          // x86-64 only
  bool hypervisor = false;        // x86-64 only: the processor says that it is a virtual one
  int cpus = 0;
};

CpuIdentity IdentifyCpu(std::string_view cpuinfo);

// Names for the numbers that Arm processors are identified by (MIDR_EL1).
// Both empty where the number is not known.
std::string_view ArmImplementerName(unsigned implementer);
std::string_view ArmPartName(unsigned implementer, unsigned part);

// From the traces that a hypervisor leaves in the file system:
// "kvm", "vmware", ...; "unnamed" where there is one that does not say which; "none" on bare metal;
// empty where nothing tells.
std::string DetectHypervisor(const CpuIdentity& cpu, const std::filesystem::path& root);

}  // namespace cyclescope::os
