#include "anatomy/conclude_pipeline.h"

#include <string>

namespace cyclescope::anatomy {

AnatomyRow PlannedRow(const arch::PipelinePattern& pattern) {
  AnatomyRow row = {.part = AnatomyPart::kMemoryPipeline,
                    .name = std::string(pattern.name),
                    .filler = std::string(pattern.pattern),
                    .unit = std::string(pattern.unit)};
  row.code.emplace_back(pattern.code);
  if (!pattern.without.empty()) row.code.emplace_back(pattern.without);
  return row;
}

AnatomyRow Concluded(const arch::PipelinePattern& pattern, const std::optional<Estimate>& with,
                     const std::optional<Estimate>& without) {
  AnatomyRow row = PlannedRow(pattern);
  if (!with || (!pattern.without.empty() && !without)) {
    row.status = Status::kUnmeasurable;
    row.reason = "its code was not measured";
    return row;
  }
  const Estimate none;
  const Estimate& base = pattern.without.empty() ? none : *without;
  row.value = AnatomyValue{.value = (with->value - base.value) / pattern.per,
                           .low = (with->low - base.high) / pattern.per,
                           .high = (with->high - base.low) / pattern.per};
  row.contended = with->contended || base.contended;
  row.states = with->states;
  for (ValueState& state : row.states) state.value = (state.value - base.value) / pattern.per;
  return row;
}

}  // namespace cyclescope::anatomy
