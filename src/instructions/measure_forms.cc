#include "instructions/measure_forms.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "instructions/conclude_latency.h"

namespace cyclescope::instructions {
namespace {

using measure::Experiment;
using measure::Measurement;

// The experiments of several plans from `first[i]` on, as one run; races of different plans are
// kept apart. Their code, which is long, goes with them: it is not needed afterwards.
std::vector<Experiment> Gather(std::vector<FormPlan>& plans,
                               const std::vector<std::size_t>& first) {
  std::vector<Experiment> gathered;
  std::size_t races = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::size_t last_race = 0;
    for (std::size_t k = first[i]; k < plans[i].experiments.size(); ++k) {
      auto code = std::exchange(plans[i].experiments[k].kernels, {});
      gathered.push_back(plans[i].experiments[k]);
      gathered.back().kernels = std::move(code);
      gathered.back().about = i;
      if (!gathered.back().race) continue;
      last_race = std::max(last_race, *gathered.back().race);
      *gathered.back().race += races;
    }
    races += last_race + 1;
  }
  return gathered;
}

// How far a connector's value can be relied on: the first that fails counts most.
using Quality = std::array<bool, 4>;
constexpr Quality kReliable = {true, true, true, true};

Quality QualityOf(const Measurement& connector) {
  return {!connector.cut_short, connector.has_value(),
          connector.visits.size() >= statistics::kFewestVisits, !connector.contended};
}

}  // namespace

Circumstances Bench::circumstances() const {
  return {.clock = &runner_->instrument().clock(),
          .confidence = runner_->settings().confidence,
          .trusts_cycles = runner_->instrument().TrustsCycles()};
}

void Bench::MeasureConnectors(const std::vector<FormPlan>& plans, const GoesOn& goes_on) {
  std::vector<std::string> names;
  std::vector<Experiment> experiments;
  for (const FormPlan& plan : plans) {
    for (const ConnectorPlan& connector : plan.connectors) {
      // One that was measured badly gets another chance.
      const auto known = connectors_.find(connector.name);
      if (known != connectors_.end() && QualityOf(known->second) == kReliable) continue;
      if (std::ranges::find(names, connector.name) != names.end()) continue;
      names.push_back(connector.name);
      experiments.push_back(connector.experiment);
    }
  }
  if (names.empty()) return;
  std::vector<Measurement> measured = runner_->Run(experiments, goes_on);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto known = connectors_.find(names[i]);
    if (known == connectors_.end() || QualityOf(measured[i]) >= QualityOf(known->second))
      connectors_.insert_or_assign(names[i], std::move(measured[i]));
  }
}

std::vector<std::optional<InstructionRow>> Bench::Measure(std::vector<FormPlan> plans,
                                                          Planner& planner, const GoesOn& goes_on) {
  MeasureConnectors(plans, goes_on);
  if (siblings_ != nullptr) {
    for (FormPlan& plan : plans) siblings_->Expect(plan);
  }
  std::vector<std::vector<Measurement>> measured(plans.size());
  std::vector<std::size_t> first(plans.size(), 0);
  for (bool more = true; more;) {
    const std::vector<Experiment> experiments = Gather(plans, first);
    std::vector<Measurement> results = runner_->Run(experiments, goes_on);
    auto result = std::make_move_iterator(results.begin());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::size_t count = plans[i].experiments.size() - first[i];
      measured[i].insert(measured[i].end(), result, result + static_cast<std::ptrdiff_t>(count));
      result += static_cast<std::ptrdiff_t>(count);
      first[i] = plans[i].experiments.size();
    }
    more = false;
    for (std::size_t i = 0; i < plans.size(); ++i)
      more |= ExtendPlan(measured[i], circumstances(), planner, plans[i]);
  }
  // What quiet looks like may have been learnt only while these were measured.
  const measure::QuietCriteria quiet_criteria = runner_->instrument().watch().quiet_criteria();
  for (auto& of_plan : measured) {
    for (Measurement& each : of_plan) measure::LookAgain(quiet_criteria, each);
  }
  for (auto& [name, connector] : connectors_) measure::LookAgain(quiet_criteria, connector);
  if (MayGoOn(goes_on)) MeasureConnectors(plans, goes_on);
  std::vector<std::optional<InstructionRow>> rows;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool cut_short =
        std::ranges::any_of(measured[i], &Measurement::cut_short) ||
        std::ranges::any_of(plans[i].connectors, [this](const ConnectorPlan& connector) {
          return connectors_.at(connector.name).cut_short;
        });
    if (siblings_ != nullptr && !cut_short)
      siblings_->Learn(plans[i], measured[i], circumstances().confidence);
    rows.push_back(
        cut_short ? std::nullopt
                  : std::optional(Conclude(plans[i], measured[i], connectors_, circumstances())));
  }
  return rows;
}

}  // namespace cyclescope::instructions
