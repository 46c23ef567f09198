// What Linux's signals say about the end of a worker.
#pragma once

#include <cstdint>
#include <optional>

#include "sandbox/death.h"

namespace cyclescope::sandbox {

Death DeathBySignal(int signal, std::optional<std::uint64_t> fault_address = std::nullopt,
                    std::optional<CodePlace> code_place = std::nullopt);

}  // namespace cyclescope::sandbox
