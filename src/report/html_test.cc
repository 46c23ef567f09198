#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "document/json_reader.h"
#include "document/packed.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_surveys.h"
#include "report/testing/unpacked.h"

namespace cyclescope {
namespace {

using Json = nlohmann::json;
using testing::BareDocument;
using testing::FullDocument;
using ::testing::HasSubstr;
using ::testing::Not;

// The data that a page holds, as its browser would read it.
Json DataOf(const std::string& page) { return Json::parse(testing::DataInPage(page)); }

TEST(Html, HoldsTheDocument) {
  const std::vector<Document> documents = {FullDocument()};
  const Result<std::string> page = ToHtml(documents);
  ASSERT_TRUE(page);
  const Json data = DataOf(*page);
  ASSERT_EQ(data["results"].size(), 1U);
  EXPECT_EQ(data["results"][0]["label"], "A");
  EXPECT_FALSE(data.contains("comparison"));
  EXPECT_TRUE(ParseJson(data["results"][0]["document"].dump(), "page"));
}

TEST(Html, ComparesSeveralDocuments) {
  std::vector<Document> documents = {FullDocument(), FullDocument()};
  documents[1].source = "after.json";
  documents[1].cores[0].nanoseconds.At(0, 1) = 500;
  documents[1].cores[0].low.At(0, 1) = 499;
  documents[1].cores[0].high.At(0, 1) = 501;
  documents[1].cores[0].disturbed.clear();
  documents[0].cores[0].disturbed.clear();
  for (Document& document : documents) document.host.hypervisor = "none";
  const Json data = DataOf(*ToHtml(documents));
  EXPECT_EQ(data["results"][1]["source"], "after.json");
  const Json& kinds = data["comparison"]["kinds"];
  EXPECT_EQ(kinds[1]["kind"], "cores");
  EXPECT_EQ(kinds[1]["values"].size(), 1U);  // the one that changed
  EXPECT_EQ(kinds[1]["values_left_off"], 4);
  EXPECT_EQ(kinds[2]["kind"], "latency");
  EXPECT_EQ(kinds[2]["values"].size(), 2U);  // all
}

TEST(Html, HostileTextStaysData) {
  Document document = BareDocument();
  document.host.name = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
  document.source = "<svg onload=alert(3)>";
  const std::vector<Document> documents = {document};
  const std::string page = *ToHtml(documents);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<svg onload")));
  const Json data = DataOf(page);
  EXPECT_EQ(data["results"][0]["document"]["host"]["name"], document.host.name);
  EXPECT_EQ(data["results"][0]["source"], document.source);
}

TEST(Packed, EveryLengthComesBack) {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string text = std::string("cyclescope measures ").substr(0, size);
    EXPECT_EQ(testing::Unpacked(Packed(text)), text);
  }
}

TEST(HtmlBulk, ThousandsOfFormsTakeLittleRoom) {
  const std::vector<Document> documents = {testing::SweepDocument()};
  const std::string page = *ToHtml(documents);
  constexpr std::size_t kMostBytes = 3'000'000;
  EXPECT_LT(page.size(), kMostBytes);
  const Json rows = DataOf(page)["results"][0]["document"]["instructions"];
  ASSERT_EQ(rows.size(), documents[0].instructions.size());
  EXPECT_EQ(rows[0]["throughput"]["cycles"], 0.25);
  EXPECT_FALSE(rows[0]["throughput"].contains("code"));
}

TEST(Html, SaysWhereTheModelDiffers) {
  const std::vector<Document> documents = {testing::SurveyDocument()};
  const Json model = DataOf(*ToHtml(documents))["results"][0]["model"];
  EXPECT_EQ(model["cpu"], "neoverse-v1");
  std::size_t differing = 0;
  for (const Json& group : model["groups"]) {
    differing += group["rows"].size();
    for (const Json& row : group["rows"]) EXPECT_LT(row, documents[0].instructions.size());
  }
  const int compared =
      model["latency"]["compared"].get<int>() + model["throughput"]["compared"].get<int>();
  const int agreeing =
      model["latency"]["agreeing"].get<int>() + model["throughput"]["agreeing"].get<int>();
  EXPECT_EQ(static_cast<int>(differing), compared - agreeing);
}

TEST(Html, NoDocumentIsNoPage) { EXPECT_FALSE(ToHtml({})); }

TEST(HtmlTemplate, IsSmallClosedAndHasOnePlaceForData) {
  const std::string page(HtmlTemplate());
  constexpr std::size_t kMostBytes = 1'500'000;
  EXPECT_LT(page.size(), kMostBytes);
  EXPECT_GT(page.size(), 100'000U);
  EXPECT_EQ(page.find("@CYCLESCOPE_DATA@"), page.rfind("@CYCLESCOPE_DATA@"));
  EXPECT_NE(page.find("@CYCLESCOPE_DATA@"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

}  // namespace
}  // namespace cyclescope
