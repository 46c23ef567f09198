#include "document/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using namespace std::string_literals;
using Json = nlohmann::json;
using testing::BareDocument;
using ::testing::Each;
using testing::FullDocument;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Json Written(const Document& document) { return Json::parse(ToJson(document)); }

TEST(JsonWriter, CommonPartIsAlwaysThere) {
  const Json json = Written(BareDocument());
  EXPECT_EQ(json["schema"], "cyclescope/1");
  for (const char* key : {"tool", "host", "clock", "config"}) EXPECT_TRUE(json[key].is_object());
  EXPECT_EQ(json["warnings"], Json::array());
}

TEST(JsonWriter, EmptySectionsAreLeftOut) {
  const Json json = Written(BareDocument());
  for (const char* key : {"doctor", "frequency", "instructions", "blocks", "cores", "partial"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
}

// The shapes that DESIGN promises to scripts.
TEST(JsonWriter, ShapesScriptsRelyOn) {
  const Json json = Written(FullDocument());

  const Json& frequency = json["frequency"][0];
  EXPECT_EQ(frequency["cpu"], 0);
  EXPECT_EQ(frequency["base_ghz"], 1.05);
  EXPECT_EQ(frequency["boost"], 2.47);
  EXPECT_EQ(frequency["core_ghz"], 2.594);
  EXPECT_EQ(frequency["low"], 2.593);
  EXPECT_EQ(frequency["high"], 2.595);
  EXPECT_EQ(frequency["contended"], false);

  const Json& instruction = json["instructions"][0];
  EXPECT_EQ(instruction["text"], "madd x0, x1, x2, x3");
  EXPECT_EQ(instruction["opcode"], "MADDXrrr");
  EXPECT_EQ(instruction["status"], "measured");
  EXPECT_EQ(instruction["throughput"]["cycles"], 1.0);
  EXPECT_EQ(instruction["throughput"]["kept"], 4);
  EXPECT_EQ(instruction["throughput"]["rejected"], 1);
  EXPECT_EQ(instruction["latency"][0]["from"], "x1");
  EXPECT_EQ(instruction["latency"][0]["to"], "x0");
  EXPECT_EQ(instruction["latency"][0]["cycles"], 2.0);
  EXPECT_EQ(instruction["latency"][0]["low"], 1.999);
  EXPECT_EQ(instruction["latency"][0]["kind"], "exact");
  EXPECT_EQ(instruction["latency"][0]["visits"], 1);
  EXPECT_EQ(instruction["latency"][0]["contended"], false);
  EXPECT_EQ(instruction["latency"][1]["connector_cycles"]["value"], 1);
  EXPECT_EQ(instruction["model"]["cpu"], "neoverse-v1");
  EXPECT_EQ(instruction["model"]["latency"], 2);

  const Json& cores = json["cores"][0];
  EXPECT_EQ(cores["test"], "message");
  EXPECT_EQ(cores["instruction"], "casal");
  EXPECT_EQ(cores["cpus"], Json({0, 1, 2}));
  EXPECT_EQ(cores["nanoseconds"][0], Json({nullptr, 45.125, nullptr}));
  EXPECT_EQ(cores["low"][1][0], 45.25);
  EXPECT_EQ(cores["groups"][0]["name"], "group A");
  EXPECT_EQ(cores["findings"][0]["kind"], "shared-core");
}

TEST(JsonWriter, GroupsAndFindingsAreListsEvenWhenEmpty) {
  Document document = BareDocument();
  document.cores.emplace_back();
  const Json json = Written(document);
  EXPECT_EQ(json["cores"][0]["groups"], Json::array());
  EXPECT_EQ(json["cores"][0]["findings"], Json::array());
}

TEST(JsonWriter, NotFiniteBecomesNull) {
  Document document = BareDocument();
  document.clock.tick_hz = std::numeric_limits<double>::infinity();
  document.host.load_1min = std::numeric_limits<double>::quiet_NaN();
  document.cores.resize(1);
  document.cores[0].nanoseconds = PairMatrix(1);
  document.cores[0].nanoseconds.At(0, 0) = -std::numeric_limits<double>::infinity();
  const Json json = Written(document);
  EXPECT_TRUE(json["clock"]["tick_hz"].is_null());
  EXPECT_TRUE(json["host"]["load_1min"].is_null());
  EXPECT_TRUE(json["cores"][0]["nanoseconds"][0][0].is_null());
}

TEST(JsonWriter, MeasuredValuesAreRoundedAndCountsAreNot) {
  Document document = FullDocument();
  document.instructions[0].throughput->cycles.samples = {1.0 / 3, -200.0 / 3, 1e-320, 1e300 / 3};
  document.instructions[0].classic[0].ticks = 12345678901;
  const Json json = Written(document);
  const Json& samples = json["instructions"][0]["throughput"]["samples"];
  EXPECT_EQ(samples[0], 0.333333);
  EXPECT_EQ(samples[1], -66.6667);
  EXPECT_EQ(samples[2], 1e-320);
  EXPECT_DOUBLE_EQ(samples[3].get<double>(), 3.33333e299);
  EXPECT_EQ(json["instructions"][0]["classic"][0]["ticks"], 12345678901);
}

TEST(JsonWriter, TextThatIsNotUtf8IsWrittenWithReplacements) {
  Document document = BareDocument();
  document.host.name = "caf\xe9\xff";
  EXPECT_EQ(Written(document)["host"]["name"], "caf\uFFFD\uFFFD");
}

TEST(JsonWriter, TextCannotBreakOutOfItsQuotes) {
  Document document = BareDocument();
  document.host.name = "a\"b\\c\nd\0e</script>"s;
  EXPECT_EQ(Written(document)["host"]["name"], document.host.name);
}

TEST(JsonWriter, OneRowIsOneLine) {
  EXPECT_THAT(ToJson(FullDocument()), HasSubstr("\n  {\"text\":\"wfi\",\"opcode\":\"HINT\","));
}

TEST(JsonWriter, ALongDocumentComesInPieces) {
  constexpr std::size_t kRows = 1000;
  constexpr std::size_t kMostBytes = std::size_t{3} << 19;
  Document document = BareDocument();
  for (std::size_t i = 0; i < kRows; ++i)
    document.instructions.emplace_back().text = std::to_string(i) + std::string(4000, '#');
  std::vector<std::string> pieces;
  WriteJson(document, [&pieces](std::string_view piece) { pieces.emplace_back(piece); });
  EXPECT_GT(pieces.size(), 3U);
  std::string all;
  for (const std::string& piece : pieces) {
    EXPECT_LT(piece.size(), kMostBytes);
    all += piece;
  }
  const Json json = Json::parse(all);
  ASSERT_THAT(json["instructions"], SizeIs(kRows));
  for (std::size_t i = 0; i < kRows; ++i)
    EXPECT_EQ(json["instructions"][i]["text"], document.instructions[i].text);
}

TEST(JsonWriterBulk, LargeMatrix) {
  constexpr std::size_t kCpus = 768;
  Document document = BareDocument();
  CoreMatrix& cores = document.cores.emplace_back();
  cores.nanoseconds = PairMatrix(kCpus);
  cores.nanoseconds.At(767, 766) = 123.45678;
  const Json json = Written(document);
  const Json& rows = json["cores"][0]["nanoseconds"];
  EXPECT_THAT(rows, SizeIs(kCpus));
  EXPECT_THAT(rows, Each(SizeIs(kCpus)));
  EXPECT_EQ(rows[767][766], 123.46);
}

}  // namespace
}  // namespace cyclescope
