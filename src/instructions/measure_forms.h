// Everything about some forms: planned, measured and concluded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/work.h"
#include "cyclescope/result/instruction.h"
#include "instructions/conclude.h"
#include "instructions/plan.h"
#include "instructions/siblings.h"
#include "measure/runner.h"

namespace cyclescope::instructions {

// What measures forms: a runner, and the connectors that it has measured so far.
class Bench {
 public:
  // `siblings`, where there are some, are shared with other benches and outlive this one.
  explicit Bench(std::unique_ptr<measure::Runner> runner, Siblings* siblings = nullptr)
      : runner_(std::move(runner)), siblings_(siblings) {}

  measure::Runner& runner() { return *runner_; }
  const measure::Runner& runner() const { return *runner_; }
  Circumstances circumstances() const;
  bool filters_system_calls() const { return runner_->executor().has_system_call_filter(); }

  // One row for each plan, in their order. Plans are measured together, so that the visits to one
  // are spread over the time that all of them take. Never fails: what could not be measured has a
  // status and a reason. A row is unset where `goes_on` ended it before all of it was measured.
  std::vector<std::optional<InstructionRow>> Measure(std::vector<FormPlan> plans, Planner& planner,
                                                     const GoesOn& goes_on = {});

 private:
  void MeasureConnectors(const std::vector<FormPlan>& plans, const GoesOn& goes_on);

  std::unique_ptr<measure::Runner> runner_;
  Siblings* siblings_ = nullptr;
  Connectors connectors_;
};

}  // namespace cyclescope::instructions
