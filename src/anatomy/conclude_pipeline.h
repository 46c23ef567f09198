// Rows of what loads and stores do to each other, from the cycles of snippets.
#pragma once

#include <optional>

#include "arch/pipeline_code.h"
#include "cyclescope/result/anatomy.h"
#include "cyclescope/result/estimate.h"

namespace cyclescope::anatomy {

// A row without a value, for a dry run.
AnatomyRow PlannedRow(const arch::PipelinePattern& pattern);

// `without` is set where the pattern has a counterpart. What is unset could not be measured.
AnatomyRow Concluded(const arch::PipelinePattern& pattern, const std::optional<Estimate>& with,
                     const std::optional<Estimate>& without);

}  // namespace cyclescope::anatomy
