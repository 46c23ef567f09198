#include "document/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "document/json_writer.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using Json = nlohmann::json;
using testing::BareDocument;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;
using testing::FullDocument;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::filesystem::path kDocuments01 =
    std::filesystem::path(CYCLESCOPE_TEST_DATA) / "documents-0.1";

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string ReadError(std::string_view text) {
  const Result<Document> document = ParseDocument(text, "a.json");
  return document ? "no error" : document.error().ToString();
}

// The error about the full document after one change.
template <typename Change>
std::string ErrorAfter(Change change) {
  Json json = Json::parse(ToJson(FullDocument()));
  change(json);
  return ReadError(json.dump());
}

TEST(JsonReader, ReadsBackEveryField) {
  const std::string text = ToJson(FullDocument());
  const Result<Document> document = ParseDocument(text, "a.json");
  ASSERT_TRUE(document) << document.error().ToString();
  // The model has no equality, and would not need it elsewhere: but what was written of a document
  // is all that a document holds (see JsonWriter's tests), so that equal text means equal
  // documents.
  EXPECT_EQ(ToJson(*document), text);
}

TEST(JsonReader, ReadsBackABareDocument) {
  const std::string text = ToJson(BareDocument());
  const Result<Document> document = ParseDocument(text, "a.json");
  ASSERT_TRUE(document) << document.error().ToString();
  EXPECT_EQ(ToJson(*document), text);
}

TEST(JsonReader, FillsTheModel) {
  const Result<Document> document = ParseDocument(ToJson(FullDocument()), "a.json");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->source, "a.json");
  EXPECT_EQ(document->host.topology.at(0).numa, 6);
  EXPECT_EQ(document->host.topology.at(1).core, std::nullopt);
  EXPECT_EQ(document->host.turbo, true);
  EXPECT_EQ(document->instructions.at(0).latency.at(1).kind, LatencyKind::kUpperBound);
  EXPECT_EQ(document->instructions.at(0).latency.at(1).cycles.end, SamplingEnd::kBudget);
  EXPECT_EQ(document->instructions.at(1).throughput, std::nullopt);
  EXPECT_EQ(document->blocks.at(0).cycles->value, 3);
  EXPECT_EQ(document->cores.at(0).nanoseconds.At(2, 1), 47.625);
  EXPECT_FALSE(document->cores.at(0).nanoseconds.Has(0, 2));
  EXPECT_EQ(document->cores.at(0).seed, 18446744073709551615U);
}

// Every value of `part` is in `whole`, in the same place. Numbers are equal to the digits that are
// written: six, but for spreads, of which there are three.
void ExpectContains(const Json& whole, const Json& part, const std::string& path) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      ASSERT_TRUE(whole.contains(key)) << path << "." << key;
      ExpectContains(whole[key], value, path + "." + key);
    }
  } else if (part.is_array()) {
    ASSERT_EQ(whole.size(), part.size()) << path;
    for (std::size_t i = 0; i < part.size(); ++i) ExpectContains(whole[i], part[i], path + "[]");
  } else if (part.is_number()) {
    const double tolerance = path.contains(".spread_") ? 5e-3 : 1e-5;
    EXPECT_NEAR(whole.get<double>(), part.get<double>(), tolerance * std::abs(part.get<double>()))
        << path;
  } else {
    EXPECT_EQ(whole, part) << path;
  }
}

// Documents that version 0.1 wrote: nothing of them is lost.
TEST(JsonReader, ReadsDocumentsOfVersion01) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(kDocuments01)) {
    if (file.path().extension() != ".json") continue;
    SCOPED_TRACE(file.path().filename());
    const std::string text = TextOf(file.path());
    const Result<Document> document = ParseDocument(text, "a.json");
    ASSERT_TRUE(document) << document.error().ToString();
    Json old = Json::parse(text);
    // What was 0 where the system does not say is absent now.
    if (!document->host.cpus_online) old["host"].erase("cpus_online");
    ExpectContains(Json::parse(ToJson(*document)), old, "document");
    ++count;
  }
  EXPECT_GE(count, 12);
}

TEST(JsonReader, WhatVersion01DidNotSayIsAbsent) {
  const Result<Document> bare = ParseDocument(TextOf(kDocuments01 / "bare.json"), "a.json");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->host.cpus_online, std::nullopt);
  EXPECT_FALSE(bare->clock.self_check);
  const Result<Document> cores = ParseDocument(TextOf(kDocuments01 / "cores.json"), "a.json");
  ASSERT_TRUE(cores);
  EXPECT_TRUE(cores->cores.at(0).canary);
  EXPECT_FALSE(cores->cores.at(0).parallel);
  EXPECT_EQ(cores->host.topology.at(0).cluster, std::nullopt);
}

