#include "ports/core_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <set>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::ports {
namespace {

// A number of instructions in a cycle is whole if it is no more than this over, or this under
// a whole number: time gets lost, and is not gained.
constexpr double kOver = 0.04;  // four times the noise of a disturbed machine
constexpr double kUnder = 0.07;
// What differs from a whole number of slots by less is that number.
constexpr double kSlotsOff = 0.5;
// Mixes that are measured to tell solutions apart.
constexpr std::size_t kMostSeparating = 192;

std::optional<int> WidthOf(double cycles) {
  const double rate = 1 / cycles;
  const double whole = std::round(rate);
  if (whole < 1 || rate > whole * (1 + kOver) || rate < whole * (1 - kUnder)) return std::nullopt;
  return static_cast<int>(whole);
}

// The number that do nothing, in a row: different loops, of which any may have had a bad moment.
constexpr std::array kFillerRows = {1, 8, 20};

// Cores dispatch a whole number of slots in a cycle. Noise in it would be counted with each of a
// mix's many fillers.
double SlotsInACycle(double dispatch) {
  constexpr double kNoiseShare = 0.025;
  const double whole = std::round(dispatch);
  return std::abs(dispatch - whole) <= kNoiseShare * whole ? whole : dispatch;
}

Mix Pair(std::size_t first, int first_count, std::size_t second, int second_count) {
  Mix mix = {{first, first_count}, {second, second_count}};
  std::ranges::sort(mix);
  return mix;
}

class Inference {
 public:
  Inference(std::span<const VectorKind> forms, const MixResults& measured)
      : forms_(forms), measured_(measured) {}

  MapStep Run() {
    if (FindWidths() && FindSlots() && FindClasses()) FindPorts();
    CoreMap& map = step_.map;
    if (step_.wanted.empty() && !map.is_found() && map.why_none.empty())
      map.why_none = "none of the instructions tried shows them";
    return std::move(step_);
  }

 private:
  struct Candidate {
    std::size_t form = 0;
    double cycles = 0;
    int width = 0;
  };

  // What is known of the mix; asks for it if it was not asked for.
  std::optional<double> Ask(const Mix& mix) {
    const auto found = measured_.find(mix);
    if (found != measured_.end()) return found->second.cycles;
    step_.wanted.push_back(mix);
    return std::nullopt;
  }

  // Of a mix that was tried and has no value.
  std::string WhyNot(const Mix& mix) const { return measured_.at(mix).why_not; }

  void LeaveOut(std::size_t form, ClaimCode code, std::vector<ClaimFigure> figures) {
    step_.map.left_out.emplace(form, Claim{code, std::move(figures)});
  }

  void FindDispatch() {
    std::vector<double> in_a_cycle;
    for (const int fillers : kFillerRows) {
      if (const auto cycles = Ask({{0, fillers}})) in_a_cycle.push_back(fillers / *cycles);
    }
    if (!in_a_cycle.empty()) step_.map.dispatch = statistics::Median(in_a_cycle);
  }

  // ---- Each false until it has all that it needs.

  bool FindWidths() {
    if (forms_.empty()) return false;
    FindDispatch();
    std::vector<std::optional<double>> alone = {std::nullopt};  // of form 0 that is dispatch
    for (std::size_t form = 1; form < forms_.size(); ++form) alone.push_back(Ask({{form, 1}}));
    if (!step_.wanted.empty()) return false;
    if (step_.map.dispatch == 0) {
      step_.map.why_none =
          "how many instructions the core dispatches in a cycle could not be measured: " +
          WhyNot({{0, kFillerRows.front()}});
      return false;
    }
    for (std::size_t form = 1; form < forms_.size(); ++form) {
      if (!alone[form]) {
        LeaveOut(form, ClaimCode::kNoOwnValue, {{"reason", WhyNot({{form, 1}})}});
      } else if (const auto width = WidthOf(*alone[form]); !width) {
        LeaveOut(form, ClaimCode::kUnevenRate, {{"cycles", *alone[form]}});
      } else if (*width >= std::floor(step_.map.dispatch * (1 + kOver))) {
        LeaveOut(form, ClaimCode::kAsWideAsDispatch, {});
      } else {
        candidates_.push_back({form, *alone[form], *width});
      }
    }
    return true;
  }

