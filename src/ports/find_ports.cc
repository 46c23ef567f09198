#include "ports/find_ports.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "arch/kernel_parts.h"
#include "instructions/plan.h"
#include "measure/experiment.h"

namespace cyclescope::ports {
namespace {

VectorKind VectorsOf(const instructions::Form& form) {
  int widest = 0;
  for (const instructions::Group& group : form.groups) {
    if (group.file == assembler::RegisterFile::kVector) widest = std::max<int>(widest, group.bits);
  }
  if (widest == 0) return VectorKind::kNone;
  return widest >= arch::BitsThatClosePorts() ? VectorKind::kWide : VectorKind::kNarrow;
}

FormTraits TraitsOf(const instructions::Form& form) {
  FormTraits traits;
  traits.uops_in_slot = arch::UopsInSlot();
  traits.vectors = VectorsOf(form);
  const bool moves_address = std::ranges::any_of(form.groups, [](const instructions::Group& group) {
    return group.is_address() && group.written;
  });
  const bool only_loads =
      form.instruction.flags.plain_load && !form.writes_memory && !moves_address;
  if (form.reads_memory && !only_loads) traits.most_fused += 1;
  if (form.writes_memory) traits.most_fused += 2;
  traits.only_stores = form.writes_memory && !form.reads_memory;
  traits.depends_on_itself = std::ranges::any_of(form.groups, [](const instructions::Group& group) {
    const bool cannot_rotate = group.fixed || group.is_address();
    return cannot_rotate && group.written && (group.read || group.partial);
  });
  return traits;
}

}  // namespace

PortFinder::PortFinder(instructions::Planner& planner, measure::Runner& runner, GoesOn goes_on)
    : planner_(planner), runner_(runner), goes_on_(std::move(goes_on)) {}

std::size_t PortFinder::Add(const assembler::Instruction& instruction) {
  const auto known = std::ranges::find(
      forms_, instruction.text, [](const MixForm& each) { return each.form.instruction.text; });
  if (known != forms_.end()) return static_cast<std::size_t>(known - forms_.begin());
  forms_.push_back({instructions::MakeForm(
      planner_.assembler().AtAddress(instruction, planner_.builder().address()))});
  const auto refusal =
      instructions::RefusalOf(instruction, runner_.executor().has_system_call_filter());
  refusals_.push_back(refusal ? refusal->reason : WhyNotInMix(forms_.back().form));
  return forms_.size() - 1;
}

std::optional<instructions::Sequence> PortFinder::CodeOf(const Mix& mix, MixOrder order) {
  return ArrangeMix(planner_, forms_, mix, order);
}

Result<measure::Experiment> PortFinder::ExperimentOf(const Mix& mix, MixOrder order) {
  for (const auto& [form, count] : mix) {
    if (!refusals_[form].empty()) return Failed(refusals_[form]);
  }
  const auto sequence = CodeOf(mix, order);
  if (!sequence) return Failed("there are not enough registers for the mix");
  return planner_.ExperimentOf(*sequence);
}

MixResult PortFinder::ResultOf(std::vector<measure::Measurement> orders) const {
  const double confidence = runner_.settings().confidence;
  std::optional<Estimate> best;
  std::string why_not = "it was not measured";
  for (measure::Measurement& each : orders) {
    measure::LookAgain(runner_.instrument().watch().quiet_criteria(), each);
    if (each.death) why_not = "it could not be run: " + each.death->reason;
    if (!each.has_value()) continue;
    const Estimate estimate = measure::EstimateOf(each, confidence);
    // As the runner chose, which gave the others no further visits.
    if (!best || estimate.value < measure::kBeatsRatio * best->value) best = estimate;
  }
  if (!best) return {.why_not = why_not};
  if (best->contended) return {.why_not = "it found no quiet moment", .is_of_the_moment = true};
  if (best->disturbed)
    return {.why_not = "too few of its samples survived", .is_of_the_moment = true};
  return {.cycles = best->value};
}

void PortFinder::Measure(const std::vector<Mix>& mixes) {
  std::vector<measure::Experiment> experiments;
  std::vector<std::size_t> mix_of;
  std::vector<std::string> why_not(mixes.size());
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    for (const MixOrder order : OrdersOf(mixes[i])) {
      auto experiment = ExperimentOf(mixes[i], order);
      if (!experiment) {
        why_not[i] = experiment.error().ToString();
        continue;
      }
      experiment->race = i;
      experiments.push_back(std::move(*experiment));
      mix_of.push_back(i);
    }
  }
  std::vector<measure::Measurement> results = runner_.Run(experiments, goes_on_);
  if (was_cut_short()) return;
  std::vector<std::vector<measure::Measurement>> orders(mixes.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    orders[mix_of[i]].push_back(std::move(results[i]));
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    MixResult& result = measured_[mixes[i]];
    result = orders[i].empty() ? MixResult{.why_not = why_not[i]} : ResultOf(std::move(orders[i]));
    if (result.cycles) *result.cycles *= Instructions(mixes[i]);
  }
}

