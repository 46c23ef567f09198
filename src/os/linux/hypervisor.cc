#include <array>
#include <string_view>

#include "base/text.h"
#include "cyclescope/result/host.h"
#include "os/linux/cpu_identity.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

struct Trace {
  std::string_view text;
  std::string_view hypervisor;
};

template <std::size_t kSize>
std::string_view FindTrace(std::string_view in, const std::array<Trace, kSize>& traces) {
  for (const Trace& trace : traces) {
    if (in.find(trace.text) != std::string_view::npos) return trace.hypervisor;
  }
  return {};
}

// Clocks that a guest reads from its hypervisor (x86-64).
std::string_view FromClockSources(const std::filesystem::path& root) {
  constexpr std::array kTraces = {
      Trace{"kvm-clock", "kvm"},
      Trace{"hyperv_clocksource", "hyper-v"},
      Trace{"xen", "xen"},
  };
  return FindTrace(
      ReadTextOrEmpty(root / "sys/devices/system/clocksource/clocksource0/available_clocksource"),
      kTraces);
}

// What the firmware says about the maker and the product, one a line.
std::string ReadFirmwareNames(const std::filesystem::path& root) {
  std::string names;
  for (const char* file : {"sys_vendor", "product_name", "bios_vendor", "board_vendor"}) {
    names += ReadTextOrEmpty(root / "sys/class/dmi/id" / file) + '\n';
  }
  return names;
}

// QEMU is last: others build on it, and name themselves besides.
std::string_view FromFirmware(std::string_view names) {
  // A rented machine without a hypervisor carries the same maker's name.
  if (names.find(".metal") != std::string_view::npos) return {};
  constexpr std::array kTraces = {
      Trace{"Amazon EC2", "nitro"},
      Trace{"Google Compute Engine", "kvm"},
      Trace{"KVM", "kvm"},
      Trace{"OpenStack", "kvm"},
      Trace{"Alibaba Cloud ECS", "kvm"},
      Trace{"DigitalOcean", "kvm"},
      Trace{"VMware", "vmware"},
      Trace{"VirtualBox", "virtualbox"},
      Trace{"Virtual Machine", "hyper-v"},
      Trace{"Parallels", "parallels"},
      Trace{"Apple Virtualization", "apple"},
      Trace{"Xen", "xen"},
      Trace{"BHYVE", "bhyve"},
      Trace{"Bochs", "bochs"},
      Trace{"QEMU", "qemu"},
  };
  return FindTrace(names, kTraces);
}

// Arm machines without firmware tables are described by a device tree.
std::string_view FromDeviceTree(const std::filesystem::path& root) {
  const std::filesystem::path tree = root / "proc/device-tree";
  constexpr std::array kTraces = {Trace{"xen", "xen"}, Trace{"kvm", "kvm"}};
  const std::string_view named =
      FindTrace(ReadTextOrEmpty(tree / "hypervisor/compatible"), kTraces);
  if (!named.empty()) return named;
  // The board that Linux keeps for machines that exist only as software: QEMU, Firecracker, kvmtool
  // and others all use it.
  return ReadTextOrEmpty(tree / "compatible").starts_with("linux,dummy-virt") ? kUnnamedHypervisor
                                                                              : "";
}

}  // namespace

std::string DetectHypervisor(const CpuIdentity& cpu, const std::filesystem::path& root) {
  if (std::string type = ReadTextOrEmpty(root / "sys/hypervisor/type"); !type.empty()) return type;

  // On x86-64 the processor says whether there is one; the rest can only name it. Without this
  // order a bare-metal host that offers Hyper-V clocks or a rented one would look like a guest.
  const bool processor_tells = cpu.architecture == "x86_64";
  if (processor_tells && !cpu.hypervisor) return "none";

  const std::string firmware = ReadFirmwareNames(root);
  for (const std::string_view found :
       {FromClockSources(root), FromFirmware(firmware), FromDeviceTree(root)}) {
    if (!found.empty()) return std::string{found};
  }
  if (processor_tells) return std::string(kUnnamedHypervisor);
  const bool described =
      !Trimmed(firmware).empty() || std::filesystem::exists(root / "proc/device-tree/compatible");
  return described ? "none" : "";
}

}  // namespace cyclescope::os
