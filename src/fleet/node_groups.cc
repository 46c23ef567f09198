#include "fleet/node_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/compare.h"

namespace cyclescope::fleet {
namespace {

std::vector<Group> GroupByKind(std::span<const Node> nodes) {
  std::map<NodeKind, std::vector<const Node*>> by_kind;
  for (const Node& node : nodes) {
    if (node.failure.empty()) by_kind[node.kind].push_back(&node);
  }
  std::vector<Group> groups;
  for (auto& [kind, members] : by_kind) groups.push_back({kind, std::move(members), {}, {}, 0});
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const Group& group) { return group.nodes.size(); });
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].name = DocumentLabel(i);
  return groups;
}

// What every second node has is part of the comparison.
void FindStandards(Group& group, const MetricTable& metrics, std::optional<double> threshold) {
  if (group.nodes.size() < kLeastNodes) return;
  std::vector<std::vector<MetricValue>> by_metric(metrics.size());
  for (const Node* node : group.nodes) {
    for (const MetricValue& value : node->values) by_metric[value.metric].push_back(value);
  }
  std::map<MetricKind, double> in_kind;
  const std::size_t least = std::max(kLeastNodes, (group.nodes.size() + 1) / 2);
  for (std::size_t metric = 0; metric < by_metric.size(); ++metric) {
    const std::vector<MetricValue>& values = by_metric[metric];
    if (values.size() < least) continue;
    Standard standard;
    standard.metric = metric;
    standard.interest = InterestOf(metrics.At(metric), threshold);
    standard.nodes = static_cast<int>(values.size());
    // Beforehand we expect that nodes that are equal differ by half of what matters.
    standard.usual = FindUsual(values, standard.interest / 2);
    group.standards.push_back(standard);
    ++in_kind[metrics.At(metric).kind];
  }
  std::ranges::sort(group.standards, {}, [&](const Standard& standard) {
    const Metric& metric = metrics.At(standard.metric);
    return std::pair(metric.kind, std::string_view(metric.name));
  });
  for (Standard& standard : group.standards) {
    standard.tests =
        static_cast<double>(in_kind.size()) * in_kind[metrics.At(standard.metric).kind];
  }
  group.kinds = in_kind.size();
}

// What tails look like is a matter of the kind: its metrics together have values enough to tell.
void FindDecays(Group& group, const MetricTable& metrics) {
  constexpr std::size_t kLeastNodesForTails = 40;  // both sides then have a spread of their own
  if (group.nodes.size() < kLeastNodesForTails) return;
  std::map<MetricKind, std::pair<std::vector<double>, std::vector<double>>> scores;
  for (const Standard& standard : group.standards) {
    auto& [below, above] = scores[metrics.At(standard.metric).kind];
    for (const Node* node : group.nodes) {
      const MetricValue* value = ValueOf(*node, standard.metric);
      if (value == nullptr) continue;
      const double score = standard.usual.Score(*value);
      (score < 0 ? below : above).push_back(std::abs(score));
    }
  }
  std::map<MetricKind, std::pair<double, double>> decays;
  for (auto& [kind, sides] : scores)
    decays[kind] = {FindDecay(std::move(sides.first)), FindDecay(std::move(sides.second))};
  for (Standard& standard : group.standards) {
    if (standard.usual.decay_below < kLeastDecay) continue;  // too few of them have the metric
    const auto [below, above] = decays[metrics.At(standard.metric).kind];
    standard.usual.decay_below = below;
    standard.usual.decay_above = above;
  }
}

}  // namespace

// The limits of `compare`: what differs from run to run on idle machines, and what a user would not
// act on.
double InterestOf(const Metric& metric, std::optional<double> threshold) {
  if (threshold && !IsShare(metric.kind)) return *threshold;
  switch (metric.kind) {
    case MetricKind::kClock:
    case MetricKind::kInstruction:
      return 0.02;
    case MetricKind::kCores:
    case MetricKind::kBandwidth:
      return 0.1;
    case MetricKind::kMemoryLatency:
      return metric.unit == "cycles" ? 0.05 : 0.1;  // of the core itself, or shared with others
    case MetricKind::kStolen:
      return 0.02;
    case MetricKind::kNeighbour:
    case MetricKind::kCoreSize:
      return 0.1;
  }
  return 0.1;
}

std::vector<Group> FindNodeGroups(std::span<const Node> nodes, const MetricTable& metrics,
                                  std::optional<double> threshold) {
  std::vector<Group> groups = GroupByKind(nodes);
  for (Group& group : groups) {
    FindStandards(group, metrics, threshold);
    FindDecays(group, metrics);
  }
  return groups;
}

const Group* ComparedWith(const Group& group, const std::vector<Group>& groups) {
  const Group* best = nullptr;
  for (const Group& other : groups) {  // the largest first
    if (other.standards.empty() || other.kind.cpu_model != group.kind.cpu_model ||
        other.kind.topology != group.kind.topology) {
      continue;
    }
    if (&other == &group) return &group;
    const bool is_odd_one_out = other.nodes.size() >= kLeastNodes * group.nodes.size();
    if (best == nullptr && group.standards.empty() && is_odd_one_out) best = &other;
  }
  return best;
}

const MetricValue* ValueOf(const Node& node, std::size_t metric) {
  const auto found = std::ranges::lower_bound(node.values, metric, {}, &MetricValue::metric);
  return found != node.values.end() && found->metric == metric ? &*found : nullptr;
}

FleetGroup Described(const Group& group, const MetricTable& metrics) {
  FleetGroup described;
  described.name = group.name;
  described.nodes = static_cast<int>(group.nodes.size());
  described.cpu_model = group.kind.cpu_model;
  described.microcode = group.kind.microcode;
  described.kernel = group.kind.kernel;
  described.topology = group.kind.topology;
  for (const Standard& standard : group.standards) {
    const Metric& metric = metrics.At(standard.metric);
    described.metrics.push_back({.name = metric.name,
                                 .kind = metric.kind,
                                 .unit = metric.unit,
                                 .nodes = standard.nodes,
                                 .centre = FromScale(metric.kind, standard.usual.centre),
                                 .spread_below = standard.usual.below,
                                 .spread_above = standard.usual.above,
                                 .interest = standard.interest});
  }
  return described;
}

}  // namespace cyclescope::fleet
