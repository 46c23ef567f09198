// How many slots a core dispatches in a cycle, by what a document knows. One place decides that for
// all that need it: `block`'s bound, ports of a known map, predictions.
#pragma once

#include <optional>

#include "cyclescope/result/document.h"

namespace cyclescope {

// From `anatomy`, which measures it with several mixes and says where it is only a bound or the
// core was shared; from the port map where anatomy does not have it; unset where neither does. A
// whole number where it is one within the noise, as cores are built.
std::optional<double> DispatchWidth(const Document& document);

// The nearest whole number where the value is one within the noise; else the value itself.
double WholeSlots(double per_cycle);

}  // namespace cyclescope
