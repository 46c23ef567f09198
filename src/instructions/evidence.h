// What was measured of one plan, as its conclusions read it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cyclescope/result/estimate.h"
#include "instructions/plan.h"
#include "measure/experiment.h"
#include "measure/tick_clock.h"

namespace cyclescope::instructions {

// The connectors that were measured, by name.
using Connectors = std::map<std::string, measure::Measurement, std::less<>>;

// What else a conclusion depends on.
struct Circumstances {
  const measure::TickClock* clock = nullptr;  // for the classic table's seconds
  double confidence = 0.95;
  bool trusts_cycles = true;  // else nothing is concluded from how many there are
};

class Evidence {
 public:
  Evidence(std::span<const measure::Measurement> measurements, const Connectors& connectors,
           const Circumstances& circumstances)
      : measurements_(measurements), connectors_(connectors), circumstances_(circumstances) {}

  const Circumstances& circumstances() const { return circumstances_; }
  std::span<const measure::Measurement> measurements() const { return measurements_; }

  // Null where the experiment has no value.
  const measure::Measurement* Find(ExperimentIndex experiment) const {
    if (experiment >= measurements_.size()) return nullptr;
    const measure::Measurement& measurement = measurements_[experiment];
    return measurement.has_value() ? &measurement : nullptr;
  }
  // The same, and remembers why it has none: what was asked for first counts.
  const measure::Measurement* Ask(ExperimentIndex experiment) {
    const measure::Measurement* found = Find(experiment);
    if (found == nullptr && !death_ && experiment < measurements_.size())
      death_ = measurements_[experiment].death;
    return found;
  }
  const std::optional<sandbox::Death>& death() const { return death_; }

  const measure::Measurement* Connector(const std::string& name) const {
    const auto known = connectors_.find(name);
    return known == connectors_.end() || !known->second.has_value() ? nullptr : &known->second;
  }

  Estimate ValueOf(const measure::Measurement& measurement, int contenders = 1) const {
    return EstimateOf(measurement, circumstances_.confidence, contenders);
  }

 private:
  std::span<const measure::Measurement> measurements_;
  const Connectors& connectors_;
  const Circumstances& circumstances_;
  std::optional<sandbox::Death> death_;
};

}  // namespace cyclescope::instructions
