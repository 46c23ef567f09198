#include "instructions/minima.h"

#include <algorithm>
#include <cassert>

namespace cyclescope::instructions {
namespace {

bool HasValues(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

// A disturbed value is never preferred to one that is not.
bool IsLower(const Estimate& candidate, const Estimate& other) {
  if (candidate.disturbed != other.disturbed) return other.disturbed;
  return candidate.value < other.value;
}

bool HasDisturbedValue(const InstructionRow& row) {
  return (row.throughput && row.throughput->cycles.disturbed) ||
         std::ranges::any_of(row.latency,
                             [](const Latency& latency) { return latency.cycles.disturbed; });
}

InstructionRow Lower(const InstructionRow& before, InstructionRow now) {
  if (!HasValues(now)) return before;
  if (!HasValues(before)) return now;
  if (before.throughput &&
      (!now.throughput || IsLower(before.throughput->cycles, now.throughput->cycles))) {
    now.throughput = before.throughput;
  }
  for (Latency& latency : now.latency) {
    const auto same = std::ranges::find_if(before.latency, [&latency](const Latency& old) {
      return old.from == latency.from && old.to == latency.to && old.values == latency.values;
    });
    if (same != before.latency.end() && IsLower(same->cycles, latency.cycles)) latency = *same;
  }
  for (ClassicRow& row : now.classic) {
    const auto same = std::ranges::find(before.classic, row.test, &ClassicRow::test);
    if (same != before.classic.end() && same->cycles_per_instruction < row.cycles_per_instruction)
      row = *same;
  }
  // The row is what its values are, whichever round they come from.
  const bool disturbed = HasDisturbedValue(now);
  const InstructionRow& same_kind = now.status == Status::kDisturbed ? now : before;
  now.reason = disturbed ? same_kind.reason : "";
  now.status = disturbed ? Status::kDisturbed : Status::kMeasured;
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
