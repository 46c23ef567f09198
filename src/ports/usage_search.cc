#include "ports/usage_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "ports/blockers.h"
#include "ports/fit.h"

namespace cyclescope::ports {
namespace {

// The number of cycles for which a class blocks its ports. With more blockers a µop is harder to
// see; with fewer the core binds some of them to other ports in time.
constexpr double kBlockedCycles = 3;
// What blocks for longer than this takes too long to measure, and shows nothing.
constexpr double kMostCycles = 60;
// Surplus cycles times ports: less than this is no µop.
constexpr double kNoUop = 0.35;
constexpr std::size_t kMostUops = 16;
constexpr std::size_t kExplanations = 32;
constexpr double kWorseUsageMisfit = 15;
// A second explanation that is worse by less than this is as good as the first.
constexpr double kSameMisfit = 1;
// Of two explanations that fit equally the one with fewer µops is right: one more must make the fit
// better by this much. More than its slots hold are hardly possible.
constexpr double kPenaltyOfUop = 0.7;
constexpr double kPenaltyBeyondSlots = 4;
// The best explanation may be off by this much, per mix.
constexpr double kMaxMisfitPerMix = 3;
// With the ports found, the form alone may take longer by this factor: else something else limits
// it.
constexpr double kAloneLonger = 1.08;

class UsageInference {
 public:
  UsageInference(const CoreMap& map, std::size_t form, const FormTraits& traits,
                 const MixResults& measured)
      : map_(map), form_(form), traits_(traits), measured_(measured) {
    for (const MapClass& each : map.classes) {
      for (const std::size_t member : each.forms) known_.emplace(member, UsageOf(each.ports));
    }
  }

  UsageStep Run() {
    if (!map_.is_found()) {
      step_.ports.not_explained = {ClaimCode::kNoPortMap, {}};
    } else if (FindSlots() && !IsOfTheMap() && TryBlockers()) {
      std::vector<Explanation> best_first = Explain();
      // A core may take longer than its ports need for many reasons, but never less time. So what
      // rests on a mix that took longer is doubted: a mix that would be faster without it is tried.
      constexpr int kMaxDoubts = 4;
      for (int i = 0; i < kMaxDoubts && Doubt(best_first); ++i) best_first = Explain();
      const auto is_sure = [this] { return step_.wanted.empty() && !step_.ports.not_explained; };
      if (traits_.only_stores && is_sure() && Narrow(best_first)) best_first = Explain();
      if (!traits_.only_stores && is_sure()) best_first = NarrowWhatTakesLonger(best_first);
      if (is_sure()) Conclude(best_first);
    }
    return std::move(step_);
  }

 private:
  struct Seen {
    Mix mix;
    double cycles = 0;
  };
  struct Explanation {
    std::map<PortSet, int> uops;
    double misfit = 0;
  };

  std::optional<double> Ask(const Mix& mix) {
    const auto found = measured_.find(mix);
    if (found != measured_.end()) return found->second.cycles;
    step_.wanted.push_back(mix);
    return std::nullopt;
  }

  // Of a mix that was tried and has no value.
  Claim Without(ClaimCode code, const Mix& mix) const {
    return {code, {{"reason", measured_.at(mix).why_not}}};
  }

  bool FindSlots() {
    FormPorts& ports = step_.ports;
    ports.cycles = Ask({{form_, 1}});
    if (!ports.cycles) {
      if (step_.wanted.empty()) ports.not_explained = Without(ClaimCode::kNoOwnValue, {{form_, 1}});
      return false;
    }
    if (*ports.cycles > kMostCycles) {
      ports.not_explained = {ClaimCode::kTooLongForPorts, {{"cycles", *ports.cycles}}};
      return false;
    }
    const Mix mix = SlotsMix(form_, *ports.cycles, map_.dispatch);
    const auto cycles = Ask(mix);
    if (cycles) ports.slots = std::max(SlotsFrom(mix, *cycles, map_.dispatch), 0.0);
    if (!cycles && step_.wanted.empty())
      ports.not_explained = Without(ClaimCode::kSlotsUnknown, mix);
    return cycles.has_value();
  }

