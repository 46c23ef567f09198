#include "report/headline_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "document/testing/simulated_documents.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

InstructionRow Row(std::string heading, std::string text, double latency, double throughput) {
  InstructionRow row;
  row.heading = std::move(heading);
  row.text = std::move(text);
  Latency pair;
  pair.from = "x1";
  pair.to = "x0";
  pair.cycles = testing::SimulatedEstimate(latency, 0.001);
  row.latency = {pair};
  row.throughput =
      Throughput{.cycles = testing::SimulatedEstimate(throughput, 0.001), .values = "", .code = ""};
  return row;
}

std::vector<InstructionRow> SomeRows() {
  return {Row("integer", "add x0, x1, x2", 1, 0.25), Row("integer", "clz x0, x1", 1, 0.25),
          Row("divide", "sdiv x0, x1, x2", 20, 5), Row("divide", "udiv x0, x1, x2", 20, 5)};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(HeadlineText, HeadingsStandSideBySideInEightyColumns) {
  const std::vector<std::string> lines = Lines(HeadlineText(SomeRows(), {.width = 80}));
  EXPECT_THAT(lines[1], AllOf(StartsWith("integer"), EndsWith("divide")));
  EXPECT_THAT(lines[2], AllOf(HasSubstr("add x0, x1, x2"), HasSubstr("sdiv x0, x1, x2")));
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 80u) << line;
}

TEST(HeadlineText, OneColumnWhereThereIsNoRoom) {
  const std::vector<std::string> lines = Lines(HeadlineText(SomeRows(), {.width = 60}));
  EXPECT_THAT(lines, Contains("integer"));
  EXPECT_THAT(lines, Contains("divide"));
  EXPECT_THAT(lines, Each(Not(AllOf(HasSubstr("add"), HasSubstr("sdiv")))));
}

TEST(HeadlineText, ALongTextIsCutAndItsFiguresStay) {
  const std::string text = HeadlineText(
      std::vector{Row("vector", "tbl v0.16b, { v1.16b, v2.16b }, v3.16b", 2, 0.5)}, {});
  EXPECT_THAT(text, HasSubstr("…   2.00   0.50\n"));
}

TEST(HeadlineText, SizeWordsGoFirstWhereThereIsNoRoom) {
  EXPECT_THAT(HeadlineText(std::vector{Row("load", "mov rax, qword ptr [rbx]", 4, 0.5),
                                       Row("load", "mov rax, qword ptr [rbx + 8*rcx]", 4, 0.5),
                                       Row("load", "mov dword ptr [rbx + 8*rcx], r10d", 4, 0.5),
                                       Row("load", "vmovdqu xmm0, xmmword ptr [rbx]", 4, 0.5),
                                       Row("load", " ptr ptr and more that has no end", 4, 0.5)},
                           {}),
              AllOf(HasSubstr(" mov rax, qword ptr [rbx]"), HasSubstr(" mov rax, [rbx + 8*rcx] "),
                    HasSubstr(" mov [rbx + 8*rcx], r10d "), HasSubstr(" vmovdqu xmm0, [rbx] ")));
}

// What is shown can be typed again.
TEST(HeadlineText, SizeWordsStayWhereNothingElseTellsTheSize) {
  for (const std::string form :
       {"movzx eax, byte ptr [rbx + 8*rcx]", "movsx r10, word ptr [rbx + 8*rcx]",
        "shl byte ptr [rbx + 8*rcx], cl", "inc qword ptr [rbx + 8*rcx + 64]",
        "vcvtpd2ps xmm0, xmmword ptr [rbx]", "crc32 eax, byte ptr [rbx + rcx]"}) {
    EXPECT_THAT(HeadlineText(std::vector{Row("load", form, 4, 0.5)}, {}),
                HasSubstr(' ' + form.substr(0, 23) + "…"));
  }
}

