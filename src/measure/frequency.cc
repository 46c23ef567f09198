#include "measure/frequency.h"

#include <array>
#include <variant>

#include "os/clock.h"

namespace cyclescope::measure {
namespace {

std::expected<void, sandbox::Death> WarmUp(Instrument& instrument, std::int64_t duration_ns) {
  const std::array<sandbox::Call, 1> calls = {instrument.ReferencePair().longer};
  const std::int64_t end = os::MonotonicNanoseconds() + duration_ns;
  while (os::MonotonicNanoseconds() < end) {
    const sandbox::Outcome outcome = instrument.executor().Run(calls);
    if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return std::unexpected(*death);
  }
  return {};
}

}  // namespace

FrequencyRow MeasureFrequency(Instrument& instrument, int cpu, const FrequencySettings& settings) {
  const double tick_ghz = instrument.clock().hz / 1e9;
  FrequencyRow row;
  row.cpu = cpu;
  row.base_ghz = tick_ghz;
  row.cycle_source = std::string(instrument.source().name());
  row.jury_trusted = instrument.jury().trusted;

  const auto gigahertz = [tick_ghz](const Sample& sample, double) {
    return sample.cycles / sample.ticks * tick_ghz;
  };
  SamplingSettings sampling = settings.sampling;
  sampling.least_duration_ns = settings.duration_ns;
  const auto warm = WarmUp(instrument, settings.warm_up_ns);
  const auto measured = !warm ? std::unexpected(warm.error())
                              : TakeSamples(instrument.executor(), instrument.source(),
                                            instrument.ReferencePair(), sampling, gigahertz);
  if (!measured) {
    row.status = Status::kCrashed;
    row.reason = measured.error().reason;
    return row;
  }
  row.core_ghz = measured->estimate;
  row.core_ghz.samples.clear();  // thousands, and all alike: not worth their room in the document
  row.boost = row.core_ghz.value / tick_ghz;
  if (row.core_ghz.disturbed) {
    row.status = Status::kDisturbed;
    row.reason = kTooFewSamples;
  }
  return row;
}

}  // namespace cyclescope::measure
