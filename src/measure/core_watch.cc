#include "measure/core_watch.h"

#include <algorithm>
#include <cmath>

#include "analysis/claims.h"
#include "arch/architecture.h"
#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

// Two chains, or two probes, that tell the same cycle differ by less than this.
constexpr double kSameCycle = 0.004;
// With more between them, the frequency changed between two probes.
constexpr double kChangedCycle = 0.01;
// A neighbour slows the adds by 2 to 5 %, and the multiplies hardly. Alone they agree within 0.5 %.
constexpr double kChainsAgreeShare = 0.01;
// Widths of quiet probes lie within 1 % of each other; a neighbour takes 10 % at least.
constexpr double kQuietWidthRatio = 1.05;

// A quiet core tells the same again and again. Of sixteen probes in a row, widths and ratios of
// chains spread (median absolute deviation) by 0.2 to 0.4 % in the better half of the quiet
// stretches of the recorded Granite Rapids, and by up to 1.5 % in nine tenths of them. In the
// contended ones, the steadiest tenth left out, widths spread by 1.6 to 30 %, ratios by 0.6 to 5 %.
constexpr std::size_t kRun = 16;
constexpr double kMostWidthSpread = 0.004;
constexpr double kMostRatioSpread = 0.0025;
// Widths of quiet runs are alike within this much.
constexpr double kSameWidthShare = 0.02;
constexpr std::size_t kMostRuns = 64;
// Probes that have to look alike before a core that is slower than its model is accepted.
constexpr std::size_t kLatestWidths = 600;

// A ratio of two chains is whole if it is as near to a whole number as this, relative to it.
constexpr double kQuietRatioTolerance = 0.01;
// A neighbour slows the adds, and hardly the others: ratios are then too low by up to this much.
constexpr double kWholeRatioTolerance = 0.06;
// Ratios of this many probes are kept.
constexpr std::size_t kMostRatios = 200;
constexpr std::size_t kFewestRatios = 9;
// This number of probes, and this share of the latest, settle the proportions when their ratios are
// all whole. By chance some are: a ratio that may be anything lies within 1 % of a whole number in
// 6 to 14 of 100 probes, two at once in about one.
constexpr int kMinWholeRatios = 6;
constexpr double kLeastWholeShare = 0.125;
// While they are not settled, ratios that are near whole numbers serve: the middle ones, and this
// share of all.
constexpr double kLeastRoughShare = 0.5;

// The whole number of cycles that a link of the chain takes, if the ratio is at most `most_below`
// below it; unset where it is near none, or near a number that no such unit takes.
std::optional<int> ProportionOf(double ratio, double most_below,
                                const arch::ReferenceChain& chain) {
  for (int cycles = chain.least_cycles; cycles <= chain.most_cycles; ++cycles) {
    if (ratio >= cycles * (1 - most_below) && ratio <= cycles * (1 + kQuietRatioTolerance))
      return cycles;
  }
  return std::nullopt;
}

// The same of all chains at once.
std::optional<std::array<int, kProbeChains>> ProportionsOf(
    const std::array<double, kProbeChains>& ratios, double most_below) {
  std::array<int, kProbeChains> proportions{};
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    const auto cycles = ProportionOf(ratios[i], most_below, arch::ReferenceChains()[i]);
    if (!cycles) return std::nullopt;
    proportions[i] = *cycles;
  }
  return proportions;
}

// The least that another one confirms; the least of all where none is. A chain may look shorter
// than it is: that of floating-point multiplies did so by half a per cent on a Granite Rapids, as
// its shorter call took longer behind other code.
double LeastThatRepeats(std::span<const double> cycles) {
  std::vector<double> sorted(cycles.begin(), cycles.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    if (sorted[i + 1] <= sorted[i] * (1 + kSameCycle)) return (sorted[i] + sorted[i + 1]) / 2;
  }
  return sorted.front();
}

}  // namespace

