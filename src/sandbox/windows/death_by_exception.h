// What Windows' exceptions say about the end of a worker.
#pragma once

#include <cstdint>
#include <optional>

#include "sandbox/death.h"

namespace cyclescope::sandbox {

// Whether a number is one of an exception that ends processes: of a fault in code, not one that
// libraries raise on purpose.
bool IsFault(std::uint32_t exception);

Death DeathByException(std::uint32_t exception,
                       std::optional<std::uint64_t> fault_address = std::nullopt,
                       std::optional<CodePlace> code_place = std::nullopt);

}  // namespace cyclescope::sandbox
