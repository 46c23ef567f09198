#include "analysis/dispatch_width.h"

#include <cmath>

namespace cyclescope {

double WholeSlots(double per_cycle) {
  constexpr double kNoiseShare = 0.05;
  const double whole = std::round(per_cycle);
  return std::abs(per_cycle - whole) <= kNoiseShare * whole ? whole : per_cycle;
}

std::optional<double> DispatchWidth(const Document& document) {
  if (document.anatomy) {
    for (const AnatomyWidth& width : document.anatomy->widths) {
      if (width.name == "dispatch" && !width.at_least && !width.contended)
        return WholeSlots(width.per_cycle.value);
    }
  }
  if (document.port_map && document.port_map->dispatch > 0)
    return WholeSlots(document.port_map->dispatch);
  return std::nullopt;
}

}  // namespace cyclescope
