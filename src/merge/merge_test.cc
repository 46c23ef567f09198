#include "merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/claims.h"
#include "document/json_reader.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope::merge {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Estimate Cycles(double value, double half_width = 0.02) {
  Estimate estimate;
  estimate.value = value;
  estimate.low = value - half_width;
  estimate.high = value + half_width;
  estimate.visits = 8;
  estimate.kept = 80;
  return estimate;
}

Estimate Contended(Estimate estimate) {
  estimate.contended = true;
  return estimate;
}

InstructionRow Add(const Estimate& latency, const Estimate& throughput) {
  InstructionRow row;
  row.text = "add rax, rbx";
  row.opcode = "ADD64rr";
  row.origin = "sweep";
  row.throughput = Throughput{.cycles = throughput};
  row.latency = {{.from = "rax", .to = "rax", .cycles = latency}};
  return row;
}

Document Run(std::string file, std::string started) {
  Document document;
  document.source = "/some/folder/" + file;
  document.tool = {.version = "0.3.0", .commit = "0123456789ab"};
  document.host = {.name = "one",
                   .architecture = "x86_64",
                   .cpu_model = "Some Xeon",
                   .microarchitecture = "Emerald Rapids (Raptor Cove)",
                   .cpu_vendor = "Intel"};
  document.config.command = "sweep";
  document.config.started = std::move(started);
  return document;
}

std::array<Document, 2> TwoRuns() {
  return {Run("a.json", "2026-11-18T10:00:00Z"), Run("b.json", "2026-11-18T12:00:00Z")};
}

TEST(MergeRuns, ValuesAreCombinedByTheirIntervals) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Cycles(1.0, 0.01), Cycles(0.2, 0.001))};
  runs[1].instructions = {Add(Cycles(1.02, 0.08), Cycles(0.2, 0.001))};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  ASSERT_THAT(whole->instructions, SizeIs(1));
  EXPECT_THAT(whole->instructions[0].latency[0].cycles.value, DoubleNear(1.0, 0.003));
  EXPECT_EQ(whole->instructions[0].latency[0].cycles.visits, 16);
  EXPECT_EQ(whole->merged->combined, 2);
  EXPECT_EQ(whole->merged->replaced, 0);
  EXPECT_EQ(whole->config.command, "merge");
  EXPECT_EQ(whole->config.started, "2026-11-18T10:00:00Z");
  ASSERT_THAT(whole->merged->runs, SizeIs(2));
  EXPECT_EQ(whole->merged->runs[1].file, "b.json");
}

TEST(MergeRuns, AQuietValueReplacesAContendedOne) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Contended(Cycles(1.4)), Contended(Cycles(0.33)))};
  runs[1].instructions = {Add(Cycles(1.0), Cycles(0.2))};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  const InstructionRow& row = whole->instructions[0];
  EXPECT_EQ(row.latency[0].cycles.value, 1.0);
  EXPECT_FALSE(row.latency[0].cycles.contended);
  EXPECT_EQ(row.throughput->cycles.value, 0.2);
  EXPECT_EQ(whole->merged->replaced, 2);
}

TEST(MergeRuns, AnExactLatencyReplacesABound) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Cycles(2.0), Cycles(0.2))};
  runs[0].instructions[0].latency[0].kind = LatencyKind::kUpperBound;
  runs[1].instructions = {Add(Cycles(1.0), Cycles(0.2))};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->instructions[0].latency[0].cycles.value, 1.0);
  EXPECT_EQ(whole->instructions[0].latency[0].kind, LatencyKind::kExact);
}

TEST(MergeRuns, OfTwoBoundsTheTighterStays) {
  auto runs = TwoRuns();
  for (const std::size_t run : {0, 1}) {
    runs[run].instructions = {Add(Cycles(run == 0 ? 2.0 : 3.0), Cycles(0.2))};
    runs[run].instructions[0].latency[0].kind = LatencyKind::kUpperBound;
  }
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->instructions[0].latency[0].cycles.value, 2.0);
}

