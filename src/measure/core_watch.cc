#include "measure/core_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "arch/architecture.h"
#include "measure/statistics.h"

namespace cyclescope::measure {
namespace {

// Two chains, or two probes, that tell the same cycle differ by less than this.
constexpr double kSameCycle = 0.007;
// With more between them, the frequency changed between two probes.
constexpr double kChangedCycle = 0.01;
// A neighbour slows the adds by 2 to 5 %, and the multiplies hardly. Alone they agree within 0.5 %.
constexpr double kChainsAgree = 0.01;
// Widths of quiet probes lie within 1 % of each other; a neighbour takes 10 % at least.
constexpr double kQuietMargin = 1.05;

// A ratio of two chains is whole if it is as near to a whole number as this, relative to it. While
// a neighbour slows the adds, the ratios to them are up to 5 % low.
constexpr double kNearWhole = 0.06;
constexpr std::size_t kFewestRatios = 9;
constexpr std::size_t kMostRatios = 200;

// Widths are counted in bins of a quarter of a per cent. A quiet core's fill a few of them, and the
// bins behind these stay empty; under a neighbour they spread over dozens.
constexpr double kBinWidth = 0.0025;
constexpr int kPeakBins = 4;
constexpr int kEmptyBins = 12;

// Whether the chain may take that many cycles a link.
bool IsProportion(double ratio, const arch::ReferenceChain& chain) {
  const double nearest = std::round(ratio);
  return std::abs(ratio - nearest) <= kNearWhole * ratio && nearest >= chain.least_cycles &&
         nearest <= chain.most_cycles;
}

int BinOf(double width) { return static_cast<int>(std::floor(std::log(width) / kBinWidth)); }

}  // namespace

void CoreWatch::Observe(int cpu, const Probe& probe) {
  if (probe.disturbed) return;
  const std::lock_guard lock(mutex_);
  LearnProportions(probe);
  if (!trusted_) return;
  LearnWidth(probe);
  // Until it is known what quiet is, only chains that disagree tell of a neighbour.
  if (!quiet_width_ && ChainsAgree(probe)) return;
  CpuCounts& counts = cpus_[cpu];
  ++counts.probes;
  if (Judge(probe) == CoreState::kContended) {
    ++counts.contended;
    counts.contended_width += Width(probe);
  }
}

void CoreWatch::LearnProportions(const Probe& probe) {
  // Ratios are worth most while the core is quiet: those are what the self-check shows.
  if (trusted_ && quiet_width_ && Judge(probe) != CoreState::kQuiet) return;
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    ratios_[i].push_back(probe.link_ticks[i] / probe.link_ticks[0]);
    if (ratios_[i].size() > kMostRatios) ratios_[i].pop_front();
  }
  if (trusted_ || ratios_[0].size() < kFewestRatios) return;
  const auto chains = arch::ReferenceChains();
  trusted_ = true;
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    const std::vector<double> ratios(ratios_[i].begin(), ratios_[i].end());
    const double ratio = Median(ratios);
    proportions_[i] = std::round(ratio);
    trusted_ = trusted_ && IsProportion(ratio, chains[i]);
  }
}

void CoreWatch::LearnWidth(const Probe& probe) {
  ++observed_;
  Bin& bin = widths_[BinOf(Width(probe))];
  ++bin.all;
  if (ChainsAgree(probe)) ++bin.agreed;
  // After the first few hundred, one more probe changes little.
  constexpr int kSettled = 400;
  if (quiet_width_ && observed_ > kSettled && observed_ % 64 != 0) return;
  // The narrowest peak that repeats. A probe that some glitch made narrow does not repeat. And
  // under a neighbour there is no peak, or the chains seldom agree in it.
  const int fewest = std::max(8, observed_ / 400);
  constexpr double kMostlyAgreed = 0.75;
  for (auto first = widths_.begin(); first != widths_.end(); ++first) {
    Bin peak;
    double weighted = 0;
    int behind = 0;
    for (auto each = first; each != widths_.end(); ++each) {
      const int distance = each->first - first->first;
      if (distance >= kPeakBins + kEmptyBins) break;
      if (distance >= kPeakBins) {
        behind += each->second.all;
        continue;
      }
      peak.all += each->second.all;
      peak.agreed += each->second.agreed;
      weighted += each->second.all * (each->first + 0.5) * kBinWidth;
    }
    if (peak.agreed < fewest || peak.agreed < kMostlyAgreed * peak.all || 2 * behind > peak.all)
      continue;
    quiet_width_ = std::exp(weighted / peak.all);
    return;
  }
}

