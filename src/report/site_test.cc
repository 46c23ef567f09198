#include "report/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "document/testing/simulated_surveys.h"
#include "report/testing/unpacked.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Site, HasAFirstPageAReportAndAColumnOfEachMachine) {
  Site site;
  EXPECT_EQ(site.Add(testing::SurveyDocument())->path, "machines/1.html");
  EXPECT_EQ(site.Add(testing::TwoCpusDocument())->path, "machines/2.html");
  EXPECT_THAT(site.Finish(), ElementsAre(Field(&SiteFile::path, "index.html"),
                                         Field(&SiteFile::path, "data/forms.js"),
                                         Field(&SiteFile::path, "data/machine-1.js"),
                                         Field(&SiteFile::path, "data/details-1.js"),
                                         Field(&SiteFile::path, "data/machine-2.js"),
                                         Field(&SiteFile::path, "data/details-2.js")));
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
    } else if (!file.path.starts_with("data/details-")) {
      columns += file.text.size();
    }
  }
  // What follows the first page is no more than a few pictures, either.
  EXPECT_LT(columns, 4'000'000U);
}

}  // namespace
}  // namespace cyclescope
