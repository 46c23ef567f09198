// Reads a measured matrix: groups, trials of pairs in doubt, findings.
#pragma once

#include <span>

#include "cores/line_source.h"
#include "result/cores.h"
#include "result/host.h"

namespace cyclescope::cores {

// Fills the matrix's groups and findings. `source` is where trials are held.
void Interpret(CoreMatrix& matrix, std::span<const CpuPlace> topology, LineSource& source);

}  // namespace cyclescope::cores
