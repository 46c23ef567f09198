// What /proc/cpuinfo says about which processor this is.
#pragma once

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

}  // namespace cyclescope::os
