#include "instructions/minima.h"

#include <algorithm>
#include <cassert>

namespace cyclescope::instructions {
namespace {

InstructionRow Lower(const InstructionRow& before, InstructionRow now) {
  if (now.status != Status::kMeasured) return before;
  if (before.throughput && before.throughput->cycles.value < now.throughput->cycles.value) {
    now.throughput = before.throughput;
  }
  for (Latency& latency : now.latency) {
    const auto same = std::ranges::find_if(before.latency, [&latency](const Latency& old) {
      return old.from == latency.from && old.to == latency.to && old.values == latency.values;
    });
    if (same != before.latency.end() && same->cycles.value < latency.cycles.value) latency = *same;
  }
  for (ClassicRow& row : now.classic) {
    const auto same = std::ranges::find(before.classic, row.test, &ClassicRow::test);
    if (same != before.classic.end() && same->cycles_per_instruction < row.cycles_per_instruction)
      row = *same;
  }
  return now;
}

}  // namespace

std::vector<InstructionRow> KeepMinima(const std::vector<InstructionRow>& before,
                                       const std::vector<InstructionRow>& now) {
  assert(before.size() == now.size());
  std::vector<InstructionRow> lower;
  for (std::size_t i = 0; i < now.size(); ++i) lower.push_back(Lower(before[i], now[i]));
  return lower;
}

}  // namespace cyclescope::instructions
