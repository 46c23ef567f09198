#include "measure/sampler.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "measure/statistics.h"
#include "os/clock.h"

namespace cyclescope::measure {
namespace {

// With six values their range covers the median at 95 %; with fewer nothing does.
constexpr int kFewestForAnInterval = 6;

class Collector {
 public:
  Collector(double extra_units, const ValueOf& value_of)
      : extra_units_(extra_units), value_of_(value_of) {}

  void Add(const Sample& sample) {
    if (sample.reject != Reject::kNone) {
      ++rejected_;
      if (sample.reject != Reject::kImpossible)
        rejected_values_.push_back(value_of_(sample, extra_units_));
      return;
    }
    values_.push_back(value_of_(sample, extra_units_));
    totals_.units += extra_units_;
    totals_.cycles += sample.cycles;
    totals_.ticks += sample.ticks;
    Accumulate(sample.instructions, totals_.instructions);
    Accumulate(sample.reference_cycles, totals_.reference_cycles);
  }

  int taken() const { return static_cast<int>(values_.size()) + rejected_; }
  bool has_interval() const { return static_cast<int>(values_.size()) >= kFewestForAnInterval; }

  Measurement Summary(double confidence) const {
    Measurement measurement;
    measurement.totals = totals_;
    if (!values_.empty()) {
      measurement.estimate = Summarize(values_, rejected_, confidence);
    } else if (!rejected_values_.empty()) {
      measurement.estimate = Summarize(rejected_values_, rejected_, confidence);
      measurement.estimate.kept = 0;
      measurement.estimate.samples.clear();
    }
    measurement.estimate.rejected = rejected_;
    measurement.estimate.disturbed = !has_interval();
    return measurement;
  }

 private:
  static void Accumulate(const std::optional<double>& part, std::optional<double>& total) {
    if (part) total = total.value_or(0) + *part;
  }

  double extra_units_;
  const ValueOf& value_of_;
  std::vector<double> values_;
  std::vector<double> rejected_values_;
  int rejected_ = 0;
  Totals totals_;
};

// Twice the work should take twice the time, but for the call and the loop's end. Where it does
// not, the two calls were not doing the same: chains of accumulations can go round with and without
// the core's short cut for them, as chance has it at their begin.
bool IsUnlike(const Sample& sample) {
  constexpr double kLeast = 0.6, kMost = 1.6;
  return sample.ticks < kLeast * sample.shorter_ticks ||
         sample.ticks > kMost * sample.shorter_ticks;
}

}  // namespace

double CyclesPerUnit(const Sample& sample, double extra_units) {
  return sample.cycles / extra_units;
}

std::expected<Measurement, sandbox::Death> TakeSamples(sandbox::Executor& executor,
                                                       const CycleSource& source,
                                                       const LengthPair& pair,
                                                       const SamplingSettings& settings,
                                                       const ValueOf& value_of) {
  Collector collector(pair.extra_units, value_of);
  const std::int64_t earliest_end = os::MonotonicNanoseconds() + settings.least_duration_ns;
  const std::size_t per_sample = source.calls_per_sample();
  std::vector<sandbox::Call> calls;
  while (collector.taken() < settings.most_samples) {
    const int batch = std::min(settings.batch, settings.most_samples - collector.taken());
    calls.clear();
    for (int i = 0; i < batch; ++i) source.AppendCalls(pair, calls);
    const sandbox::Outcome outcome = executor.Run(calls);
    if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return std::unexpected(*death);
    const std::span<const sandbox::CallRecord> records = std::get<0>(outcome);
    for (std::size_t first = 0; first < records.size(); first += per_sample) {
      Sample sample = source.Read(records.subspan(first, per_sample));
      if (pair.longer_doubles && sample.reject == Reject::kNone && IsUnlike(sample))
        sample.reject = Reject::kUnlike;
      collector.Add(sample);
    }
    if (!collector.has_interval() || os::MonotonicNanoseconds() < earliest_end) continue;
    Measurement measurement = collector.Summary(settings.confidence);
    if (RelativeHalfWidth(measurement.estimate) <= settings.precision) return measurement;
  }
  Measurement measurement = collector.Summary(settings.confidence);
  measurement.estimate.end = SamplingEnd::kBudget;
  return measurement;
}

}  // namespace cyclescope::measure
