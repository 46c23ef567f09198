#include "measure/frequency.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "analysis/claims.h"
#include "measure/experiment.h"
#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

constexpr int kWindows = 20;  // of the duration; each is a visit

// Unset where two probes in a row do not tell the same: something took time from one of them.
std::optional<double> Gigahertz(const Instrument& instrument, const Probe& before,
                                const Probe& after) {
  if (before.disturbed || after.disturbed) return std::nullopt;
  const double tick_ghz = instrument.clock().hz / 1e9;
  if (!instrument.source().is_reference() && after.link_cycles)
    return *after.link_cycles / after.link_ticks[0] * tick_ghz;
  const auto cycle_ticks = instrument.watch().CycleTicks(before, after);
  if (!cycle_ticks) return std::nullopt;
  return tick_ghz / *cycle_ticks;
}

// What probes told of the frequency, in windows of time: those in which no other thread used the
// core and the others.
class Sightings {
 public:
  Sightings(const Instrument& instrument, std::int64_t window_ns)
      : instrument_(instrument), window_ns_(std::max<std::int64_t>(window_ns, 1)) {}

  void Take(std::int64_t at_ns, std::span<const Probe> probes) {
    // What was computed with a reference that turned out to be wrong is dropped.
    if (const int revision = instrument_.watch().revision(); revision != revision_) {
      quiet_.clear();
      contended_.clear();
      revision_ = revision;
    }
    const std::int64_t window = at_ns / window_ns_;
    for (std::size_t i = 1; i < probes.size(); ++i) {
      const auto ghz = Gigahertz(instrument_, probes[i - 1], probes[i]);
      if (!ghz) {
        ++rejected_;
        continue;
      }
      const bool contended = IsContended(probes[i - 1]) || IsContended(probes[i]);
      (contended ? contended_ : quiet_)[window].push_back(*ghz);
    }
  }

  // The chains tell the cycle under a neighbour too, if less well: quiet moments are preferred, if
  // there are enough.
  bool has_enough_quiet() const {
    constexpr std::size_t kLeastPercent = 5;
    return quiet_.size() >= statistics::kFewestVisits &&
           100 * Count(quiet_) >= kLeastPercent * Count(contended_);
  }

  // In gigahertz; the samples of a window are a group.
  statistics::SampleGroups ToSamples() const {
    statistics::SampleGroups samples;
    samples.rejected = rejected_;
    samples.contended = !has_enough_quiet() && !contended_.empty();
    for (const auto& [window, ghz] : samples.contended ? contended_ : quiet_)
      samples.groups.emplace_back(ghz);
    return samples;
  }

 private:
  using Windows = std::map<std::int64_t, std::vector<double>>;

  bool IsContended(const Probe& probe) const {
    return instrument_.watch().StateOf(probe) == CoreState::kContended;
  }
  static std::size_t Count(const Windows& windows) {
    std::size_t count = 0;
    for (const auto& [window, ghz] : windows) count += ghz.size();
    return count;
  }

  const Instrument& instrument_;
  std::int64_t window_ns_;
  Windows quiet_;
  Windows contended_;
  int revision_ = 0;  // of the watch that told how long a cycle is
  int rejected_ = 0;
};

}  // namespace

std::vector<FrequencyStep> FindSteps(std::span<const double> ghz) {
  // Steps are 25 MHz at the least, and noise of a probe stays well below half of that.
  constexpr double kMinGapRatio = 0.004;
  constexpr double kLeastShare = 0.05;  // what is rarer is more likely time of another thread
  std::vector<double> sorted(ghz.begin(), ghz.end());
  std::ranges::sort(sorted);
  std::vector<FrequencyStep> steps;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] - sorted[end - 1] < kMinGapRatio * sorted[end]) ++end;
    const double share = static_cast<double>(end - begin) / static_cast<double>(sorted.size());
    if (share >= kLeastShare)
      steps.push_back({statistics::Median(std::span(sorted).subspan(begin, end - begin)), share});
    begin = end;
  }
  if (steps.size() < 2) steps.clear();
  return steps;
}