TEST(MergeRuns, PairsOfAllRunsAreKept) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Cycles(1.0), Cycles(0.2))};
  runs[1].instructions = {Add(Cycles(1.0), Cycles(0.2))};
  runs[1].instructions[0].latency[0].from = "rbx";
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->instructions[0].latency, SizeIs(2));
}

TEST(MergeRuns, RunsThatLieApartDisagree) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Cycles(1.0), Cycles(0.2, 0.001))};
  runs[1].instructions = {Add(Cycles(2.0), Cycles(0.2, 0.001))};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->merged->disagreed, 1);
  ASSERT_THAT(whole->merged->claims, SizeIs(1));
  EXPECT_EQ(Sentence(whole->merged->claims[0]),
            "add rax, rbx: rax to rax (latency): 1 cycles in a.json, 2 in b.json");
  EXPECT_THAT(whole->instructions[0].latency[0].cycles.states, SizeIs(2));
}

TEST(MergeRuns, RunsThatMayBeEqualDoNotDisagree) {
  auto runs = TwoRuns();
  runs[0].instructions = {Add(Cycles(1.0, 0.06), Cycles(0.2, 0.001))};
  runs[1].instructions = {Add(Cycles(1.1, 0.05), Contended(Cycles(0.4, 0.001)))};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->merged->disagreed, 0);
  EXPECT_THAT(whole->merged->claims, IsEmpty());
}

TEST(MergeRuns, PortsComeFromTheRunWhoseMapIsTaken) {
  auto runs = TwoRuns();
  for (const std::size_t run : {0, 1}) {
    runs[run].instructions = {Add(Cycles(1.0), Cycles(0.2))};
    runs[run].instructions[0].ports = {{.uops = 1, .ports = {run == 0 ? "A" : "p0"}}};
    runs[run].port_map = PortMap{.dispatch = 6, .ports = {run == 0 ? "A" : "p0"}};
  }
  runs[0].port_map->other_maps = 3;
  InstructionRow other = Add(Cycles(1.0), Cycles(0.2));
  other.text = "sub rax, rbx";
  other.ports = {{.uops = 1, .ports = {"A"}}};
  runs[0].instructions.push_back(other);
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->port_map->ports, std::vector<std::string>{"p0"});
  EXPECT_EQ(whole->instructions[0].ports[0].ports, std::vector<std::string>{"p0"});
  EXPECT_THAT(whole->instructions[1].ports, IsEmpty());
  EXPECT_THAT(whole->merged->parts, Contains(MergedPart{"port_map", 2}));
}

TEST(MergeRuns, AWindowSeenWholeAndSharedReplacesOneThatMayBeSplit) {
  auto runs = TwoRuns();
  AnatomyRow row{.name = "reorder buffer", .filler = "nop", .unit = "entries"};
  row.value = AnatomyValue{240, 239, 241};
  runs[0].anatomy = Anatomy{.rows = {row}};
  row.value = AnatomyValue{512, 506, 518};
  row.shared = AnatomyValue{240, 236, 244};
  runs[1].anatomy = Anatomy{.rows = {row}};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->anatomy->rows[0].value->value, 512);
  EXPECT_THAT(whole->merged->parts, Contains(MergedPart{"anatomy: 1 row", 2}));
}

// Levels are counted within a run, and a run may have seen others than the next.
TEST(MergeRuns, LevelsOfBranchTargetsComeFromOneRun) {
  const auto level = [](std::string filler, double size, bool contended) {
    return AnatomyRow{.part = AnatomyPart::kFrontEnd,
                      .name = "branch targets",
                      .filler = std::move(filler),
                      .unit = "entries",
                      .value = AnatomyValue{size, size, size},
                      .contended = contended};
  };
  auto runs = TwoRuns();
  runs[0].anatomy =
      Anatomy{.rows = {level("8 bytes apart, step 1", 128, false), level("step 2", 6144, false)}};
  runs[1].anatomy =
      Anatomy{.rows = {level("8 bytes apart, step 1", 120, true),
                       level("16 bytes apart, step 2", 4000, true), level("step 3", 6200, true)}};
  for (int i = 0; i < 2; ++i) {
    const auto whole = MergeRuns(runs);
    ASSERT_TRUE(whole);
    ASSERT_EQ(whole->anatomy->rows.size(), 2);
    EXPECT_EQ(whole->anatomy->rows[0].value->value, 128);
    EXPECT_EQ(whole->anatomy->rows[1].value->value, 6144);
    std::swap(runs[0], runs[1]);
  }
}

