#include "fleet/cause.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace cyclescope::fleet {
namespace {

const FleetDeviation* FirstOf(std::span<const FleetDeviation> deviations, MetricKind kind,
                              bool slower) {
  const auto found = std::ranges::find_if(deviations, [&](const FleetDeviation& deviation) {
    return deviation.kind == kind && deviation.slower == slower;
  });
  return found == deviations.end() ? nullptr : &*found;
}

bool HasSetting(std::span<const OddSetting> settings, std::string_view name) {
  return std::ranges::find(settings, name, &OddSetting::name) != settings.end();
}

std::string SettingsText(std::span<const OddSetting> settings) {
  std::vector<std::string> parts;
  for (const OddSetting& setting : settings) {
    parts.push_back(fmt::format("its {} is {}, where nodes like it have {}", setting.name,
                                setting.value.empty() ? "not known" : setting.value,
                                setting.usual.empty() ? "none" : setting.usual));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string ShareText(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string SlowClockText(std::span<const FleetDeviation> deviations,
                          std::span<const OddSetting> settings) {
  const bool is_typical_core = std::ranges::any_of(deviations, [](const FleetDeviation& each) {
    return each.kind == MetricKind::kClock && each.slower && each.metric == "core clock";
  });
  std::string text = is_typical_core ? "its cores make fewer cycles per second"
                                     : "at least one of its cores makes fewer cycles per second";
  if (FirstOf(deviations, MetricKind::kInstruction, true) == nullptr)
    text += ", while instructions take as many cycles as elsewhere";
  if (HasSetting(settings, "governor") || HasSetting(settings, "turbo")) return text;
  return text + ": a limit of power or heat, or another frequency setting";
}

std::string FarMemoryText(const FleetDeviation& deviation,
                          std::span<const FleetDeviation> deviations) {
  if (deviation.unit == "cycles")
    return "a cache of its cores takes more cycles: another setting of prefetchers or of the cache";
  if (FirstOf(deviations, MetricKind::kCores, true) != nullptr) {
    return "memory and its other CPUs are both farther away: it is spread over sockets, or what "
           "connects them is slower";
  }
  return "memory is farther away, while its cores are as fast as elsewhere: memory of another "
         "socket, missing or slower modules, or another memory setting";
}

// By what is most sure to slow down everything else.
std::string SlowText(std::span<const FleetDeviation> deviations,
                     std::span<const OddSetting> settings) {
  const auto slower = [&](MetricKind kind) { return FirstOf(deviations, kind, true); };
  if (const FleetDeviation* stolen = slower(MetricKind::kStolen)) {
    return fmt::format(
        "the hypervisor withholds {} of its time, where {} is usual: its host has more to do than "
        "it can",
        ShareText(stolen->value), ShareText(stolen->centre));
  }
  if (const FleetDeviation* neighbour = slower(MetricKind::kNeighbour)) {
    return fmt::format(
        "another thread shares its cores for {} of the time, where {} is usual: a neighbour on the "
        "other hyperthread, or work of its own that should not run",
        ShareText(neighbour->value), ShareText(neighbour->centre));
  }
  if (slower(MetricKind::kClock) != nullptr) return SlowClockText(deviations, settings);
  if (const FleetDeviation* memory = slower(MetricKind::kMemoryLatency))
    return FarMemoryText(*memory, deviations);
  if (slower(MetricKind::kBandwidth) != nullptr) {
    return "less passes at a time, while a single load takes as long as elsewhere: fewer memory "
           "channels, slower modules, or others that use them";
  }
  if (slower(MetricKind::kCores) != nullptr) {
    return "its CPUs are farther from each other: the host spreads them over dies or sockets, or "
           "what connects them is slower";
  }
  if (slower(MetricKind::kInstruction) != nullptr) {
    return "instructions take more cycles, while its clock is as fast as elsewhere: other "
           "microcode, a mitigation, or cores of another kind";
  }
  return "";
}

std::string FasterText(std::span<const FleetDeviation> deviations) {
  if (deviations.empty()) return "";
  switch (deviations.front().kind) {
    case MetricKind::kClock:
      return "its cores make more cycles per second than those of nodes like it: another frequency "
             "setting, or the others have a limit that it has not";
    case MetricKind::kInstruction:
      return "instructions take fewer cycles than on nodes like it: other microcode, or cores of "
             "another kind";
    case MetricKind::kCores:
    case MetricKind::kMemoryLatency:
    case MetricKind::kBandwidth:
      return "it is closer to its memory or its other CPUs than nodes like it: another placement, "
             "or another setting";
    case MetricKind::kStolen:
    case MetricKind::kNeighbour:
      return "it shares its host with less than nodes like it do";
  }
  return "";
}

}  // namespace

std::string LikelyCause(std::span<const FleetDeviation> deviations,
                        std::span<const OddSetting> odd_settings) {
  std::string text = SlowText(deviations, odd_settings);
  if (text.empty()) text = FasterText(deviations);
  if (odd_settings.empty()) return text;
  return text.empty() ? SettingsText(odd_settings) : text + "; " + SettingsText(odd_settings);
}

}  // namespace cyclescope::fleet
