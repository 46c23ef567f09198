// The machine a result comes from: what it claims to be, and the state it was in.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/describe.h"

namespace cyclescope {

struct CpuPlace {
  int cpu = 0;
  std::optional<int> core;
  std::optional<int> l2;
  std::optional<int> cluster;
  std::optional<int> l3;
  std::optional<int> die;
  std::optional<int> package;
  std::optional<int> numa;
  std::string kind;

  bool operator==(const CpuPlace&) const = default;
};

// What a topology says of a CPU: its number alone where it is not listed.
inline CpuPlace CpuPlaceOf(std::span<const CpuPlace> topology, int cpu) {
  CpuPlace unknown;
  unknown.cpu = cpu;
  const auto place = std::ranges::find(topology, cpu, &CpuPlace::cpu);
  return place == topology.end() ? unknown : *place;
}

void Describe(auto& visit, Of<CpuPlace> auto& place) {
  visit.Struct("CpuPlace",
               "Where one CPU stands in the topology that the system claims, by the system's "
               "logical indices. What the system does not say is absent.");
  visit.Required("cpu", place.cpu, "As the system counts.");
  visit.Optional("core", place.core, "CPUs of one core share this number.");
  visit.Optional("l2", place.l2, "The same for a cache of level 2.");
  visit.Optional("cluster", place.cluster, "The same for a cluster of cores.");
  visit.Optional("l3", place.l3, "The same for a cache of level 3.");
  visit.Optional("die", place.die, "The same for a die.");
  visit.Optional("package", place.package, "The same for a package (socket).");
  visit.Optional("numa", place.numa, "The same for a NUMA node.");
  visit.Optional("kind", place.kind, "On hybrid processors: performance, efficiency, ...");
}

// `Host::hypervisor` where there is one that does not give its name.
inline constexpr std::string_view kUnnamedHypervisor = "unnamed";

struct Host {
  std::string name;
  std::string architecture;
  std::string cpu_model;
  std::string microarchitecture;
  std::string llvm_cpu;
  std::string cpu_vendor;
  std::string microcode;
  std::string kernel;
  std::string system;
  std::string hypervisor;
  std::optional<int> cpus_online;
  std::vector<int> cpus_allowed;
  std::vector<int> cpus_isolated;
  std::string governor;
  std::optional<bool> turbo;
  std::optional<bool> smt;
  std::string huge_pages;
  double load_1min = 0;
  std::optional<double> stolen_share;
  std::vector<std::string> features;
  std::vector<CpuPlace> topology;
  std::string topology_source;
};

void Describe(auto& visit, Of<Host> auto& host) {
  visit.Struct("Host",
               "The machine: what it claims to be, and the state it was in. What the system does "
               "not say is absent.");
  visit.Always("name", host.name, "Its name in the network.");
  visit.Required("architecture", host.architecture, "x86_64 or aarch64.");
  visit.Required("cpu_model", host.cpu_model, "In the system's words.");
  visit.Optional("microarchitecture", host.microarchitecture,
                 "What people call it: Granite Rapids (Redwood Cove), Neoverse-V1, ...",
                 {.since = "0.2"});
  visit.Optional("llvm_cpu", host.llvm_cpu, "LLVM's name of the CPU.", {.since = "0.2"});
  visit.Optional("cpu_vendor", host.cpu_vendor, "Intel, AMD, ARM, ...");
  visit.Optional("microcode", host.microcode, "Its revision.");
  visit.Optional("kernel", host.kernel, "With its version.");
  visit.Optional("system", host.system, "The distribution.");
  visit.Optional("hypervisor", host.hypervisor,
                 "kvm, vmware, ...; \"unnamed\" where one does not give its name; \"none\" on bare "
                 "metal; absent where unknown.");
  visit.Optional("cpus_online", host.cpus_online, "How many CPUs the system has.");
  visit.Optional("cpus_allowed", host.cpus_allowed, "Those that the process may use.");
  visit.Optional("cpus_isolated", host.cpus_isolated, "Those kept free of other work.");
  visit.Optional("governor", host.governor, "The frequency governor of the first CPU.");
  visit.Optional("turbo", host.turbo, "Clock rates above the base are allowed.");
  visit.Optional("smt", host.smt, "Simultaneous multithreading is active.");
  visit.Optional("huge_pages", host.huge_pages, "Transparent ones: always, madvise or never.");
  visit.Always("load_1min", host.load_1min, "The load average of the last minute.");
  visit.Optional(
      "stolen_share", host.stolen_share,
      "Of the CPUs' time during a survey, how much the hypervisor withheld, from 0 to 1.",
      {.since = "0.2"});
  visit.Optional("features", host.features, "What the CPU offers, in the kernel's words.");
  visit.Optional("topology", host.topology, "One entry per CPU that the process may use.");
  visit.Optional("topology_source", host.topology_source,
                 "\"system\", or the file it was read from.");
}

}  // namespace cyclescope
