// The CPUs of this machine, those this process may use, and how to stay on one of them.
//
//   Result<CpuList> cpus = SelectCpus("0-3,8", AllowedCpus());
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

// Ascending, without repeats.
using CpuList = std::vector<int>;

// "0-3,8" to {0, 1, 2, 3, 8}. Bad text is an error that names the part that is wrong; a repeated
// CPU is an error too.
Result<CpuList> ParseCpuList(std::string_view text);
// {0, 1, 2, 3, 8} to "0-3,8".
std::string FormatCpuList(const CpuList& cpus);

// `most` of them at most, evenly spread, the first among them.
inline CpuList SomeOf(const CpuList& cpus, std::size_t most) {
  if (cpus.size() <= most) return cpus;
  CpuList some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(cpus[i * cpus.size() / most]);
  return some;
}

// The CPUs that exist, and those that are on, by the files under `root`/sys/devices/system/cpu.
CpuList PresentCpus(const std::filesystem::path& root = "/");
CpuList OnlineCpus(const std::filesystem::path& root = "/");

// The CPUs the calling thread's affinity mask allows (which includes the cgroup's cpuset). Not
// limited to 1,024.
Result<CpuList> AllowedCpus();

// What a `--cpus` text selects among `allowed`: all of them when the text is empty. A CPU that does
// not exist, is offline, or may not be used is an error that says which of these it is.
Result<CpuList> SelectCpus(std::string_view text, const CpuList& allowed,
                           const std::filesystem::path& root = "/");

// The error of a thread that was to run there and could not be made.
inline std::unexpected<Error> CannotStartThread(int cpu, int error_number) {
  return SystemError("cannot start a thread for CPU " + std::to_string(cpu), error_number,
                     "see whether a limit on processes was reached (ulimit -u)");
}

// Puts the calling thread on one CPU and makes sure that it got there.
Result<void> Pin(int cpu);

// Gives the calling thread back to all of `cpus`.
Result<void> Unpin(const CpuList& cpus);

// Asks for real-time or, failing that, raised priority for the calling thread; silent where neither
// is permitted. Says which it got: "real-time", "raised", "normal".
std::string_view RaisePriority();

// The CPU the calling thread is on right now.
int CurrentCpu();

}  // namespace cyclescope::os
