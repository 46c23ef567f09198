#include "report/compare_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "document/testing/simulated_documents.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using Json = nlohmann::json;
using testing::FullDocument;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SimulatedEstimate;
using ::testing::StartsWith;

// The full document, and the same with a slower madd and a faster core-to-core pair.
Comparison SimulatedComparison() {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[0].source = "before.json";
  documents[1].source = "after.json";
  for (Document& document : documents) document.host.hypervisor = "none";
  documents[1].instructions[0].latency[0].cycles = SimulatedEstimate(3, 0.001);
  documents[1].cores[0].nanoseconds.At(1, 0) = 20;
  documents[1].cores[0].low.At(1, 0) = 19.5;
  documents[1].cores[0].high.At(1, 0) = 20.5;
  documents[1].frequency.pop_back();
  return Compare(documents, {});
}

TEST(CompareText, ShowsWhatDiffers) {
  const std::string text = ToText(SimulatedComparison(), {});
  EXPECT_THAT(text, StartsWith("   file         host"));
  EXPECT_THAT(text, HasSubstr("A  before.json"));
  EXPECT_THAT(text, HasSubstr("latency, in cycles (threshold 2 %)\n"
                              "  B against A: 1 changed (1 slower), 1 same; "
                              "median change +25.0 %\n"));
  EXPECT_THAT(text, HasSubstr("madd x0, x1, x2, x3: x1 to x0  2.000 ±0.001  3.000 ±0.001  +50.0 %  "
                              "slower\n"));
  EXPECT_THAT(text, HasSubstr("message 1 to 0  46.2 ±1.0  20.0 ±0.5  -56.8 %  faster\n"));
  EXPECT_THAT(text, HasSubstr("CPU 1  2.500 ±0.312  -          only in A\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nCPU 0 ")));  // the same
}

TEST(CompareText, ASnippetWithTabsIsOneLine) {
  std::vector<Document> documents(2);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    BlockRow& row = documents[i].blocks.emplace_back();
    row.text = "movsd\t(%rdi), %xmm0\naddq\t$1, %rax";
    row.status = Status::kMeasured;
    row.cycles = SimulatedEstimate(i == 0 ? 1 : 2, 0.001);
  }
  EXPECT_THAT(ToText(Compare(documents, {}), {}),
              AllOf(HasSubstr("movsd (%rdi), %xmm0;addq $1, %rax"), Not(HasSubstr("movsd?"))));
}

TEST(CompareText, WhatRoundsToNothingHasNoSign) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[1].instructions[0].latency[0].cycles.value *= 1 - 1e-6;
  const std::string text = ToText(Compare(documents, {}), {.all = true});
  EXPECT_THAT(text, AllOf(HasSubstr(" 0.0 %"), Not(HasSubstr("-0.0 %")), Not(HasSubstr("+0.0 %"))));
}

TEST(CompareText, FitsInto80Columns) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[0].source = "before.json";
  documents[0].config.started = "2026-11-16T11:58:11Z";
  documents[1].host.microarchitecture = "Granite Rapids (Redwood Cove), and a name that is long";
  documents[1].warnings.push_back({.message =
                                       "another thread uses this core (an add takes 0.32 cycles "
                                       "instead of 0.20), and 3.1 s of waiting did not help"});
  documents[1].instructions[0].latency[0].cycles = SimulatedEstimate(2.3, 0.001);
  for (Document& document : documents) {
    InstructionRow& row = document.instructions[0];
    row.text = "vgatherqps xmm1 {k2}, xmmword ptr [rbx + 8*ymm3 + 1024]";
    for (Latency& latency : row.latency) latency.cycles.contended = true;
  }
  const std::string text = ToText(Compare(documents, {}), {.all = true});
  EXPECT_THAT(text, HasSubstr("2026-11-16 11:58  "));
  EXPECT_THAT(text, HasSubstr("\nnote: "));
  EXPECT_THAT(text, HasSubstr("? (1)\n"));
  EXPECT_THAT(text, HasSubstr("\n? (1) cannot tell: A was measured on a shared core"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 80) << line;
}

TEST(CompareText, ManyValuesOfOneResultAreCountedAndNotListed) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[0].instructions.clear();
  for (int i = 0; i < 60; ++i) {
    InstructionRow row = documents[1].instructions[0];
    row.text = "form " + std::to_string(i);
    documents[1].instructions.push_back(row);
  }
  const Comparison comparison = Compare(documents, {});
  const std::string text = ToText(comparison, {});
  EXPECT_THAT(text, ::testing::ContainsRegex("[0-9]+ only in B"));
  EXPECT_THAT(text, Not(HasSubstr("form 7")));
  EXPECT_THAT(ToText(comparison, {.all = true}), HasSubstr("form 7"));
}

TEST(CompareText, ABoundStaysABound) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  Latency& latency = documents[1].instructions[0].latency[0];
  latency.kind = LatencyKind::kUpperBound;
  latency.cycles = SimulatedEstimate(3, 0.25);
  EXPECT_THAT(ToText(Compare(documents, {}), {.all = true}), HasSubstr("≤ 3.250"));
}

TEST(CompareText, AllShowsTheRestToo) {
  EXPECT_THAT(ToText(SimulatedComparison(), {.all = true}), HasSubstr("CPU 0"));
}

TEST(CompareText, SaysHowManyRowsAreLeftOff) {
  EXPECT_THAT(ToText(SimulatedComparison(), {.most_rows = 1, .all = true}),
              HasSubstr("  and 4 more\n"));
}

TEST(CompareText, HostileTextDoesNotReachTheTerminal) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[0].host.name = "\x1b[2J";
  documents[0].host.cpu_model = "\x1b]0;x\x07";
  documents[1].instructions[0].text = "add\x1b[31m";
  EXPECT_THAT(ToText(Compare(documents, {}), {.all = true}), Not(HasSubstr("\x1b")));
}

TEST(CompareText, NothingToCompare) {
  const std::vector<Document> documents = {testing::BareDocument(), testing::BareDocument()};
  EXPECT_THAT(ToText(Compare(documents, {}), {}), HasSubstr("Nothing to compare"));
}

TEST(CompareJson, HoldsEveryValue) {
  const Json json = Json::parse(ToJson(SimulatedComparison()));
  EXPECT_EQ(json["regression"], true);
  EXPECT_EQ(json["documents"][1]["source"], "after.json");
  const Json& latency = json["kinds"][2];
  EXPECT_EQ(latency["kind"], "latency");
  EXPECT_EQ(latency["counts"][0]["changed"], 1);
  EXPECT_EQ(latency["values"].size(), 2U);
  EXPECT_EQ(latency["values"][0]["changes"][0]["verdict"], "changed");
  EXPECT_EQ(latency["values"][0]["changes"][0]["relative"], 0.5);
  EXPECT_EQ(latency["values"][0]["estimates"][1]["value"], 3.0);
}

TEST(CompareCsv, OneLineForEachValueAndOther) {
  const Comparison comparison = SimulatedComparison();
  const std::string csv = ToCsv(comparison);
  std::size_t values = 0;
  for (const ComparedKind& kind : comparison.kinds) values += kind.values.size();
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<std::ptrdiff_t>(values + 1));
  EXPECT_THAT(csv, HasSubstr("latency,cycles,\"madd x0, x1, x2, x3: x1 to x0\",B,changed,2,1.999,"
                             "2.001,3,2.999,3.001,1,"));
  EXPECT_THAT(csv,
              HasSubstr("frequency,GHz,CPU 1,B,only in first,2.5,2.1875,2.8125,,,,,,,,no,no,\n"));
}

}  // namespace
}  // namespace cyclescope
