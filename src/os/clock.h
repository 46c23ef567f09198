// The operating system's clock, and the traces that the scheduler leaves on a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace cyclescope::os {

// A clock that is never adjusted (CLOCK_MONOTONIC_RAW).
std::int64_t MonotonicNanoseconds();

// How often the calling thread was taken off its CPU, willingly or not, since it began.
std::int64_t ContextSwitches();

// Time the hypervisor withheld from one CPU since boot, and all time since boot, in seconds; unset
// where the system does not count it.
struct StealTime {
  double stolen_s = 0;
  double total_s = 0;
};
std::optional<StealTime> ReadStealTime(int cpu, const std::filesystem::path& root = "/");

// Time that the hypervisor withheld from all of `cpus` together since boot, in seconds; 0 where the
// system does not count it.
double StolenSeconds(std::span<const int> cpus, const std::filesystem::path& root = "/");

}  // namespace cyclescope::os
