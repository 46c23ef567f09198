#include "os/host.h"

#include <fmt/core.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "os/cpus.h"
#include "os/windows/cpu_identity.h"
#include "os/windows/power_plan.h"
#include "os/windows/processor_map.h"
#include "os/windows/wide_text.h"
#include "os/x86_names.h"

namespace cyclescope::os {
namespace {

constexpr wchar_t kProcessorKey[] = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
constexpr wchar_t kSystemKey[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

// Values of the registry below HKEY_LOCAL_MACHINE; empty where there is no such value.
std::string RegistryText(const wchar_t* key, const wchar_t* name) {
  std::array<wchar_t, 256> value{};
  DWORD bytes = sizeof(value);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, value.data(), &bytes) !=
      ERROR_SUCCESS) {
    return "";
  }
  return std::string(Trimmed(ToUtf8({value.data(), bytes / sizeof(wchar_t)})));
}

std::vector<std::uint8_t> RegistryBytes(const wchar_t* key, const wchar_t* name) {
  std::vector<std::uint8_t> value(64);
  auto bytes = static_cast<DWORD>(value.size());
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_BINARY, nullptr, value.data(),
                   &bytes) != ERROR_SUCCESS) {
    return {};
  }
  value.resize(bytes);
  return value;
}

// A function of ntdll that no header declares, or not everywhere; null where there is none.
template <typename Function>
Function* FindInNtdll(const char* name) {
  return reinterpret_cast<Function*>(
      reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"ntdll.dll"), name)));
}

std::string ComputerName() {
  std::array<wchar_t, 256> name{};
  auto size = static_cast<DWORD>(name.size());
  if (GetComputerNameExW(ComputerNameDnsHostname, name.data(), &size) == 0) return "";
  return ToUtf8({name.data(), size});
}

// GetVersionEx says what a program's manifest wants to hear.
std::string KernelVersion() {
  RTL_OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof(version);
  using Ask = LONG WINAPI(RTL_OSVERSIONINFOW*);
  auto* ask = FindInNtdll<Ask>("RtlGetVersion");
  if (ask == nullptr || ask(&version) != 0) return "Windows NT";
  return fmt::format("Windows NT {}.{}.{}", version.dwMajorVersion, version.dwMinorVersion,
                     version.dwBuildNumber);
}

// "Windows 11 Pro 23H2"; and Wine, which only behaves like it.
std::string SystemName() {
  const std::string product = RegistryText(kSystemKey, L"ProductName");
  const std::string release = RegistryText(kSystemKey, L"DisplayVersion");
  std::string name = release.empty() ? product : product + ' ' + release;
  using Version = const char*();
  if (auto* wine = FindInNtdll<Version>("wine_get_version"))
    name = fmt::format("Wine {} ({})", wine(), name);
  return name;
}

// The upper half of eight bytes is the revision.
std::string Microcode() {
  const auto bytes = RegistryBytes(kProcessorKey, L"Update Revision");
  if (bytes.size() < 8) return "";
  std::uint32_t revision = 0;
  for (std::size_t i = 0; i < 4; ++i) revision |= std::uint32_t{bytes[4 + i]} << (8 * i);
  return revision == 0 ? "" : fmt::format("{:#x}", revision);
}

bool SomeShareACore(const std::vector<CpuPlace>& places) {
  std::map<int, int> cpus;
  for (const CpuPlace& place : places) {
    if (place.core && ++cpus[*place.core] > 1) return true;
  }
  return false;
}

// As NtQuerySystemInformation has them; idle time is part of kernel time.
struct ProcessorTimes {
  LARGE_INTEGER idle, kernel, user, dpc, interrupt;
  ULONG interrupts;
};

