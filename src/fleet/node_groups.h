// Nodes that should be equal, and what is usual among them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/fleet.h"
#include "fleet/node.h"
#include "fleet/usual.h"

namespace cyclescope::fleet {

// Nothing is said about what is usual among fewer nodes.
inline constexpr std::size_t kLeastNodes = 3;

// The smallest difference that matters, on the metric's scale. `threshold` is a relative one for
// all kinds; unset: by kind.
double InterestOf(const Metric& metric, std::optional<double> threshold);

// A metric that a group is compared by.
struct Standard {
  std::size_t metric = 0;
  double interest = 0;
  int nodes = 0;
  double tests = 1;  // by how many its chances are multiplied
  Usual usual;
};

// Nodes that should be equal.
struct Group {
  NodeKind kind;
  std::vector<const Node*> nodes;
  std::string name;
  std::vector<Standard> standards;  // none where there are too few nodes
  std::size_t kinds = 0;            // of metrics, among the standards
};

// The largest first.
std::vector<Group> FindNodeGroups(std::span<const Node> nodes, const MetricTable& metrics,
                                  std::optional<double> threshold);

// A group that is too small is compared with the largest of the same machine, if that is much
// larger: a node with another kernel than the other five hundred.
// Null: nothing to compare with.
const Group* ComparedWith(const Group& group, const std::vector<Group>& groups);

// The node's value of a metric; null where it has none.
const MetricValue* ValueOf(const Node& node, std::size_t metric);

// The group as the document has it.
FleetGroup Described(const Group& group, const MetricTable& metrics);

}  // namespace cyclescope::fleet
