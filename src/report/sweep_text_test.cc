#include "report/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

InstructionRow Row(Status status, std::string reason) {
  InstructionRow row;
  row.status = status;
  row.reason = std::move(reason);
  return row;
}

Document SimulatedSweep() {
  Document document = testing::BareDocument();
  document.instructions = {testing::FullDocument().instructions.front(),
                           Row(Status::kUnsupported, "needs sve2"),
                           Row(Status::kUnsupported, "needs sme, sme2"),
                           Row(Status::kUnsupported, "hidden by the hypervisor: x has sve"),
                           Row(Status::kPrivileged, "only the kernel may execute it")};
  document.instructions.front().heading.clear();
  document.instructions.front().origin = "sweep";
  document.sweep = {.opcodes = 13, .pseudos = 4, .duplicates = 1, .left_out = 2, .not_reached = 1};
  return document;
}

// The sum of the numbers that lines begin with, but for the first, which is the total.
int SumOfCounts(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // titles
  std::getline(lines, line);  // the total
  int sum = 0;
  while (std::getline(lines, line) && !line.empty()) sum += std::stoi(line);
  return sum;
}

TEST(SweepText, CountsAddUp) {
  const std::string text = SweepText(SimulatedSweep(), {});
  EXPECT_THAT(text, HasSubstr("13  in all"));
  EXPECT_EQ(SumOfCounts(text), 13) << text;
}

// A user who asks for a few wants to see them.
TEST(SweepText, FewRowsHaveALineEach) {
  const Document document = SimulatedSweep();
  const std::string& text = document.instructions.front().text;
  EXPECT_THAT(SweepText(document, {}), HasSubstr("\n " + text));
  EXPECT_THAT(SweepText(document, {}, {.most_rows = 0, .most_differences = 0}),
              Not(HasSubstr("\n " + text)));
  EXPECT_EQ(CountMeasured(document), 1u);
}

TEST(SweepText, RowsOfOneKindAreOneLine) {
  const std::string text = SweepText(SimulatedSweep(), {});
  EXPECT_THAT(text, HasSubstr("2  unsupported  needs a feature"));
  EXPECT_THAT(text, HasSubstr("1  unsupported  hidden by the hypervisor\n"));
  EXPECT_THAT(
      text, HasSubstr("1 of 2 opcodes that this machine offers to programs were measured: 50.0 %"))
      << "what only the kernel may execute is not offered";
}

// Each takes another number of cycles, and all of them too many.
TEST(SweepText, FormsWithoutPortsAreCountedByWhy) {
  Document document = SimulatedSweep();
  for (const double cycles : {102.0, 449.0}) {
    PortFinding finding;
    finding.claim = Claim{ClaimCode::kTooLongForPorts, {{"cycles", cycles}}};
    finding.reason = Sentence(*finding.claim);
    InstructionRow row = document.instructions.front();
    row.port_finding = finding;
    document.instructions.push_back(row);
  }
  EXPECT_THAT(SweepText(document, {}),
              HasSubstr("  2 not explained: it takes too long to see its µops among others\n"));
}

TEST(SweepText, ListsWhereTheModelDiffers) {
  Document document = SimulatedSweep();
  EXPECT_THAT(SweepText(document, {}), HasSubstr("latency agrees for 1 of 1 pairs (100.0 %)"));
  document.instructions.front().latency.front().model = 7;
  const std::string text = SweepText(document, {});
  EXPECT_THAT(text, HasSubstr("  the one latency of madd on general registers is 5 cycles shorter "
                              "than in the\n    model: madd x0, x1, x2, x3 (x1 → x0) takes 2, the "
                              "model has 7\n"));
  EXPECT_THAT(SweepText(document, {}, {.most_differences = 0}), Not(HasSubstr("7.00")));
}

TEST(SweepText, SystemInstructionsStandApart) {
  Document document = SimulatedSweep();
  InstructionRow& row = document.instructions.front();
  row.text = row.mnemonic = "cpuid";
  row.opcode = "CPUID";
  row.throughput->cycles = testing::SimulatedEstimate(120, 1);
  row.throughput_by_values.clear();
  const std::string text = SweepText(document, {});
  EXPECT_THAT(text, HasSubstr("cpuid (120, model 1)"));
  EXPECT_THAT(text, Not(HasSubstr("throughput agrees")));
}

TEST(SweepText, WithoutAModelSaysNothingOfIt) {
  Document document = SimulatedSweep();
  document.instructions.front().model.reset();
  EXPECT_THAT(SweepText(document, {}), Not(HasSubstr("model")));
}

TEST(SweepText, AChosenFormOfASurveyIsNotCountedTwice) {
  Document document = SimulatedSweep();
  const std::string alone = SweepText(document, {});
  InstructionRow chosen = document.instructions.front();
  chosen.heading = "multiply";
  for (const char* origin : {"headline", ""}) {  // version 0.1 wrote none
    chosen.origin = origin;
    for (const bool first : {true, false}) {
      Document both = document;
      both.instructions.insert(first ? both.instructions.begin() : both.instructions.end(), chosen);
      EXPECT_EQ(SweepText(both, {}), alone);
    }
  }
}

}  // namespace
}  // namespace cyclescope
