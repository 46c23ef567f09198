#include "analysis/host_words.h"

#include <fmt/core.h>

namespace cyclescope {

std::string CpuName(const Host& host) {
  if (host.microarchitecture.empty())
    return host.cpu_model.empty() ? "unknown CPU" : host.cpu_model;
  return host.cpu_vendor.empty() ? host.microarchitecture
                                 : fmt::format("{} {}", host.cpu_vendor, host.microarchitecture);
}

std::string MachineKind(const Host& host) {
  const std::size_t cpus = host.cpus_allowed.empty()
                               ? static_cast<std::size_t>(host.cpus_online.value_or(0))
                               : host.cpus_allowed.size();
  std::string text = cpus == 0 ? "" : fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s");
  if (!host.hypervisor.empty() && host.hypervisor != "none") {
    text += fmt::format("{}virtual machine ({})", text.empty() ? "" : ", ", host.hypervisor);
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
