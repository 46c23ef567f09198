// Groups of CPUs by latency, level by level from the tightest: read from the matrix alone, and
// named with the topology's words where the topology has the same group.
//
// A group is found in one of three ways, each as a person would read the matrix:
//   - its CPUs are closer to each other than to any other (threads of a core, a chiplet, a socket);
//   - its CPUs have the same distances to all others (the cores of an efficiency cluster, which
//     are often farther from each other than from the rest of the machine);
//   - it is what groups of one size leave over, and as large as each of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/host.h"

namespace cyclescope::statistics {

// A level must be this much closer than the next one. Two CPUs on one die differ by up to a fifth
// with their places on it; sharing a core, a cache or a socket makes a difference of half and more.
inline constexpr double kLevelRatio = 1.3;

// Threads of one core answer within this; two cores, on whatever they share, take longer.
inline constexpr double kSameCoreNs = 14;

// The row of a CPU in the matrix, which must have it.
std::size_t RowOf(const CoreMatrix& matrix, int cpu);

// Groups of two and more CPUs that are not all of them, in ascending order of level; empty where no
// level stands out, as in noise. Pairs that were not measured count for nothing.
std::vector<CoreGroup> FindGroups(const CoreMatrix& matrix, std::span<const CpuPlace> topology);

}  // namespace cyclescope::statistics