TEST(MergeRuns, AWidthIsTheFastestOfAllPatternsOnAQuietCore) {
  const auto width = [](std::string pattern, double speed, bool contended) {
    return AnatomyWidth{.name = "dispatch",
                        .pattern = std::move(pattern),
                        .per_cycle = {speed, speed, speed},
                        .contended = contended};
  };
  auto runs = TwoRuns();
  runs[0].anatomy = Anatomy{.widths = {width("lea, load", 3.01, false)}};
  runs[1].anatomy = Anatomy{.widths = {width("mov, load", 5.96, false)}};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->anatomy->widths.size(), 1);
  EXPECT_EQ(whole->anatomy->widths[0].per_cycle.value, 5.96);
  runs[1].anatomy->widths[0].contended = true;
  EXPECT_EQ(MergeRuns(runs)->anatomy->widths[0].per_cycle.value, 3.01);
}

TEST(MergeRuns, MemoryTakesCurvesAndAccessesFromTheRunsThatHaveThem) {
  auto runs = TwoRuns();
  MemoryRow row;
  row.cpu = 1;
  MemoryCurve curve;
  curve.points = {{.bytes = 4096}, {.bytes = 8192}};
  row.curves = {curve};
  row.levels = {{.name = "L1"}};
  row.left_out = {"accesses"};
  runs[0].memory = {row};
  MemoryRow accesses;
  accesses.cpu = 1;
  accesses.accesses = {{.text = "mov", .cycles = Cycles(5)}};
  runs[1].memory = {accesses};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  ASSERT_THAT(whole->memory, SizeIs(1));
  EXPECT_THAT(whole->memory[0].levels, SizeIs(1));
  EXPECT_THAT(whole->memory[0].accesses, SizeIs(1));
  EXPECT_THAT(whole->memory[0].left_out, IsEmpty());
  EXPECT_THAT(whole->merged->parts, Contains(MergedPart{"memory of CPU 1: curves", 1}));
  EXPECT_THAT(whole->merged->parts, Contains(MergedPart{"memory of CPU 1: accesses", 2}));
}

TEST(MergeRuns, ASnippetIsThatOfTheQuietRun) {
  auto runs = TwoRuns();
  BlockRow row;
  row.text = "imul rax, rcx";
  row.cycles = Contended(Cycles(4.0, 0.001));
  runs[0].blocks = {row};
  row.cycles = Cycles(3.0);
  runs[1].blocks = {row};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  ASSERT_THAT(whole->blocks, SizeIs(1));
  EXPECT_EQ(whole->blocks[0].cycles->value, 3.0);
}

TEST(MergeRuns, APartThatIsWholeInOneRunIsWhole) {
  auto runs = TwoRuns();
  for (Document& run : runs) run.instructions = {Add(Cycles(1.0), Cycles(0.2))};
  runs[0].partial = true;
  EXPECT_FALSE(MergeRuns(runs)->partial);
  runs[1].partial = true;
  EXPECT_TRUE(MergeRuns(runs)->partial);
}

TEST(MergeRuns, WarningsAboutWhatAnotherRunHasAreDropped) {
  auto runs = TwoRuns();
  runs[0].warnings = {{"no-port-map", "no map", ""}, {"steal", "time was withheld", ""}};
  runs[1].warnings = {{"steal", "time was withheld", ""}};
  runs[1].port_map = PortMap{.dispatch = 6};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  ASSERT_THAT(whole->warnings, SizeIs(1));
  EXPECT_EQ(whole->warnings[0].code, "steal");
}

TEST(MergeRuns, ResultsOfDifferentCpusAreRefused) {
  auto runs = TwoRuns();
  runs[1].host.microarchitecture = "Granite Rapids (Redwood Cove)";
  const auto whole = MergeRuns(runs);
  ASSERT_FALSE(whole);
  EXPECT_THAT(whole.error().message, HasSubstr("a.json of Intel Emerald Rapids (Raptor Cove)"));
  EXPECT_THAT(whole.error().message, HasSubstr("b.json of Intel Granite Rapids (Redwood Cove)"));
}