void PortFinder::ChooseArrangements(const std::vector<std::size_t>& forms) {
  std::vector<Mix> alone;
  std::vector<Mix> with_own;
  std::vector<Mix> stores;
  for (const std::size_t form : forms) {
    if (measured_.contains({{form, 1}})) continue;
    alone.push_back({{form, 1}});
    const instructions::Form& each = forms_[form].form;
    if (each.writes_memory && !each.reads_memory) stores.push_back(alone.back());
    if (arch::SourcesGrowCold() && CanHaveOwnSources(each)) with_own.push_back(alone.back());
  }
  constexpr double kFasterRatio = 0.97;
  constexpr double kNotMore = 1.02;
  Measure(alone);
  TryArrangement(alone, &MixForm::equal_sources, kFasterRatio);
  TryArrangement(with_own, &MixForm::own_sources, kNotMore);
  TryArrangement(stores, &MixForm::one_place, kFasterRatio);
}

void PortFinder::TryArrangement(const std::vector<Mix>& alone, bool MixForm::* arrangement,
                                double share) {
  // As many as are dispatched: then it was not executed at all, but taken for an idiom.
  constexpr double kDispatchLimit = 1.1;
  if (was_cut_short()) return;
  MixResults before;
  for (const Mix& mix : alone) before.emplace(mix, measured_.at(mix));
  for (const Mix& mix : alone) forms_[mix.front().first].*arrangement = true;
  Measure(alone);
  if (was_cut_short()) return;
  const auto filler = measured_.find({{0, 1}});
  for (const Mix& mix : alone) {
    const std::optional<double>& usual = before.at(mix).cycles;
    const std::optional<double>& now = measured_.at(mix).cycles;
    const bool idiom = now && filler != measured_.end() && filler->second.cycles &&
                       *now < kDispatchLimit * *filler->second.cycles;
    if (now && !idiom && (!usual || *now < share * *usual)) continue;
    forms_[mix.front().first].*arrangement = false;
    measured_[mix] = before.at(mix);
  }
}

void PortFinder::FindMap(const std::vector<std::string>& texts) {
  std::vector<std::size_t> forms;
  for (const std::string& text : texts) {
    const auto parsed = planner_.assembler().Parse(text);
    if (parsed && parsed->size() == 1) forms.push_back(Add(parsed->front()));
  }
  ChooseArrangements(forms);
  std::vector<VectorKind> vectors;
  for (const MixForm& each : forms_) vectors.push_back(VectorsOf(each.form));
  // Everything else rests on the map: a class that is missing makes others look wider than they
  // are. So what met a bad moment is tried again, and again.
  constexpr int kMostTries = 6;
  int tries = 0;
  // The probes of the first mixes tell whether cycles can be trusted; later ones may tell better.
  while (!was_cut_short() && !ClearMapIfUntrusted()) {
    MapStep step = InferMap(vectors, measured_);
    if (!step.wanted.empty()) {
      Measure(step.wanted);
      continue;
    }
    map_ = std::move(step.map);
    if (++tries == kMostTries || !ForgetDisturbed()) return;
  }
}

bool PortFinder::ForgetDisturbed() {
  return std::erase_if(measured_, [](const auto& each) { return each.second.is_of_the_moment; }) >
         0;
}

void PortFinder::UseMap(CoreMap map) {
  std::vector<std::size_t> forms(forms_.size());
  std::iota(forms.begin(), forms.end(), std::size_t{0});
  ChooseArrangements(forms);
  for (MapClass& each : map.classes) each.vectors = VectorsOf(forms_[each.forms.front()].form);
  if (!was_cut_short() && !ClearMapIfUntrusted()) map_ = std::move(map);
}

bool PortFinder::ClearMapIfUntrusted() {
  const measure::Instrument& instrument = runner_.instrument();
  if (instrument.TrustsCycles()) return false;
  map_ = {};
  map_.why_none = "cycles cannot be trusted here: " + instrument.watch().CheckItself().verdict;
  return true;
}

std::vector<std::optional<FormPorts>> PortFinder::Find(const std::vector<std::size_t>& forms) {
  std::vector<std::optional<FormPorts>> found(forms.size());
  if (map_.is_found()) ChooseArrangements(forms);
  for (bool is_second_try = false; !was_cut_short();) {
    std::vector<Mix> wanted;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      if (found[i]) continue;
      UsageStep step = InferUsage(map_, forms[i], TraitsOf(forms_[forms[i]].form), measured_);
      std::ranges::copy(step.wanted, std::back_inserter(wanted));
      if (step.wanted.empty()) found[i] = std::move(step.ports);
    }
    if (!wanted.empty()) {
      Measure(wanted);
      continue;
    }
    // Those that met a neighbour get a second try when all others are done.
    if (std::exchange(is_second_try, true) || !map_.is_found() || !ForgetDisturbed()) break;
    for (std::optional<FormPorts>& each : found) {
      if (each && !each->usage) each.reset();
    }
  }
  return found;
}

}  // namespace cyclescope::ports
