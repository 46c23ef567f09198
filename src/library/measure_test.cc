#include "cyclescope/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "arch/architecture.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string AddText() { return arch::Name() == "aarch64" ? "add x0, x1, x2" : "add rax, rcx"; }

TEST(MeasureTest, AnInstructionHasItsLatency) {
  const auto result = MeasureInstructions({.texts = {AddText()}});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(1));
  EXPECT_THAT(result->instructions.front().latency, ::testing::Not(IsEmpty()));
  EXPECT_EQ(result->instructions.front().isa, "base");
  EXPECT_EQ(result->config.command, "instruction");
  EXPECT_FALSE(result->host.architecture.empty());
  EXPECT_GT(result->clock.tick_hz, 0);
  EXPECT_FALSE(result->partial);
}

TEST(MeasureTest, WhatIsNoInstructionIsBadInput) {
  const auto result = MeasureInstructions({.texts = {AddText(), "nonsense x0"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
}

TEST(MeasureTest, TheCallerEndsInstructionsEarly) {
  std::vector<std::size_t> steps;
  const auto result =
      MeasureInstructions({.texts = {AddText(), AddText(), AddText()}}, [&](const Progress& at) {
        if (at.part.empty()) return true;  // nothing has begun
        if (steps.empty() || steps.back() != at.done) steps.push_back(at.done);
        EXPECT_EQ(at.total, 3u);
        return at.done < 1;
      });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_THAT(result->instructions, SizeIs(1));
  EXPECT_TRUE(result->partial);
  EXPECT_THAT(steps, ::testing::ElementsAre(0, 1));
}

TEST(MeasureTest, ABlockHasItsCycles) {
  const auto result = MeasureBlock({.text = AddText()});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->blocks, SizeIs(1));
  EXPECT_TRUE(result->blocks.front().cycles);
}

TEST(MeasureTest, ABlockIsTextOrBytes) {
  EXPECT_FALSE(MeasureBlock({}));
  EXPECT_FALSE(MeasureBlock({.text = AddText(), .bytes = {0x90}}));
}

TEST(MeasureTest, FrequencyGivesTheThreadItsCpusBack) {
  const auto before = os::AllowedCpus();
  const auto result = MeasureFrequency({.cpus = {before->front()}});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_THAT(result->frequency, SizeIs(1));
  EXPECT_EQ(*os::AllowedCpus(), *before);
}

TEST(MeasureTest, ACpuThatIsNotThereIsBadInput) {
  const auto result = MeasureFrequency({.cpus = {1'000'000}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
}

TEST(MeasureTest, TheCallerEndsCoresEarly) {
  if (os::AllowedCpus()->size() < 2) GTEST_SKIP() << "takes two CPUs";
  int calls = 0;
  const auto result =
      MeasureCores({.tests = "cas,store", .budget_s = 0.01}, [&](const Progress& at) {
        EXPECT_LE(at.done, at.total);
        EXPECT_NE(at.matrix, nullptr);
        ++calls;
        return false;
      });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(result->partial);
  EXPECT_THAT(result->cores, SizeIs(1));
}

TEST(MeasureTest, NothingIsPrinted) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(MeasureBlock({.text = AddText()}));
  EXPECT_FALSE(MeasureBlock({.text = "nonsense x0"}));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace cyclescope
