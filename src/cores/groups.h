// Groups of CPUs by latency, level by level from the tightest: read from the matrix alone, and
// named with the topology's words where the topology has the same group.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "result/cores.h"
#include "result/host.h"

namespace cyclescope::cores {

// A level must be this much closer than the next one. Two CPUs on one die differ by up to a fifth
// with their places on it; sharing a core, a cache or a socket makes a difference of half and more.
inline constexpr double kLevelRatio = 1.3;

// Groups of two and more CPUs that are not all of them; empty where no level stands out, as in
// noise. Pairs that were not measured count for nothing.
std::vector<CoreGroup> FindGroups(const CoreMatrix& matrix, std::span<const CpuPlace> topology);

}  // namespace cyclescope::cores
