#include "os/host.h"

#include <fmt/core.h>
#include <sys/auxv.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "base/text.h"
#include "os/cpus.h"
#include "os/linux/cpu_identity.h"
#include "os/linux/cpu_times.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

namespace fs = std::filesystem;

// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" of os-release(5).
std::string ReadSystemName(const fs::path& root) {
  for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {
    const std::string text = ReadTextOrEmpty(root / file);
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view line = TakeLine(rest);
      constexpr std::string_view kKey = "PRETTY_NAME=";
      if (!line.starts_with(kKey)) continue;
      line.remove_prefix(kKey.size());
      if (line.size() >= 2 && line.front() == '"' && line.back() == '"') {
        line = line.substr(1, line.size() - 2);
      }
      return std::string{line};
    }
  }
  return {};
}

std::optional<bool> ReadTurbo(const fs::path& cpu_folder) {
  if (const auto forbidden = ReadInteger(cpu_folder / "intel_pstate/no_turbo")) {
    return *forbidden == 0;
  }
  if (const auto boost = ReadInteger(cpu_folder / "cpufreq/boost")) return *boost != 0;
  return std::nullopt;
}

// "always [madvise] never" to "madvise".
std::string ReadChosenWord(const fs::path& path) {
  const std::string text = ReadTextOrEmpty(path);
  const auto open = text.find('[');
  const auto close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

double ReadLoad(const fs::path& root) {
  return std::strtod(ReadTextOrEmpty(root / "proc/loadavg").c_str(), nullptr);
}

}  // namespace

Host DescribeHost(const fs::path& root) {
  const fs::path kernel = root / "proc/sys/kernel";
  const fs::path cpu_folder = root / "sys/devices/system/cpu";
  const CpuIdentity cpu = IdentifyCpu(ReadTextOrEmpty(root / "proc/cpuinfo"));
  const CpuList online = OnlineCpus(root);
  const int first_cpu = online.empty() ? 0 : online.front();

  Host host;
  host.name = ReadTextOrEmpty(kernel / "hostname");
  // Under qemu-user /proc/cpuinfo is that of the machine around it, so for this machine our own
  // architecture is the truth. A recorded machine may be of the other one.
  host.architecture = root == "/" || cpu.architecture.empty() ? arch::Name() : cpu.architecture;
  host.cpu_model = cpu.model;
  if (host.architecture == cpu.architecture) host.microarchitecture = cpu.microarchitecture;
  host.cpu_vendor = cpu.vendor;
  host.microcode = cpu.microcode;
  host.kernel = Trimmed(fmt::format("{} {}", ReadTextOrEmpty(kernel / "ostype"),
                                    ReadTextOrEmpty(kernel / "osrelease")));
  host.system = ReadSystemName(root);
  host.hypervisor = DetectHypervisor(cpu, root);
  const int cpus_online = online.empty() ? cpu.cpus : static_cast<int>(online.size());
  if (cpus_online > 0) host.cpus_online = cpus_online;
  host.cpus_isolated = ParseCpuList(ReadTextOrEmpty(cpu_folder / "isolated")).value_or(CpuList{});
  host.governor =
      ReadTextOrEmpty(cpu_folder / fmt::format("cpu{}/cpufreq/scaling_governor", first_cpu));
  host.turbo = ReadTurbo(cpu_folder);
  if (const auto smt = ReadInteger(cpu_folder / "smt/active")) host.smt = *smt != 0;
  host.huge_pages = ReadChosenWord(root / "sys/kernel/mm/transparent_hugepage/enabled");
  host.load_1min = ReadLoad(root);
  return host;
}

std::string_view TargetSystem() { return "unknown-linux-gnu"; }

std::vector<CpuLoad> SampleLoad(double seconds) {
  const auto before = ReadCpuTimes("/");
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return LoadBetween(before, ReadCpuTimes("/"));
}

arch::CapabilityWords ReadCapabilityWords() {
  return {.first = getauxval(AT_HWCAP), .second = getauxval(AT_HWCAP2)};
}

}  // namespace cyclescope::os
