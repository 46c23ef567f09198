#include "document/json_skim.h"

#include <gtest/gtest.h>

#include "document/json_reader.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_surveys.h"

namespace cyclescope {
namespace {

constexpr std::string_view kSections[] = {"gone"};
constexpr std::string_view kLists[] = {"low"};
constexpr std::string_view kTexts[] = {"code"};
constexpr std::string_view kEmptied[] = {"cpus"};

std::string Skimmed(std::string_view text) {
  return Skim(text,
              {.sections = kSections, .lists = kLists, .texts = kTexts, .emptied_lists = kEmptied});
}

TEST(Skim, LeavesOutFieldsWhereverTheyStand) {
  EXPECT_EQ(Skimmed(R"({"low":[1,2],"a":1})"), R"({"a":1})");
  EXPECT_EQ(Skimmed(R"({"a":1, "low" : [1,[2]] , "b":2})"), R"({"a":1,  "b":2})");
  EXPECT_EQ(Skimmed(R"({"a":1,"low":[]})"), R"({"a":1})");
  EXPECT_EQ(Skimmed(R"({"low":[1]})"), R"({})");
  EXPECT_EQ(Skimmed(R"([{"code":"a\"],}","b":[1]}])"), R"([{"b":[1]}])");
}

TEST(Skim, ANameMeansWhatItsValueIs) {
  EXPECT_EQ(Skimmed(R"({"low":1,"cpus":2})"), R"({"low":1,"cpus":2})");
  EXPECT_EQ(Skimmed(R"({"cpus":[1,2],"a":["low","code"]})"), R"({"cpus":[],"a":["low","code"]})");
}

TEST(Skim, SectionsAreThoseOfTheDocument) {
  EXPECT_EQ(Skimmed(R"({"gone":{"a":[1,"}"]},"b":{"gone":1}})"), R"({"b":{"gone":1}})");
}

TEST(Skim, WhatIsCutOffStaysCutOff) {
  for (const char* text : {R"({"low":[1)", R"({"code":"a)", R"({"a)", R"({"low":)", R"({"low")"}) {
    EXPECT_FALSE(ParseJson(Skimmed(text), "cut.json")) << text;
  }
}

TEST(ParseFigures, HasTheValuesOfTheWholeDocument) {
  for (const Document& document : {testing::FullDocument(), testing::SurveyDocument()}) {
    const std::string text = ToJson(document);
    const auto whole = ParseJson(text, "made.json");
    const auto figures = ParseFigures(text, "made.json");
    ASSERT_TRUE(whole && figures) << figures.error().ToString();
    ASSERT_EQ(figures->instructions.size(), whole->instructions.size());
    for (std::size_t i = 0; i < whole->instructions.size(); ++i) {
      const InstructionRow& one = whole->instructions[i];
      const InstructionRow& other = figures->instructions[i];
      EXPECT_EQ(one.text, other.text);
      ASSERT_EQ(one.throughput.has_value(), other.throughput.has_value());
      if (one.throughput) {
        EXPECT_EQ(one.throughput->cycles.low, other.throughput->cycles.low);
      }
      ASSERT_EQ(one.latency.size(), other.latency.size());
    }
    ASSERT_EQ(figures->cores.size(), whole->cores.size());
    for (std::size_t i = 0; i < whole->cores.size(); ++i)
      EXPECT_EQ(figures->cores[i].spectrum.levels, whole->cores[i].spectrum.levels);
    ASSERT_EQ(figures->memory.size(), whole->memory.size());
    for (std::size_t i = 0; i < whole->memory.size(); ++i)
      EXPECT_EQ(figures->memory[i].levels.size(), whole->memory[i].levels.size());
    EXPECT_EQ(figures->host.topology, whole->host.topology);
    EXPECT_EQ(figures->frequency.size(), whole->frequency.size());
    EXPECT_TRUE(figures->doctor.empty());
  }
}

}  // namespace
}  // namespace cyclescope
