#include "analysis/model_agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/row_figures.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::IsEmpty;
using testing::SimulatedEstimate;
using ::testing::SizeIs;

Latency Pair(double cycles, LatencyKind kind = LatencyKind::kExact, std::string to = "x0") {
  return {
      .from = "x1", .to = std::move(to), .cycles = SimulatedEstimate(cycles, 0.01), .kind = kind};
}

InstructionRow Row(std::string text, double latency, double throughput) {
  InstructionRow row;
  row.text = std::move(text);
  row.latency = {Pair(latency)};
  row.throughput = Throughput{.cycles = SimulatedEstimate(throughput, 0.01)};
  row.model = ModelFigures{.cpu = "neoverse-v1", .latency = 4, .throughput = 0.5};
  return row;
}

TEST(LongestLatency, IsThatOfTheSlowestPair) {
  InstructionRow row;
  row.latency = {Pair(2), Pair(4), Pair(1)};
  EXPECT_EQ(LongestLatency(row)->cycles.value, 4);
}

TEST(LongestLatency, PrefersWhatIsKnownToUpperBounds) {
  InstructionRow row;
  row.latency = {Pair(9, LatencyKind::kUpperBound), Pair(2), Pair(8, LatencyKind::kUpperBound)};
  EXPECT_EQ(LongestLatency(row)->cycles.value, 2);
  EXPECT_FALSE(IsUpperBound(*LongestLatency(row)));
  row.latency.erase(row.latency.begin() + 1);
  EXPECT_EQ(LongestLatency(row)->cycles.value, 9);
  EXPECT_TRUE(IsUpperBound(*LongestLatency(row)));
}

TEST(LongestLatency, LeavesMemoryOut) {
  InstructionRow row;
  row.latency = {Pair(5, LatencyKind::kConnected, "memory")};
  EXPECT_EQ(LongestLatency(row), nullptr);
  ASSERT_NE(ShownLatency(row), nullptr) << "a table shows it";
}

// `add [rax], rbx` of a Cascade Lake stood in a table with the cycle after which its flags are
// there.
TEST(ShownLatency, IsThatThroughMemoryWhereThatIsLonger) {
  InstructionRow row;
  row.latency = {Pair(7, LatencyKind::kUpperBound), Pair(1, LatencyKind::kConnected),
                 Pair(5.4, LatencyKind::kExact, "memory")};
  EXPECT_EQ(ShownLatency(row)->cycles.value, 5.4);
  EXPECT_EQ(LongestLatency(row)->cycles.value, 1);
  row.latency[2].cycles = SimulatedEstimate(0.9, 0.01);
  EXPECT_EQ(ShownLatency(row)->cycles.value, 1);
}

// The register that an instruction combines with a loaded value does not wait for the load.
TEST(CompareWithModel, ComparesAPairWithItsOwnModel) {
  InstructionRow row = Row("vpminsd ymm0, ymm1, [rbx]", 1, 0.5);
  row.model->latency = 9;
  EXPECT_EQ(CompareWithModel(std::vector{row}).latency.agreeing, 0);
  row.latency[0].model = 1;
  EXPECT_EQ(CompareWithModel(std::vector{row}).latency.agreeing, 1);
}

TEST(CompareWithModel, EveryPairIsCompared) {
  InstructionRow row = Row("vpminsd ymm0, ymm1, [rbx]", 1, 0.5);
  row.latency[0].model = 1;
  row.latency.push_back(Pair(8));
  row.latency[1].model = 9;
  const ModelAgreement agreement = CompareWithModel(std::vector{row});
  EXPECT_EQ(agreement.latency.compared, 2);
  EXPECT_EQ(agreement.latency.agreeing, 1);
}

