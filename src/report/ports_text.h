// `ports`: the map of a core, and the ports of instructions.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// "1*p01+1*p23", as tables of ports have it; "-" for none.
std::string PortUseText(const std::vector<PortUse>& uops);

std::string PortMapText(const PortMap& map, const TextStyle& style);
// Which rows have other ports than LLVM's model says, and how many were compared.
std::string PortDifferencesText(const std::vector<InstructionRow>& rows, const TextStyle& style,
                                std::size_t most = std::numeric_limits<std::size_t>::max());
std::string PortRowsText(const std::vector<InstructionRow>& rows, const TextStyle& style);

}  // namespace cyclescope
