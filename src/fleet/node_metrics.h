// What of a result document nodes are compared by. Documents are large and many: of each only this
// is kept.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/document.h"
#include "cyclescope/result/fleet.h"

namespace cyclescope::fleet {

struct Metric {
  std::string name;
  MetricKind kind = MetricKind::kClock;
  std::string unit;
};

// Shares of time are compared by their difference, all else by ratios.
constexpr bool IsShare(MetricKind kind) {
  return kind == MetricKind::kStolen || kind == MetricKind::kNeighbour;
}
// More of it is better.
constexpr bool IsRate(MetricKind kind) {
  return kind == MetricKind::kClock || kind == MetricKind::kBandwidth ||
         kind == MetricKind::kCoreSize;
}

// Metrics by number, so that a node keeps numbers and no names.
class MetricTable {
 public:
  std::size_t Number(std::string_view name, MetricKind kind, std::string_view unit);
  const Metric& At(std::size_t number) const { return metrics_[number]; }
  std::size_t size() const { return metrics_.size(); }

 private:
  std::vector<Metric> metrics_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

// A place on the metric's scale: the logarithm of a value, or the share of time itself. There,
// differences of nodes can be added up, and a difference of 0.03 is one of 3 %.
double ToScale(MetricKind kind, double value);
double FromScale(MetricKind kind, double place);

struct MetricValue {
  std::size_t metric = 0;
  double place = 0;  // on the metric's scale
  double error = 0;  // its standard error, from the node's own interval; 0: none is known
};

// What nodes of one group have in common.
struct NodeKind {
  std::string cpu_model;
  std::string topology;  // "2 packages, 32 cores, 64 CPUs"
  std::string microcode;
  std::string kernel;

  auto operator<=>(const NodeKind&) const = default;
};

// A setting by which nodes of one kind may differ all the same.
struct Setting {
  std::string_view name;  // "governor"
  std::string value;
};

// One result of a node.
struct Pass {
  std::string node;
  std::string started;
  std::string source;
  std::string failure;  // why there is nothing to compare; empty where there is
  bool partial = false;
  NodeKind kind;
  std::vector<Setting> settings;
  std::vector<MetricValue> values;
  std::optional<Engine> engine;
};

Pass ExtractPass(const Document& document, MetricTable& metrics);

// "2 packages, 4 NUMA nodes, 32 cores, 64 CPUs": what the system claims of the CPUs that could be
// used.
std::string TopologyShape(const Host& host);

}  // namespace cyclescope::fleet