// A division takes 5 to 20 cycles by its operands, and the model says 20.
TEST(CompareWithModel, WhatDependsOnValuesIsHeldAgainstAllOfThem) {
  InstructionRow row = Row("sdiv x0, x1, x2", 5, 5);
  row.latency = {Pair(5), Pair(20)};
  row.latency[0].values = "fast";
  row.latency[1].values = "slow";
  row.latency[0].model = row.latency[1].model = 20;
  row.model->throughput = 12;
  row.throughput_by_values = {*row.throughput, *row.throughput};
  row.throughput_by_values[0].values = "fast";
  row.throughput_by_values[1].values = "slow";
  row.throughput_by_values[1].cycles = SimulatedEstimate(20, 0.01);
  ModelAgreement agreement = CompareWithModel(std::vector{row});
  EXPECT_THAT(agreement.differences, IsEmpty());
  EXPECT_EQ(agreement.latency.compared, 1);
  EXPECT_EQ(agreement.throughput.agreeing, 1);
  // Beyond both, and then the slow ones are what differs.
  row.latency[0].model = row.latency[1].model = 30;
  agreement = CompareWithModel(std::vector{row});
  ASSERT_THAT(agreement.differences, SizeIs(1));
  EXPECT_EQ(agreement.differences[0].measured_cycles, 20);
}

TEST(CompareWithModel, AModelInsideTheIntervalAgrees) {
  InstructionRow row = Row("", 4.4, 0.5);
  EXPECT_EQ(CompareWithModel(std::vector{row}).latency.agreeing, 0);
  row.latency[0].cycles = SimulatedEstimate(4.4, 0.5);
  EXPECT_EQ(CompareWithModel(std::vector{row}).latency.agreeing, 1);
}

TEST(CompareWithModel, AStateThatAgreesIsNoDifference) {
  InstructionRow row = Row("", 7, 0.5);
  row.latency[0].cycles.states = {{.value = 4.02, .share = 0.3}, {.value = 7, .share = 0.7}};
  EXPECT_THAT(CompareWithModel(std::vector{row}).differences, IsEmpty());
  row.latency[0].cycles.states[0].value = 5;
  EXPECT_THAT(CompareWithModel(std::vector{row}).differences, SizeIs(1));
}

TEST(CompareWithModel, ContendedValuesAreNotCompared) {
  InstructionRow row = Row("", 9, 9);
  row.latency[0].cycles.contended = row.throughput->cycles.contended = true;
  const ModelAgreement agreement = CompareWithModel(std::vector{row});
  EXPECT_EQ(agreement.latency.compared + agreement.throughput.compared, 0);
  EXPECT_EQ(agreement.contended, 2);
}

TEST(CompareWithModel, SystemInstructionsStandApart) {
  const auto apart = [](const char* opcode, const char* text) {
    InstructionRow row = Row(text, 100, 100);
    row.opcode = opcode;
    const ModelAgreement agreement = CompareWithModel(std::vector{row});
    EXPECT_EQ(agreement.system.size() + agreement.differences.size(), 2u) << opcode;
    return agreement.system.size() == 2;
  };
  for (const char* opcode :
       {"CPUID", "LSL16rm", "LSL64rr", "STR64r", "STRm", "SLDT64r", "RDRAND32r", "XSAVE64", "SYSxt",
        "SYSLxt", "DMB", "DSBnXS", "MSRpstateImm1"}) {
    EXPECT_TRUE(apart(opcode, "x")) << opcode;
  }
  // Plain stores and shifts, on AArch64 with the same mnemonics.
  EXPECT_FALSE(apart("STRXui", "str x0, [x1]"));
  EXPECT_FALSE(apart("STRBBpost", "strb w0, [x1], #1"));
  EXPECT_FALSE(apart("STR_ZXI", "str z0, [x0]"));
  EXPECT_FALSE(apart("LSLVXr", "lsl x0, x1, x2"));
  EXPECT_FALSE(apart("LSL_ZPmZ_D", "lsl z0.d, p0/m, z0.d, z1.d"));
  EXPECT_FALSE(apart("SYSCALL", "syscall"));
}

