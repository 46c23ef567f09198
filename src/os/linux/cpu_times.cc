#include "os/linux/cpu_times.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

// The columns after "cpuN". Those that follow, guest and guest_nice, are part of user and nice
// already.
enum Column { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kColumns };

std::string_view TakeWord(std::string_view& line) {
  line = Trimmed(line);
  const auto end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(word.size());
  return word;
}

std::optional<CpuTimes> ParseRow(std::string_view line) {
  std::string_view name = TakeWord(line);
  if (!name.starts_with("cpu")) return std::nullopt;
  name.remove_prefix(3);
  const auto cpu = ParseNumber<int>(name);
  if (!cpu) return std::nullopt;  // the row that sums all CPUs

  CpuTimes times{.cpu = *cpu};
  std::array<std::int64_t, kColumns> columns{};
  for (std::int64_t& column : columns) {
    const auto value = ParseNumber<std::int64_t>(TakeWord(line));
    if (!value) return std::nullopt;
    column = *value;
    times.total += column;
  }
  times.idle = columns[kIdle] + columns[kIoWait];
  times.stolen = columns[kSteal];
  return times;
}

}  // namespace

std::vector<CpuTimes> ParseCpuTimes(std::string_view proc_stat) {
  std::vector<CpuTimes> all;
  while (!proc_stat.empty()) {
    if (const auto times = ParseRow(TakeLine(proc_stat))) all.push_back(*times);
  }
  return all;
}

std::vector<CpuTimes> ReadCpuTimes(const std::filesystem::path& root) {
  return ParseCpuTimes(ReadTextOrEmpty(root / "proc/stat"));
}

std::vector<CpuLoad> LoadBetween(const std::vector<CpuTimes>& before,
                                 const std::vector<CpuTimes>& after) {
  std::vector<CpuLoad> loads;
  for (const CpuTimes& end : after) {
    const auto begin = std::ranges::find(before, end.cpu, &CpuTimes::cpu);
    if (begin == before.end()) continue;
    const std::int64_t passed = end.total - begin->total;
    const std::int64_t idle = end.idle - begin->idle;
    if (passed <= 0) continue;  // shorter than one tick: nothing is known
    // A CPU's idle count may step back a little when it goes to sleep (man 5 proc_stat).
    const double busy = 1.0 - static_cast<double>(idle) / static_cast<double>(passed);
    loads.push_back({.cpu = end.cpu, .busy = std::clamp(busy, 0.0, 1.0)});
  }
  return loads;
}

}  // namespace cyclescope::os
