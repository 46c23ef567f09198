// An instruction as OSACA's machine files describe it.
#pragma once

#include <optional>
#include <string>

#include "assembler/assembler.h"
#include "report/port_exports.h"

namespace cyclescope::library {

// Unset where the text is not one instruction that OSACA could have: it knows registers,
// immediates, memory and labels.
std::optional<OsacaForm> DescribeForOsaca(assembler::Assembler& assembler, const std::string& text);

}  // namespace cyclescope::library