// Thousands of differences with three causes are three lines.
TEST(GroupDifferences, FindsWhatDifferencesHaveInCommon) {
  std::vector<InstructionRow> rows;
  const auto add = [&rows](const std::string& text, double throughput) {
    InstructionRow& row = rows.emplace_back(Row(text, 4, throughput));
    row.mnemonic = text.substr(0, text.find(' '));
  };
  const auto name = [](int i) {
    return std::string("v") + static_cast<char>('a' + i % 26) + static_cast<char>('a' + i / 26) +
           "xx";
  };
  for (int i = 0; i < 400; ++i) add(name(i) + " zmm0, zmm1, [rbx]", 1);
  for (int i = 0; i < 300; ++i) add(name(i) + " ymm0, ymm1, ymm2", 0.33);
  for (int i = 0; i < 20; ++i) add("vdivpd xmm0, xmm1, xmm2", 2.0 + i);
  add("vdivps xmm0, xmm1, xmm2", 30);
  const ModelAgreement agreement = CompareWithModel(rows);
  EXPECT_THAT(agreement.differences, SizeIs(721));
  const std::vector<ModelGroup> groups = GroupDifferences(agreement);
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_EQ(groups[0].differences.size(), 400U);
  EXPECT_EQ(groups[0].operands, "zmm, memory");
  EXPECT_EQ(groups[0].pattern, ModelPattern::kFactor);
  EXPECT_EQ(groups[0].amount, 2);
  EXPECT_EQ(groups[1].operands, "ymm");
  EXPECT_EQ(groups[1].pattern, ModelPattern::kFactor);
  EXPECT_NEAR(groups[1].amount, 2 / 3., 1e-9);
  EXPECT_EQ(groups[2].family, "div");
  EXPECT_EQ(groups[2].pattern, ModelPattern::kAllLonger);
  EXPECT_EQ(groups[2].differences.size(), 21U);
}

TEST(CompareWithModel, CountsAndListsLargestFirst) {
  const std::vector<InstructionRow> rows = {Row("agrees", 4.04, 0.53), Row("a little", 4.2, 0.5),
                                            Row("much", 9, 0.4)};
  const ModelAgreement agreement = CompareWithModel(rows);
  EXPECT_EQ(agreement.cpu, "neoverse-v1");
  EXPECT_EQ(agreement.latency.compared, 3);
  EXPECT_EQ(agreement.latency.agreeing, 1);
  EXPECT_EQ(agreement.throughput.agreeing, 2);
  ASSERT_THAT(agreement.differences, SizeIs(3));
  EXPECT_EQ(agreement.differences[0].row->text, "much");
  EXPECT_EQ(agreement.differences[0].difference(), 5);
  EXPECT_EQ(agreement.differences[1].row->text, "a little");
  EXPECT_EQ(agreement.differences[2].quantity, ModelQuantity::kThroughput);
}

TEST(CompareWithModel, AnUpperBoundContradictsOnlyFromBelow) {
  std::vector<InstructionRow> rows = {Row("", 6, 0.5), Row("", 3, 0.5)};
  for (InstructionRow& row : rows) row.latency.front().kind = LatencyKind::kUpperBound;
  const ModelAgreement agreement = CompareWithModel(rows);
  EXPECT_EQ(agreement.latency.agreeing, 1);
  ASSERT_THAT(agreement.differences, SizeIs(1));
  EXPECT_EQ(agreement.differences[0].measured_cycles, 3);
}

TEST(CompareWithModel, WhatWasNotMeasuredIsNotCompared) {
  std::vector<InstructionRow> rows = {Row("", 9, 9)};
  rows.front().status = Status::kCrashed;
  const ModelAgreement agreement = CompareWithModel(rows);
  EXPECT_EQ(agreement.latency.compared + agreement.throughput.compared, 0);
  EXPECT_THAT(agreement.differences, IsEmpty());
}

}  // namespace
}  // namespace cyclescope