  bool FindSlots() {
    const double dispatch = step_.map.dispatch;
    std::vector<Candidate> of_one_slot;
    for (const Candidate& candidate : candidates_) {
      const Mix mix = SlotsMix(candidate.form, candidate.cycles, dispatch);
      const auto cycles = Ask(mix);
      if (!cycles) {
        if (measured_.contains(mix))
          LeaveOut(candidate.form, ClaimCode::kSlotsUnknown, {{"reason", WhyNot(mix)}});
        continue;
      }
      const double slots = SlotsFrom(mix, *cycles, dispatch);
      if (std::abs(slots - 1) < kSlotsOff) {
        of_one_slot.push_back(candidate);
      } else {
        LeaveOut(candidate.form, ClaimCode::kSeveralSlots, {{"slots", slots}});
      }
    }
    if (!step_.wanted.empty()) return false;
    candidates_ = std::move(of_one_slot);
    // The narrow first: they say most about the wide.
    std::ranges::sort(candidates_, {},
                      [](const Candidate& each) { return std::pair(each.width, each.form); });
    return true;
  }

  // Of two of the same width: each as many as a cycle takes. They take two cycles if they use the
  // same ports, and less if there is one port more.
  std::optional<bool> UseSamePorts(const Candidate& first, const Candidate& second) {
    const int width = first.width;
    const auto cycles = Ask(Pair(first.form, width, second.form, width));
    if (!cycles) return std::nullopt;
    const double apart = std::max(2.0 * width / (width + 1), 2.0 * width / step_.map.dispatch);
    return *cycles > (2 + apart) / 2;
  }

  bool FindClasses() {
    bool complete = true;
    std::map<int, bool> is_open;  // by width: a search there waits for an answer
    for (const Candidate& candidate : candidates_) {
      std::vector<MapClass*> alike;
      bool waits = false;
      std::string lost;  // why a class could not be compared with it
      for (std::size_t i = 0; i < step_.map.classes.size(); ++i) {
        MapClass& existing = step_.map.classes[i];
        if (existing.ports.width != candidate.width) continue;
        if (!AreMixed(representatives_[i], candidate)) continue;
        const auto same = UseSamePorts(representatives_[i], candidate);
        if (!same) {
          const MixResult* tried = WasTried(representatives_[i], candidate);
          waits = waits || tried == nullptr;
          if (tried != nullptr) lost = tried->why_not;
        }
        if (same.value_or(false)) alike.push_back(&existing);
      }
      if (alike.size() > 1 && !waits) {
        LeaveOut(candidate.form, ClaimCode::kPortsOfTwoClasses, {});
      } else if (alike.size() == 1 && !waits) {
        alike.front()->forms.push_back(candidate.form);
      } else if (waits) {
        is_open[candidate.width] = true;
        complete = false;
      } else if (!lost.empty()) {
        // As a class of its own it might be one that is there already.
        LeaveOut(candidate.form, ClaimCode::kMixWithoutValue, {{"reason", lost}});
      } else if (!is_open[candidate.width]) {
        representatives_.push_back(candidate);
        step_.map.classes.push_back({.ports = {.width = candidate.width},
                                     .forms = {candidate.form},
                                     .vectors = forms_[candidate.form]});
      } else {
        complete = false;  // one before it may become its class
      }
    }
    return complete && step_.wanted.empty();
  }

  bool AreMixed(const Candidate& first, const Candidate& second) const {
    return CanBeMixed(forms_[first.form], first.width, forms_[second.form], second.width);
  }

  // Of all parts of a mix of classes.
  bool AllAreMixed(const Mix& mix) const {
    return std::ranges::all_of(mix, [&](const auto& first) {
      return std::ranges::all_of(mix, [&](const auto& second) {
        return AreMixed(representatives_[first.first], representatives_[second.first]);
      });
    });
  }

  const MixResult* WasTried(const Candidate& first, const Candidate& second) const {
    const auto found = measured_.find(Pair(first.form, first.width, second.form, first.width));
    return found != measured_.end() ? &found->second : nullptr;
  }

