#include "report/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "document/testing/simulated_surveys.h"
#include "report/testing/unpacked.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Site, HasAFirstPageAReportAndAColumnOfEachMachine) {
  Site site;
  EXPECT_EQ(site.Add(testing::SurveyDocument())->path, "machines/1.html");
  EXPECT_EQ(site.Add(testing::TwoCpusDocument())->path, "machines/2.html");
  std::vector<std::string> paths;
  for (const SiteFile& file : site.Finish()) paths.push_back(file.path);
  EXPECT_THAT(paths, IsSupersetOf({"index.html", "data/forms.js", "data/machine-1.js",
                                   "data/details-1.js", "data/machine-2.js", "data/details-2.js"}));
}

TEST(Site, ACoreThatIsKnownHasAScript) {
  Site site;
  Document document = testing::TwoCpusDocument();
  document.anatomy.reset();
  document.port_map.reset();
  ASSERT_TRUE(site.Add(document));
  document.anatomy = Anatomy{.rows = {{.name = "reorder buffer", .unit = "entries"}}};
  ASSERT_TRUE(site.Add(document));
  std::vector<std::string> paths;
  for (const SiteFile& file : site.Finish()) paths.push_back(file.path);
  EXPECT_THAT(paths, Not(Contains("data/core-1.js")));
  EXPECT_THAT(paths, Contains("data/core-2.js"));
}

std::string FileOf(const Site& site, std::string_view path) {
  for (const SiteFile& file : site.Finish()) {
    if (file.path == path) return testing::DataInScript(file.text);
  }
  return "";
}

TEST(Site, AVendorsFiguresStandBesideThoseMeasured) {
  Document document = testing::TwoCpusDocument();
  document.source = "results/neoverse-v1.json.gz";
  document.instructions.resize(1);
  document.instructions[0].text = "fmla v0.4s, v1.4s, v2.4s";
  const auto table = VendorTable::Parse(
      "# The guide\nasm,latency,throughput\n\"FMLA V9.4S, V1.4S, V7.4S\",4,0.25", "guide");
  ASSERT_TRUE(table);
  Site site(std::map<std::string, VendorTable>{{"neoverse-v1", *table}});
  ASSERT_TRUE(site.Add(document));
  EXPECT_THAT(FileOf(site, "data/details-1.js"), HasSubstr(",4,0.25]"));
  EXPECT_THAT(testing::DataInPage(site.Finish().front().text),
              HasSubstr("\"vendor\":\"The guide\""));
  Site other(std::map<std::string, VendorTable>{{"another", *table}});
  ASSERT_TRUE(other.Add(document));
  EXPECT_THAT(FileOf(other, "data/details-1.js"), Not(HasSubstr(",4,0.25]")));
}

TEST(Site, LoopsAreThoseOfAllMachinesWithWhatTheirModelsSay) {
  Document document = testing::TwoCpusDocument();
  BlockRow row;
  row.text = "imul rax, rcx";
  row.cycles = Estimate{.value = 3.01, .low = 3, .high = 3.02};
  document.blocks = {row};
  Site site;
  ASSERT_TRUE(site.Add(document));
  row.text = "add rax, rcx";
  document.blocks = {row};
  ASSERT_TRUE(site.Add(document));
  Document foreign = document;
  foreign.host.architecture = "another";
  foreign.blocks.clear();
  ASSERT_TRUE(site.Add(foreign));
  EXPECT_THAT(site.loops().TextsFor(1), ElementsAre("imul rax, rcx", "add rax, rcx"));
  EXPECT_THAT(site.loops().TextsFor(2), ElementsAre());
  row.text = "imul rax, rcx";
  row.cycles.reset();
  row.predicted = BlockPrediction{.cycles = 4};
  site.loops().AddPredictions(1, {row});
  EXPECT_EQ(
      FileOf(site, "data/loops.js"),
      R"([{"text":"imul rax, rcx","name":"","cells":[[3.01,null,false],[null,4,false],null]},)"
      R"({"text":"add rax, rcx","name":"","cells":[null,[3.01,null,false],null]}])");
}

TEST(Site, AMachinesPageIsItsReport) {
  Site site;
  const auto page = site.Add(testing::SurveyDocument());
  ASSERT_TRUE(page);
  EXPECT_THAT(page->text, StartsWith("<!doctype html>"));
}

std::string FirstPage(const std::vector<Document>& documents) {
  Site site;
  for (const Document& document : documents) EXPECT_TRUE(site.Add(document));
  return testing::DataInPage(site.Finish().front().text);
}

TEST(Site, MachinesOfOneNameAreToldApart) {
  Document first = testing::TwoCpusDocument();
  first.host.name = "vm";
  first.source = "results/before.json";
  first.config.started = "2026-11-16T06:30:12Z";
  Document second = first;
  second.source = "results/after.json";
  second.config.started = "2026-11-16T07:45:00Z";
  EXPECT_THAT(FirstPage({first, second}),
              AllOf(HasSubstr("\"vm (before)\""), HasSubstr("\"vm (after)\"")));
  first.source = second.source = "";
  EXPECT_THAT(FirstPage({first, second}), AllOf(HasSubstr("\"vm (2026-11-16 06:30:12)\""),
                                                HasSubstr("\"vm (2026-11-16 07:45:00)\"")));
  EXPECT_THAT(FirstPage({first, first}), AllOf(HasSubstr("\"vm (1)\""), HasSubstr("\"vm (2)\"")));
  EXPECT_THAT(FirstPage({first}), HasSubstr("\"name\":\"vm\""));
}

TEST(Site, AMachineWithoutANameHasItsFiles) {
  Document document = testing::TwoCpusDocument();
  document.host.name.clear();
  document.source = "results/neoverse-v1.json.gz";
  EXPECT_THAT(FirstPage({document}), HasSubstr("\"name\":\"neoverse-v1\""));
  document.source.clear();
  EXPECT_THAT(FirstPage({document}), HasSubstr("\"name\":\"machine 1\""));
}

TEST(Site, NothingOfAResultBecomesScript) {
  Site site;
  ASSERT_TRUE(site.Add(testing::HostileDocument()));
  for (const SiteFile& file : site.Finish()) {
    EXPECT_THAT(file.text, Not(HasSubstr("window.hacked"))) << file.path;
    if (!file.path.ends_with(".js")) continue;
    EXPECT_THAT(file.text, ::testing::StartsWith("cyclescope"));
    EXPECT_TRUE(file.text.ends_with("\");\n"));
    const std::size_t begin = file.text.find("(0,\"") + 4;
    const std::string packed = file.text.substr(begin, file.text.size() - 4 - begin);
    EXPECT_TRUE(std::ranges::all_of(packed, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=';
    }));
  }
}

TEST(Site, OfNothingIsAPageOfNothing) { EXPECT_EQ(Site().Finish().size(), 2U); }

TEST(SiteBulk, TwentySweepsHaveASmallFirstPage) {
  Site site;
  constexpr int kMachines = 20;
  for (int i = 0; i < kMachines; ++i) ASSERT_TRUE(site.Add(testing::SiteMachine(i, 15'000)));
  std::size_t columns = 0;
  for (const SiteFile& file : site.Finish()) {
    if (file.path == "index.html") {
      EXPECT_LT(file.text.size(), 150'000U);
    } else if (!file.path.starts_with("data/details-") && !file.path.starts_with("data/core-")) {
      columns += file.text.size();
    }
  }
  // What follows the first page is no more than a few pictures, either.
  EXPECT_LT(columns, 4'000'000U);
}

}  // namespace
}  // namespace cyclescope
