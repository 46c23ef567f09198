#include "analysis/host_words.h"

#include <fmt/core.h>

namespace cyclescope {

std::string CpuName(const Host& host) {
  if (host.microarchitecture.empty())
    return host.cpu_model.empty() ? "unknown CPU" : host.cpu_model;
  // "Arm Neoverse-V1", and not "Arm Arm Neoverse-V1".
  const bool names_vendor =
      host.cpu_vendor.empty() || host.microarchitecture.starts_with(host.cpu_vendor);
  return names_vendor ? host.microarchitecture
                      : fmt::format("{} {}", host.cpu_vendor, host.microarchitecture);
}

std::string MicroarchitectureByFeatures(std::string_view first, std::string_view by_number) {
  if (by_number.empty()) return fmt::format("{} or later (by its features)", first);
  return fmt::format("{} or later (by its features; its model number is {}'s)", first,
                     by_number.substr(0, by_number.find(" (")));
}

bool AreSameKindOfCpu(const Host& first, const Host& second) {
  return first.architecture == second.architecture && first.cpu_model == second.cpu_model &&
         first.microarchitecture == second.microarchitecture;
}

bool IsVirtualMachine(const Host& host) {
  return !host.hypervisor.empty() && host.hypervisor != "none";
}

bool TicksAtBaseClock(const Host& host) { return host.architecture != "aarch64"; }

std::string MachineKind(const Host& host) {
  const std::size_t cpus = host.cpus_allowed.empty()
                               ? static_cast<std::size_t>(host.cpus_online.value_or(0))
                               : host.cpus_allowed.size();
  std::string text = cpus == 0 ? "" : fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s");
  if (IsVirtualMachine(host)) {
    text += text.empty() ? "virtual machine" : ", virtual machine";
    if (host.hypervisor != kUnnamedHypervisor) text += fmt::format(" ({})", host.hypervisor);
  }
  return text;
}

std::string HostText(const Host& host) {
  std::string text = CpuName(host);
  for (const std::string& part : {host.architecture, MachineKind(host)}) {
    if (!part.empty()) text += ", " + part;
  }
  return text;
}

}  // namespace cyclescope