  // Then its class says what it uses.
  bool IsOfTheMap() {
    const auto known = known_.find(form_);
    if (known == known_.end()) return false;
    step_.ports.usage = known->second;
    return true;
  }

  Mix BlockedMix(const Blocker& blocker) const {
    const double cycles = std::max(kBlockedCycles, std::ceil(1.25 * *step_.ports.cycles));
    Mix mix = blocker.a_cycle;
    for (auto& [number, count] : mix) count *= static_cast<int>(cycles);
    mix.emplace_back(form_, 1);
    std::ranges::sort(mix);
    return mix;
  }

  // First those that block most; then those inside of them where something was seen.
  bool TryBlockers() {
    const std::vector<Blocker> blockers = BlockersOf(map_, traits_.vectors);
    PortSet used = 0;
    for (const bool maximal : {true, false}) {
      for (const Blocker& blocker : blockers) {
        if (IsMaximal(blocker, blockers) != maximal) continue;
        if (!maximal && (blocker.ports & used) == 0) continue;
        const Mix mix = BlockedMix(blocker);
        const auto cycles = Ask(mix);
        if (!cycles && GiveUpWithout(mix)) return false;
        if (!cycles) continue;
        seen_.push_back({mix, *cycles});
        const double blocked = static_cast<double>(CountOf(mix, blocker.a_cycle.front().first)) /
                               blocker.a_cycle.front().second;
        // A µop that can go nowhere else makes the mix longer. So it is on no ports on which
        // nothing was seen.
        if ((*cycles - blocked) * std::popcount(blocker.ports) <= kNoUop) continue;
        used |= blocker.ports;
        sets_.insert(blocker.ports);
      }
      if (!step_.wanted.empty()) return false;
    }
    return true;
  }

  // Without a mix that was tried in vain the times might be explained by ports that it would rule
  // out. False if it was not tried.
  bool GiveUpWithout(const Mix& mix) {
    if (!measured_.contains(mix)) return false;
    step_.ports.not_explained = Without(ClaimCode::kMixWithoutValue, mix);
    step_.wanted.clear();
    return true;
  }

  static int CountOf(const Mix& mix, std::size_t form) {
    return std::ranges::find(mix, form, [](const auto& part) { return part.first; })->second;
  }

  double MisfitOf(const std::map<PortSet, int>& uops) const {
    double sum = 0;
    for (const Seen& seen : seen_) sum += Misfit(seen.cycles, PredictedTime(seen.mix, uops));
    // Alone it may be limited by something else, but it cannot be faster than its ports.
    const double alone = PredictedTime({{form_, 1}}, uops);
    if (*step_.ports.cycles < alone) sum += Misfit(*step_.ports.cycles, alone);
    return sum + PenaltyOf(uops);
  }

  static int Uops(const std::map<PortSet, int>& uops) {
    int count = 0;
    for (const auto& [ports, number] : uops) count += number;
    return count;
  }

  double PenaltyOf(const std::map<PortSet, int>& uops) const {
    const int count = Uops(uops);
    const double most = traits_.uops_in_slot * std::round(*step_.ports.slots) + traits_.most_fused;
    return kPenaltyOfUop * count + kPenaltyBeyondSlots * std::max(count - most, 0.0);
  }

  // Best first.
  std::vector<Explanation> Explain() const {
    std::vector<Explanation> all = {{{}, MisfitOf({})}};
    std::vector<Explanation> beam = all;
    std::set<std::map<PortSet, int>> tried;
    for (std::size_t uops = 1; uops <= kMostUops; ++uops) {
      std::vector<Explanation> next;
      for (const Explanation& explanation : beam) {
        for (const PortSet ports : sets_) {
          auto more = explanation.uops;
          ++more[ports];
          if (tried.insert(more).second) next.push_back({more, MisfitOf(more)});
        }
      }
      std::ranges::sort(next, {}, &Explanation::misfit);
      if (next.size() > kExplanations) next.resize(kExplanations);
      if (next.empty()) break;
      const double best = std::ranges::min(all, {}, &Explanation::misfit).misfit;
      all.insert(all.end(), next.begin(), next.end());
      // More µops make it worse from here on.
      if (next.front().misfit > best + kWorseUsageMisfit) break;
      beam = std::move(next);
    }
    std::ranges::sort(all, {}, &Explanation::misfit);
    return all;
  }

