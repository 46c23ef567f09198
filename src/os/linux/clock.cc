#include "os/clock.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "os/linux/cpu_times.h"

namespace cyclescope::os {

std::int64_t MonotonicNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t ContextSwitches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return std::int64_t{usage.ru_nvcsw} + usage.ru_nivcsw;
}

std::optional<StealTime> ReadStealTime(int cpu, const std::filesystem::path& root) {
  const auto all = ReadCpuTimes(root);
  const auto found = std::ranges::find(all, cpu, &CpuTimes::cpu);
  if (found == all.end()) return std::nullopt;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return StealTime{static_cast<double>(found->stolen) / ticks_per_second,
                   static_cast<double>(found->total) / ticks_per_second};
}

double StolenSeconds(std::span<const int> cpus, const std::filesystem::path& root) {
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double stolen_s = 0;
  for (const CpuTimes& times : ReadCpuTimes(root)) {
    if (std::ranges::find(cpus, times.cpu) == cpus.end()) continue;
    stolen_s += static_cast<double>(times.stolen) / ticks_per_second;
  }
  return stolen_s;
}

}  // namespace cyclescope::os
