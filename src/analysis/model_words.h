// Where a scheduling model is wrong, in sentences.
#pragma once

#include <string>
#include <string_view>

#include "analysis/model_agreement.h"

namespace cyclescope {

std::string_view QuantityName(ModelQuantity quantity);  // "latency", "throughput"

// "400 of 412 throughputs on zmm registers with a memory operand take twice the cycles of the
// model: vaddpd zmm0, zmm1, [rbx] takes 1.00, the model has 0.50". It says by how much values
// differ only where all of the group do so by the same.
std::string GroupText(const ModelGroup& group);

}  // namespace cyclescope
