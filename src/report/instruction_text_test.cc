#include "report/instruction_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing/made_documents.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

InstructionRow MadeRow() {
  InstructionRow row;
  row.text = "imul rax, rbx";
  row.latency.push_back({.from = "rbx", .to = "rax", .cycles = testing::MadeEstimate(3, 0.01)});
  row.throughput = Throughput{.cycles = testing::MadeEstimate(0.33, 0.01)};
  return row;
}

TEST(InstructionsText, AQuietValueIsNotMarked) {
  EXPECT_THAT(
      InstructionsText(std::vector{MadeRow()}, {}),
      AllOf(ContainsRegex("throughput +0\\.33"), Not(HasSubstr("contended")), Not(HasSubstr("≤"))));
}

TEST(InstructionsText, AContendedThroughputIsABound) {
  InstructionRow row = MadeRow();
  row.throughput->cycles.contended = true;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              ContainsRegex("throughput +≤ 0\\.33 .*contended\n"));
}

TEST(InstructionsText, AContendedLatencyIsMarkedAndNoBound) {
  InstructionRow row = MadeRow();
  row.latency[0].cycles.contended = true;
  const std::string text = InstructionsText(std::vector{row}, {});
  EXPECT_THAT(text, ContainsRegex("rbx → rax +3\\.00 .*exact, contended\n"));
  EXPECT_THAT(text, Not(HasSubstr("≤")));
}

TEST(InstructionsText, WhatLimitsAThroughputIsSaid) {
  InstructionRow row = MadeRow();
  row.throughput->upper_bound = true;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              ContainsRegex("throughput +≤ 0\\.33 .*at most\n"));
  row.throughput->limit = "pipes";
  EXPECT_THAT(InstructionsText(std::vector{row}, {}), HasSubstr("limited by: pipes\n"));
  row.throughput->limit = "decoder";
  row.throughput->back_to_back = 2;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              HasSubstr("with fillers between; 2.00 back to back, limited by: decoder\n"));
}

TEST(BlocksText, AContendedBlockIsABound) {
  BlockRow row;
  row.text = "nop";
  row.cycles = testing::MadeEstimate(2, 0.01);
  EXPECT_THAT(BlocksText({row}, {}), HasSubstr("  2.00 cycles per iteration"));
  row.cycles->contended = true;
  EXPECT_THAT(BlocksText({row}, {}),
              AllOf(HasSubstr("  ≤ 2.00 cycles per iteration"), HasSubstr("contended")));
}

}  // namespace
}  // namespace cyclescope