TEST(MergeRuns, OtherConfidencesAndFailedRunsAreRefused) {
  auto runs = TwoRuns();
  runs[1].config.confidence = 0.99;
  EXPECT_FALSE(MergeRuns(runs));
  runs = TwoRuns();
  runs[1].failure = "it ran out of memory";
  EXPECT_THAT(MergeRuns(runs).error().message, HasSubstr("it ran out of memory"));
}

// A GPU is measured without any cycles of a CPU.
TEST(MergeRuns, TheClockIsOfARunThatHasOne) {
  auto runs = TwoRuns();
  runs[0].clock.tick_hz = 2e9;
  runs[0].clock.cycle_source = "reference";
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->clock.tick_hz, 2e9);
  EXPECT_THAT(whole->merged->parts, Contains(MergedPart{"clock", 1}));
  runs[0].clock.self_check = SelfCheck{.trusted = false};
  EXPECT_EQ(MergeRuns(runs)->clock.tick_hz, 2e9);
  runs[1].clock = {.tick_hz = 3e9, .cycle_source = "counter"};
  EXPECT_EQ(MergeRuns(runs)->clock.tick_hz, 3e9);
}

// Each number in turn is one that no run would write. What is read is merged, and what is merged is
// read.
TEST(MergeRunsBulk, WhateverIsReadIsMerged) {
  using Json = nlohmann::json;
  Document full = testing::FullDocument();
  full.failure.clear();
  const Json sound = Json::parse(ToJson(full));
  const Document other = *ParseDocument(sound.dump(), "b.json");
  const Json numbers = sound.flatten();
  std::set<std::string> seen;
  for (const auto& [pointer, value] : numbers.items()) {
    if (!value.is_number()) continue;
    // One element of each list stands for all.
    std::string kind;
    for (const char c : pointer) kind += std::isdigit(static_cast<unsigned char>(c)) != 0 ? '0' : c;
    if (!seen.insert(kind).second) continue;
    for (const Json& odd : {Json(0), Json(-1), Json(1e300), Json(2147483647)}) {
      Json changed = sound;
      changed[Json::json_pointer(pointer)] = odd;
      const auto read = ParseDocument(changed.dump(), "a.json");
      if (!read) continue;
      const std::array runs = {*read, other};
      const auto whole = MergeRuns(runs);
      if (!whole) continue;
      const auto again = ParseDocument(ToJson(*whole), "whole.json");
      EXPECT_TRUE(again) << pointer << " = " << odd << ": " << again.error().message;
    }
  }
  EXPECT_GT(seen.size(), 200U);
}

// Every part of a document that has all of them is in the merged one.
TEST(MergeRuns, NothingIsLost) {
  Document one = testing::FullDocument();
  one.failure.clear();
  const std::array runs = {one, one};
  const auto whole = MergeRuns(runs);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->instructions.size(), one.instructions.size());
  EXPECT_EQ(whole->blocks.size(), one.blocks.size());
  EXPECT_EQ(whole->cores.size(), one.cores.size());
  EXPECT_EQ(whole->memory.size(), one.memory.size());
  EXPECT_EQ(whole->gpu.size(), one.gpu.size());
  EXPECT_EQ(whole->frequency.size(), one.frequency.size());
  EXPECT_EQ(whole->doctor.size(), one.doctor.size());
  EXPECT_EQ(whole->sweep.has_value(), one.sweep.has_value());
  EXPECT_EQ(whole->port_map.has_value(), one.port_map.has_value());
  EXPECT_EQ(whole->anatomy->rows.size(), one.anatomy->rows.size());
  EXPECT_EQ(whole->contention.size(), one.contention.size());
  EXPECT_EQ(whole->merged->disagreed, 0);
  const auto read = ParseDocument(ToJson(*whole), "whole.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->merged->parts, whole->merged->parts);
}

}  // namespace
}  // namespace cyclescope::merge