void CoreWatch::Learn(int cpu, const Probe& probe, bool between) {
  if (probe.disturbed) return;
  const std::lock_guard lock(mutex_);
  LearnProportions(probe);
  if (!proportions_) return;
  CpuState& state = cpus_[cpu];
  if (expected_width_ && !quiet_width_) {
    latest_widths_.push_back(Width(probe));
    if (latest_widths_.size() > kLatestWidths) latest_widths_.pop_front();
  }
  if (between) {
    LearnWidth(probe, state.between, quiet_between_);
  } else {
    LearnWidth(probe, state.looks, quiet_looks_);
  }
  Count(probe, state);
}

void CoreWatch::Count(const Probe& probe, CpuState& cpu) const {
  if (!quiet_width_) return;  // the width of a quiet core is not known
  ++cpu.probes;
  if (Judge(probe) == CoreState::kContended) {
    ++cpu.contended;
    cpu.contended_width += Width(probe);
  }
}

void CoreWatch::LearnProportions(const Probe& probe) {
  SeenRatios seen;
  for (std::size_t i = 0; i < kProbeChains; ++i)
    seen.ratios[i] = probe.link_ticks[i] / probe.link_ticks[0];
  seen.whole = ProportionsOf(seen.ratios, kQuietRatioTolerance);
  if (seen.whole) ++whole_[*seen.whole];
  ratios_.push_back(seen);
  if (ratios_.size() > kMostRatios) {
    if (ratios_.front().whole) --whole_[*ratios_.front().whole];
    ratios_.pop_front();
  }
  std::optional<Proportions> found = WholeProportions();
  if (!found) found = proportions_ ? proportions_ : RoughProportions();
  if (found == proportions_) return;
  if (proportions_) ++revision_;
  proportions_ = found;
  // What was learnt with other proportions means nothing.
  latest_widths_.clear();
  quiet_looks_.clear();
  quiet_between_.clear();
  quiet_width_.reset();
  cpus_.clear();
}

std::optional<CoreWatch::Proportions> CoreWatch::WholeProportions() const {
  const auto most =
      std::ranges::max_element(whole_, {}, [](const auto& each) { return each.second; });
  if (most == whole_.end() || most->second < kMinWholeRatios ||
      most->second < kLeastWholeShare * static_cast<double>(ratios_.size())) {
    return std::nullopt;
  }
  return most->first;
}

std::optional<CoreWatch::Proportions> CoreWatch::RoughProportions() const {
  if (ratios_.size() < kFewestRatios) return std::nullopt;
  const auto rough = ProportionsOf(MedianRatios(), kWholeRatioTolerance);
  if (!rough) return std::nullopt;
  const auto alike = std::ranges::count_if(ratios_, [&rough](const SeenRatios& seen) {
    return ProportionsOf(seen.ratios, kWholeRatioTolerance) == rough;
  });
  if (static_cast<double>(alike) < kLeastRoughShare * static_cast<double>(ratios_.size()))
    return std::nullopt;
  return rough;
}

CoreWatch::Ratios CoreWatch::MedianRatios() const {
  // Once the proportions are known, probes that show others were slowed by a neighbour.
  const std::optional<Proportions> whole = WholeProportions();
  const auto counts = [&](const SeenRatios& seen) {
    if (whole) return seen.whole == whole;
    return !proportions_ || ProportionsOf(seen.ratios, kWholeRatioTolerance) == proportions_;
  };
  Ratios medians{};
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    std::vector<double> values;
    for (const SeenRatios& seen : ratios_) {
      if (counts(seen)) values.push_back(seen.ratios[i]);
    }
    medians[i] = values.empty() ? (*proportions_)[i] : statistics::Median(values);
  }
  return medians;
}

