#include "ports/find_ports.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "arch/kernel_parts.h"
#include "instructions/plan.h"
#include "measure/experiment.h"

namespace cyclescope::ports {
namespace {

int Instructions(const Mix& mix) {
  int count = 0;
  for (const auto& [form, number] : mix) count += number;
  return count;
}

}  // namespace

PortFinder::PortFinder(instructions::Planner& planner, measure::Runner& runner,
                       measure::IsOver is_over)
    : planner_(planner), runner_(runner), is_over_(std::move(is_over)) {}

std::size_t PortFinder::Add(const assembler::Instruction& instruction) {
  const auto known = std::ranges::find(forms_, instruction.text, [](const MixForm& each) {
    return each.form.instruction.text;
  });
  if (known != forms_.end()) return static_cast<std::size_t>(known - forms_.begin());
  forms_.push_back({instructions::MakeForm(
      planner_.assembler().AtAddress(instruction, planner_.builder().address()))});
  const auto refusal = instructions::RefusalOf(
      instruction, runner_.executor().has_system_call_filter());
  refusals_.push_back(refusal ? refusal->reason : WhyNotInMix(forms_.back().form));
  return forms_.size() - 1;
}

std::optional<measure::Experiment> PortFinder::ExperimentOf(const Mix& mix, bool second_order) {
  const auto sequence = ArrangeMix(planner_, forms_, mix, second_order);
  if (!sequence) return std::nullopt;
  auto experiment = planner_.ExperimentOf(*sequence);
  if (!experiment) return std::nullopt;
  return std::move(*experiment);
}

void PortFinder::Measure(const std::vector<Mix>& mixes) {
  std::vector<measure::Experiment> experiments;
  std::vector<std::size_t> mix_of;
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    const bool refused = std::ranges::any_of(
        mixes[i], [this](const auto& part) { return !refusals_[part.first].empty(); });
    for (const bool second_order : {false, true}) {
      if (refused || (second_order && mixes[i].size() < 2)) continue;
      auto experiment = ExperimentOf(mixes[i], second_order);
      if (!experiment) continue;
      experiment->race = i;
      experiments.push_back(std::move(*experiment));
      mix_of.push_back(i);
    }
  }
  const std::vector<measure::Measurement> results = runner_.Run(experiments, is_over_);
  if (was_cut_short()) return;
  for (const Mix& mix : mixes) measured_[mix] = std::nullopt;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].has_value() || results[i].contended) continue;
    const Mix& mix = mixes[mix_of[i]];
    const double cycles =
        measure::EstimateOf(results[i], runner_.settings().confidence).value * Instructions(mix);
    std::optional<double>& best = measured_[mix];
    best = std::min(best.value_or(cycles), cycles);
  }
}

void PortFinder::ChooseSources(const std::vector<std::size_t>& forms) {
  // As many as are dispatched: then it was not executed at all, but taken for an idiom.
  constexpr double kDispatchLimit = 1.1;
  constexpr double kClearlyLess = 0.97;
  std::vector<Mix> alone;
  for (const std::size_t form : forms) {
    if (!measured_.contains({{form, 1}})) alone.push_back({{form, 1}});
  }
  Measure(alone);
  const MixResults apart = measured_;
  for (const Mix& mix : alone) forms_[mix.front().first].equal_sources = true;
  Measure(alone);
  if (was_cut_short()) return;
  const auto filler = measured_.find({{0, 1}});
  for (const Mix& mix : alone) {
    const std::optional<double>& before = apart.at(mix);
    const std::optional<double>& equal = measured_.at(mix);
    const bool idiom = equal && filler != measured_.end() && filler->second &&
                       *equal < kDispatchLimit * *filler->second;
    if (equal && !idiom && (!before || *equal < kClearlyLess * *before)) continue;
    forms_[mix.front().first].equal_sources = false;
    measured_[mix] = before;
  }
}

void PortFinder::FindMap(const std::vector<std::string>& texts) {
  std::vector<std::size_t> forms;
  for (const std::string& text : texts) {
    const auto parsed = planner_.assembler().Parse(text);
    if (parsed && parsed->size() == 1) forms.push_back(Add(parsed->front()));
  }
  ChooseSources(forms);
  for (MapStep step = InferMap(forms_.size(), measured_); !was_cut_short();
       step = InferMap(forms_.size(), measured_)) {
    map_ = step.map;
    if (step.wanted.empty()) return;
    Measure(step.wanted);
  }
}

std::vector<FormPorts> PortFinder::Find(const std::vector<std::size_t>& forms) {
  ChooseSources(forms);
  std::vector<FormPorts> found(forms.size());
  while (!was_cut_short()) {
    std::vector<Mix> wanted;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const instructions::Form& form = forms_[forms[i]].form;
      const int most_fused = (form.reads_memory ? 1 : 0) + (form.writes_memory ? 2 : 0);
      UsageStep step = InferUsage(map_, forms[i], most_fused, measured_);
      std::ranges::copy(step.wanted, std::back_inserter(wanted));
      found[i] = std::move(step.ports);
    }
    if (wanted.empty()) break;
    Measure(wanted);
  }
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (!refusals_[forms[i]].empty()) found[i].not_explained = refusals_[forms[i]];
  }
  return found;
}

}  // namespace cyclescope::ports
