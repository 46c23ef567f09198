#include "os/engine.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace cyclescope::os {
namespace {

// A rank decides which task we are. An `mpirun` inside of a Slurm job starts its own helpers with
// srun, one a node, whose SLURM_PROCID the ranks inherit: so MPI's words come first.
struct EngineWords {
  std::string_view name;
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* job;
};

constexpr std::array<EngineWords, 4> kEngines = {{
    {"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "PMIX_NAMESPACE"},
    // PMIx itself says how many there are only to programs that link it; Slurm says it, too.
    {"pmix", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "PMIX_NAMESPACE"},
    {"pmi", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_JOBID"},
    // A batch script has a SLURM_PROCID and SLURM_NTASKS, but only srun's tasks are in a step.
    {"slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_JOB_ID"},
}};

// What changes what a task may use, and how fast it is. No name or account is among them.
constexpr std::array kAsked = {
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_NUM_NODES",
    "SLURM_STEP_NUM_NODES",
    "SLURM_NTASKS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPU_BIND",
    "SLURM_CPU_FREQ_REQ",
    "SLURM_DISTRIBUTION",
    "SLURM_HINT",
    "SLURM_THREADS_PER_CORE",
    "SLURM_MEM_PER_NODE",
    "SLURM_MEM_PER_CPU",
    "SLURM_MEM_BIND",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_UNIVERSE_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
};

std::optional<int> NumberIn(const Environment& environment, const char* name) {
  const std::optional<std::string> text = environment(name);
  if (!text) return std::nullopt;
  const auto number = ParseNumber<int>(*text);
  return number >= 0 ? number : std::nullopt;
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

std::optional<Engine> FindEngine(const Environment& environment) {
  for (const EngineWords& words : kEngines) {
    const std::optional<int> rank = NumberIn(environment, words.rank);
    if (!rank) continue;
    Engine engine;
    engine.name = words.name;
    engine.rank = rank;
    engine.ranks = NumberIn(environment, words.ranks);
    engine.local_rank = NumberIn(environment, words.local_rank);
    // The batch system's job is the one that people know.
    auto job = environment("SLURM_JOB_ID");
    if (!job) job = environment(words.job);
    engine.job = job.value_or("");
    // Of ranks that `mpirun` started, Slurm's list is that of its helpers: the same nodes.
    engine.nodes = environment("SLURM_STEP_NODELIST").value_or("");
    engine.node = environment("SLURMD_NODENAME").value_or("");
    for (const char* name : kAsked) {
      if (auto value = environment(name)) engine.asked.push_back({name, std::move(*value)});
    }
    return engine;
  }
  return std::nullopt;
}

}  // namespace cyclescope::os