TEST(HeadlineText, ATextTakesTheRoomThatItsFiguresLeave) {
  const std::string form = "movzx eax, byte ptr [rbx]";
  EXPECT_THAT(HeadlineText(std::vector{Row("load", form, 4, 0.5)}, {}),
              HasSubstr(' ' + form + "  4.00   0.50\n"));
  EXPECT_THAT(HeadlineText(std::vector{Row("load", form, 1234.5, 0.5)}, {}),
              HasSubstr("movzx eax, byte ptr [rb… 1234.5   0.50\n"));
}

TEST(HeadlineText, WhatWasNotMeasuredSaysWhy) {
  InstructionRow row;
  row.text = "fadd z0.s, z1.s, z2.s";
  row.status = Status::kUnsupported;
  EXPECT_THAT(HeadlineText(std::vector{row}, {}), HasSubstr("unsupported\n"));
}

TEST(HeadlineText, BoundsAndDisturbedValuesAreMarked) {
  std::vector<InstructionRow> rows = SomeRows();
  rows[0].latency[0].kind = LatencyKind::kUpperBound;
  EXPECT_THAT(HeadlineText(rows, {}), AllOf(HasSubstr("≤1.00"), Not(HasSubstr("* disturbed"))));
  // The upper end: the value in the middle may be below the truth.
  rows[0].latency[0].cycles.high = 1.25;
  EXPECT_THAT(HeadlineText(rows, {}), HasSubstr("≤1.25"));
  rows[0].status = Status::kDisturbed;
  EXPECT_THAT(HeadlineText(rows, {}), AllOf(HasSubstr("0.25*"), HasSubstr("* disturbed")));
}

TEST(HeadlineText, AContendedThroughputIsABound) {
  std::vector<InstructionRow> rows = SomeRows();
  EXPECT_THAT(HeadlineText(rows, {}), Not(HasSubstr("contended")));
  rows[0].throughput->cycles.contended = true;
  EXPECT_THAT(HeadlineText(rows, {}), AllOf(HasSubstr("≤0.25~"), HasSubstr("~ contended")));
}

TEST(HeadlineText, TheValueThatIsContendedIsMarked) {
  std::vector<InstructionRow> rows = {SomeRows()[0]};
  rows[0].latency[0].cycles.contended = true;
  EXPECT_THAT(HeadlineText(rows, {}),
              AllOf(HasSubstr(" 1.00~   0.25\n"), HasSubstr("~ contended")));
}

TEST(HeadlineText, AWideIntervalIsMarked) {
  std::vector<InstructionRow> rows = {SomeRows()[0]};
  EXPECT_THAT(HeadlineText(rows, {}), Not(HasSubstr("?")));
  rows[0].latency[0].cycles.low = 0.7;
  EXPECT_THAT(HeadlineText(rows, {}), AllOf(HasSubstr(" 1.00?   0.25\n"), HasSubstr("? in doubt")));
}

TEST(SnippetLinesText, ALineForEach) {
  BlockRow row;
  row.text = "b next; next:";
  row.cycles = testing::SimulatedEstimate(1, 0.01);
  BlockRow crashed;
  crashed.text = "udf #0";
  crashed.status = Status::kCrashed;
  const std::string text = SnippetLinesText(std::vector{row, crashed}, {});
  EXPECT_THAT(text, HasSubstr("     1.00  b next; next:\n"));
  EXPECT_THAT(text, HasSubstr("  udf #0  (crashed)\n"));
}

// As a small sweep has them.
TEST(HeadlineText, RowsWithoutHeadingsFillBothColumns) {
  std::vector<InstructionRow> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].text = "form " + std::to_string(i);
    rows[i].throughput = Throughput{.cycles = {.value = 1}};
  }
  const std::string text = HeadlineText(rows, {.width = 80});
  EXPECT_THAT(text, ::testing::ContainsRegex("form 0 .*form 2"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\n form 1"));
}

}  // namespace
}  // namespace cyclescope
