#include "fleet/cause.h"

#include <algorithm>
#include <utility>

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

std::vector<Claim> SlowClock(std::span<const FleetDeviation> deviations,
                             std::span<const OddSetting> settings) {
  const bool is_typical_core = std::ranges::any_of(deviations, [](const FleetDeviation& each) {
    return each.kind == MetricKind::kClock && each.slower && each.metric == "core clock";
  });
  std::vector<Claim> claims = {
      {is_typical_core ? ClaimCode::kSlowClock : ClaimCode::kSlowClockOfOneCore, {}}};
  if (FirstOf(deviations, MetricKind::kInstruction, true) == nullptr)
    claims.push_back({ClaimCode::kCyclesAsElsewhere, {}});
  if (!HasSetting(settings, "governor") && !HasSetting(settings, "turbo"))
    claims.push_back({ClaimCode::kPowerLimit, {}});
  return claims;
}

ClaimCode FarMemory(const FleetDeviation& deviation, std::span<const FleetDeviation> deviations) {
  if (deviation.unit == "cycles") return ClaimCode::kSlowCache;
  return FirstOf(deviations, MetricKind::kCores, true) != nullptr ? ClaimCode::kFarMemoryAndCores
                                                                  : ClaimCode::kFarMemory;
}

// By what is most sure to slow down everything else.
std::vector<Claim> Slow(std::span<const FleetDeviation> deviations,
                        std::span<const OddSetting> settings) {
  const auto slower = [&](MetricKind kind) { return FirstOf(deviations, kind, true); };
  const auto share = [](ClaimCode code, const FleetDeviation& deviation) {
    return Claim{code, {{"percent", 100 * deviation.value}, {"usual", 100 * deviation.centre}}};
  };
  if (const FleetDeviation* stolen = slower(MetricKind::kStolen))
    return {share(ClaimCode::kTimeWithheld, *stolen)};
  if (const FleetDeviation* neighbour = slower(MetricKind::kNeighbour))
    return {share(ClaimCode::kCoresShared, *neighbour)};
  if (slower(MetricKind::kClock) != nullptr) return SlowClock(deviations, settings);
  if (const FleetDeviation* memory = slower(MetricKind::kMemoryLatency))
    return {{FarMemory(*memory, deviations), {}}};
  if (slower(MetricKind::kBandwidth) != nullptr) return {{ClaimCode::kLowBandwidth, {}}};
  if (slower(MetricKind::kCores) != nullptr) return {{ClaimCode::kFarCores, {}}};
  if (slower(MetricKind::kInstruction) != nullptr) return {{ClaimCode::kSlowInstructions, {}}};
  if (slower(MetricKind::kCoreSize) != nullptr) return {{ClaimCode::kSmallWindows, {}}};
  return {};
}

ClaimCode Faster(MetricKind kind) {
  switch (kind) {
    case MetricKind::kClock:
      return ClaimCode::kFastClock;
    case MetricKind::kInstruction:
      return ClaimCode::kFastInstructions;
    case MetricKind::kCores:
    case MetricKind::kMemoryLatency:
    case MetricKind::kBandwidth:
      return ClaimCode::kNearMemory;
    case MetricKind::kStolen:
    case MetricKind::kNeighbour:
      return ClaimCode::kQuietHost;
    case MetricKind::kCoreSize:
      return ClaimCode::kLargeWindows;
  }
  std::unreachable();
}

}  // namespace

std::vector<Claim> LikelyCause(std::span<const FleetDeviation> deviations,
                               std::span<const OddSetting> odd_settings) {
  std::vector<Claim> claims = Slow(deviations, odd_settings);
  if (claims.empty() && !deviations.empty())
    claims.push_back({Faster(deviations.front().kind), {}});
  for (const OddSetting& setting : odd_settings) {
    claims.push_back({ClaimCode::kOddSetting,
                      {{"setting", setting.name},
                       {"own", setting.value.empty() ? "not known" : setting.value},
                       {"usual", setting.usual.empty() ? "none" : setting.usual}}});
  }
  return claims;
}

}  // namespace cyclescope::fleet
