#include "analysis/core_unit.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cyclescope {
namespace {

constexpr std::array<std::pair<CoreUnit, std::string_view>, 3> kUnits = {{
    {CoreUnit::kNanoseconds, "ns"},
    {CoreUnit::kCycles, "cycles"},
    {CoreUnit::kTicks, "ticks"},
}};

}  // namespace

std::string_view ToString(CoreUnit unit) {
  for (const auto& [value, name] : kUnits) {
    if (value == unit) return name;
  }
  std::unreachable();
}

std::optional<CoreUnit> ParseCoreUnit(std::string_view name) {
  for (const auto& [value, known] : kUnits) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Result<CoreScale> MakeCoreScale(CoreUnit unit, const Document& document, const CoreMatrix& matrix) {
  CoreScale scale = {.unit = ToString(unit), .per_nanosecond = {}};
  if (unit == CoreUnit::kNanoseconds) return scale;
  if (unit == CoreUnit::kTicks) {
    if (document.clock.tick_hz <= 0) {
      return BadInput("the result does not say how fast the time-stamp counter is",
                      "use --unit ns");
    }
    scale.per_nanosecond.assign(matrix.cpus.size(), document.clock.tick_hz / 1e9);
    return scale;
  }
  for (const int cpu : matrix.cpus) {
    const auto row = std::ranges::find(document.frequency, cpu, &FrequencyRow::cpu);
    if (row == document.frequency.end() || row->core_ghz.value <= 0) {
      return BadInput(fmt::format("the result does not say how fast CPU {} runs", cpu),
                      "use --unit ns");
    }
    scale.per_nanosecond.push_back(row->core_ghz.value);
  }
  return scale;
}

}  // namespace cyclescope