CoreWatch::Cycles CoreWatch::Implied(const Probe& probe) const {
  Cycles cycles{};
  for (std::size_t i = 0; i < kProbeChains; ++i)
    cycles[i] = probe.link_ticks[i] / (trusted_ ? proportions_[i] : 1);
  if (!trusted_) cycles.fill(cycles[0]);
  return cycles;
}

double CoreWatch::LeastConfirmed(const Probe& probe) const {
  Cycles cycles = Implied(probe);
  std::ranges::sort(cycles);
  for (std::size_t i = 0; i + 1 < cycles.size(); ++i) {
    if (cycles[i + 1] <= cycles[i] * (1 + kSameCycle)) return (cycles[i] + cycles[i + 1]) / 2;
  }
  return cycles[0];
}

double CoreWatch::Width(const Probe& probe) const {
  return probe.wide_cycles ? *probe.wide_cycles : probe.wide_ticks / LeastConfirmed(probe);
}

bool CoreWatch::ChainsAgree(const Probe& probe) const {
  const Cycles cycles = Implied(probe);
  return cycles[0] <= LeastConfirmed(probe) * (1 + kChainsAgree);
}

CoreState CoreWatch::Judge(const Probe& probe) const {
  if (!trusted_ || probe.disturbed) return CoreState::kUnknown;
  if (!quiet_width_) return CoreState::kContended;
  return Width(probe) <= *quiet_width_ * kQuietMargin && ChainsAgree(probe) ? CoreState::kQuiet
                                                                            : CoreState::kContended;
}

CoreState CoreWatch::StateOf(const Probe& probe) const {
  const std::lock_guard lock(mutex_);
  return Judge(probe);
}

std::optional<double> CoreWatch::CycleTicks(const Probe& before, const Probe& after) const {
  const std::lock_guard lock(mutex_);
  const Cycles first = Implied(before);
  const Cycles second = Implied(after);
  // Each chain's two probes must tell the same before they count; where all agree, so do all.
  double least = 0;
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    if (std::abs(first[i] - second[i]) > kChangedCycle * std::min(first[i], second[i])) continue;
    const double cycle = (first[i] + second[i]) / 2;
    if (least == 0 || cycle < least) least = cycle;
  }
  if (least == 0) return std::nullopt;
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

bool CoreWatch::trusted() const {
  const std::lock_guard lock(mutex_);
  return trusted_;
}

Jury CoreWatch::SelfCheck() const {
  const std::lock_guard lock(mutex_);
  const auto chains = arch::ReferenceChains();
  Jury jury;
  jury.trusted = trusted_;
  if (ratios_[0].empty()) {
    jury.verdict = "the machine was too disturbed to compare the reference with other chains";
    return jury;
  }
  jury.verdict = fmt::format("'{}' takes one cycle: every other chain takes a whole number of it",
                             chains[0].instruction);
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    const double ratio = Median(std::vector<double>(ratios_[i].begin(), ratios_[i].end()));
    jury.chains.push_back({std::string(chains[i].instruction), ratio});
    if (trusted_ || IsProportion(ratio, chains[i])) continue;
    jury.verdict = fmt::format(
        "'{}' takes {:.3f} links of '{}' where a whole number from {} to {} is expected: a link is "
        "not one cycle here",
        chains[i].instruction, ratio, chains[0].instruction, chains[i].least_cycles,
        chains[i].most_cycles);
  }
  return jury;
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
  const auto place = std::ranges::find(topology, cpu, &CpuPlace::cpu);
  auto& watch = by_kind_[place == topology.end() ? std::string() : place->kind];
  if (watch == nullptr) watch = std::make_shared<CoreWatch>();
  return watch;
}

}  // namespace cyclescope::measure
