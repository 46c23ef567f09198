#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/memory_words.h"
#include "document/testing/simulated_surveys.h"
#include "report/part_texts.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MemoryText, ShowsAChartTheLevelsAndWhatContradicts) {
  const std::string text =
      MemoryText(cyclescope::testing::SurveyDocument(), {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("Memory from CPU 15, lines of 64 bytes\n"));
  EXPECT_THAT(text, HasSubstr("o huge pages\n"));
  EXPECT_THAT(text, HasSubstr("* small pages\n"));
  EXPECT_THAT(text, HasSubstr("L2"));
  EXPECT_THAT(text, HasSubstr("1.17 MB"));
  EXPECT_THAT(text, HasSubstr("the system says L2 2 MB, and this curve shows 1.17 MB of"));
  EXPECT_THAT(text, HasSubstr("48 pages"));
  EXPECT_THAT(text, HasSubstr("memory: at least 7.7 loads at once, of 8 chains"));
  EXPECT_THAT(text, HasSubstr("memory of node 0 from CPU 15: 127 ns"));
  EXPECT_THAT(text, Not(HasSubstr("visits")));
}

TEST(MemoryText, FitsTheTerminal) {
  const std::string text =
      MemoryText(cyclescope::testing::SurveyDocument(), {.color = false, .width = 80});
  EXPECT_GT(std::ranges::count(text, '\n'), 5);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(DisplayWidth(text.substr(begin, end - begin)), 80u)
        << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(MemoryText, FullListsEveryFootprint) {
  const std::string text = MemoryText(cyclescope::testing::SurveyDocument(),
                                      {.color = false, .width = 80}, TextSize::kFull);
  EXPECT_THAT(text, HasSubstr("random order, huge pages\n"));
  EXPECT_THAT(text, HasSubstr("visits"));
}

TEST(MemoryText, IsEmptyWhereNothingWasMeasured) {
  EXPECT_EQ(MemoryText(Document(), {}), "");
  Document interrupted;
  interrupted.memory.emplace_back();
  EXPECT_THAT(MemoryText(interrupted, {}), HasSubstr("Memory from CPU 0"));
}

// What is not clear is explained where it stands: the page draws more curves than a terminal.
TEST(MemoryText, ExplainsAMarkOnlyWhereThereIsOne) {
  Document document;
  MemoryRow& row = document.memory.emplace_back();
  MemoryCurve& curve = row.curves.emplace_back();
  curve.contended_share = 0.1;
  for (const std::int64_t bytes : {4096, 8192})
    curve.points.push_back({.bytes = bytes, .cycles = {4, 4, 4}, .nanoseconds = {1, 1, 1}});
  EXPECT_THAT(MemoryText(document, {}), Not(HasSubstr("not clear")));
  curve.points[1].contended = true;
  EXPECT_THAT(MemoryText(document, {}), AllOf(HasSubstr("~ not clear"), HasSubstr("~\n")));
  curve.order = ChaseOrder::kPageByPage;
  EXPECT_THAT(MemoryText(document, {}), Not(HasSubstr("not clear")));
}

TEST(MemoryText, ShowsWhatAccessesTakeByWhereTheyLie) {
  Document document;
  MemoryRow& row = document.memory.emplace_back();
  const auto add = [&row](AccessKind kind, int store, int load, int distance, double cycles) {
    row.accesses.push_back({.kind = kind,
                            .text = "code",
                            .store_bytes = store,
                            .load_bytes = load,
                            .distance = distance,
                            .cycles = Estimate{.value = cycles, .low = cycles, .high = cycles}});
  };
  add(AccessKind::kForwarding, 8, 8, 0, 5);
  add(AccessKind::kForwarding, 8, 8, 4, 19);
  add(AccessKind::kLineSplit, 0, 8, 0, 0.5);
  add(AccessKind::kLineSplit, 0, 8, 4, 1);
  add(AccessKind::kPageSplit, 0, 8, 0, 0.5);
  add(AccessKind::kPageSplit, 0, 8, 4, 33);
  const std::string text = MemoryText(document, {.color = false, .width = 80});
  EXPECT_THAT(text,
              HasSubstr("     8       8         0    5.00\n     8       8         4    19.0\n"));
  EXPECT_THAT(text, HasSubstr("load, 8 bytes   0.50        1.00        33.0\n"));
}

// Eight chains have eight loads under way at most, and a rate above a thousand has no exponent.
TEST(MemoryText, NoFigureIsMoreThanItCanBe) {
  Document document;
  MemoryRow& row = document.memory.emplace_back();
  row.parallelism = {
      {.level = "L1",
       .points = {{.chains = 8, .nanoseconds = {0.214, 0.213, 0.215}, .in_flight = 8.05},
                  {.chains = 16, .nanoseconds = {0.387, 0.38, 0.39}, .in_flight = 4.46}}}};
  row.bandwidth = {{.level = "L1", .cpus = 16, .gigabytes = {4701.3, 4690, 4710}}};
  const std::string text = MemoryText(document, {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("L1: at least 8 loads at once, of 8 chains, one every 0.214 ns\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("4701"), Not(HasSubstr("e+03"))));
}

TEST(MemoryText, SaysWhatThereWasNoTimeFor) {
  Document document;
  document.memory.push_back({.left_out = {"bandwidth", "nodes"}});
  EXPECT_THAT(MemoryText(document, {.color = false, .width = 80}),
              AllOf(HasSubstr("too little time for bandwidth, nodes"), HasSubstr("--budget 60")));
  // Of what was interrupted, time is not the cause.
  document.memory[0].partial = true;
  EXPECT_THAT(
      MemoryText(document, {.color = false, .width = 80}),
      AllOf(HasSubstr("ended early, without bandwidth, nodes"), ::testing::Not(HasSubstr("time"))));
}

TEST(MemoryText, WhatIsNotClearIsMarked) {
  Document document;
  MemoryRow& row = document.memory.emplace_back();
  row.levels = {{.name = "L1",
                 .cycles = {5, 4.9, 5.1},
                 .nanoseconds = {2, 1.9, 2.1},
                 .capacity = MemoryValue{32 << 10, 32 << 10, 60 << 10},
                 .contended = true,
                 .capacity_at_least = true},
                {.name = "memory", .cycles = {300, 290, 310}, .nanoseconds = {120, 110, 130}}};
  MemoryCurve& curve = row.curves.emplace_back();
  curve.contended_share = 0.62;
  for (int i = 0; i < 8; ++i) {
    curve.points.push_back({.bytes = 1024 << i,
                            .cycles = {5, 4.9, 5.1},
                            .nanoseconds = {2, 1.9, 2.1},
                            .visits = 4,
                            .contended = i % 2 == 0});
  }
  const std::string text = MemoryText(document, {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("L1          5~  4.9 – 5.1   2~  ≥ 32 KB"));
  EXPECT_THAT(text, HasSubstr("memory     300  290 – 310  120"));
  EXPECT_THAT(text, HasSubstr("the core was shared in up to 62 % of the visits"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\\|~ +\\* +~ +\\*"));

  curve.contended_share = 0;  // and yet some points are contended
  EXPECT_THAT(MemoryText(document, {.color = false, .width = 80}),
              HasSubstr("the self-check failed, and so it is not known when the core was"));

  row.levels[0].contended = row.levels[0].capacity_at_least = false;
  for (MemoryPoint& point : curve.points) point.contended = false;
  EXPECT_THAT(MemoryText(document, {.color = false, .width = 80}), Not(HasSubstr("~")));
}

TEST(MemoryText, ALevelThatOnlySingleLoadsShowIsNamed) {
  Document document;
  MemoryRow& row = document.memory.emplace_back();
  row.levels = {{.name = "L1", .cycles = {4, 4, 4}, .nanoseconds = {2, 2, 2}},
                {.name = "L2", .cycles = {80, 78, 82}, .nanoseconds = {30, 29, 31}}};
  EXPECT_THAT(MemoryText(document, {.color = false, .width = 80}), Not(HasSubstr("single loads")));
  row.levels[1].by_single_loads = true;
  EXPECT_THAT(MemoryText(document, {.color = false, .width = 80}),
              HasSubstr("L2: the curve has no step for it, but the times of single loads"));
}

TEST(MemoryText, WordsEveryKindOfFinding) {
  MemoryFinding finding = {.kind = MemoryFindingKind::kLargerCache,
                           .level = "L2",
                           .found_bytes = 4 << 20,
                           .claimed_bytes = 1 << 20,
                           .text = ""};
  EXPECT_EQ(FindingText(finding), "the system says L2 1 MB, but it ends only at 4 MB");
  finding.kind = MemoryFindingKind::kNoSuchCache;
  EXPECT_EQ(
      FindingText(finding),
      "the system says L2 1 MB, but no footprint shows such a cache: others may use all of it");
  finding.kind = MemoryFindingKind::kUnknownCache;
  EXPECT_EQ(
      FindingText(finding),
      "the curve has a step at 4 MB that no cache of the system explains: another user of the "
      "last cache, or a cache that the system does not list");
  finding.kind = MemoryFindingKind::kSmallerCache;
  EXPECT_THAT(FindingText(finding),
              HasSubstr("the system says L2 1 MB, and this curve shows 4 MB of it"));
  finding = {.kind = MemoryFindingKind::kEarlyMemory,
             .level = "L3",
             .found_bytes = 12 << 20,
             .claimed_bytes = 480 << 20,
             .memory_ns = 165};
  EXPECT_EQ(FindingText(finding),
            "the system says L3 480 MB, but from 12 MB on a load takes as long as from memory (165 "
            "ns)");
}

}  // namespace
}  // namespace cyclescope
