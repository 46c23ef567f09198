#include "report/instruction_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

InstructionRow SimulatedRow() {
  InstructionRow row;
  row.text = "imul rax, rbx";
  row.latency.push_back(
      {.from = "rbx", .to = "rax", .cycles = testing::SimulatedEstimate(3, 0.01)});
  row.throughput = Throughput{.cycles = testing::SimulatedEstimate(0.33, 0.01)};
  return row;
}

TEST(InstructionsText, AQuietValueIsNotMarked) {
  EXPECT_THAT(
      InstructionsText(std::vector{SimulatedRow()}, {}),
      AllOf(ContainsRegex("throughput +0\\.33"), Not(HasSubstr("contended")), Not(HasSubstr("≤"))));
}

TEST(InstructionsText, AContendedThroughputIsABound) {
  InstructionRow row = SimulatedRow();
  row.throughput->cycles.contended = true;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              ContainsRegex("throughput +≤ 0\\.34 .*contended\n"));
}

TEST(InstructionsText, AContendedLatencyIsMarkedAndNoBound) {
  InstructionRow row = SimulatedRow();
  row.latency[0].cycles.contended = true;
  const std::string text = InstructionsText(std::vector{row}, {});
  EXPECT_THAT(text, ContainsRegex("rbx → rax +3\\.00 .*exact, contended\n"));
  EXPECT_THAT(text, Not(HasSubstr("≤")));
}

TEST(InstructionsText, AReasonFitsTheTerminal) {
  InstructionRow row = {.text = "fld1", .status = Status::kUnmeasurable};
  row.reason = "it moves the x87 stack, which has eight places: measure it with its counterpart";
  EXPECT_EQ(InstructionsText(std::vector{row}, {}),
            "fld1\n"
            "  unmeasurable: it moves the x87 stack, which has eight places: measure it with\n"
            "    its counterpart\n");
}

// As of `sweep --only latency`.
TEST(InstructionsText, LatenciesAloneAreListed) {
  InstructionRow row = SimulatedRow();
  row.throughput.reset();
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              AllOf(ContainsRegex("rbx → rax +3\\.00"), Not(HasSubstr("throughput"))));
}

TEST(InstructionsText, WhatLimitsAThroughputIsSaid) {
  InstructionRow row = SimulatedRow();
  row.throughput->upper_bound = true;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              ContainsRegex("throughput +≤ 0\\.34 .*upper bound\n"));
  row.throughput->limit = "pipes";
  EXPECT_THAT(InstructionsText(std::vector{row}, {}), HasSubstr("not limited by the decoder\n"));
  row.throughput->limit = "decoder";
  row.throughput->back_to_back = 2;
  EXPECT_THAT(InstructionsText(std::vector{row}, {}),
              ContainsRegex("with fillers between; 2\\.00 back to back,\n +limited by: decoder\n"));
}

InstructionRow RowWithValueClasses(double slow) {
  InstructionRow row = SimulatedRow();
  row.latency[0].values = "fast";
  row.latency.push_back({.from = "rbx",
                         .to = "rax",
                         .cycles = testing::SimulatedEstimate(slow, 0.01),
                         .values = "slow"});
  row.throughput_by_values = {*row.throughput, *row.throughput};
  row.throughput_by_values[0].values = "fast";
  row.throughput_by_values[1].values = "slow";
  return row;
}

TEST(InstructionsText, ValuesThatMakeNoDifferenceAreOneLine) {
  const std::string text = InstructionsText(std::vector{RowWithValueClasses(3.005)}, {});
  EXPECT_THAT(text, ContainsRegex("rbx → rax +3\\.00 .*fast and slow operands, exact\n"));
  EXPECT_THAT(text, ContainsRegex("throughput +0\\.33 .*fast and slow operands\n"));
  EXPECT_THAT(text, Not(HasSubstr("  slow operands")));
}

TEST(InstructionsText, ValuesThatMakeADifferenceAreTwo) {
  const std::string text = InstructionsText(std::vector{RowWithValueClasses(9)}, {});
  EXPECT_THAT(text, ContainsRegex("rbx → rax +3\\.00 .* fast operands, exact\n"));
  EXPECT_THAT(text, ContainsRegex("rbx → rax +9\\.00 .* slow operands, exact\n"));
}

TEST(ClassicText, SaysWhatIsABound) {
  const ClassicRow row{.test = "LAT", .cycles_per_instruction = 18.99, .upper_bound = true};
  EXPECT_THAT(ClassicText({row}), HasSubstr("LAT ≤ 18.99 "));
}

TEST(PlanText, ShowsEveryWayThatIsPlanned) {
  InstructionRow row = SimulatedRow();
  row.latency[0].code = "imul rax, rbx";
  row.latency[0].beside = "cmp r14, r13";
  row.latency[0].alternatives = {"imul rbx, rax"};
  row.throughput->code = "imul rcx, rbx";
  row.throughput->alternatives = {"imul rdx, rbx"};
  EXPECT_EQ(PlanText({row}, {}),
            "imul rax, rbx\n"
            "  rbx → rax, beside the chain: cmp r14, r13\n    imul rax, rbx\n"
            "   or\n    imul rbx, rax\n"
            "  throughput: the fastest of 2 arrangements\n    imul rcx, rbx\n"
            "   or\n    imul rdx, rbx\n");
}

TEST(BlocksText, AContendedBlockIsABound) {
  BlockRow row;
  row.text = "nop";
  row.cycles = testing::SimulatedEstimate(2, 0.01);
  EXPECT_THAT(BlocksText({row}, {}), HasSubstr("  2.00 cycles per iteration"));
  row.cycles->contended = true;
  EXPECT_THAT(BlocksText({row}, {}),
              AllOf(HasSubstr("  ≤ 2.01 cycles per iteration"), HasSubstr("contended")));
}

TEST(BlocksText, AContendedBlockIsOneNumber) {
  BlockRow row;
  row.text = "nop";
  row.cycles = testing::SimulatedEstimate(2, 0.3);
  row.bounds = BlockBounds{.chain = 1.7};
  EXPECT_THAT(BlocksText({row}, {}), HasSubstr("measured       2.00\n"));
  row.cycles->contended = true;
  EXPECT_THAT(BlocksText({row}, {}),
              AllOf(HasSubstr("  ≤ 2.30 cycles"), HasSubstr("measured     ≤ 2.30\n"),
                    Not(HasSubstr("2.00"))));
}

TEST(ClassicText, HasNoClockWhereRatesDiffered) {
  ClassicRow row = {.test = "LAT", .cycles_per_instruction = 3, .boost = 0.12, .base_ghz = 2.1};
  row.core_ghz = 0.25;
  EXPECT_THAT(ClassicText({row}), HasSubstr("0.25 GHz"));
  row.boost = row.core_ghz = 0;
  EXPECT_THAT(ClassicText({row}), AllOf(Not(HasSubstr("GHz\n")), Not(HasSubstr("x0"))));
}

}  // namespace
}  // namespace cyclescope