TEST(JsonReader, WhatVersion01DidNotKnowHasItsDefault) {
  const Result<Document> document = ParseDocument(TextOf(kDocuments01 / "full.json"), "a.json");
  ASSERT_TRUE(document);
  const Latency& latency = document->instructions.at(0).latency.at(0);
  EXPECT_EQ(latency.cycles.visits, 1);
  EXPECT_FALSE(latency.cycles.contended);
  EXPECT_FALSE(latency.model);
  EXPECT_FALSE(latency.connector_cycles);
  EXPECT_FALSE(document->instructions.at(0).throughput->upper_bound);
  EXPECT_THAT(document->contention, IsEmpty());
}

TEST(JsonReader, ReadsTheFieldsOfVersion02) {
  const Result<Document> document = ParseDocument(ToJson(FullDocument()), "a.json");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->contention.at(0).share, 0.46);
  EXPECT_TRUE(document->frequency.at(1).core_ghz.contended);
  EXPECT_EQ(document->frequency.at(1).steps.at(1).ghz, 2.6);
  const Latency& latency = document->instructions.at(0).latency.at(1);
  EXPECT_EQ(latency.cycles.visits, 2);
  EXPECT_EQ(latency.connector_cycles->value, 1);
  EXPECT_EQ(latency.connector_cycles->high, 1.125);
  EXPECT_EQ(latency.model, 3);
  EXPECT_EQ(document->instructions.at(0).throughput_by_values.at(1).limit, "decoder");
  EXPECT_EQ(document->instructions.at(0).throughput_by_values.at(1).back_to_back, 6);
}

TEST(JsonReader, PutsRowsWithAHeadingFirst) {
  Document written = BareDocument();
  for (const auto& [text, heading] : {std::pair("a", ""), {"b", "divide"}, {"c", ""}}) {
    InstructionRow& row = written.instructions.emplace_back();
    row.text = text;
    row.heading = heading;
  }
  const Result<Document> document = ParseDocument(ToJson(written), "a.json");
  ASSERT_TRUE(document);
  EXPECT_THAT(document->instructions,
              ElementsAre(Field(&InstructionRow::text, "b"), Field(&InstructionRow::text, "a"),
                          Field(&InstructionRow::text, "c")));
}

TEST(JsonReader, IgnoresUnknownFields) {
  Json json = Json::parse(ToJson(FullDocument()));
  json["new"] = {{"deep", {1, 2}}};
  json["instructions"][0]["latency"][0]["new"] = nullptr;
  EXPECT_EQ(ReadError(json.dump()), "no error");
}

TEST(JsonReader, NamesWhatIsMissing) {
  EXPECT_THAT(ErrorAfter([](Json& json) { json.erase("host"); }), EndsWith(": host is missing"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["instructions"][1].erase("status"); }),
              EndsWith(": instructions[1].status is missing"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["frequency"][0].erase("low"); }),
              EndsWith(": frequency[0].low is missing"));
}

TEST(JsonReader, NamesWhatIsWrong) {
  EXPECT_EQ(ErrorAfter([](Json& json) { json["clock"]["tick_hz"] = "fast"; }),
            "cannot read 'a.json': clock.tick_hz is a text, a number is needed");
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["cpus"][1] = true; }),
              EndsWith("cores[0].cpus[1] is true or false, a whole number is needed"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"] = Json::object(); }),
              EndsWith("cores is an object, a list is needed"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["warnings"][0] = 3; }),
              EndsWith("warnings[0] is a number, an object is needed"));
  EXPECT_THAT(
      ErrorAfter([](Json& json) { json["instructions"][0]["latency"][0]["kind"] = "x\x1b[2J"; }),
      EndsWith("instructions[0].latency[0].kind is \"x\\u001b[2J\", which this version does "
               "not know"));
}

TEST(JsonReader, RefusesCountsThatAreNone) {
  constexpr const char* kNeeded = ", a whole number from 0 to 2147483647 is needed";
  for (const Json& count : {Json(-1), Json(1.5), Json(3'000'000'000), Json(1e30)}) {
    EXPECT_THAT(ErrorAfter([&](Json& json) { json["frequency"][0]["kept"] = count; }),
                EndsWith("frequency[0].kept is " + count.dump() + kNeeded));
  }
}

TEST(JsonReader, RefusesIntervalsUpsideDown) {
  EXPECT_THAT(ErrorAfter([](Json& json) { json["blocks"][0]["low"] = 9; }),
              EndsWith("blocks[0] has low 9 above high 3.375"));
}

TEST(JsonReader, RefusesMatricesThatAreNotSquare) {
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["nanoseconds"][2].erase(0); }),
              EndsWith("cores[0].nanoseconds[2] has 2 values, 3 are needed"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["low"][1] = 7; }),
              EndsWith("cores[0].low[1] is a number, a list is needed"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["cpus"].push_back(9); }),
              EndsWith("cores[0] lists 4 CPUs, but nanoseconds has 3 rows"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["high"] = {{1}}; }),
              EndsWith("cores[0] lists 3 CPUs, but high has 1 rows"));
}

