#include "os/cpus.h"

#include <fmt/core.h>

#include <string>

#include "base/try.h"
#include "os/windows/processor_map.h"
#include "os/windows/wide_text.h"

namespace cyclescope::os {
namespace {

CpuList CpusOfMask(const ProcessorMap& map, std::size_t group, KAFFINITY mask) {
  CpuList cpus;
  for (const CpuPlace& place : map.places) {
    const auto at = map.Find(place.cpu);
    if (at && at->group == group && (mask >> at->number & 1) != 0) cpus.push_back(place.cpu);
  }
  return cpus;
}

// One thread is in one group at a time. Where CPUs of several are wanted, any will do.
int SetAffinity(HANDLE thread, const CpuList& cpus) {
  const auto& map = ThisMachine();
  if (!map || cpus.empty()) return ERROR_INVALID_PARAMETER;
  GROUP_AFFINITY affinity{};
  bool begun = false;
  for (const int cpu : cpus) {
    const auto place = map->Find(cpu);
    if (!place) return ERROR_INVALID_PARAMETER;
    if (begun && affinity.Group != place->group) continue;
    begun = true;
    affinity.Group = place->group;
    affinity.Mask |= KAFFINITY{1} << place->number;
  }
  return SetThreadGroupAffinity(thread, &affinity, nullptr) != 0 ? 0
                                                                 : static_cast<int>(GetLastError());
}

}  // namespace

CpuList PresentCpus(const std::filesystem::path& /*root*/) {
  CpuList cpus;
  if (const auto& map = ThisMachine()) {
    for (const CpuPlace& place : map->places) cpus.push_back(place.cpu);
  }
  return cpus;
}

// Windows does not list CPUs that are off.
CpuList OnlineCpus(const std::filesystem::path& root) { return PresentCpus(root); }

Result<CpuList> AllowedCpus() {
  const auto& map = ThisMachine();
  if (!map) return std::unexpected(map.error());
  DWORD_PTR mask = 0;
  DWORD_PTR all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &mask, &all) == 0) {
    return Failed(fmt::format("cannot read which CPUs this process may use: {}",
                              WindowsMessage(GetLastError())));
  }
  // A mask that leaves some of its group out is a user's wish. Else a process may go to every
  // group; where it is in several already, both masks are zero.
  if (mask == all) return PresentCpus();
  if (map->groups.size() == 1) return CpusOfMask(*map, 0, mask);
  std::vector<USHORT> groups(map->groups.size());
  auto count = static_cast<USHORT>(groups.size());
  if (GetProcessGroupAffinity(GetCurrentProcess(), &count, groups.data()) == 0 || count != 1)
    return PresentCpus();
  return CpusOfMask(*map, groups.front(), mask);
}

Result<void> PinThread(HANDLE thread, int cpu) {
  const int error = SetAffinity(thread, {cpu});
  if (error == 0) return {};
  const std::string tried = fmt::format("cannot run on CPU {}", cpu);
  if (error == ERROR_INVALID_PARAMETER)
    return Failed(fmt::format("{}: it does not exist, or this process may not use it", tried));
  return Failed(fmt::format("{}: {}", tried, WindowsMessage(static_cast<DWORD>(error))));
}

Result<void> Pin(int cpu) {
  TRY(PinThread(GetCurrentThread(), cpu));
  // The thread is moved when it is next scheduled, which it is here at the latest.
  for (int i = 0; i < 100 && CurrentCpu() != cpu; ++i) Sleep(i < 10 ? 0 : 1);
  if (const int got = CurrentCpu(); got != cpu) {
    return Failed(fmt::format(
        "cannot run on CPU {}: the system accepted it, but the thread is on CPU {}", cpu, got));
  }
  return {};
}

Result<void> Unpin(const CpuList& cpus) {
  const int error = SetAffinity(GetCurrentThread(), cpus);
  if (error == 0) return {};
  return Failed(fmt::format("cannot run on CPUs {} again: {}", FormatCpuList(cpus),
                            WindowsMessage(static_cast<DWORD>(error))));
}

std::string_view RaisePriority() {
  // Real-time priority would stand above the threads that serve mouse, keyboard and disks.
  return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL) != 0 ? "raised"
                                                                                   : "normal";
}

int CurrentCpu() {
  PROCESSOR_NUMBER number{};
  GetCurrentProcessorNumberEx(&number);
  // Asked between samples, so it must be quick: the groups were read when the thread was pinned.
  const auto& map = ThisMachine();
  return map ? map->CpuAt({number.Group, number.Number}).value_or(0) : 0;
}

}  // namespace cyclescope::os
