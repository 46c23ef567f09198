#include "ports/core_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace cyclescope::ports {
namespace {

// A number of instructions in a cycle is whole if it is no more than so much over, or so much under
// a whole number: time gets lost, and is not gained.
constexpr double kOver = 0.025;
constexpr double kUnder = 0.07;
// What differs from a whole number of slots by less is that number.
constexpr double kSlotsOff = 0.5;
// Rounds of questions that the search may ask.
constexpr int kMostRounds = 12;

std::optional<int> WidthOf(double cycles) {
  const double rate = 1 / cycles;
  const double whole = std::round(rate);
  if (whole < 1 || rate > whole * (1 + kOver) || rate < whole * (1 - kUnder)) return std::nullopt;
  return static_cast<int>(whole);
}

Mix Pair(std::size_t first, int first_count, std::size_t second, int second_count) {
  Mix mix = {{first, first_count}, {second, second_count}};
  std::ranges::sort(mix);
  return mix;
}

class Inference {
 public:
  Inference(std::size_t forms, const MixResults& measured) : forms_(forms), measured_(measured) {}

  MapStep Run() {
    if (FindWidths() && FindSlots() && FindClasses()) FindPorts();
    return std::move(step_);
  }

 private:
  struct Candidate {
    std::size_t form = 0;
    double cycles = 0;
    int width = 0;
  };

  // What is known of the mix; asks for it if nobody did.
  std::optional<double> Ask(const Mix& mix) {
    const auto found = measured_.find(mix);
    if (found != measured_.end()) return found->second;
    step_.wanted.push_back(mix);
    return std::nullopt;
  }

  void LeaveOut(std::size_t form, std::string reason) {
    step_.map.left_out.emplace(form, std::move(reason));
  }

  // ---- Each false until it has all that it needs.

  bool FindWidths() {
    std::vector<std::optional<double>> alone;
    for (std::size_t form = 0; form < forms_; ++form) alone.push_back(Ask({{form, 1}}));
    if (!step_.wanted.empty()) return false;
    if (alone.empty() || !alone.front()) {
      LeaveOut(0, "how many instructions the core dispatches in a cycle could not be measured");
      return false;
    }
    step_.map.dispatch = 1 / *alone.front();
    for (std::size_t form = 1; form < forms_; ++form) {
      if (!alone[form]) {
        LeaveOut(form, "it could not be measured on a quiet core");
      } else if (const auto width = WidthOf(*alone[form]); !width) {
        LeaveOut(form, fmt::format("it takes {:.3f} cycles, which is no whole number in a cycle",
                                   *alone[form]));
      } else if (*width >= std::floor(step_.map.dispatch * (1 + kOver))) {
        LeaveOut(form, "the core takes as many of it as it dispatches, so that ports do not show");
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
        if (measured_.contains(mix)) LeaveOut(candidate.form, "its slots could not be measured");
        continue;
      }
      const double slots = SlotsFrom(mix, *cycles, dispatch);
      if (std::abs(slots - 1) < kSlotsOff) {
        of_one_slot.push_back(candidate);
      } else {
        LeaveOut(candidate.form, fmt::format("it takes {:.2f} slots, not one", slots));
      }
    }
    if (!step_.wanted.empty()) return false;
    candidates_ = std::move(of_one_slot);
    // The narrow first: they say most about the wide.
    std::ranges::stable_sort(candidates_, {}, &Candidate::width);
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
    std::map<int, bool> is_open;  // by width: somebody there waits for an answer
    for (const Candidate& candidate : candidates_) {
      bool found = false;
      bool waits = false;
      for (std::size_t i = 0; i < step_.map.classes.size() && !found; ++i) {
        MapClass& existing = step_.map.classes[i];
        if (existing.ports.width != candidate.width) continue;
        const auto same = UseSamePorts(representatives_[i], candidate);
        waits = waits || (!same && !WasTried(representatives_[i], candidate));
        found = same.value_or(false);
        if (found) existing.forms.push_back(candidate.form);
      }
      if (waits && !found) {
        is_open[candidate.width] = true;
        complete = false;
      } else if (!found && !is_open[candidate.width]) {
        representatives_.push_back(candidate);
        step_.map.classes.push_back({.ports = {.width = candidate.width}, .forms = {candidate.form}});
      } else if (!found) {
        complete = false;  // one before it may become its class
      }
    }
    return complete && step_.wanted.empty();
  }

  bool WasTried(const Candidate& first, const Candidate& second) const {
    return measured_.contains(Pair(first.form, first.width, second.form, first.width));
  }

  void FindPorts() {
    std::vector<int> widths;
    for (const Candidate& candidate : representatives_) widths.push_back(candidate.width);
    // The same mixes by numbers of forms, which are measured, and of classes, which are searched.
    const auto by_forms = [this](Mix mix) {
      for (auto& [number, count] : mix) number = representatives_[number].form;
      std::ranges::sort(mix);
      return mix;
    };
    MixTimes times;
    const auto take = [&](const Mix& mix) {
      const auto cycles = Ask(by_forms(mix));
      if (cycles) times[mix] = *cycles;
    };
    for (std::size_t a = 0; a < widths.size(); ++a) {
      for (std::size_t b = a + 1; b < widths.size(); ++b) {
        take({{a, widths[a]}, {b, widths[b]}});
        take({{a, 3 * widths[a]}, {b, 1}});
        take({{a, 1}, {b, 3 * widths[b]}});
      }
    }
    if (!step_.wanted.empty()) return;
    std::vector<SetSolution> solutions;
    for (int round = 0; round < kMostRounds; ++round) {
      solutions = SearchSets(widths, times, step_.map.dispatch);
      const std::size_t known = times.size();
      for (const Mix& mix : SeparatingMixes(solutions, times, step_.map.dispatch)) take(mix);
      if (!step_.wanted.empty()) return;
      if (times.size() == known) break;  // there is none, or none could be measured
    }
    step_.map.other_solutions = static_cast<int>(solutions.size()) - 1;
    step_.map.misfit = times.empty() ? 0 : solutions.front().misfit / static_cast<double>(times.size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
      step_.map.classes[i].ports = solutions.front().classes[i];
      step_.map.classes[i].ambiguous =
          std::any_of(solutions.begin() + 1, solutions.end(), [&](const SetSolution& other) {
            return AreAlike(solutions.front(), other, i);
          });
    }
  }

  std::size_t forms_;
  const MixResults& measured_;
  MapStep step_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> representatives_;  // one for each class
};

}  // namespace

int CoreMap::ports() const {
  PortSet all = 0;
  for (const MapClass& each : classes) all |= each.ports.ports;
  return std::popcount(all);
}

MapStep InferMap(std::size_t forms, const MixResults& measured) {
  return Inference(forms, measured).Run();
}

Mix SlotsMix(std::size_t form, double cycles, double dispatch) {
  // So many that dispatching takes longer than whatever else the form needs. With more of them one
  // slot would be harder to see.
  const double fillers = std::max(1.5 * dispatch, 1.25 * cycles * dispatch);
  return {{0, static_cast<int>(std::ceil(fillers))}, {form, 1}};
}

double SlotsFrom(const Mix& mix, double cycles, double dispatch) {
  return cycles * dispatch - mix.front().second;
}

}  // namespace cyclescope::ports