TEST(JsonReader, RefusesImpossiblePairs) {
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["nanoseconds"][1][0] = -1; }),
              EndsWith("cores[0] has nanoseconds[1][0] below zero"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["cpus"][1] = 0; }),
              EndsWith("cores[0] lists a CPU twice"));
  EXPECT_THAT(ErrorAfter([](Json& json) { json["cores"][0]["disturbed"][0] = {1, 2, 3}; }),
              EndsWith("cores[0].disturbed[0] has 3 values, 2 are needed"));
}

TEST(JsonReaderBulk, ManyEmptyRowsDoNotAskForTheirSquare) {
  EXPECT_THAT(ErrorAfter([](Json& json) {
                json["cores"][0]["nanoseconds"] = Json(1'000'000, Json::array());
              }),
              EndsWith("cores[0].nanoseconds[0] has 0 values, 1000000 are needed"));
}

TEST(JsonReader, SaysWhereTheTextIsDamaged) {
  std::string text = ToJson(FullDocument());
  text[text.find("\"clock\"") - 1] = '#';
  EXPECT_EQ(
      ReadError(text),
      "cannot read 'a.json': it is not valid JSON at line 4, column 1; it seems to be damaged");
}

TEST(JsonReader, SaysThatTheTextIsCutOff) {
  const std::string text = ToJson(FullDocument());
  for (const std::size_t length : {std::size_t{1}, text.size() / 3, text.size() - 2}) {
    EXPECT_THAT(ReadError(text.substr(0, length)),
                StartsWith("cannot read 'a.json': it ends too early"))
        << length;
  }
}

TEST(JsonReader, RefusesOtherFiles) {
  EXPECT_THAT(ReadError(""), EndsWith("it is empty"));
  EXPECT_THAT(ReadError(" \n\t"), EndsWith("it is empty"));
  EXPECT_THAT(ReadError("{}"), HasSubstr("not a result document of cyclescope"));
  EXPECT_THAT(ReadError("[1, 2]"), HasSubstr("not a result document of cyclescope"));
  EXPECT_THAT(ReadError(R"({"schema": "other/1"})"), HasSubstr("not a result document"));
  EXPECT_THAT(ReadError("<!doctype html>"), HasSubstr("it is a page to look at in a browser"));
  EXPECT_THAT(ReadError("\x7f"
                        "ELF"),
              HasSubstr("needed is a result document (JSON), or a bare matrix"));
}

TEST(JsonReader, ReadsOtherSchemaVersionsAsFarAsItUnderstandsThem) {
  Json json = Json::parse(ToJson(BareDocument()));
  json["schema"] = "cyclescope/2";
  const Result<Document> document = ParseDocument(json.dump(), "a.json");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->schema, "cyclescope/2");
  EXPECT_EQ(document->warnings.at(0).code, "other-schema");
  EXPECT_THAT(document->warnings.at(0).message,
              HasSubstr("its schema is \"cyclescope/2\", this version knows cyclescope/1"));

  json.erase("clock");
  EXPECT_THAT(ReadError(json.dump()),
              HasSubstr("clock is missing; its schema is \"cyclescope/2\""));
}

TEST(JsonReader, DeepNestingIsOneError) {
  constexpr std::size_t kDeep = 10'000'000;
  EXPECT_THAT(ReadError(std::string(kDeep, '[')), HasSubstr("nested deeper"));
  std::string objects = R"({"schema": "cyclescope/1", "x": )";
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_THAT(ReadError(objects), HasSubstr("nested deeper"));
  // Brackets in a text nest nothing.
  EXPECT_EQ(ErrorAfter([](Json& json) { json["host"]["name"] = "\"" + std::string(99, '['); }),
            "no error");
}

TEST(JsonReader, AConfidenceIsAShare) {
  Json document = Json::parse(ToJson(BareDocument()));
  for (const double confidence : {0.0, 1.0, -0.95, 95.0}) {
    document["config"]["confidence"] = confidence;
    EXPECT_THAT(ReadError(document.dump()), HasSubstr("which is not between 0 and 1"));
  }
  document["config"]["confidence"] = 0.99;
  EXPECT_EQ(ReadError(document.dump()), "no error");
}

TEST(JsonReader, HugeNumberIsOneError) {
  std::string text = ToJson(BareDocument());
  text.insert(1, "\"x\": 1e999,");
  EXPECT_THAT(ReadError(text), HasSubstr("a number too large"));
}

TEST(JsonReaderBulk, LargeMatrixGoesThereAndBack) {
  constexpr std::size_t kCpus = 768;
  Document document = BareDocument();
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  for (std::size_t cpu = 0; cpu < kCpus; ++cpu) cores.cpus.push_back(static_cast<int>(cpu));
  cores.nanoseconds = PairMatrix(kCpus);
  cores.nanoseconds.At(767, 0) = 123.5;
  const Result<Document> read = ParseDocument(ToJson(document), "a.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cores.at(0).nanoseconds.At(767, 0), 123.5);
  EXPECT_FALSE(read->cores.at(0).nanoseconds.Has(0, 767));
}

}  // namespace
}  // namespace cyclescope
