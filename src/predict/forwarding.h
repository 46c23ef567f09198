// How what was stored comes to a load of the same place.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "predict/core_model.h"
#include "predict/dependence.h"
#include "predict/modelled_instruction.h"

namespace cyclescope::predict {

struct Forwarding {
  std::size_t store = 0;
  int iterations = 0;
  double cycles = 0;     // from what is stored to what is loaded
  bool renamed = false;  // what is stored is handed on at rename; the load is waited for by none
  // The store does not have all that is loaded: it must have retired and left for the cache.
  bool from_cache = false;
};

// By instruction: of what each of them loads. Of several stores to a place, the last before the
// load counts.
std::vector<std::optional<Forwarding>> FindForwarding(
    const CoreModel& model, std::span<const ModelledInstruction> instructions,
    std::span<const MemoryLink> links);

}  // namespace cyclescope::predict