  // Of the times that were seen, how far those that the ports give are from them: 0.1 is 10 %.
  double MeanError(const std::map<PortSet, int>& uops) const {
    double sum = 0;
    for (const Seen& seen : seen_) sum += std::abs(seen.cycles / PredictedTime(seen.mix, uops) - 1);
    return seen_.empty() ? 0 : sum / static_cast<double>(seen_.size());
  }

  double PredictedTime(const Mix& mix, const std::map<PortSet, int>& uops) const {
    const Usage usage = {.uops = uops, .slots = *step_.ports.slots};
    const auto usage_of = [&](std::size_t number) -> const Usage& {
      return number == form_ ? usage : known_.at(number);
    };
    return MixTime(mix, usage_of, map_.dispatch);
  }

  // Some of the form beside a class that is as busy then: the mix for which the two explanations
  // differ most, if they do. All counts are multiples of `times`.
  std::optional<Mix> TellingMix(const std::map<PortSet, int>& more,
                                const std::map<PortSet, int>& less, int times = 1) const {
    constexpr double kTellingRatio = 1.2;
    constexpr double kSameTimeRatio = 0.98;
    constexpr int kMostCopies = 4;
    double most = kTellingRatio;
    std::optional<Mix> best;
    for (const MapClass& each : map_.classes) {
      if (each.ports.limited || !IsBlocker(each, traits_.vectors)) continue;
      for (int copies = 1; copies <= kMostCopies; ++copies) {
        for (int cycles = 1; cycles <= kMostCopies; ++cycles) {
          Mix mix = {{form_, times * copies},
                     {each.forms.front(), times * cycles * each.ports.width}};
          std::ranges::sort(mix);
          const double ratio = PredictedTime(mix, more) / PredictedTime(mix, less);
          // What the form takes alone is not its ports' alone.
          const double alone = times * copies * *step_.ports.cycles;
          if (ratio <= most || PredictedTime(mix, less) < kSameTimeRatio * alone) continue;
          most = ratio;
          best = std::move(mix);
        }
      }
    }
    return best;
  }

  // True if something new was seen that speaks for or against a µop of the best explanation.
  bool Doubt(const std::vector<Explanation>& best_first) {
    const std::map<PortSet, int>& best = best_first.front().uops;
    if (Uops(best) < 2) return false;
    std::vector<Mix> telling;
    for (const auto& [ports, count] : best) {
      auto less = best;
      if (--less[ports] == 0) less.erase(ports);
      if (const auto mix = TellingMix(best, less)) telling.push_back(*mix);
    }
    return See(telling);
  }

  // True if one of these mixes is new, and all are known now.
  bool See(const std::vector<Mix>& mixes) {
    bool is_new = false;
    for (const Mix& mix : mixes) {
      if (std::ranges::find(seen_, mix, &Seen::mix) != seen_.end()) continue;
      const auto cycles = Ask(mix);
      if (!cycles && GiveUpWithout(mix)) return false;
      if (!cycles) continue;
      seen_.push_back({mix, *cycles});
      is_new = true;
    }
    return is_new && step_.wanted.empty();
  }

  // A form may have some of the ports of a class, as the data of a store may, though no class has
  // just these. One of it among blockers does not show that; as many as leave the other ports idle
  // do. On a Neoverse V1, 16 multiplications on V0 V2 and 16 stores take 11 cycles, and so do 16
  // shifts on V1 V3 and 16 stores: data goes to one port of each, where any of the four would take
  // 8 cycles.
  bool Narrow(const std::vector<Explanation>& best_first) {
    // A core spreads few of them badly.
    constexpr int kTimes = 4;
    const std::map<PortSet, int>& best = best_first.front().uops;
    std::vector<Mix> telling;
    for (const auto& [ports, count] : best) {
      for (const PortSet inside : SetsInside(ports)) {
        if (count > kAloneLonger * *step_.ports.cycles * std::popcount(inside)) continue;
        auto narrow = best;
        narrow.erase(ports);
        narrow[inside] += count;
        const auto mix = TellingMix(narrow, best, kTimes);
        if (!mix) continue;
        sets_.insert(inside);
        telling.push_back(*mix);
      }
    }
    return See(telling);
  }

