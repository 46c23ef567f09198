#include "measure/frequency.h"

#include <algorithm>
#include <array>
#include <optional>

#include "measure/experiment.h"
#include "measure/statistics.h"

namespace cyclescope::measure {
namespace {

constexpr int kProbesAtOnce = 16;
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

// Takes probes for some time; every two in a row go to `take`.
template <typename Take>
Result<void> ProbeFor(std::int64_t duration_ns, const Instrument& instrument,
                      sandbox::Executor& executor, int cpu, const WallClock& wall_clock,
                      const Take& take) {
  const std::int64_t begin = wall_clock.now_ns();
  for (std::int64_t now = begin; now - begin < duration_ns; now = wall_clock.now_ns()) {
    const auto probes = instrument.TakeProbes(executor, cpu, kProbesAtOnce);
    if (!probes) return std::unexpected(probes.error());
    for (std::size_t i = 1; i < probes->size(); ++i)
      take(now - begin, (*probes)[i - 1], (*probes)[i]);
  }
  return {};
}

}  // namespace

std::vector<FrequencyStep> FindSteps(std::span<const double> ghz) {
  // Steps are 25 MHz at the least, and noise of a probe stays well below half of that.
  constexpr double kLeastGap = 0.004;
  constexpr double kLeastShare = 0.02;
  std::vector<double> sorted(ghz.begin(), ghz.end());
  std::ranges::sort(sorted);
  std::vector<FrequencyStep> steps;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] - sorted[end - 1] < kLeastGap * sorted[end]) ++end;
    const double share = static_cast<double>(end - begin) / static_cast<double>(sorted.size());
    if (share >= kLeastShare)
      steps.push_back({Median(std::span(sorted).subspan(begin, end - begin)), share});
    begin = end;
  }
  if (steps.size() < 2) steps.clear();
  return steps;
}

FrequencyRow MeasureFrequency(const Instrument& instrument, sandbox::Executor& executor, int cpu,
                              const FrequencySettings& settings) {
  FrequencyRow row;
  row.cpu = cpu;
  row.base_ghz = instrument.clock().hz / 1e9;
  row.cycle_source = instrument.source().name;

  std::array<std::array<Visit, kWindows>, 2> windows;  // contended or not
  Measurement measurement;
  const auto take = [&](std::int64_t at_ns, const Probe& before, const Probe& after) {
    const auto ghz = Gigahertz(instrument, before, after);
    if (!ghz) {
      ++measurement.rejected;
      return;
    }
    const bool contended = instrument.watch().StateOf(before) == CoreState::kContended ||
                           instrument.watch().StateOf(after) == CoreState::kContended;
    const auto window = std::min<std::int64_t>(
        at_ns * kWindows / std::max<std::int64_t>(settings.duration_ns, 1), kWindows - 1);
    windows[contended ? 1 : 0][static_cast<std::size_t>(window)].cycles.push_back(*ghz);
  };
  auto probed = ProbeFor(settings.warm_up_ns, instrument, executor, cpu, settings.wall_clock,
                         [](std::int64_t, const Probe&, const Probe&) {});
  if (probed) {
    probed = ProbeFor(settings.duration_ns, instrument, executor, cpu, settings.wall_clock, take);
  }
  row.jury_trusted = instrument.watch().trusted();
  if (!probed) {
    row.status = Status::kCrashed;
    row.reason = probed.error().message;
    return row;
  }
  // The chains tell the cycle under a neighbour too, if less well: quiet moments are preferred.
  std::array<std::size_t, 2> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (const Visit& visit : windows[i]) counts[i] += visit.cycles.size();
  }
  constexpr std::size_t kFewestQuiet = 5;
  measurement.contended = counts[0] < kFewestQuiet * counts[1] / 100 || counts[0] < kFewestVisits;
  std::vector<double> all;
  for (Visit& visit : windows[measurement.contended ? 1 : 0]) {
    if (visit.cycles.empty()) continue;
    all.insert(all.end(), visit.cycles.begin(), visit.cycles.end());
    measurement.visits.push_back(std::move(visit));
  }
  if (measurement.visits.size() < kFewestVisits) {
    row.status = Status::kDisturbed;
    row.reason = "too few samples were left: other work on this CPU spoiled the others";
  }
  if (!measurement.has_value()) return row;
  row.core_ghz = EstimateOf(measurement, settings.confidence);
  row.core_ghz.samples.clear();  // thousands, and all alike: not worth their room in the document
  row.boost = row.core_ghz.value / row.base_ghz;
  row.steps = FindSteps(all);
  return row;
}

}  // namespace cyclescope::measure
