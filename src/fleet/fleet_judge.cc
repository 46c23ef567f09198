#include "fleet/fleet_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "fleet/cause.h"
#include "fleet/node_groups.h"
#include "fleet/odd_settings.h"

namespace cyclescope::fleet {
namespace {

constexpr std::size_t kMostDeviations = 10;

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

// True if a change that matters could be seen in a metric of this node.
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

// Two digits behind the point are more than a reader needs.
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

void SetCause(std::vector<Claim> claims, FleetNode& node) {
  node.cause = Sentences(claims);
  node.claims.insert(node.claims.begin(), claims.begin(), claims.end());
}

FleetNode NodeFrom(const Node& from) {
  FleetNode node;
  node.name = from.name;
  node.sources = from.sources;
  for (const Claim& claim : from.claims) AddNote(claim, node);
  return node;
}

FleetNode Conclude(const Judged& judged, double limit, const MetricTable& metrics,
                   const UsualSettings* usual_settings) {
  const Node& from = *judged.node;
  FleetNode node = NodeFrom(from);
  node.passes = from.passes;
  node.group = judged.group->name;
  if (judged.compared_with == nullptr) {
    node.verdict = NodeVerdict::kNotEnoughData;
    const auto nodes = static_cast<double>(judged.group->nodes.size());
    SetCause({{ClaimCode::kTooFewNodes, {{"nodes", nodes}}}}, node);
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
    SetCause({{ClaimCode::kTooUncertain, {}}}, node);
    return node;
  }
  SetCause(LikelyCause(node.deviations, odd), node);
  if (node.deviations.size() > kMostDeviations) {
    const auto more = static_cast<double>(node.deviations.size() - kMostDeviations);
    AddNote({ClaimCode::kMoreDeviations, {{"values", more}}}, node);
    node.deviations.resize(kMostDeviations);
  }
  return node;
}

FleetNode FailedNode(const Node& from) {
  FleetNode node = NodeFrom(from);
  node.verdict = NodeVerdict::kNotEnoughData;
  node.passes = 0;
  SetCause({{ClaimCode::kRunFailed, {{"reason", from.failure}}}}, node);
  return node;
}

}  // namespace

Fleet JudgeNodes(std::span<const Node> nodes, const MetricTable& metrics,
                 const JudgeSettings& settings) {
  const std::vector<Group> groups = FindNodeGroups(nodes, metrics, settings.threshold);
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
