#include "instructions/throughput.h"

#include <algorithm>

#include "instructions/chain_draft.h"
#include "instructions/latency.h"

namespace cyclescope::instructions {
namespace {

struct Arrangement {
  std::size_t registers;  // that a destination takes in turn, at most
  bool breakers;          // fresh values for registers that every copy reads and writes in place
  bool several_lines;     // addresses on several cache lines
};

bool HasInPlaceRegisters(const Form& form) {
  return std::ranges::any_of(form.groups, [](const Group& group) {
    return group.fixed && group.read && group.written && !group.stack_pointer;
  });
}

std::vector<Arrangement> ArrangementsFor(const Form& form) {
  std::vector<Arrangement> arrangements = {{16, false, false}, {24, false, false}, {8, false, false}, {4, false, false}};
  if (form.reads_memory || form.writes_memory) arrangements.push_back({16, false, true});
  if (HasInPlaceRegisters(form)) {
    arrangements.push_back({16, true, false});
    if (form.reads_memory || form.writes_memory) arrangements.push_back({16, true, true});
  }
  return arrangements;
}

// Lines that the addresses of copies are spread over, when they are.
constexpr std::size_t kLines = 4;
constexpr std::uint64_t kLineBytes = 64;

std::optional<Sequence> Arrange(Lab& lab, const Form& form, const arch::ValueSet* values, const Arrangement& arrangement) {
  ChainDraft draft(lab, form, values);
  Copies& copies = draft.copies();
  std::vector<std::size_t> bases;
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    const Group& group = form.groups[g];
    if (group.address != AddressPart::kBase || group.fixed || group.written || !arrangement.several_lines) continue;
    if (!copies.Rotate(g, kLines)) return std::nullopt;
    bases.push_back(g);
  }
  if (!copies.Rest(arrangement.registers)) return std::nullopt;
  // At least some copies, so that breakers between them have something to stand between.
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    if (arrangement.breakers && !draft.AppendBreakers({})) return std::nullopt;
    draft.AppendForm(copy);
  }
  Sequence sequence = draft.Finish().sequence;
  for (const std::size_t g : bases) {
    std::uint64_t address = lab.builder().address();
    for (const std::uint8_t index : copies.lane(g).registers) {
      sequence.values[{form.groups[g].file, index}] = address;
      address += kLineBytes;
    }
  }
  return sequence;
}

}  // namespace

Outcome<ThroughputResult> MeasureThroughput(Lab& lab, const Form& form, const arch::ValueSet* values) {
  Failure failure = {Status::kUnmeasurable, "not enough registers for independent copies"};
  std::optional<Sequence> best;
  double best_cycles = 0;
  for (const Arrangement& arrangement : ArrangementsFor(form)) {
    auto sequence = Arrange(lab, form, values, arrangement);
    if (!sequence) continue;
    const auto screened = lab.Screen(*sequence);
    if (!screened) {
      failure = screened.error();
      break;  // what kills or stops one arrangement does so to all
    }
    // A later arrangement must be clearly better: otherwise the plainest stands.
    constexpr double kClearly = 0.99;
    if (!best || screened->estimate.value < kClearly * best_cycles) {
      best_cycles = screened->estimate.value;
      best = std::move(sequence);
    }
  }
  if (!best) return std::unexpected(failure);
  const auto measured = lab.Measure(*best);
  if (!measured) return std::unexpected(measured.error());
  ThroughputResult result;
  result.throughput.cycles = measured->estimate;
  result.throughput.code = Listing(*best);
  if (values != nullptr) result.throughput.values = values->name;
  result.totals = measured->totals;
  return result;
}

std::optional<Throughput> PlanThroughput(Lab& lab, const Form& form) {
  const auto sequence = Arrange(lab, form, nullptr, ArrangementsFor(form).front());
  if (!sequence) return std::nullopt;
  Throughput throughput;
  throughput.code = Listing(*sequence);
  return throughput;
}

std::optional<double> MeasureSameDestination(Lab& lab, const Form& form, const arch::ValueSet* values) {
  const bool has_pure_destination = std::ranges::any_of(form.groups, [](const Group& group) {
    return group.written && !group.read && !group.fixed && !group.is_address();
  });
  if (!has_pure_destination) return std::nullopt;
  const auto sequence = Arrange(lab, form, values, {.registers = 1, .breakers = false, .several_lines = false});
  if (!sequence) return std::nullopt;
  const auto measured = lab.Screen(*sequence);
  if (!measured) return std::nullopt;
  return measured->estimate.value;
}

}  // namespace cyclescope::instructions
