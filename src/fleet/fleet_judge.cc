#include "fleet/fleet_judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "fleet/cause.h"
#include "fleet/usual.h"
#include "report/compare.h"

namespace cyclescope::fleet {
namespace {

constexpr std::size_t kMostDeviations = 10;

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

// One value of a node beside what is usual.
struct Finding {
  const Standard* standard = nullptr;
  MetricValue value;
  double score = 0;
  double chance = 1;  // corrected for all that was looked at of this node
};

struct Judged {
  const Node* node = nullptr;
  const Group* group = nullptr;
  const Group* compared_with = nullptr;  // null: nothing to compare with
  std::vector<Finding> findings;         // of what differs by as much as matters
  double chance = 1;
};

const MetricValue* ValueOf(const Node& node, std::size_t metric) {
  const auto found = std::ranges::lower_bound(node.values, metric, {}, &MetricValue::metric);
  return found != node.values.end() && found->metric == metric ? &*found : nullptr;
}

std::vector<Group> FindGroupsOf(std::span<const Node> nodes) {
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
void FindStandards(Group& group, const MetricTable& metrics, const JudgeSettings& settings) {
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
    standard.interest = InterestOf(metrics.At(metric), settings);
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

// A group that is too small is compared with the largest of the same machine, if that is much
// larger: a node with another kernel than the other five hundred.
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

Judged Look(const Node& node, const Group& group, const Group* compared_with) {
  Judged judged = {&node, &group, compared_with, {}, 1};
  if (compared_with == nullptr) return judged;
  for (const Standard& standard : compared_with->standards) {
    const MetricValue* value = ValueOf(node, standard.metric);
    if (value == nullptr) continue;
    const Usual& usual = standard.usual;
    if (std::abs(value->place - usual.centre) < standard.interest) continue;
    const double chance = std::min(1.0, usual.Chance(*value) * standard.tests);
    judged.findings.push_back({&standard, *value, usual.Score(*value), chance});
    judged.chance = std::min(judged.chance, chance);
  }
  return judged;
}

// The largest chance of a node that is called slow or different; below 0 where none is.
double ChanceLimit(const std::vector<Judged>& judged, double false_alarms) {
  std::vector<double> chances;
  for (const Judged& each : judged) {
    if (each.compared_with != nullptr) chances.push_back(each.chance);
  }
  std::ranges::sort(chances);
  const auto count = static_cast<double>(chances.size());
  double limit = -1;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    if (chances[i] <= false_alarms * static_cast<double>(i + 1) / count) limit = chances[i];
  }
  return limit;
}

bool IsSlower(MetricKind kind, double difference) {
  return IsRate(kind) ? difference < 0 : difference > 0;
}

FleetDeviation DeviationOf(const Finding& finding, const MetricTable& metrics) {
  const Metric& metric = metrics.At(finding.standard->metric);
  FleetDeviation deviation;
  deviation.metric = metric.name;
  deviation.kind = metric.kind;
  deviation.unit = metric.unit;
  deviation.value = FromScale(metric.kind, finding.value.place);
  deviation.centre = FromScale(metric.kind, finding.standard->usual.centre);
  const double half = 1.96 * finding.value.error * (IsShare(metric.kind) ? 1 : deviation.value);
  deviation.low = deviation.value - half;
  deviation.high = deviation.value + half;
  deviation.difference = IsShare(metric.kind) ? deviation.value - deviation.centre
                                              : deviation.value / deviation.centre - 1;
  deviation.score = finding.score;
  deviation.slower = IsSlower(metric.kind, deviation.difference);
  return deviation;
}

// Whether a change that matters could be seen in a metric of this node.
bool IsSeen(const Node& node, const Standard& standard) {
  const MetricValue* value = ValueOf(node, standard.metric);
  return value != nullptr && value->error <= standard.interest;
}

// A kind of metric is known where half of its metrics are; the clock and half of all kinds must be.
bool HasEnough(const Node& node, const Group& compared_with, const MetricTable& metrics) {
  std::map<MetricKind, std::pair<std::size_t, std::size_t>> seen_of_all;
  for (const Standard& standard : compared_with.standards) {
    auto& [seen, all] = seen_of_all[metrics.At(standard.metric).kind];
    seen += IsSeen(node, standard) ? 1 : 0;
    ++all;
  }
  std::size_t known = 0;
  for (const auto& [kind, counts] : seen_of_all) {
    const bool is_known = 2 * counts.first >= counts.second;
    if (kind == MetricKind::kClock && !is_known) return false;
    known += is_known ? 1 : 0;
  }
  return 2 * known >= seen_of_all.size();
}

// A value that at least nine of ten nodes have; empty where there is none.
class UsualSettings {
 public:
  explicit UsualSettings(const Group& group) {
    std::map<std::string_view, std::map<std::string, std::size_t>> counts;
    for (const Node* node : group.nodes) {
      for (const Setting& setting : node->settings) ++counts[setting.name][setting.value];
    }
    for (const auto& [name, values] : counts) {
      for (const auto& [value, count] : values) {
        if (10 * count >= 9 * group.nodes.size()) usual_.emplace(name, value);
      }
    }
  }

  std::vector<OddSetting> OddOf(const Node& node) const {
    std::vector<OddSetting> odd;
    for (const Setting& setting : node.settings) {
      const auto usual = usual_.find(setting.name);
      if (usual != usual_.end() && usual->second != setting.value)
        odd.push_back({std::string(setting.name), setting.value, usual->second});
    }
    return odd;
  }

 private:
  std::map<std::string_view, std::string> usual_;
};

void AddOddKind(const NodeKind& own, const NodeKind& usual, std::vector<OddSetting>& odd) {
  if (own.microcode != usual.microcode)
    odd.push_back({"microcode", own.microcode, usual.microcode});
  if (own.kernel != usual.kernel) odd.push_back({"kernel", own.kernel, usual.kernel});
}

// Two digits behind the point are more than anybody looks at.
double Rounded(double score) { return std::round(score * 100) / 100; }

void FillValues(const Judged& judged, const MetricTable& metrics, FleetNode& node) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const Standard& standard : judged.compared_with->standards) {
    const MetricValue* value = ValueOf(*judged.node, standard.metric);
    const MetricKind kind = metrics.At(standard.metric).kind;
    node.values.push_back(value == nullptr ? kNone : FromScale(kind, value->place));
    node.scores.push_back(
        value == nullptr ? kNone : Rounded(standard.usual.Score(*value) * (IsRate(kind) ? -1 : 1)));
  }
}

void FillDeviations(const Judged& judged, double limit, const MetricTable& metrics,
                    FleetNode& node) {
  for (const Finding& finding : judged.findings) {
    if (finding.chance <= limit) node.deviations.push_back(DeviationOf(finding, metrics));
  }
  std::ranges::stable_sort(node.deviations, std::ranges::greater(),
                           [](const FleetDeviation& each) { return std::abs(each.score); });
}

FleetNode Conclude(const Judged& judged, double limit, const MetricTable& metrics,
                   const UsualSettings* usual_settings) {
  const Node& from = *judged.node;
  FleetNode node;
  node.name = from.name;
  node.passes = from.passes;
  node.notes = from.notes;
  node.sources = from.sources;
  node.group = judged.group->name;
  if (judged.compared_with == nullptr) {
    node.verdict = NodeVerdict::kNotEnoughData;
    node.cause =
        fmt::format("{} like it: too few to say what is usual",
                    judged.group->nodes.size() == 1
                        ? std::string("there is no other node")
                        : fmt::format("there are only {} nodes", judged.group->nodes.size()));
    return node;
  }
  FillValues(judged, metrics, node);
  FillDeviations(judged, limit, metrics, node);
  std::vector<OddSetting> odd = usual_settings->OddOf(from);
  if (judged.compared_with != judged.group) {
    node.compared_with = judged.compared_with->name;
    AddOddKind(judged.group->kind, judged.compared_with->kind, odd);
  }
  if (std::ranges::any_of(node.deviations, &FleetDeviation::slower)) {
    node.verdict = NodeVerdict::kSlow;
  } else if (!node.deviations.empty() || !odd.empty()) {
    node.verdict = NodeVerdict::kDifferent;
  } else if (!HasEnough(from, *judged.compared_with, metrics)) {
    node.verdict = NodeVerdict::kNotEnoughData;
    node.cause =
        "its values are too uncertain, or too few, to see a difference that matters: measure it "
        "again";
    return node;
  }
  node.cause = LikelyCause(node.deviations, odd);
  if (node.deviations.size() > kMostDeviations) {
    node.notes.push_back(
        fmt::format("{} more values deviate", node.deviations.size() - kMostDeviations));
    node.deviations.resize(kMostDeviations);
  }
  return node;
}

FleetNode FailedNode(const Node& from) {
  FleetNode node;
  node.name = from.name;
  node.verdict = NodeVerdict::kNotEnoughData;
  node.passes = 0;
  node.cause = from.failure;
  node.notes = from.notes;
  node.sources = from.sources;
  return node;
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

// "n2" before "n10".
bool ComesBefore(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto take_number = [&](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
  };
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view one = take_number(a);
      const std::string_view other = take_number(b);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() != b.size() ? a.size() < b.size() : whole_a < whole_b;
}

int RankOf(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::kSlow:
      return 0;
    case NodeVerdict::kDifferent:
      return 1;
    case NodeVerdict::kNotEnoughData:
      return 2;
    case NodeVerdict::kNormal:
      return 3;
  }
  return 3;
}

}  // namespace

