#include "analysis/published_words.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Estimate Cycles(double value, double half_width) {
  Estimate estimate;
  estimate.value = value;
  estimate.low = value - half_width;
  estimate.high = value + half_width;
  estimate.visits = 8;
  return estimate;
}

Document PublishedMachine(int forms) {
  Document document;
  document.host = {.architecture = "aarch64", .microarchitecture = "Neoverse-V1"};
  for (int i = 0; i < forms; ++i) {
    InstructionRow row;
    row.text = fmt::format("form{} x0, x1", i);
    row.latency = {{.from = "x1", .to = "x0", .cycles = Cycles(2 + i, 0.01)}};
    document.instructions.push_back(row);
  }
  AnatomyRow window{.name = "reorder buffer", .filler = "nop", .unit = "entries"};
  window.value = AnatomyValue{256, 255, 257};
  document.anatomy = Anatomy{.rows = {window}};
  return document;
}

TEST(PublishedWords, AMachineLikeThePublishedOneIsCalledSo) {
  const auto beside =
      CompareWithPublished(PublishedMachine(30), PublishedMachine(30), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->text, "as the published Neoverse-V1");
  EXPECT_EQ(beside->machine, "neoverse-v1");
}

TEST(PublishedWords, WhatDiffersIsNamed) {
  Document here = PublishedMachine(30);
  here.instructions[3].latency[0].cycles = Cycles(6, 0.01);
  here.anatomy->rows[0].value = AnatomyValue{128, 127, 129};
  const auto beside = CompareWithPublished(here, PublishedMachine(30), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_THAT(beside->text, StartsWith("as the published Neoverse-V1, but reorder buffer has 128 "
                                       "entries, not 256"));
  EXPECT_THAT(beside->text, HasSubstr("form3 x0, x1: x1 to x0 takes 6 cycles, not 5"));
}

TEST(PublishedWords, ManyDifferencesAreCounted) {
  Document here = PublishedMachine(60);
  for (int i = 0; i < 5; ++i) here.instructions[i].latency[0].cycles = Cycles(3 + i, 0.01);
  const auto beside = CompareWithPublished(here, PublishedMachine(60), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_THAT(beside->text, HasSubstr("2 more values differ"));
}

TEST(PublishedWords, AMachineOfAnotherMakeIsCalledUnlike) {
  Document here = PublishedMachine(30);
  for (InstructionRow& row : here.instructions) row.latency[0].cycles = Cycles(40, 0.01);
  const auto beside = CompareWithPublished(here, PublishedMachine(30), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->text, "unlike the published Neoverse-V1: 30 of 31 values differ");
}

TEST(PublishedWords, ATenthOfTheValuesMakesNoOtherMachine) {
  const auto text = [](int different) {
    Document here = PublishedMachine(29);  // 30 values, with the window
    for (int i = 0; i < different; ++i)
      here.instructions[i].latency[0].cycles = Cycles(40 + i, 0.01);
    return CompareWithPublished(here, PublishedMachine(29), "neoverse-v1")->text;
  };
  EXPECT_THAT(text(3), StartsWith("as the published Neoverse-V1, but "));
  EXPECT_THAT(text(4), StartsWith("unlike the published Neoverse-V1: 4 of 30"));
}

TEST(PublishedWords, IntervalsThatOverlapSayNothing) {
  Document here = PublishedMachine(30);
  here.instructions[3].latency[0].cycles = Cycles(5.3, 0.3);
  here.instructions[4].latency[0].cycles = Cycles(12, 0.01);
  here.instructions[4].latency[0].cycles.contended = true;
  here.anatomy->rows[0].value = AnatomyValue{240, 230, 256};
  const auto beside = CompareWithPublished(here, PublishedMachine(30), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->text, "as the published Neoverse-V1");
}

// With an L2 of that many KB, and a memory behind it.
Document WithCache(double kilobytes, int cpu) {
  Document document = PublishedMachine(30);
  document.host.hypervisor = "none";
  document.host.topology = {{.cpu = cpu, .core = 0, .l2 = 0}};
  MemoryRow& row = document.memory.emplace_back();
  row.cpu = cpu;
  const auto level = [&row](const char* name, double cycles, double size) {
    MemoryLevel& added = row.levels.emplace_back();
    added.name = name;
    added.cycles = {cycles, 0.99 * cycles, 1.01 * cycles};
    added.nanoseconds = {cycles / 3, 0.33 * cycles, 0.34 * cycles};
    if (size > 0) added.capacity = {1024 * size, 0.97 * 1024 * size, 1.03 * 1024 * size};
  };
  level("L1", 4, 64);
  level("L2", 11, kilobytes);
  level("memory", 300, 0);
  return document;
}

TEST(PublishedWords, ACacheOfAnotherSizeIsNamedWhicheverCpuLookedAtIt) {
  const auto beside = CompareWithPublished(WithCache(512, 1), WithCache(1024, 7), "neoverse-v1");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->text, "as the published Neoverse-V1, but L2 ends at 512 KB, not at 1 MB");
}

TEST(PublishedWords, ACacheThatRunsDifferInOrThatIsNotSeenToItsEndSaysNothing) {
  const auto text = [](const Document& here) {
    return CompareWithPublished(here, WithCache(1024, 7), "neoverse-v1")->text;
  };
  EXPECT_EQ(text(WithCache(900, 1)), "as the published Neoverse-V1");
  Document unclear = WithCache(512, 1);
  unclear.memory[0].levels[1].capacity_at_least = true;
  EXPECT_EQ(text(unclear), "as the published Neoverse-V1");
  Document contended = WithCache(512, 1);
  contended.memory[0].levels[1].contended = true;
  EXPECT_EQ(text(contended), "as the published Neoverse-V1");
}

TEST(PublishedWords, FewValuesSayNothing) {
  EXPECT_FALSE(CompareWithPublished(PublishedMachine(18), PublishedMachine(30), "neoverse-v1"));
}

TEST(PublishedWords, AnotherMicroarchitectureIsAnotherKind) {
  Host other = PublishedMachine(1).host;
  EXPECT_TRUE(IsOneKind(PublishedMachine(1).host, other));
  other.microarchitecture = "Neoverse-V2";
  EXPECT_FALSE(IsOneKind(PublishedMachine(1).host, other));
  other.microarchitecture.clear();
  EXPECT_FALSE(IsOneKind(other, other));
}

}  // namespace
}  // namespace cyclescope
