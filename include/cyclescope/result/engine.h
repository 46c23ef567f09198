// What started the run as one of many: Slurm, MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/describe.h"

namespace cyclescope {

struct AskedOfEngine {
  std::string name;
  std::string value;

  bool operator==(const AskedOfEngine&) const = default;
};

void Describe(auto& visit, Of<AskedOfEngine> auto& asked) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("AskedOfEngine", "What the engine was asked for, as it tells its tasks.");
  visit.Required("name", asked.name, "The variable: SLURM_CPUS_PER_TASK, ...", kNew);
  visit.Required("value", asked.value, "In the engine's words.", kNew);
}

struct Engine {
  std::string name;
  std::string node;
  std::string job;
  std::optional<int> rank;
  std::optional<int> ranks;
  std::optional<int> local_rank;
  std::string nodes;
  std::vector<AskedOfEngine> asked;

  bool operator==(const Engine&) const = default;
};

void Describe(auto& visit, Of<Engine> auto& engine) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("Engine", "What started the run as one of many, in its own words.");
  visit.Required("name", engine.name, "slurm, openmpi, pmix or pmi.", kNew);
  visit.Required("node", engine.node, "The node's name as the engine knows it, else the host's.",
                 kNew);
  visit.Optional("job", engine.job, "Its number, or name.", kNew);
  visit.Optional("rank", engine.rank, "Of this task among all, from 0.", kNew);
  visit.Optional("ranks", engine.ranks, "How many tasks there are.", kNew);
  visit.Optional("local_rank", engine.local_rank, "Of this task among those of the node, from 0.",
                 kNew);
  visit.Optional("nodes", engine.nodes, "All nodes of the job step: n[1-3].", kNew);
  visit.Optional("asked", engine.asked, "What the engine was asked for.", kNew);
}

}  // namespace cyclescope
