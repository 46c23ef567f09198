// `cyclescope frequency`: how fast one CPU really runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

struct FrequencyStep {
  double ghz = 0;
  double share = 0;
};

void Describe(auto& visit, Of<FrequencyStep> auto& step) {
  visit.Struct("FrequencyStep", "One of the rates that a CPU's clock had.");
  visit.Required("ghz", step.ghz, "The rate.");
  visit.Required("share", step.share, "Of the time, from 0 to 1.");
}

struct FrequencyRow {
  int cpu = 0;
  Status status = Status::kMeasured;
  std::string reason;
  std::optional<Claim> claim = {};
  double base_ghz = 0;
  double boost = 0;
  Estimate core_ghz;
  std::vector<FrequencyStep> steps;
  std::string cycle_source;
  bool self_check_passed = false;
};

void Describe(auto& visit, Of<FrequencyRow> auto& row) {
  visit.Struct("FrequencyRow", "One CPU's clock rate.");
  visit.Required("cpu", row.cpu, "As the system counts.");
  visit.Always("status", row.status, "How the measuring ended.");
  visit.Optional("reason", row.reason, "When not measured.");
  visit.Optional("claim", row.claim, "What the reason says of the clock.", {.since = "0.3"});
  visit.Required("base_ghz", row.base_ghz, "The time-stamp counter's rate.");
  visit.Required("boost", row.boost, "Core cycles per tick.");
  visit.Beside("core_ghz", row.core_ghz, "How fast the core really runs.");
  visit.Optional("steps", row.steps, "The clock's rates over time, where it changed.",
                 {.since = "0.2"});
  visit.Optional("cycle_source", row.cycle_source, "As in the clock.");
  visit.Always("jury_trusted", row.self_check_passed, "The reference chains agree on this CPU.");
}

}  // namespace cyclescope