std::vector<ProcessorTimes> ReadTimes(std::size_t group, std::size_t count) {
  constexpr int kProcessorPerformance = 8;  // SystemProcessorPerformanceInformation
  std::vector<ProcessorTimes> times(count);
  const auto bytes = static_cast<ULONG>(count * sizeof(ProcessorTimes));
  ULONG got = 0;
  auto number = static_cast<USHORT>(group);
  using Ask = LONG WINAPI(int, void*, ULONG, ULONG*);
  using AskGroup = LONG WINAPI(int, void*, ULONG, void*, ULONG, ULONG*);
  auto* ask_group = FindInNtdll<AskGroup>("NtQuerySystemInformationEx");
  auto* ask = FindInNtdll<Ask>("NtQuerySystemInformation");
  const bool answered =
      (ask_group != nullptr &&
       ask_group(kProcessorPerformance, &number, sizeof(number), times.data(), bytes, &got) == 0) ||
      (group == 0 && ask != nullptr && ask(kProcessorPerformance, times.data(), bytes, &got) == 0);
  times.resize(answered ? got / sizeof(ProcessorTimes) : 0);
  return times;
}

std::vector<std::vector<ProcessorTimes>> ReadAllTimes(const ProcessorMap& map) {
  std::vector<std::vector<ProcessorTimes>> all;
  for (std::size_t i = 0; i < map.groups.size(); ++i)
    all.push_back(ReadTimes(i, static_cast<std::size_t>(map.groups[i].most_cpus)));
  return all;
}

}  // namespace

Host DescribeHost(const std::filesystem::path& /*root*/) {
  Host host;
  host.name = ComputerName();
  host.architecture = arch::Name();
  host.cpu_model = X86ModelName(RegistryText(kProcessorKey, L"ProcessorNameString"));
  host.cpu_vendor = X86VendorName(RegistryText(kProcessorKey, L"VendorIdentifier"));
  host.microarchitecture = X86Microarchitecture(
      ParseIdentifier(RegistryText(kProcessorKey, L"Identifier"), host.cpu_vendor));
  host.microcode = Microcode();
  host.kernel = KernelVersion();
  host.system = SystemName();
  if (const auto signature = arch::HypervisorSignature())
    host.hypervisor = signature->empty() ? "none" : HypervisorName(*signature);
  host.governor = PowerPlanName();
  host.load_1min = std::numeric_limits<double>::quiet_NaN();  // Windows has no such average
  if (const auto& map = ThisMachine()) {
    host.cpus_online = static_cast<int>(map->places.size());
    host.smt = SomeShareACore(map->places);
  }
  return host;
}

std::string_view TargetSystem() { return "w64-windows-gnu"; }

std::vector<CpuLoad> SampleLoad(double seconds) {
  std::vector<CpuLoad> loads;
  const auto& map = ThisMachine();
  if (!map) return loads;
  const auto before = ReadAllTimes(*map);
  Sleep(static_cast<DWORD>(seconds * 1000));
  const auto after = ReadAllTimes(*map);
  for (const CpuPlace& place : map->places) {
    const auto at = map->Find(place.cpu);
    if (!at || at->number >= before[at->group].size() || at->number >= after[at->group].size())
      continue;
    const ProcessorTimes& first = before[at->group][at->number];
    const ProcessorTimes& last = after[at->group][at->number];
    const auto idle = static_cast<double>(last.idle.QuadPart - first.idle.QuadPart);
    const auto passed = static_cast<double>(last.kernel.QuadPart - first.kernel.QuadPart) +
                        static_cast<double>(last.user.QuadPart - first.user.QuadPart);
    if (passed <= 0) continue;
    loads.push_back({.cpu = place.cpu, .busy = std::clamp(1 - idle / passed, 0.0, 1.0)});
  }
  return loads;
}

arch::CapabilityWords ReadCapabilityWords() {
  // Linux's bit for it in AT_HWCAP2: user space may write the fs and gs bases.
  constexpr std::uint64_t kFsGsBase = 1U << 1;
  return {.first = 0,
          .second = IsProcessorFeaturePresent(PF_RDWRFSGSBASE_AVAILABLE) != 0 ? kFsGsBase : 0};
}

}  // namespace cyclescope::os