  // Alone, than these ports need.
  bool TakesLonger(const std::map<PortSet, int>& uops) const {
    return *step_.ports.cycles > kAloneLonger * PredictedTime({{form_, 1}}, uops);
  }

  // One µop that takes longer alone than its ports need may have fewer of them: on a Neoverse V1
  // three instructions that set flags take a cycle, and 1.33 with a `crc32` on M0, so that M0 is
  // one of their three ports. If none of fewer ports explains the times better, something else is
  // the reason, which is nothing that mixes with a class can tell.
  std::vector<Explanation> NarrowWhatTakesLonger(const std::vector<Explanation>& best_first) {
    const std::map<PortSet, int> wide = best_first.front().uops;
    if (traits_.depends_on_itself || Uops(wide) != 1 || !TakesLonger(wide)) return best_first;
    const std::vector<Seen> seen = seen_;
    const std::set<PortSet> sets = sets_;
    if (!Narrow(best_first)) return best_first;
    std::vector<Explanation> narrow_first = Explain();
    const std::map<PortSet, int>& narrow = narrow_first.front().uops;
    if (Uops(narrow) == 1 && narrow != wide && !TakesLonger(narrow)) return narrow_first;
    seen_ = seen;
    sets_ = sets;
    return best_first;
  }

  // Some of these ports, in every way that classes can tell: those that are in the same classes
  // are alike.
  std::vector<PortSet> SetsInside(PortSet ports) const {
    std::map<std::vector<bool>, PortSet> alike;
    for (PortSet left = ports; left != 0; left &= left - 1) {
      const PortSet port = left & -left;
      std::vector<bool> classes;
      for (const MapClass& each : map_.classes) classes.push_back((each.ports.ports & port) != 0);
      alike[classes] |= port;
    }
    std::vector<PortSet> sets = {0};
    for (const auto& [classes, group] : alike) {
      const std::size_t before = sets.size();
      PortSet first = 0;  // the first ones of the group
      for (PortSet left = group; left != 0; left &= left - 1) {
        first |= left & -left;
        for (std::size_t i = 0; i < before; ++i) sets.push_back(sets[i] | first);
      }
    }
    std::erase_if(sets, [ports](PortSet set) { return set == 0 || set == ports; });
    return sets;
  }

  void Conclude(const std::vector<Explanation>& best_first) {
    FormPorts& result = step_.ports;
    const Explanation& best = best_first.front();
    const auto mixes = static_cast<double>(std::max<std::size_t>(seen_.size(), 1));
    result.misfit = (best.misfit - PenaltyOf(best.uops)) / mixes;
    if (result.misfit > kMaxMisfitPerMix) {
      result.not_explained = {ClaimCode::kNoPortsFit, {{"percent", 100 * MeanError(best.uops)}}};
      return;
    }
    // One with more µops that fits no better is no rival.
    const bool has_rival =
        std::any_of(best_first.begin() + 1, best_first.end(), [&best](const Explanation& other) {
          return other.misfit < best.misfit + kSameMisfit && Uops(other.uops) <= Uops(best.uops);
        });
    if (has_rival) {
      result.not_explained = {ClaimCode::kTwoPortSetsFit, {}};
      return;
    }
    Usage usage = {.uops = best.uops, .slots = *result.slots};
    const bool takes_longer = TakesLonger(best.uops);
    result.waits_for_itself = takes_longer && traits_.depends_on_itself;
    if (takes_longer && !traits_.depends_on_itself) usage.own_cycles = *result.cycles;
    result.usage = std::move(usage);
  }

  const CoreMap& map_;
  std::size_t form_;
  FormTraits traits_;
  const MixResults& measured_;
  UsageStep step_;
  std::map<std::size_t, Usage> known_;
  std::vector<Seen> seen_;
  std::set<PortSet> sets_;  // of ports, on which some of its µops may be
};

}  // namespace

UsageStep InferUsage(const CoreMap& map, std::size_t form, const FormTraits& traits,
                     const MixResults& measured) {
  return UsageInference(map, form, traits, measured).Run();
}

}  // namespace cyclescope::ports
