#include "memory/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::memory {
namespace {

using ::testing::ElementsAre;

TEST(CpusThatDiffer, IsOneCpuWhereAllAreAlike) {
  EXPECT_THAT(CpusThatDiffer({{.cpu = 0, .numa = 0}, {.cpu = 1, .numa = 0}}, {0, 1}, 1),
              ElementsAre(1));
  EXPECT_THAT(CpusThatDiffer({}, {0, 1}, 1), ElementsAre(1));
}

TEST(CpusThatDiffer, IsOneOfEachNodeDieAndKind) {
  const std::vector<CpuPlace> topology = {{.cpu = 0, .die = 0, .numa = 0, .kind = "performance"},
                                          {.cpu = 1, .die = 0, .numa = 0, .kind = "efficiency"},
                                          {.cpu = 2, .die = 1, .numa = 0, .kind = "efficiency"},
                                          {.cpu = 3, .die = 2, .numa = 1, .kind = "efficiency"},
                                          {.cpu = 4, .die = 2, .numa = 1, .kind = "efficiency"}};
  EXPECT_THAT(CpusThatDiffer(topology, {0, 1, 2, 3, 4}, 4), ElementsAre(4, 0, 1, 2));
  EXPECT_THAT(CpusThatDiffer(topology, {1, 4}, 4), ElementsAre(4, 1));
}

}  // namespace
}  // namespace cyclescope::memory
