#include "measure/visit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "measure/probe.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;

// Wide vector code runs slow at first after scalar code: Neoverse V1 gives it three of its four
// pipes for 4 to 6 µs. So that long is warmed up, after the probe.
constexpr double kWarmUpNs = 8000;
// A loop over a thousand random values, which a program runs again and again, is predicted better
// from time to time: 2.24 cycles a trip with the warm-up above, 2.07 in the program, which had made
// some hundred passes over its data before.
constexpr double kLearningNs = 400'000;
// A call that takes this factor longer than it should is sampled once a visit: the clock's jitter
// is nothing beside it. (What a hypervisor does for a guest takes that long. 150 such experiments
// were a fifth of a sweep's time.)
constexpr double kLongCallFactor = 20;
// One that takes longer than this is also warmed up by its first call alone.
constexpr double kSlowCallNs = 500'000;
// When none of a visit's calls takes longer than this, it is not checked between them whether they
// were interrupted.
constexpr double kQuickCallNs = 20'000;

bool WasDisturbed(const CallRecord& record) {
  return record.context_switches != 0 || record.migrated;
}

// A slow call is sampled once a visit, and warmed up by one like it.
bool IsSlow(const Tally& tally) { return tally.shorter_ns > kSlowCallNs; }

// A visit that takes little time is interrupted seldom.
bool IsQuick(const Tally& tally) { return tally.shorter_ns <= kQuickCallNs; }

// Some code may leave the core so that a reading takes longer than in any probe. When this number
// of visits were lost, the clock is no longer read.
constexpr int kLostWithReadings = 4;

struct Sample {
  Totals totals;
  double shorter = 0;  // cycles of the shorter call
};

// Nothing where the sample tells nothing. `cycle_ticks` is the length of a cycle; unset where
// it is not known.
std::optional<Sample> ReadSample(const Instrument& instrument, const Tally& tally,
                                 const CallRecord& shorter, const CallRecord& longer,
                                 std::optional<double> cycle_ticks) {
  const Experiment& experiment = *tally.experiment;
  const bool counted = !instrument.source().is_reference();
  if (WasDisturbed(shorter) || WasDisturbed(longer)) return std::nullopt;
  if (counted ? !(shorter.counters_valid && longer.counters_valid) : !cycle_ticks)
    return std::nullopt;
  const auto once = static_cast<double>(shorter.ticks);
  Sample sample;
  Totals& totals = sample.totals;
  totals.units = experiment.units * static_cast<double>(tally.loops);
  totals.ticks = Excess(longer.ticks, shorter.ticks);
  if (counted) {
    sample.shorter = static_cast<double>(shorter.cycles);
    totals.cycles = Excess(longer.cycles, shorter.cycles);
    totals.instructions = Excess(longer.instructions, shorter.instructions);
    if (longer.reference_cycles != 0)
      totals.reference_cycles = Excess(longer.reference_cycles, shorter.reference_cycles);
  } else {
    sample.shorter = once / *cycle_ticks;
    totals.cycles = totals.ticks / *cycle_ticks;
  }
  // Beside a loop that takes most of the time, what is measured may take none.
  if (!experiment.takes_twice_as_long) return sample;
  if (totals.ticks <= 0 || totals.cycles <= 0) return std::nullopt;
  // Under an emulator nothing takes its time twice.
  if (experiment.difference == Difference::kStraight || !instrument.TrustsCycles()) return sample;
  // Twice the work takes about twice the time. Where it does not, the two calls were not doing the
  // same: chains of accumulations can go round with and without the core's short cut.
  constexpr double kLeastTimeRatio = 0.6, kMostTimeRatio = 1.6;
  if (totals.ticks < kLeastTimeRatio * once || totals.ticks > kMostTimeRatio * once)
    return std::nullopt;
  return sample;
}

}  // namespace

double WantedTicks(const Instrument& instrument, const Tally& tally) {
  return tally.stretch * instrument.StretchTicks();
}

