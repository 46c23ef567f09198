#include "report/row_figures.h"

#include <algorithm>

namespace cyclescope {

const Latency* LongestLatency(const InstructionRow& row) {
  const Latency* longest = nullptr;
  for (const Latency& latency : row.latency) {
    if (latency.from == kMemory || latency.to == kMemory) continue;
    const bool bound = IsUpperBound(latency);
    if (longest != nullptr && bound && !IsUpperBound(*longest)) continue;
    if (longest == nullptr || (IsUpperBound(*longest) && !bound) ||
        latency.cycles.value > longest->cycles.value) {
      longest = &latency;
    }
  }
  return longest;
}

bool IsContended(const InstructionRow& row) {
  return (row.throughput && row.throughput->cycles.contended) ||
         std::ranges::any_of(row.latency,
                             [](const Latency& latency) { return latency.cycles.contended; });
}

}  // namespace cyclescope
