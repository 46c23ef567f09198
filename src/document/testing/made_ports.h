// A core whose ports are known, made up: a map, instructions, and a snippet with its pressure.
#pragma once

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

Document PortsDocument();

}  // namespace cyclescope::testing
