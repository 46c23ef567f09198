#include "os/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace cyclescope::os {
namespace {

using ::testing::Contains;

std::optional<Engine> EngineIn(std::map<std::string, std::string> variables) {
  return FindEngine([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(Engine, NoneStartedUs) { EXPECT_FALSE(EngineIn({})); }

TEST(Engine, AShellInAJobIsNoTask) { EXPECT_FALSE(EngineIn({{"SLURM_JOB_ID", "17"}})); }

TEST(Engine, ATaskOfSlurm) {
  const auto engine = EngineIn({{"SLURM_PROCID", "2"},
                                {"SLURM_STEP_NUM_TASKS", "3"},
                                {"SLURM_LOCALID", "0"},
                                {"SLURM_JOB_ID", "17"},
                                {"SLURMD_NODENAME", "n3"},
                                {"SLURM_STEP_NODELIST", "n[1-3]"},
                                {"SLURM_CPUS_PER_TASK", "2"}});
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->name, "slurm");
  EXPECT_EQ(engine->node, "n3");
  EXPECT_EQ(engine->job, "17");
  EXPECT_EQ(engine->rank, 2);
  EXPECT_EQ(engine->ranks, 3);
  EXPECT_EQ(engine->local_rank, 0);
  EXPECT_EQ(engine->nodes, "n[1-3]");
  EXPECT_THAT(engine->asked, Contains(AskedOfEngine{"SLURM_CPUS_PER_TASK", "2"}));
}

TEST(Engine, ABatchScriptIsAloneWhateverTheJobHas) {
  const auto engine =
      EngineIn({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "500"}, {"SLURM_JOB_ID", "17"}});
  ASSERT_TRUE(engine);
  EXPECT_FALSE(engine->ranks);
}

// SLURM_PROCID is then that of the helper that started the ranks of a node.
TEST(Engine, AnMpiRankInsideOfSlurmIsMpis) {
  const auto engine = EngineIn({{"OMPI_COMM_WORLD_RANK", "5"},
                                {"OMPI_COMM_WORLD_SIZE", "8"},
                                {"SLURM_PROCID", "1"},
                                {"SLURM_JOB_ID", "17"},
                                {"PMIX_NAMESPACE", "1234"}});
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->name, "openmpi");
  EXPECT_EQ(engine->rank, 5);
  EXPECT_EQ(engine->ranks, 8);
  EXPECT_EQ(engine->job, "17");
}

TEST(Engine, PmixAlone) {
  const auto engine = EngineIn({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "prterun-7"}});
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->name, "pmix");
  EXPECT_EQ(engine->job, "prterun-7");
}

TEST(Engine, ARankThatIsNoNumberIsNone) {
  EXPECT_FALSE(EngineIn({{"SLURM_PROCID", "first"}}));
  EXPECT_FALSE(EngineIn({{"SLURM_PROCID", "-1"}}));
}

}  // namespace
}  // namespace cyclescope::os
