// What the measurements of a form mean; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"
#include "gpu/form_plan.h"

namespace cyclescope::gpu {

// Why a row is disturbed: its passes lie more than a factor of two apart, or end before they began.
inline constexpr const char* kMostPassesDropped =
    "most passes were dropped: their times lie far apart, or the GPU's clock ran backwards";

// The latency of the first pair of a connector's form, by its text.
using KnownLatencies = std::map<std::string, Estimate>;

// `visits` are the words that each visit's job left.
GpuInstruction Conclude(const FormPlan& plan, const DeviceFacts& device,
                        std::span<const std::vector<std::uint64_t>> visits,
                        const KnownLatencies& known, double confidence);

// From when the first warp began to when the last one ended. `words` are a beginning and an end for
// each of one warp or more; unset where the clock of one jumped.
std::optional<double> SpanOfWarps(std::span<const std::uint64_t> words);

// The row of what could not be measured.
GpuInstruction FailedRow(std::string_view group, std::string_view text, const JobFailure& failure);

}  // namespace cyclescope::gpu
