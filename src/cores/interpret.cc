#include "cores/interpret.h"

#include <vector>

#include "cores/findings.h"
#include "cores/groups.h"

namespace cyclescope::cores {

void Interpret(CoreMatrix& matrix, std::span<const CpuPlace> topology, LineSource& source) {
  matrix.groups = FindGroups(matrix, topology);
  std::vector<CoreTrial> trials;
  for (const CpuPair pair : PairsOnTrial(matrix, topology)) {
    trials.push_back({pair, source.Slowdown(pair)});
  }
  matrix.findings = FindFindings(matrix, topology, trials);
}

}  // namespace cyclescope::cores