void CoreWatch::LearnWidth(const Probe& probe, CpuState::Run& run,
                           std::vector<double>& quiet_runs) {
  const Cycles cycles = Implied(probe);
  run.widths.push_back(Width(probe));
  run.ratios.push_back(cycles[0] / cycles[1]);
  if (run.widths.size() < kRun) return;
  const double width = statistics::Median(run.widths);
  const bool quiet = statistics::MedianDeviation(run.widths) <= kMostWidthSpread * width &&
                     statistics::MedianDeviation(run.ratios) <= kMostRatioSpread &&
                     std::abs(statistics::Median(run.ratios) - 1) <= kChainsAgreeShare;
  // The next run begins in the middle of this one; behind it, if it was quiet: two that count have
  // no probe in common.
  for (auto* values : {&run.widths, &run.ratios})
    values->erase(values->begin(), values->begin() + (quiet ? kRun : kRun / 2));
  if (!quiet || !IsBelievable(width)) return;
  quiet_runs.insert(std::ranges::upper_bound(quiet_runs, width), width);
  if (quiet_runs.size() > kMostRuns) quiet_runs.pop_back();
  // The least that repeats is what quiet looks like. The first of all serves until another comes.
  const std::vector<double>& runs = quiet_looks_.empty() ? quiet_between_ : quiet_looks_;
  for (auto begin = runs.begin(); begin != runs.end(); ++begin) {
    const auto end = std::upper_bound(begin, runs.end(), *begin * (1 + kSameWidthShare));
    if (end - begin < 2 && runs.size() > 1) continue;
    quiet_width_ = statistics::Median(std::span(begin, end));
    return;
  }
}

bool CoreWatch::IsBelievable(double width) const {
  // Neighbours come and go, within some hundred milliseconds: if nearly all probes of all CPUs have
  // been like this for that long, then the model is wrong, or not this core's.
  constexpr double kSlowerThanModelRatio = 1.15;
  constexpr double kSlowerProbesShare = 0.9;
  if (!expected_width_ || width <= kSlowerThanModelRatio * *expected_width_) return true;
  if (latest_widths_.size() < kLatestWidths) return false;
  const auto alike = std::ranges::count_if(latest_widths_, [width](double each) {
    return std::abs(each - width) <= kSameWidthShare * width;
  });
  return static_cast<double>(alike) >= kSlowerProbesShare * static_cast<double>(kLatestWidths);
}

CoreWatch::Cycles CoreWatch::Implied(const Probe& probe) const {
  Cycles cycles{};
  for (std::size_t i = 0; i < kProbeChains; ++i)
    cycles[i] = probe.link_ticks[i] / (proportions_ ? (*proportions_)[i] : 1);
  if (!proportions_) cycles.fill(cycles[0]);
  return cycles;
}

double CoreWatch::LeastConfirmed(const Probe& probe) const {
  return LeastThatRepeats(Implied(probe));
}

double CoreWatch::Width(const Probe& probe) const {
  return probe.wide_cycles ? *probe.wide_cycles : probe.wide_ticks / LeastConfirmed(probe);
}

bool CoreWatch::ChainsAgree(const Probe& probe) const {
  const Cycles cycles = Implied(probe);
  return cycles[0] <= LeastConfirmed(probe) * (1 + kChainsAgreeShare);
}

CoreState CoreWatch::Judge(const Probe& probe) const {
  if (!proportions_ || probe.disturbed) return CoreState::kUnknown;
  if (!quiet_width_) return CoreState::kContended;
  // An add that takes less than on a quiet core: then something slowed the chains.
  const double width = Width(probe) / *quiet_width_;
  const bool quiet =
      width <= kQuietWidthRatio && width >= 1 / kQuietWidthRatio && ChainsAgree(probe);
  return quiet ? CoreState::kQuiet : CoreState::kContended;
}

CoreState CoreWatch::StateOf(const Probe& probe) const {
  const std::lock_guard lock(mutex_);
  return Judge(probe);
}

std::optional<double> CoreWatch::CycleTicks(const Probe& before, const Probe& after) const {
  if (before.disturbed || after.disturbed) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const Cycles first = Implied(before);
  const Cycles second = Implied(after);
  // Under an emulator nothing tells when the clock changed.
  if (!proportions_) return (first[0] + second[0]) / 2;
  // A chain counts only if its two probes tell the same.
  std::vector<double> told;
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    if (std::abs(first[i] - second[i]) <= kChangedCycle * std::min(first[i], second[i]))
      told.push_back((first[i] + second[i]) / 2);
  }
  if (told.empty()) return std::nullopt;
  const double least = LeastThatRepeats(told);
  double sum = 0;
  int count = 0;
  for (const Cycles& cycles : {first, second}) {
    for (const double cycle : cycles) {
      if (std::abs(cycle - least) > kSameCycle * least) continue;
      sum += cycle;
      ++count;
    }
  }
  return count == 0 ? least : sum / count;
}

