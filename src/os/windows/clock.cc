#include "os/clock.h"

#include <windows.h>

namespace cyclescope::os {

std::int64_t MonotonicNanoseconds() {
  static const std::int64_t frequency = [] {
    LARGE_INTEGER hz{};
    QueryPerformanceFrequency(&hz);
    return hz.QuadPart;
  }();
  LARGE_INTEGER count{};
  QueryPerformanceCounter(&count);
  // Whole seconds apart, so that nothing overflows.
  const std::int64_t seconds = count.QuadPart / frequency;
  const std::int64_t rest = count.QuadPart % frequency;
  return seconds * 1'000'000'000 + rest * 1'000'000'000 / frequency;
}

// Windows does not tell cheaply how often a thread was taken off its CPU. What such a switch does
// to a sample shows in its brackets.
std::int64_t ContextSwitches() { return 0; }

std::optional<StealTime> ReadStealTime(int /*cpu*/, const std::filesystem::path& /*root*/) {
  return std::nullopt;
}

double StolenSeconds(std::span<const int> /*cpus*/, const std::filesystem::path& /*root*/) {
  return 0;
}

}  // namespace cyclescope::os
