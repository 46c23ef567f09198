#include "document/testing/simulated_fleets.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope::testing {
namespace {

FleetGroup SimulatedGroup() {
  FleetGroup group;
  group.name = "A";
  group.nodes = 4;
  group.cpu_model = "Made Lake";
  group.microcode = "0x1";
  group.kernel = "Linux 6.1";
  group.topology = "1 package, 2 cores, 2 CPUs";
  group.metrics = {
      {"core clock", MetricKind::kClock, "GHz", 4, 3.6, 0.003, 0.003, 0.02},
      {"imul rax, rbx: latency", MetricKind::kInstruction, "cycles", 4, 3, 0.001, 0.001, 0.02},
      {"memory", MetricKind::kMemoryLatency, "ns", 4, 100, 0.02, 0.03, 0.1},
      {"time with a neighbour", MetricKind::kNeighbour, "", 4, 0.1, 0.03, 0.03, 0.1}};
  return group;
}

FleetNode SimulatedNode(std::string name, NodeVerdict verdict, std::vector<double> values,
                        std::vector<double> scores) {
  FleetNode node;
  node.name = std::move(name);
  node.verdict = verdict;
  node.group = "A";
  node.sources = {fmt::format("out/{}/cyclescope.json", node.name)};
  node.values = std::move(values);
  node.scores = std::move(scores);
  return node;
}

}  // namespace

Fleet SmallFleet() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Fleet fleet;
  fleet.normal = 2;
  fleet.slow = 1;
  fleet.different = 1;
  fleet.not_enough_data = 2;
  fleet.false_alarms = 0.01;
  fleet.groups = {SimulatedGroup()};

  FleetNode slow = SimulatedNode("n3", NodeVerdict::kSlow, {3.49, 3, 101, 0.4}, {9.5, 0, 0.4, 7.2});
  slow.passes = 2;
  slow.claims = {{ClaimCode::kSlowClock, {}},
                 {ClaimCode::kCyclesAsElsewhere, {}},
                 {ClaimCode::kPowerLimit, {}}};
  slow.cause = Sentences(slow.claims);
  slow.deviations = {
      {"core clock", MetricKind::kClock, "GHz", 3.49, 3.48, 3.5, 3.6, -0.031, -9.5, true},
      {"time with a neighbour", MetricKind::kNeighbour, "", 0.4, 0.4, 0.4, 0.1, 0.3, 7.2, true}};
  slow.page = "out/n3/cyclescope.html";
  FleetNode different =
      SimulatedNode("n4", NodeVerdict::kDifferent, {3.6, 3, 99, 0.1}, {0.1, 0, -0.3, 0});
  different.group = "B";
  different.compared_with = "A";
  different.claims = {
      {ClaimCode::kOddSetting, {{"setting", "microcode"}, {"own", "0x2"}, {"usual", "0x1"}}}};
  different.cause = Sentences(different.claims);
  FleetNode unsure = SimulatedNode("n5", NodeVerdict::kNotEnoughData, {3.5, kNone, 120, 0.1},
                                   {1.2, kNone, 0.8, 0});
  unsure.claims = {{ClaimCode::kTooUncertain, {}}};
  unsure.cause = Sentences(unsure.claims);
  AddNote({ClaimCode::kPartialResult, {}}, unsure);
  FleetNode missing = SimulatedNode("n6", NodeVerdict::kNotEnoughData, {}, {});
  missing.group.clear();
  missing.sources.clear();
  missing.passes = 0;
  missing.claims = {{ClaimCode::kNoResult, {{"job", "17"}}}};
  missing.cause = Sentences(missing.claims);
  fleet.nodes = {
      slow,
      different,
      unsure,
      missing,
      SimulatedNode("n1", NodeVerdict::kNormal, {3.601, 3, 100, 0.12}, {-0.1, 0, 0, 0.5}),
      SimulatedNode("n2", NodeVerdict::kNormal, {3.6, 3, 98, 0.1}, {0, 0, -0.6, 0})};
  fleet.jobs = {{"slurm", "17", 6, 5, {"n6"}}};
  fleet.unread = {{"out/x.json", "it is empty"}};

  FleetGroup odd = SimulatedGroup();
  odd.name = "B";
  odd.nodes = 1;
  odd.microcode = "0x2";
  odd.metrics.clear();
  fleet.groups.push_back(odd);
  return fleet;
}

Document FleetDocument() {
  Document document = BareDocument();
  document.config.command = "fleet";
  document.fleet = SmallFleet();
  return document;
}

