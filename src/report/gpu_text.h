// `gpu` as text.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/gpu.h"
#include "report/text_style.h"

namespace cyclescope {

enum class GpuTextSize {
  kPage,
  kFull,  // every pair of operands, with intervals and code; every footprint
};

std::string GpuText(const std::vector<GpuRow>& rows, const TextStyle& style,
                    GpuTextSize size = GpuTextSize::kPage);

}  // namespace cyclescope
