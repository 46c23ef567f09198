// Takes samples of a length pair until the value is precise enough or the budget is spent.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string_view>

#include "measure/cycle_source.h"
#include "result/estimate.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

// The reason of a row whose estimate is disturbed.
inline constexpr std::string_view kTooFewSamples =
    "too few samples were left: other work on this CPU spoiled the others, or the code did not "
    "take the same time again";

struct SamplingSettings {
  double precision = 0.002;  // relative half width of the interval at which sampling ends
  double confidence = 0.95;  // of the interval
  int batch =
      9;  // samples per visit to the executor; the fewest with which a value is vouched for is 6
  int most_samples = 63;               // kept and rejected together: the budget
  std::int64_t least_duration_ns = 0;  // sampling goes on at least this long, precise or not
};

// Everything that went into the kept samples, for the classic table.
struct Totals {
  double units = 0;
  double cycles = 0;
  double ticks = 0;
  std::optional<double> instructions;      // counted; unset without counters
  std::optional<double> reference_cycles;  // likewise
};

struct Measurement {
  Estimate estimate;
  Totals totals;
};

// What one kept sample says about the quantity that is measured.
using ValueOf = std::function<double(const Sample& sample, double extra_units)>;

double CyclesPerUnit(const Sample& sample, double extra_units);

// The death is that of the worker when the code under test killed it.
std::expected<Measurement, sandbox::Death> TakeSamples(sandbox::Executor& executor,
                                                       const CycleSource& source,
                                                       const LengthPair& pair,
                                                       const SamplingSettings& settings,
                                                       const ValueOf& value_of = CyclesPerUnit);

}  // namespace cyclescope::measure