// The limits of `compare`: what differs from run to run on idle machines, and what nobody would act
// on.
double InterestOf(const Metric& metric, const JudgeSettings& settings) {
  if (settings.threshold && !IsShare(metric.kind)) return *settings.threshold;
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
      return 0.1;
  }
  return 0.1;
}

void FinishFleet(Fleet& fleet) {
  fleet.normal = fleet.slow = fleet.different = fleet.not_enough_data = 0;
  for (const FleetNode& node : fleet.nodes) {
    switch (node.verdict) {
      case NodeVerdict::kNormal:
        ++fleet.normal;
        break;
      case NodeVerdict::kSlow:
        ++fleet.slow;
        break;
      case NodeVerdict::kDifferent:
        ++fleet.different;
        break;
      case NodeVerdict::kNotEnoughData:
        ++fleet.not_enough_data;
        break;
    }
  }
  std::ranges::stable_sort(fleet.nodes, [](const FleetNode& a, const FleetNode& b) {
    const int rank_a = RankOf(a.verdict);
    const int rank_b = RankOf(b.verdict);
    return rank_a != rank_b ? rank_a < rank_b : ComesBefore(a.name, b.name);
  });
}

Fleet JudgeNodes(std::span<const Node> nodes, const MetricTable& metrics,
                 const JudgeSettings& settings) {
  std::vector<Group> groups = FindGroupsOf(nodes);
  for (Group& group : groups) {
    FindStandards(group, metrics, settings);
    FindDecays(group, metrics);
  }

  std::vector<Judged> judged;
  std::map<const Group*, UsualSettings> usual_settings;
  for (const Group& group : groups) {
    const Group* compared_with = ComparedWith(group, groups);
    if (compared_with != nullptr) usual_settings.try_emplace(compared_with, *compared_with);
    for (const Node* node : group.nodes) judged.push_back(Look(*node, group, compared_with));
  }
  const double limit = ChanceLimit(judged, settings.false_alarms);

  Fleet fleet;
  fleet.false_alarms = settings.false_alarms;
  for (const Group& group : groups) fleet.groups.push_back(Described(group, metrics));
  for (const Judged& each : judged) {
    const auto usual = usual_settings.find(each.compared_with);
    fleet.nodes.push_back(
        Conclude(each, limit, metrics, usual == usual_settings.end() ? nullptr : &usual->second));
  }
  for (const Node& node : nodes) {
    if (!node.failure.empty()) fleet.nodes.push_back(FailedNode(node));
  }
  return fleet;
}

}  // namespace cyclescope::fleet