double CoreWatch::CycleTicks(const Probe& probe) const {
  const std::lock_guard lock(mutex_);
  return LeastConfirmed(probe);
}

std::optional<double> CoreWatch::SteadyCycleTicks(const Probe& probe) const {
  {
    const std::lock_guard lock(mutex_);
    const Cycles cycles = Implied(probe);
    if (std::abs(cycles[0] - cycles[1]) > kChangedCycle * cycles[1]) return std::nullopt;
  }
  return CycleTicks(probe, probe);
}

std::size_t CoreWatch::probes() const {
  const std::lock_guard lock(mutex_);
  return ratios_.size();
}

int CoreWatch::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

bool CoreWatch::trusted() const {
  const std::lock_guard lock(mutex_);
  return proportions_.has_value();
}

SelfCheck CoreWatch::CheckItself() const {
  const std::lock_guard lock(mutex_);
  const auto chains = arch::ReferenceChains();
  SelfCheck check;
  check.trusted = proportions_.has_value();
  const auto ended = [&check](Claim claim) {
    check.verdict = Sentence(claim);
    check.claim = std::move(claim);
    return check;
  };
  if (ratios_.empty()) {
    return ended({ClaimCode::kCheckDisturbed, {}});
  }
  const std::string link(chains[0].instruction);
  Claim claim = check.trusted ? Claim{ClaimCode::kLinkIsCycle, {{"link", link}}}
                              : Claim{ClaimCode::kChainsDisagree, {}};
  const Ratios ratios = MedianRatios();
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    check.chains.push_back({std::string(chains[i].instruction), ratios[i]});
    if (check.trusted || ProportionOf(ratios[i], kWholeRatioTolerance, chains[i])) continue;
    claim = {ClaimCode::kLinkIsNotCycle,
             {{"instruction", std::string(chains[i].instruction)},
              {"ratio", ratios[i]},
              {"link", link},
              {"least", static_cast<double>(chains[i].least_cycles)},
              {"most", static_cast<double>(chains[i].most_cycles)}}};
  }
  return ended(std::move(claim));
}

double CoreWatch::WidthOf(const Probe& before, const Probe& after) const {
  const std::lock_guard lock(mutex_);
  return std::max(Width(before), Width(after));
}

QuietCriteria CoreWatch::quiet_criteria() const {
  const std::lock_guard lock(mutex_);
  QuietCriteria quiet_criteria{.revision = revision_, .trusted = proportions_.has_value()};
  if (quiet_width_) quiet_criteria.widest_quiet = *quiet_width_ * kQuietWidthRatio;
  return quiet_criteria;
}

std::optional<double> CoreWatch::QuietWidth() const {
  const std::lock_guard lock(mutex_);
  return quiet_width_;
}

std::vector<SharedTime> CoreWatch::Shares() const {
  const std::lock_guard lock(mutex_);
  std::vector<SharedTime> shares;
  for (const auto& [cpu, counts] : cpus_) {
    shares.push_back(
        {.cpu = cpu,
         .probes = counts.probes,
         .contended = counts.contended,
         .wide_quiet = quiet_width_.value_or(0),
         .wide_contended = counts.contended == 0 ? 0 : counts.contended_width / counts.contended});
  }
  return shares;
}

std::shared_ptr<CoreWatch> CoreWatches::Of(int cpu, const std::vector<CpuPlace>& topology) {
  const std::lock_guard lock(mutex_);
  auto& watch = by_kind_[CpuPlaceOf(topology, cpu).kind];
  if (watch == nullptr) watch = std::make_shared<CoreWatch>(expected_width_);
  return watch;
}

std::vector<std::shared_ptr<CoreWatch>> CoreWatches::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CoreWatch>> watches;
  for (const auto& [kind, watch] : by_kind_) watches.push_back(watch);
  return watches;
}

}  // namespace cyclescope::measure