  void FindPorts() {
    assert(representatives_.size() <= 64);  // the search has a bit for each
    if (representatives_.empty()) return;
    std::vector<int> widths;
    for (const Candidate& candidate : representatives_) widths.push_back(candidate.width);
    for (std::size_t a = 0; a < widths.size(); ++a) {
      for (std::size_t b = a + 1; b < widths.size(); ++b) {
        if (!AreMixed(representatives_[a], representatives_[b])) continue;
        Ask(ByForms({{a, widths[a]}, {b, widths[b]}}));
        Ask(ByForms({{a, 3 * widths[a]}, {b, 1}}));
        Ask(ByForms({{a, 1}, {b, 3 * widths[b]}}));
      }
    }
    if (!step_.wanted.empty()) return;
    // With the answers of earlier rounds, if there were any.
    const auto [times, tried] = MixesOfClasses();
    const std::vector<SetSolution> solutions = SearchSets(widths, times, step_.map.dispatch);
    if (solutions.empty()) {
      step_.map.classes.clear();
      step_.map.why_none = "too many sets of ports explain the times";
      return;
    }
    const std::size_t pairs = widths.size() * (widths.size() - 1) / 2;
    if (tried.size() < 3 * pairs + kMostSeparating) {
      const auto is_possible = [this](const Mix& mix) { return AllAreMixed(mix); };
      for (const Mix& mix : SeparatingMixes(solutions, tried, is_possible, step_.map.dispatch))
        Ask(ByForms(mix));
      if (!step_.wanted.empty()) return;
    }
    step_.map.other_solutions = static_cast<int>(solutions.size()) - 1;
    step_.map.misfit =
        times.empty() ? 0 : solutions.front().misfit / static_cast<double>(times.size());
    const std::vector<bool> ambiguous = AmbiguousClasses(solutions);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      step_.map.classes[i].ports = solutions.front().classes[i];
      step_.map.classes[i].ambiguous = ambiguous[i];
    }
  }

  // Mixes are searched by numbers of classes, and measured by numbers of forms.
  Mix ByForms(Mix mix) const {
    for (auto& [number, count] : mix) number = representatives_[number].form;
    std::ranges::sort(mix);
    return mix;
  }

  // What was tried of the classes' representatives, in numbers of classes, and with which times.
  std::pair<MixTimes, std::set<Mix>> MixesOfClasses() const {
    std::map<std::size_t, std::size_t> class_of;
    for (std::size_t i = 0; i < representatives_.size(); ++i)
      class_of.emplace(representatives_[i].form, i);
    std::pair<MixTimes, std::set<Mix>> mixes;
    for (const auto& [by_forms, result] : measured_) {
      Mix mix;
      for (const auto& [form, count] : by_forms) {
        const auto known = class_of.find(form);
        if (known != class_of.end()) mix.emplace_back(known->second, count);
      }
      if (by_forms.size() < 2 || mix.size() < by_forms.size()) continue;
      std::ranges::sort(mix);
      if (result.cycles) mixes.first.emplace(mix, *result.cycles);
      mixes.second.insert(std::move(mix));
    }
    return mixes;
  }

  std::span<const VectorKind> forms_;
  const MixResults& measured_;
  MapStep step_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> representatives_;  // one for each class
};

}  // namespace

bool CoreMap::IsAmbiguous(PortSet ports) const {
  bool ambiguous = false;
  for (const MapClass& each : classes) {
    if (!each.ambiguous && each.ports.ports == ports) return false;
    // A union of several classes rests on each of them.
    ambiguous = ambiguous || (each.ambiguous && (each.ports.ports & ~ports) == 0);
  }
  return ambiguous;
}

bool CanBeMixed(VectorKind first, int first_width, VectorKind second, int second_width) {
  if (first == VectorKind::kWide && second == VectorKind::kNarrow) return second_width == 1;
  if (first == VectorKind::kNarrow && second == VectorKind::kWide) return first_width == 1;
  return true;
}

MapStep InferMap(std::span<const VectorKind> forms, const MixResults& measured) {
  return Inference(forms, measured).Run();
}

Mix SlotsMix(std::size_t form, double cycles, double dispatch) {
  // Dispatching must take longer than whatever else the forms need. As few fillers and as many
  // forms as allow that: with more fillers, the slots of the forms would be harder to see.
  constexpr double kDispatchMargin = 1.25;
  constexpr double kMostForms = 4;
  const double slots = SlotsInACycle(dispatch);
  const double needed = kDispatchMargin * cycles * slots;  // slots, while one form is executed
  const double fillers = std::ceil(std::max(1.5 * slots, needed));
  const double forms =
      needed > 1 ? std::clamp(std::floor(fillers / (needed - 1)), 1.0, kMostForms) : kMostForms;
  return {{0, static_cast<int>(fillers)}, {form, static_cast<int>(forms)}};
}

double SlotsFrom(const Mix& mix, double cycles, double dispatch) {
  return (cycles * SlotsInACycle(dispatch) - mix.front().second) / mix.back().second;
}

}  // namespace cyclescope::ports
