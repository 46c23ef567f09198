#include "instructions/rounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "analysis/row_figures.h"

namespace cyclescope::instructions {
namespace {

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
  if (pooled.states.empty()) pooled.states = before.states;
  return pooled;
}

bool IsSamePair(const Latency& a, const Latency& b) {
  return a.from == b.from && a.to == b.to && a.values == b.values;
}

enum class Choice { kBefore, kNow, kBoth };

// What is known after a round. Time only ever gets lost, so that a round which is clearly lower is
// right, and one which is clearly higher is not. But a value errs to both sides within its
// interval: the least of many would be the one with the largest error. So rounds that agree are
// pooled.
Choice Choose(const Estimate& before, const Estimate& now) {
  const auto better = [](bool is_before) { return is_before ? Choice::kBefore : Choice::kNow; };
  if (before.disturbed != now.disturbed) return better(now.disturbed);
  if (before.contended != now.contended) return better(now.contended);
  if (now.high < before.low) return Choice::kNow;
  if (before.high < now.low) return Choice::kBefore;
  constexpr double kNarrowerRatio = 0.5;
  if (Width(now) < kNarrowerRatio * Width(before)) return Choice::kNow;
  if (Width(before) < kNarrowerRatio * Width(now)) return Choice::kBefore;
  return Choice::kBoth;
}

// A latency or a throughput, with its kind, its limit and its code.
template <typename Value>
void Merge(const Value& before, Value& now) {
  switch (Choose(before.cycles, now.cycles)) {
    case Choice::kBefore:
      now = before;
      return;
    case Choice::kNow:
      return;
    case Choice::kBoth:
      now.cycles = Pooled(before.cycles, now.cycles);
      return;
  }
}

const ClassicRow* FindClassic(const InstructionRow& row, std::string_view test) {
  const auto found = std::ranges::find(row.classic, test, &ClassicRow::test);
  return found == row.classic.end() ? nullptr : &*found;
}

// The row of the classic table is that of the round whose value is kept. Where the value is that of
// both rounds, so is the row's, and the run is the later one.
void MergeClassic(std::string_view test, const Estimate& before_value, const Estimate& now_value,
                  const InstructionRow& before, InstructionRow& now) {
  const ClassicRow* old = FindClassic(before, test);
  const auto row = std::ranges::find(now.classic, test, &ClassicRow::test);
  if (old == nullptr || row == now.classic.end()) return;
  switch (Choose(before_value, now_value)) {
    case Choice::kBefore:
      *row = *old;
      return;
    case Choice::kNow:
      return;
    case Choice::kBoth:
      // That of all sources together is no pair's: it stays as it is.
      if (row->cycles_per_instruction == ShownCycles(row->upper_bound, now_value)) {
        row->cycles_per_instruction =
            ShownCycles(row->upper_bound, Pooled(before_value, now_value));
      }
      return;
  }
}

// Before the values of both are merged.
void MergeClassic(const InstructionRow& before, InstructionRow& now) {
  if (before.throughput && now.throughput)
    MergeClassic("THR", before.throughput->cycles, now.throughput->cycles, before, now);
  const ClassicRow* row = FindClassic(now, "LAT");
  if (row == nullptr || before.latency.empty() || now.latency.empty()) return;
  const auto distance = [row](const Latency& latency) {
    return std::abs(ShownCycles(IsUpperBound(latency), latency.cycles) -
                    row->cycles_per_instruction);
  };
  const Latency& shown = std::ranges::min(now.latency, {}, distance);
  const auto same = std::ranges::find_if(
      before.latency, [&shown](const Latency& latency) { return IsSamePair(latency, shown); });
  if (same != before.latency.end()) MergeClassic("LAT", same->cycles, shown.cycles, before, now);
}

// What one round lacks is kept from the other.
template <typename Value, typename IsSame>
void MergeAll(const std::vector<Value>& before, const IsSame& is_same, std::vector<Value>& now) {
  for (const Value& old : before) {
    const auto same =
        std::ranges::find_if(now, [&](const Value& each) { return is_same(old, each); });
    if (same == now.end()) {
      now.push_back(old);
    } else {
      Merge(old, *same);
    }
  }
}

bool HasValueThat(const InstructionRow& row, bool (*is)(const Estimate& estimate)) {
  const auto of = [is](const auto& value) { return is(value.cycles); };
  return (row.throughput && of(*row.throughput)) ||
         std::ranges::any_of(row.throughput_by_values, of) || std::ranges::any_of(row.latency, of);
}

}  // namespace

bool HasContendedValue(const InstructionRow& row) {
  return HasValueThat(row, [](const Estimate& estimate) { return estimate.contended; });
}

bool HasDisturbedValue(const InstructionRow& row) {
  return HasValueThat(row, [](const Estimate& estimate) { return estimate.disturbed; });
}

InstructionRow MergeRows(const InstructionRow& before, InstructionRow now) {
  if (!RanToItsEnd(now)) return before;
  if (!RanToItsEnd(before)) return now;
  const auto is_doubtful = [](const InstructionRow& row) {
    return HasDisturbedValue(row) || HasContendedValue(row);
  };
  // The notes are one round's as they are: the latest that nothing disturbed.
  if (is_doubtful(now) && !is_doubtful(before)) {
    now.notes = before.notes;
    now.claims = before.claims;
  }
  MergeClassic(before, now);
  if (!now.throughput) {
    now.throughput = before.throughput;
  } else if (before.throughput) {
    Merge(*before.throughput, *now.throughput);
  }
  MergeAll(
      before.throughput_by_values,
      [](const Throughput& a, const Throughput& b) { return a.values == b.values; },
      now.throughput_by_values);
  MergeAll(before.latency, IsSamePair, now.latency);
  // The row is what its values are, whichever round they come from.
  const bool disturbed = HasDisturbedValue(now);
  const InstructionRow& same_kind = now.status == Status::kDisturbed ? now : before;
  now.reason = disturbed ? same_kind.reason : "";
  now.status = disturbed ? Status::kDisturbed : Status::kMeasured;
  return now;
}

std::vector<InstructionRow> MergeRounds(const std::vector<InstructionRow>& before,
                                        const std::vector<InstructionRow>& now) {
  assert(before.size() == now.size());
  std::vector<InstructionRow> merged;
  for (std::size_t i = 0; i < now.size(); ++i) merged.push_back(MergeRows(before[i], now[i]));
  return merged;
}

}  // namespace cyclescope::instructions
