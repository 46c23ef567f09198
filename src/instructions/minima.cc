#include "instructions/minima.h"

#include <algorithm>
#include <cassert>

namespace cyclescope::instructions {
namespace {

bool HasValues(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

double Width(const Estimate& estimate) { return estimate.high - estimate.low; }

// Both as one, made of the visits of both. The interval stays as wide as theirs were: rounds that
// follow each other share what the machine is doing, so that a thousand of them are not worth a
// thousand times as much.
Estimate Pooled(const Estimate& before, const Estimate& now) {
  const double weight = static_cast<double>(now.visits) / std::max(before.visits + now.visits, 1);
  const auto mean = [weight](double a, double b) { return a + weight * (b - a); };
  Estimate pooled = now;
  pooled.value = mean(before.value, now.value);
  pooled.low = mean(before.low, now.low);
  pooled.high = mean(before.high, now.high);
  pooled.kept += before.kept;
  pooled.rejected += before.rejected;
  pooled.visits += before.visits;
  pooled.two_modes = before.two_modes || now.two_modes;
  return pooled;
}

// What is known after a round. Time only ever gets lost, so that a round which is clearly lower is
// right, and one which is clearly higher is not. But a value errs to both sides within its
// interval: the least of many would be the one with the largest error. So rounds that agree are
// pooled.
Estimate After(const Estimate& before, const Estimate& now) {
  if (before.disturbed != now.disturbed) return before.disturbed ? now : before;
  if (before.contended != now.contended) return before.contended ? now : before;
  if (now.high < before.low) return now;
  if (before.high < now.low) return before;
  constexpr double kMuchNarrower = 0.5;
  if (Width(now) < kMuchNarrower * Width(before)) return now;
  if (Width(before) < kMuchNarrower * Width(now)) return before;
  return Pooled(before, now);
}

bool HasDisturbedValue(const InstructionRow& row) {
  return (row.throughput && row.throughput->cycles.disturbed) ||
         std::ranges::any_of(row.latency,
                             [](const Latency& latency) { return latency.cycles.disturbed; });
}

// Another thread took time from it, on the CPU or on its core.
bool HasDoubtfulValue(const InstructionRow& row) {
  const auto is_doubtful = [](const Estimate& estimate) {
    return estimate.disturbed || estimate.contended;
  };
  return (row.throughput && is_doubtful(row.throughput->cycles)) ||
         std::ranges::any_of(row.latency,
                             [&](const Latency& latency) { return is_doubtful(latency.cycles); });
}

InstructionRow After(const InstructionRow& before, InstructionRow now) {
  if (!HasValues(now)) return before;
  if (!HasValues(before)) return now;
  if (HasDoubtfulValue(now) && !HasDoubtfulValue(before)) {
    // The classic table is one round's as it is: the latest that nothing disturbed.
    now.classic = before.classic;
  }
  if (!now.throughput) {
    now.throughput = before.throughput;
  } else if (before.throughput) {
    now.throughput->cycles = After(before.throughput->cycles, now.throughput->cycles);
  }
  for (Latency& latency : now.latency) {
    const auto same = std::ranges::find_if(before.latency, [&latency](const Latency& old) {
      return old.from == latency.from && old.to == latency.to && old.values == latency.values;
    });
    if (same != before.latency.end()) latency.cycles = After(same->cycles, latency.cycles);
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
  std::vector<InstructionRow> kept;
  for (std::size_t i = 0; i < now.size(); ++i) kept.push_back(After(before[i], now[i]));
  return kept;
}

}  // namespace cyclescope::instructions