HostMatrix SimulatedHosts(std::size_t hosts) {
  HostMatrix matrix;
  matrix.rounds = 8;
  matrix.seed = 7;
  for (std::size_t i = 0; i < hosts; ++i) matrix.hosts.push_back(fmt::format("h{}", i + 1));
  const auto fill = [hosts](auto value) {
    PairMatrix values(hosts);
    for (std::size_t row = 0; row < hosts; ++row) {
      for (std::size_t column = 0; column < hosts; ++column) {
        if (row != column) values.At(row, column) = value(row / 2 == column / 2);
      }
    }
    return values;
  };
  const auto near_or_far = [](double factor) {
    return [factor](bool near) { return factor * (near ? 1500 : 4000); };
  };
  matrix.latency = {{8, fill(near_or_far(1)), fill(near_or_far(0.99)), fill(near_or_far(1.01))},
                    {1 << 20, fill([](bool) { return 10'000.0; }), PairMatrix(), PairMatrix()}};
  matrix.bandwidth = {1 << 20, fill([](bool) { return 12.5; }), fill([](bool) { return 12.0; }),
                      fill([](bool) { return 13.0; })};
  for (std::size_t i = 0; i + 1 < hosts; i += 2) {
    matrix.groups.push_back({fmt::format("group {}", static_cast<char>('A' + i / 2 % 26)),
                             0,
                             {matrix.hosts[i], matrix.hosts[i + 1]},
                             1500});
  }
  return matrix;
}

Document HostsDocument() {
  Document document = BareDocument();
  document.config.command = "hosts";
  document.hosts = SimulatedHosts(4);
  return document;
}

Document RackDocument() {
  constexpr int kNodes = 40;
  struct Kind {
    MetricKind kind;
    int metrics;
    double centre;
  };
  constexpr Kind kKinds[] = {{MetricKind::kClock, 1, 2.21},   {MetricKind::kInstruction, 60, 4},
                             {MetricKind::kCores, 2, 45},     {MetricKind::kMemoryLatency, 4, 100},
                             {MetricKind::kBandwidth, 6, 20}, {MetricKind::kStolen, 1, 0.001}};
  Document document = FleetDocument();
  Fleet& fleet = *document.fleet;
  fleet.groups.resize(1);
  FleetGroup& group = fleet.groups[0];
  group.nodes = kNodes;
  group.metrics.clear();
  for (const auto& [kind, metrics, centre] : kKinds) {
    for (int i = 0; i < metrics; ++i) {
      const bool is_share = kind == MetricKind::kStolen;
      group.metrics.push_back({.name = fmt::format("{} {}", ToString(kind), i + 1),
                               .kind = kind,
                               .unit = is_share                     ? ""
                                       : kind == MetricKind::kClock ? "GHz"
                                                                    : "ns",
                               .nodes = kNodes,
                               .centre = centre,
                               .spread_below = 0.0005,
                               .spread_above = 0.0005,
                               .interest = is_share ? 0.01 : 0.02});
    }
  }
  fleet.nodes.clear();
  for (int i = 0; i < kNodes; ++i) {
    FleetNode node =
        SimulatedNode(fmt::format("rack1-n{:02}", i + 1), NodeVerdict::kNormal, {}, {});
    double place = 1.7 * i;
    for (const FleetMetric& metric : group.metrics) {
      place += 0.3 * i;
      const double score = std::round(100 * std::sin(place)) / 100;
      node.values.push_back(metric.centre * (1 + 0.0005 * score));
      node.scores.push_back(score);
    }
    fleet.nodes.push_back(node);
  }
  fleet.normal = kNodes;
  fleet.slow = fleet.different = fleet.not_enough_data = 0;
  fleet.jobs.clear();
  fleet.unread.clear();
  return document;
}

Document LargeFleetDocument() {
  constexpr int kNodes = 10'000;
  constexpr int kMetrics = 130;
  Document document = FleetDocument();
  Fleet& fleet = *document.fleet;
  FleetGroup& group = fleet.groups[0];
  group.nodes = kNodes;
  while (group.metrics.size() < kMetrics) {
    FleetMetric metric = group.metrics[1];
    metric.name = fmt::format("made{} rax, rbx: latency", group.metrics.size());
    group.metrics.push_back(metric);
  }
  fleet.nodes.resize(1);
  fleet.nodes[0].values.resize(kMetrics, 3);
  fleet.nodes[0].scores.resize(kMetrics, 0);
  for (int i = 0; i < kNodes - 1; ++i) {
    FleetNode node = SimulatedNode(fmt::format("m{:05}", i), NodeVerdict::kNormal, {}, {});
    for (int metric = 0; metric < kMetrics; ++metric) {
      const double score = std::round(100 * std::sin(1.7 * i + 0.3 * metric * i)) / 100;
      node.values.push_back(3 * (1 + 0.001 * score));
      node.scores.push_back(score);
    }
    fleet.nodes.push_back(node);
  }
  fleet.normal = kNodes - 1;
  fleet.different = fleet.not_enough_data = 0;
  return document;
}

}  // namespace cyclescope::testing