bool IsDisturbed(const FrequencyRow& row) {
  constexpr double kMaxIntervalShare = 0.1;
  constexpr double kMaxShareOffSteps = 0.2;
  constexpr std::size_t kMostRates =
      3;  // that a clock moves between in the time that it is watched
  if (row.core_ghz.high - row.core_ghz.low <= kMaxIntervalShare * row.core_ghz.value) return false;
  std::vector<double> shares;
  for (const FrequencyStep& step : row.steps) shares.push_back(step.share);
  std::ranges::sort(shares, std::greater());
  shares.resize(std::min(shares.size(), kMostRates));
  const double at_steps = std::accumulate(shares.begin(), shares.end(), 0.0);
  return at_steps < 1 - kMaxShareOffSteps;
}

void JudgeRate(FrequencyRow& row) {
  if (row.status == Status::kMeasured && IsDisturbed(row)) {
    row.status = Status::kDisturbed;
    row.claim = Claim{ClaimCode::kRateInDoubt, {}};
    row.reason = Sentence(*row.claim);
  }
  if (row.status != Status::kDisturbed) return;
  const int samples = row.core_ghz.kept + row.core_ghz.rejected;
  row.core_ghz = {.rejected = samples, .contended = row.core_ghz.contended};
  row.boost = 0;
  row.steps.clear();
}

MeasuredFrequency MeasureFrequency(const Instrument& instrument, sandbox::Executor& executor,
                                   int cpu, const FrequencySettings& settings) {
  MeasuredFrequency measured;
  FrequencyRow& row = measured.row;
  row.cpu = cpu;
  row.base_ghz = instrument.clock().hz / 1e9;
  row.cycle_source = instrument.source().name;

  Sightings sightings(instrument, settings.duration_ns / kWindows);
  const auto ended = [&settings] { return !MayGoOn(settings.goes_on); };
  auto probed = instrument.ProbeFor(settings.warm_up_ns, executor, cpu, settings.wall_clock, {},
                                    settings.goes_on);
  std::int64_t begin = 0;
  const auto probe_on = [&] {
    const auto take = [&](std::int64_t at_ns, std::span<const Probe> probes) {
      sightings.Take(begin + at_ns, probes);
    };
    probed = instrument.ProbeFor(settings.duration_ns, executor, cpu, settings.wall_clock, take,
                                 settings.goes_on);
    measured.cut_short = begin == 0 && ended();
    begin += settings.duration_ns;
  };
  measured.cut_short = ended();
  if (probed && !measured.cut_short) probe_on();
  // While a neighbour is there, probing goes on until it leaves or the patience is spent.
  const std::int64_t most_ns = settings.duration_ns + settings.patience.count();
  while (probed && !ended() && instrument.watch().trusted() && !sightings.has_enough_quiet() &&
         begin < most_ns && settings.duration_ns > 0) {
    probe_on();
  }
  measured.waited =
      std::chrono::nanoseconds(std::max<std::int64_t>(begin - settings.duration_ns, 0));
  row.self_check_passed = instrument.watch().trusted();
  if (!probed) {
    row.status = Status::kCrashed;
    row.reason = probed.error().message;
    return measured;
  }
  const statistics::SampleGroups samples = sightings.ToSamples();
  std::vector<double> all;
  for (const std::span<const double> group : samples.groups)
    all.insert(all.end(), group.begin(), group.end());
  if (samples.groups.size() < statistics::kFewestVisits) {
    row.status = Status::kDisturbed;
    row.reason = samples.rejected > 0 ? "too few samples were left: the others were disturbed"
                                      : "measuring ended before there were enough samples";
  }
  if (samples.groups.empty()) return measured;
  row.core_ghz = EstimateOf(samples, settings.confidence);
  row.core_ghz.samples.clear();  // thousands, and all alike: not worth their room in the document
  row.boost = row.core_ghz.value / row.base_ghz;
  row.steps = FindSteps(all);
  JudgeRate(row);
  return measured;
}

}  // namespace cyclescope::measure
