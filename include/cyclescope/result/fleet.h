// `cyclescope fleet`: which of many machines are not like the others, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

// What a value is about: it decides what a difference means.
enum class MetricKind {
  kClock,          // cycles per second
  kInstruction,    // cycles per instruction
  kCores,          // between CPUs
  kMemoryLatency,  // of caches and memory
  kBandwidth,      // of caches and memory
  kStolen,         // time that the hypervisor withheld
  kNeighbour,      // time with another thread on the core
  kCoreSize,       // entries of a core's buffers
};

constexpr auto NamesOf(MetricKind) {
  return Names("clock", "instruction", "cores", "memory", "bandwidth", "stolen", "neighbour",
               "core-size");
}

struct FleetMetric {
  std::string name;
  MetricKind kind = MetricKind::kClock;
  std::string unit;
  int nodes = 0;
  double centre = 0;
  double spread_below = 0;
  double spread_above = 0;
  double interest = 0;

  bool operator==(const FleetMetric&) const = default;
};

void Describe(auto& visit, Of<FleetMetric> auto& metric) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("FleetMetric", "One value that the nodes of a group are compared by.");
  visit.Required("name", metric.name, "core clock, imul rax, rbx: latency, L2, ...", kNew);
  visit.Required("kind", metric.kind, "What the value is about.", kNew);
  visit.Always("unit", metric.unit, "GHz, cycles, ns, GB/s; empty for a share of time.", kNew);
  visit.Required("nodes", metric.nodes, "That have it.", kNew);
  visit.Required("centre", metric.centre, "The median of the nodes.", kNew);
  visit.Required("spread_below", metric.spread_below,
                 "Standard deviation between nodes below the centre: relative, but of shares of "
                 "time.",
                 kNew);
  visit.Required("spread_above", metric.spread_above, "The same above it.", kNew);
  visit.Required("interest", metric.interest,
                 "The smallest difference that matters, as the spreads are.", kNew);
}

struct FleetGroup {
  std::string name;
  int nodes = 0;
  std::string cpu_model;
  std::string microcode;
  std::string kernel;
  std::string topology;
  std::vector<FleetMetric> metrics;

  bool operator==(const FleetGroup&) const = default;
};

void Describe(auto& visit, Of<FleetGroup> auto& group) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("FleetGroup", "Nodes that should be equal.");
  visit.Required("name", group.name, "A, B, ...: the largest first.", kNew);
  visit.Required("nodes", group.nodes, "How many.", kNew);
  visit.Required("cpu_model", group.cpu_model, "What they have in common.", kNew);
  visit.Optional("microcode", group.microcode, "The same.", kNew);
  visit.Optional("kernel", group.kernel, "The same.", kNew);
  visit.Optional("topology", group.topology, "2 packages, 2 NUMA nodes, 32 cores, 64 CPUs.", kNew);
  visit.Optional("metrics", group.metrics, "By what they are compared; none in a small group.",
                 kNew);
}

enum class NodeVerdict {
  kNormal,
  kSlow,
  kDifferent,
  kNotEnoughData,
};

constexpr auto NamesOf(NodeVerdict) {
  return Names("normal", "slow", "different", "not-enough-data");
}

struct FleetDeviation {
  std::string metric;
  MetricKind kind = MetricKind::kClock;
  std::string unit;
  double value = 0;
  double low = 0;
  double high = 0;
  double centre = 0;
  double difference = 0;
  double score = 0;
  bool slower = false;

  bool operator==(const FleetDeviation&) const = default;
};

void Describe(auto& visit, Of<FleetDeviation> auto& deviation) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("FleetDeviation", "A value of a node that decides its verdict.");
  visit.Required("metric", deviation.metric, "As in the group.", kNew);
  visit.Required("kind", deviation.kind, "What the value is about.", kNew);
  visit.Always("unit", deviation.unit, "Of the value; empty for a share of time.", kNew);
  visit.Required("value", deviation.value, "The node's.", kNew);
  visit.Required("low", deviation.low, "Lower end of the node's own interval.", kNew);
  visit.Required("high", deviation.high, "Upper end of it.", kNew);
  visit.Required("centre", deviation.centre, "The group's.", kNew);
  visit.Required("difference", deviation.difference,
                 "From the centre: relative to it, but of shares of time.", kNew);
  visit.Required("score", deviation.score,
                 "The same in standard deviations, of the group and of the node's value together.",
                 kNew);
  visit.Optional("slower", deviation.slower, "To the slower side.", kNew);
}

