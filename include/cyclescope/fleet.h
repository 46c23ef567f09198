// Many result documents, judged together: which machines are not like the others.
//
//   auto judged = cyclescope::JudgeFleet({.results = {"out"}});
//   for (const cyclescope::FleetNode& node : judged->fleet->nodes)
//     if (node.verdict == cyclescope::NodeVerdict::kSlow) Drain(node.name, node.cause);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/progress.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

struct FleetRequest {
  // Result documents of surveys, and folders that hold some, at any depth.
  std::vector<std::string> results;
  // Expected among the nodes that are called slow or different, as a share of them; the limits
  // follow from it.
  double false_alarms = 0.01;
  // The smallest relative difference that matters; unset: 2 % of the clock and of instructions, 5
  // to 10 % of caches, memory and what is between cores.
  std::optional<double> threshold;
};

// Fills `fleet`. A file that cannot be read is part of it, not an Error; that there is none is one.
Result<Document> JudgeFleet(const FleetRequest& request, const OnProgress& on_progress = {});

}  // namespace cyclescope
