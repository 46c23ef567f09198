#include "cores/one_per_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cores/testing/simulated_machines.h"

namespace cyclescope::cores {
namespace {

using ::testing::ElementsAre;

TEST(OnePerCore, TakesTheFirstThreadOfEach) {
  const auto topology = testing::HybridDesktop().topology;
  EXPECT_THAT(OnePerCore({0, 1, 2, 3, 16, 17}, topology), ElementsAre(0, 2, 16, 17));
  EXPECT_THAT(OnePerCore({1, 3}, topology), ElementsAre(1, 3));
}

TEST(OnePerCore, WhatTheTopologyDoesNotKnowIsACoreOfItsOwn) {
  const std::vector<CpuPlace> topology = {{.cpu = 0, .core = 0}, {.cpu = 1}, {.cpu = 2}};
  EXPECT_THAT(OnePerCore({0, 1, 2, 3}, topology), ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace cyclescope::cores
