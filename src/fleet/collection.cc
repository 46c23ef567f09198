#include "fleet/collection.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fleet/node.h"
#include "fleet/node_list.h"

namespace cyclescope::fleet {
namespace {

std::vector<FleetJob> JobsOf(const std::vector<Pass>& passes) {
  std::map<std::pair<std::string, std::string>, FleetJob> jobs;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> named;
  std::set<std::string> found;
  for (const Pass& pass : passes) {
    found.insert(pass.node);
    if (!pass.engine) continue;
    const std::pair key(pass.engine->name, pass.engine->job);
    FleetJob& job = jobs[key];
    job.engine = pass.engine->name;
    job.job = pass.engine->job;
    job.ranks = std::max(job.ranks, pass.engine->ranks.value_or(0));
    ++job.results;
    // Thousands of tasks say the same.
    if (pass.engine->nodes.empty() || !named[key].empty()) continue;
    if (const auto names = ExpandNodeList(pass.engine->nodes))
      named[key].insert(names->begin(), names->end());
  }
  std::vector<FleetJob> described;
  for (auto& [key, job] : jobs) {
    std::ranges::set_difference(named[key], found, std::back_inserter(job.missing));
    described.push_back(std::move(job));
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

// Counts the verdicts, and puts the nodes that are not normal first.
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

}  // namespace

void Collection::Add(const Document& document) {
  passes_.push_back(ExtractPass(document, metrics_));
}

void Collection::AddUnread(std::string source, std::string reason) {
  unread_.push_back({std::move(source), std::move(reason)});
}

Fleet Collection::Judge(const JudgeSettings& settings) const {
  std::map<std::string_view, std::vector<Pass>> by_node;
  for (const Pass& pass : passes_) by_node[pass.node].push_back(pass);
  std::vector<Node> nodes;
  nodes.reserve(by_node.size());
  for (auto& [name, passes] : by_node) nodes.push_back(CombinePasses(std::move(passes)));

  Fleet fleet = JudgeNodes(nodes, metrics_, settings);
  fleet.jobs = JobsOf(passes_);
  for (const FleetJob& job : fleet.jobs) {
    for (const std::string& name : job.missing) {
      FleetNode node;
      node.name = name;
      node.verdict = NodeVerdict::kNotEnoughData;
      node.passes = 0;
      node.cause = fmt::format("it left no result of job {}", job.job);
      fleet.nodes.push_back(std::move(node));
    }
  }
  fleet.unread = unread_;
  std::ranges::sort(fleet.unread, {}, &UnreadResult::source);
  FinishFleet(fleet);
  return fleet;
}

}  // namespace cyclescope::fleet