struct FleetNode {
  std::string name;
  NodeVerdict verdict = NodeVerdict::kNormal;
  std::string group;
  std::string compared_with;
  int passes = 1;
  std::string cause;
  std::vector<FleetDeviation> deviations;
  std::vector<Claim> claims;
  std::vector<std::string> notes;
  std::vector<std::string> sources;
  std::string page;
  std::vector<double> values;
  std::vector<double> scores;

  bool operator==(const FleetNode&) const = default;
};

void Describe(auto& visit, Of<FleetNode> auto& node) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("FleetNode", "One machine of the fleet.");
  visit.Required("name", node.name, "As the engine knows it, else its host name.", kNew);
  visit.Required("verdict", node.verdict,
                 "slow: something takes longer than on nodes like it. different: it is not like "
                 "them, but not slower.",
                 kNew);
  visit.Optional("group", node.group, "To which it belongs; absent for a node without a result.",
                 kNew);
  visit.Optional("compared_with", node.compared_with,
                 "Another group, where its own is too small to say what is usual.", kNew);
  visit.Always("passes", node.passes, "Results that were put together.", kNew);
  visit.Optional("cause", node.cause, "What is likely behind it: sentences of its claims.", kNew);
  visit.Optional("deviations", node.deviations, "What decides, the clearest first.", kNew);
  visit.Optional("claims", node.claims, "What is likely behind it, and what else is to be said.",
                 {.since = "0.3"});
  visit.Optional("notes", node.notes, "Sentences of the other claims: a pass that failed, ...",
                 kNew);
  visit.Optional("sources", node.sources, "The files that its results were read from.", kNew);
  visit.Optional("page", node.page, "Its own report, as the fleet's page refers to it.", kNew);
  visit.Optional("values", node.values,
                 "One per metric of the group it is compared with; null where it has none.", kNew);
  visit.Optional("scores", node.scores,
                 "The same in standard deviations from the centre; above 0 is slower.", kNew);
}

struct FleetJob {
  std::string engine;
  std::string job;
  int ranks = 0;
  int results = 0;
  std::vector<std::string> missing;

  bool operator==(const FleetJob&) const = default;
};

void Describe(auto& visit, Of<FleetJob> auto& job) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("FleetJob", "A job of an engine that left results.");
  visit.Required("engine", job.engine, "slurm, openmpi, pmix or pmi.", kNew);
  visit.Optional("job", job.job, "Its number, or name.", kNew);
  visit.Required("ranks", job.ranks, "Tasks that were started; 0: not known.", kNew);
  visit.Required("results", job.results, "Results that were found.", kNew);
  visit.Optional("missing", job.missing, "Nodes of the job that left no result.", kNew);
}

struct UnreadResult {
  std::string source;
  std::string reason;

  bool operator==(const UnreadResult&) const = default;
};

void Describe(auto& visit, Of<UnreadResult> auto& unread) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("UnreadResult", "A file that is no result that can be judged.");
  visit.Required("source", unread.source, "The file.", kNew);
  visit.Required("reason", unread.reason, "What is wrong with it.", kNew);
}

struct Fleet {
  int normal = 0;
  int slow = 0;
  int different = 0;
  int not_enough_data = 0;
  double false_alarms = 0;
  std::vector<FleetGroup> groups;
  std::vector<FleetNode> nodes;
  std::vector<FleetJob> jobs;
  std::vector<UnreadResult> unread;

  bool operator==(const Fleet&) const = default;
};

void Describe(auto& visit, Of<Fleet> auto& fleet) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("Fleet", "Which of many machines are not like the others.");
  visit.Always("normal", fleet.normal, "How many nodes are like the others.", kNew);
  visit.Always("slow", fleet.slow, "How many are slow.", kNew);
  visit.Always("different", fleet.different, "How many are different.", kNew);
  visit.Always("not_enough_data", fleet.not_enough_data, "Of how many nothing can be said.", kNew);
  visit.Always("false_alarms", fleet.false_alarms,
               "Expected among the slow and different ones, as a share of them: what the limits "
               "were chosen for.",
               kNew);
  visit.Required("groups", fleet.groups, "Nodes that should be equal.", kNew);
  visit.Required("nodes", fleet.nodes, "Those that are not normal first.", kNew);
  visit.Optional("jobs", fleet.jobs, "That the results come from, where an engine started them.",
                 kNew);
  visit.Optional("unread", fleet.unread, "Files that could not be read.", kNew);
}

}  // namespace cyclescope
