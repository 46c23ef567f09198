// Which hypervisor this machine runs under, from the traces one leaves in the file system.
#pragma once

#include <filesystem>
#include <string>

#include "os/linux/cpu_identity.h"

namespace cyclescope::os {

// "kvm", "vmware", ...; "unnamed" where there is one that does not say which; "none" on bare metal;
// empty where nothing tells.
std::string DetectHypervisor(const CpuIdentity& cpu, const std::filesystem::path& root);

}  // namespace cyclescope::os
