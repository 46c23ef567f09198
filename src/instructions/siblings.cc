#include "instructions/siblings.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "instructions/conclude_throughput.h"

namespace cyclescope::instructions {
namespace {

using measure::Expectation;
using measure::Measurement;

// What each experiment of a plan means, in words that are the same for siblings.
void ForEachMeaning(const FormPlan& plan,
                    const std::function<void(const std::string&, ExperimentIndex)>& visit) {
  for (const ValuesPlan& values : plan.values) {
    for (const PairPlan& pair : values.pairs) {
      for (std::size_t i = 0; i < pair.chains.size(); ++i) {
        visit(fmt::format("{} {}>{} {} {}", values.name, pair.from, pair.to, i,
                          pair.chains[i].connector),
              pair.chains[i].experiment);
      }
    }
    if (values.all_sources) visit(values.name + " all sources", values.all_sources->experiment);
    if (values.same_destination) visit(values.name + " same destination", *values.same_destination);
    for (const ArrangementPlan& arrangement : values.arrangements)
      visit(fmt::format("{} copies {}", values.name, arrangement.way), arrangement.experiment);
  }
}

// A value that a sibling can be compared with.
bool IsGood(const Measurement& measurement) {
  return measurement.has_value() && !measurement.contended && !measurement.cut_short &&
         !measurement.agreed && measurement.end == SamplingEnd::kPrecise &&
         measurement.visits.size() >= statistics::kFewestVisits;
}

// With how many others the experiment competes in its row: a sibling that agrees with it has an
// interval as wide as the row's.
int ContendersOf(const FormPlan& plan, ExperimentIndex experiment,
                 std::span<const Measurement> measured, double confidence) {
  for (const ValuesPlan& values : plan.values) {
    if (std::ranges::find(values.arrangements, experiment, &ArrangementPlan::experiment) !=
        values.arrangements.end()) {
      return CountContenders(values, measured, confidence,
                             EstimateOf(measured[experiment], confidence));
    }
    for (const PairPlan& pair : values.pairs) {
      const auto chain = std::ranges::find(pair.chains, experiment, &ChainPlan::experiment);
      if (chain != pair.chains.end()) return 1 + static_cast<int>(chain->other_starts.size());
    }
  }
  return 1;
}

// Of the arrangements only the likely winners run at first, with the plainest and the best with and
// without fillers, which the notes and the limit need.
std::set<ExperimentIndex> FirstOf(const ValuesPlan& values,
                                  const std::vector<measure::Experiment>& experiments) {
  std::set<ExperimentIndex> first;
  if (values.arrangements.empty()) return first;
  first.insert(values.arrangements.front().experiment);
  for (const ArrangementPlan& arrangement : values.arrangements) {
    const auto& expected = experiments[arrangement.experiment].expected;
    if (expected && expected->settles) first.insert(arrangement.experiment);
  }
  for (const bool has_fillers : {false, true}) {
    const ArrangementPlan* best = nullptr;
    const auto expected_value = [&](const ArrangementPlan& arrangement) {
      const auto& expected = experiments[arrangement.experiment].expected;
      return expected ? expected->value : std::numeric_limits<double>::infinity();
    };
    for (const ArrangementPlan& arrangement : values.arrangements) {
      if (arrangement.has_fillers != has_fillers) continue;
      if (best == nullptr || expected_value(arrangement) < expected_value(*best))
        best = &arrangement;
    }
    if (best != nullptr) first.insert(best->experiment);
  }
  return first;
}

// Of what it reads, with an element that is read for all places counted that often.
int MemoryBitsOf(const Instruction& instruction) {
  int bits = 0;
  for (const assembler::Operand& operand : instruction.operands)
    bits = std::max<int>(bits, operand.memory_bits * operand.times);
  return bits;
}

// Where a result goes to, not what it is.
bool IsMask(const Group& group) { return group.file == RegisterFile::kMask && !group.written; }

bool IsMasked(const Form& form) { return std::ranges::any_of(form.groups, IsMask); }

}  // namespace

std::string FamilyOf(const Form& form) {
  std::string family = form.instruction.name;
  bool is_vector = false;
  for (const Group& group : form.groups) {
    if (IsMask(group)) continue;
    is_vector = is_vector || group.file == RegisterFile::kVector;
    family += fmt::format(" {}:{}{}{}", static_cast<int>(group.file), group.bits,
                          group.is_address() ? "a" : "", group.written ? "w" : "");
  }
  family += ' ' + form.instruction.elements;
  if (form.reads_memory) family += fmt::format(" loads {}", MemoryBitsOf(form.instruction));
  if (form.writes_memory) family += " stores";
  return is_vector ? family : std::string();
}

void Siblings::Expect(FormPlan& plan) const {
  if (plan.family.empty()) return;
  const std::lock_guard lock(mutex_);
  // With a mask some take a cycle more. So what has one is compared with what has one, if that is
  // known, and with the others only until then.
  const bool is_masked = IsMasked(plan.form);
  for (const bool of_masked : {!is_masked, is_masked}) {
    const auto family = families_.find({plan.family, of_masked});
    if (family == families_.end()) continue;
    ForEachMeaning(plan, [&](const std::string& meaning, ExperimentIndex experiment) {
      const auto found = family->second.find(meaning);
      if (found != family->second.end()) plan.experiments[experiment].expected = found->second;
    });
  }
  for (const ValuesPlan& values : plan.values) {
    const auto is_settled = [&](const ArrangementPlan& arrangement) {
      const auto& expected = plan.experiments[arrangement.experiment].expected;
      return expected && expected->settles;
    };
    if (std::ranges::none_of(values.arrangements, is_settled)) continue;
    const std::set<ExperimentIndex> first = FirstOf(values, plan.experiments);
    for (const ArrangementPlan& arrangement : values.arrangements) {
      plan.experiments[arrangement.experiment].reserve = !first.contains(arrangement.experiment);
    }
  }
}

void Siblings::Learn(const FormPlan& plan, std::span<const Measurement> measured,
                     double confidence) {
  if (plan.family.empty()) return;
  const std::lock_guard lock(mutex_);
  Family& family = families_[{plan.family, IsMasked(plan.form)}];
  ForEachMeaning(plan, [&](const std::string& meaning, ExperimentIndex experiment) {
    if (experiment >= measured.size() || !measured[experiment].has_value() ||
        measured[experiment].contended || measured[experiment].cut_short) {
      return;
    }
    const Expectation* known = family.contains(meaning) ? &family[meaning] : nullptr;
    if (known != nullptr && (known->settles || !IsGood(measured[experiment]))) return;
    const Estimate estimate = EstimateOf(measured[experiment], confidence,
                                         ContendersOf(plan, experiment, measured, confidence));
    family[meaning] = {.low = estimate.low,
                       .high = estimate.high,
                       .value = estimate.value,
                       .settles = IsGood(measured[experiment]),
                       .stretch = measured[experiment].stretch,
                       .like = plan.row.text};
  });
}

}  // namespace cyclescope::instructions
