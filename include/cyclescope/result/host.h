// The machine a result comes from: what it claims to be, and the state it was in.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cyclescope {

// Where one CPU stands in the topology that the system claims. Numbers are the system's logical
// indices; -1 where the system does not say.
struct CpuPlace {
  int cpu = 0;
  int core = -1;
  int l2 = -1;
  int cluster = -1;
  int l3 = -1;
  int die = -1;
  int package = -1;
  int numa = -1;
  std::string kind;  // "performance", "efficiency", ... on hybrid processors; else empty

  bool operator==(const CpuPlace&) const = default;
};

struct Host {
  std::string name;
  std::string architecture;  // "x86_64", "aarch64"
  std::string cpu_model;
  std::string cpu_vendor;
  std::string microcode;  // empty where the system does not say
  std::string kernel;
  std::string system;      // distribution
  std::string hypervisor;  // "kvm", "vmware", ...; "none" on bare metal; empty where unknown
  int cpus_online = 0;
  std::vector<int> cpus_allowed;
  std::vector<int> cpus_isolated;
  std::string governor;       // of the first CPU; empty where the system does not say
  std::optional<bool> turbo;  // unset where the system does not say
  std::optional<bool> smt;    // active simultaneous multithreading
  std::string huge_pages;     // transparent huge pages: "always", "madvise", "never"
  double load_1min = 0;
  std::vector<std::string> features;  // what the CPU offers, in the kernel's words
  std::vector<CpuPlace> topology;     // one entry per CPU the process may use
  std::string topology_source;        // "system" or the file it was read from
};

}  // namespace cyclescope
