// What the matrix says against what the system claims, and what in the matrix itself is odd: as
// figures. The words are in `analysis/core_words.h`.
#pragma once

#include <span>
#include <vector>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/host.h"
#include "pairs/line_source.h"
#include "pairs/visits.h"

namespace cyclescope::cores {

// The second opinion on whether two CPUs share a core (LineSource::Slowdown).
struct CoreTrial {
  pairs::CpuPair pair;
  double slowdown = 0;  // 0: could not be measured
};

// The pairs for which latency and topology disagree on whether they share a core, or where latency
// alone cannot tell: those to hold a trial on. The matrix must have its groups. Where virtual CPUs
// move, only those of its groups.
std::vector<pairs::CpuPair> PairsOnTrial(const CoreMatrix& matrix,
                                         std::span<const CpuPlace> topology);

// Everything worth saying. A shared or split core is claimed only where a trial confirms it.
// Without a topology nothing is said against one. Of a machine whose CPUs move, that replaces all
// that is said of pairs. `verdict` is that on the visits, where there were any.
std::vector<CoreFinding> FindFindings(const CoreMatrix& matrix, std::span<const CpuPlace> topology,
                                      std::span<const CoreTrial> trials,
                                      const pairs::StabilityVerdict& verdict = {});

}  // namespace cyclescope::cores