VisitLayout AppendVisit(const Instrument& instrument, const VisitShape& shape, std::uint32_t place,
                        const Tally& tally, std::vector<Call>& calls) {
  const Experiment& experiment = *tally.experiment;
  const std::size_t filling = experiment.memory ? 1 : 0;
  if (experiment.memory) calls.push_back({{Entry::Kind::kFillMemory, 0}, *experiment.memory});
  const bool by_loops = experiment.difference == Difference::kLoops;
  const Call shorter = {{Entry::Kind::kKernel, 2 * place}, tally.loops};
  const Call longer = {{Entry::Kind::kKernel, 2 * place + 1}, (by_loops ? 2 : 1) * tally.loops};
  if (IsSlow(tally)) {
    calls.insert(calls.end(), {shorter, shorter, longer});
    return {.unread = filling + 1, .samples = 1};
  }
  const double times = experiment.difference == Difference::kStraight
                           ? 1.0
                           : std::max((experiment.learns_branches ? kLearningNs : kWarmUpNs) /
                                          (2 * tally.shorter_ns),
                                      1.0 / tally.stretch);
  const auto warm_up = [times](Call call) {
    call.loops = static_cast<std::uint64_t>(std::ceil(static_cast<double>(call.loops) * times));
    return call;
  };
  const std::size_t begin = calls.size();
  // The shorter kernel is other code, which has to come into the caches, too. A worker of its own
  // knows nothing of its branches either. Longer samples need no longer warm-up.
  Call warm_shorter = shorter;
  warm_shorter.loops = std::max<std::uint64_t>(shorter.loops / tally.stretch, 1);
  calls.insert(calls.end(), {warm_up(longer), experiment.alone ? warm_up(shorter) : warm_shorter});
  const double usual_ns = instrument.clock().Nanoseconds(WantedTicks(instrument, tally));
  const bool is_long = tally.shorter_ns > kLongCallFactor * usual_ns;
  const VisitLayout layout = {
      .unread = filling + 2,
      .samples = static_cast<std::size_t>(is_long ? 1 : shape.most_samples),
      .reads_clock = shape.reads_clock && tally.lost_visits < kLostWithReadings,
      .is_one_piece = IsQuick(tally)};
  for (std::size_t i = 0; i < layout.samples; ++i) {
    if (layout.reads_clock) calls.push_back(ClockReading(instrument.probe_lengths()));
    calls.insert(calls.end(), {shorter, longer});
  }
  if (layout.reads_clock) calls.push_back(ClockReading(instrument.probe_lengths()));
  if (layout.is_one_piece) {
    for (std::size_t i = begin; i < calls.size(); ++i) calls[i].goes_on = true;
  }
  calls.back().goes_on = false;
  return layout;
}

void ReadVisit(const Instrument& instrument, const VisitLayout& layout, const VisitContext& context,
               std::span<const CallRecord> records, Tally& tally) {
  assert(records.size() == layout.calls());
  const auto& [before, after] = context.probes;
  const CycleLengths& lengths = context.cycle_lengths;
  Visit visit;
  visit.cpu = context.cpu;
  visit.revision = context.revision;
  const CoreState first = instrument.watch().StateOf(before);
  const CoreState last = instrument.watch().StateOf(after);
  visit.state = first == last ? first : CoreState::kContended;
  visit.width = instrument.watch().WidthOf(before, after);

  const bool disturbed =
      before.disturbed || after.disturbed || (layout.is_one_piece && WasDisturbed(records.back()));
  const bool by_readings = layout.reads_clock && visit.state == CoreState::kQuiet;
  const std::optional<double> of_visit = by_readings ? std::nullopt : lengths.Of(context.visit);
  const auto reading = [&](std::size_t sample) {
    return static_cast<double>(records[layout.reading(sample)].ticks);
  };
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < layout.samples && !disturbed; ++i) {
    const std::size_t shorter = layout.shorter(i);
    // Whether the last reading was interrupted stands in no later call.
    if (i + 1 == layout.samples && WasDisturbed(records.back())) continue;
    const std::optional<double> cycle_ticks =
        by_readings ? lengths.Between(context.visit, {reading(i), reading(i + 1)}) : of_visit;
    if (const auto sample =
            ReadSample(instrument, tally, records[shorter], records[shorter + 1], cycle_ticks)) {
      samples.push_back(*sample);
      visit.cycles.push_back(sample->totals.cycles / sample->totals.units);
    }
  }
  tally.rejected += static_cast<int>(layout.samples - samples.size());
  if (samples.empty()) {
    // A probe that was interrupted tells nothing of neighbours.
    const bool spoiled = visit.state == CoreState::kContended && !disturbed;
    ++(spoiled ? tally.spoiled_visits : tally.lost_visits);
    return;
  }
  // The visit's middle sample stands for it: a sum would contain what an interrupt took.
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {},
                           [](const Sample& sample) { return sample.totals.cycles; });
  const auto loops = static_cast<double>(tally.loops);
  visit.shorter = middle->shorter / loops;
  visit.longer = (middle->shorter + middle->totals.cycles) / loops;
  tally.Add(std::move(visit), middle->totals);
}

void FitAgain(const Instrument& instrument, const VisitLayout& layout,
              std::span<const CallRecord> records, Tally& tally) {
  if (tally.experiment->difference == Difference::kStraight || IsSlow(tally)) return;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < layout.samples; ++i)
    least = std::min(least, static_cast<double>(records[layout.shorter(i)].ticks));
  const double stretch = WantedTicks(instrument, tally);
  if (least >= stretch / 2) return;
  // The worker's records are not to be trusted.
  constexpr double kMostLoops = 1e12;
  const double longer = stretch / std::max(least, 1.0);
  tally.loops = static_cast<std::uint64_t>(
      std::min(std::ceil(static_cast<double>(tally.loops) * longer), kMostLoops));
  tally.shorter_ns = instrument.clock().Nanoseconds(stretch);
}

}  // namespace cyclescope::measure
