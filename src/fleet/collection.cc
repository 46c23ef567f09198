#include "fleet/collection.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/claims.h"
#include "fleet/fleet_judge.h"
#include "fleet/node.h"

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
      node.claims = {{ClaimCode::kNoResult, {{"job", job.job}}}};
      node.cause = Sentences(node.claims);
      fleet.nodes.push_back(std::move(node));
    }
  }
  fleet.unread = unread_;
  std::ranges::sort(fleet.unread, {}, &UnreadResult::source);
  FinishFleet(fleet);
  return fleet;
}

}  // namespace cyclescope::fleet
