#include "cores/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::cores {
namespace {

using ::testing::HasSubstr;

// Everything any of them needs.
std::vector<std::string> AllFeatures() {
  std::vector<std::string> features;
  for (const arch::PingPong& ping_pong : arch::PingPongs())
    features.emplace_back(ping_pong.feature);
  return features;
}

TEST(TestChoice, AllAreSixWithoutRepeats) {
  const auto tests = ChooseTests("all", "", AllFeatures());
  ASSERT_TRUE(tests.has_value());
  EXPECT_EQ(tests->size(), 6u);
  EXPECT_EQ(tests->front().test, "cas");
}

TEST(TestChoice, KeepsTheUsersOrder) {
  const auto tests = ChooseTests("store,cas", "", AllFeatures());
  ASSERT_TRUE(tests.has_value());
  EXPECT_EQ(tests->at(0).test, "store");
  EXPECT_EQ(tests->at(1).test, "cas");
}

TEST(TestChoice, WithoutTheFeatureThePlainInstructionServes) {
  const auto tests = ChooseTests("cas", "", {});
  ASSERT_TRUE(tests.has_value());
  EXPECT_TRUE(tests->front().feature.empty());
}

TEST(TestChoice, EveryInstructionCanBeChosen) {
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    const auto tests = ChooseTests(ping_pong.test, ping_pong.instruction, AllFeatures());
    ASSERT_TRUE(tests.has_value());
    EXPECT_EQ(tests->front().take_turns, ping_pong.take_turns);
  }
}

TEST(TestChoice, WhatCannotBeIsBadInput) {
  const auto unknown = ChooseTests("cass", "", AllFeatures());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(unknown.error().ToString(), HasSubstr("no such test: 'cass'"));
  EXPECT_FALSE(ChooseTests("", "", AllFeatures()).has_value());
  EXPECT_THAT(ChooseTests("cas,cas", "", AllFeatures()).error().message, HasSubstr("named twice"));
  EXPECT_THAT(ChooseTests("cas", "nop", AllFeatures()).error().ToString(),
              HasSubstr("test 'cas' cannot be done with 'nop'; it can be done with '"));
}

TEST(TestChoice, AnInstructionThatTheCpuLacksIsNamed) {
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    if (ping_pong.feature.empty()) continue;
    EXPECT_THAT(ChooseTests(ping_pong.test, ping_pong.instruction, {}).error().message,
                HasSubstr("this CPU does not have"));
  }
}

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
