// Which nodes are not like those that should be equal to them. Pure: nodes in, verdicts out.
//
// Many values of many nodes are looked at, and some of them are far off by chance. A node's values
// share the chance of an error: every kind of metric has the same part of it, every metric of a
// kind the same part of that (C. R. Genovese, K. Roeder and L. Wasserman, 2006, "False discovery
// control with p-value weighting"). Nodes are then called slow or different so that among those
// called so no more than `false_alarms` are expected to be like the others (Y. Benjamini and Y.
// Hochberg, 1995). In a fleet of equals, that is the chance that any is.
#pragma once

#include <optional>
#include <span>

#include "cyclescope/result/fleet.h"
#include "fleet/node.h"

namespace cyclescope::fleet {

struct JudgeSettings {
  double false_alarms = 0.01;
  // The smallest relative difference that matters; unset: by kind.
  std::optional<double> threshold;
};

// Groups and nodes, still to be finished.
Fleet JudgeNodes(std::span<const Node> nodes, const MetricTable& metrics,
                 const JudgeSettings& settings = {});

// The last step over all nodes, those that left nothing included: counts the verdicts, and puts the
// nodes that are not normal first.
void FinishFleet(Fleet& fleet);

}  // namespace cyclescope::fleet
