// A node: all its passes, put together.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "fleet/node_metrics.h"

namespace cyclescope::fleet {

struct Node {
  std::string name;
  int passes = 0;       // that have values
  std::string failure;  // of the last pass, where none has
  NodeKind kind;
  std::vector<Setting> settings;
  std::vector<MetricValue> values;  // by metric
  std::vector<Claim> claims;        // what is to be said besides its values
  std::vector<std::string> sources;
};

// Values of several passes become one, whose error follows from how the passes differ where that is
// more than their own intervals say: a value that was off once, and not the other time, is an
// uncertain one. Passes before a change of the machine (a new kernel) are left out.
Node CombinePasses(std::vector<Pass> passes);

}  // namespace cyclescope::fleet
