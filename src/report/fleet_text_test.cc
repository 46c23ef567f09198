#include "report/fleet_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_fleets.h"
#include "report/csv.h"
#include "report/fleet_hosts.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(FleetText, SaysHowManyAreNormalAndListsTheOthers) {
  const std::string text = FleetText(testing::SmallFleet(), {});
  EXPECT_THAT(text, StartsWith("6 nodes: 2 normal, 1 slow, 1 different, 2 without enough data\n"));
  EXPECT_THAT(text, HasSubstr("group A: 4 nodes, Made Lake, microcode 0x1, Linux 6.1"));
  EXPECT_THAT(text, HasSubstr("\nn3: slow, 2 passes\n"
                              "  core clock 3.49 GHz, 3.1 % below 3.60 GHz\n"));
  EXPECT_THAT(text, HasSubstr("its cores run at a lower frequency"));
  EXPECT_THAT(text, HasSubstr("time with a neighbour 40.0 %, where 10.0 % is usual"));
  EXPECT_THAT(text, HasSubstr("job 17 left no result of 1 node: n6"));
  EXPECT_THAT(text, HasSubstr("1 file could not be read; the first: it is empty"));
  EXPECT_THAT(text, Not(HasSubstr("n1: normal")));
  EXPECT_THAT(FleetText(testing::SmallFleet(), {}, {.all = true}), HasSubstr("n1: normal"));
}

TEST(FleetText, FitsTheTerminal) {
  for (const int width : {64, 80, 120}) {
    std::string text = FleetText(testing::SmallFleet(), {.width = width});
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(end - begin, static_cast<std::size_t>(width)) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(FleetText, ManyOutliersAreCounted) {
  Fleet fleet = testing::SmallFleet();
  for (int i = 0; i < 100; ++i) fleet.nodes.insert(fleet.nodes.begin(), fleet.nodes.front());
  EXPECT_THAT(FleetText(fleet, {}), HasSubstr("54 more are not normal: --all lists every node"));
}

TEST(FleetCsv, ALinePerNodeAndValue) {
  const std::string text = FleetCsv(testing::SmallFleet());
  EXPECT_THAT(text, StartsWith("node,verdict,group,"));
  EXPECT_THAT(text, HasSubstr("\nn3,slow,A,,2,core clock,GHz,3.49,3.48,3.5,3.6,-0.031,-9.5,yes,"));
  EXPECT_THAT(text, HasSubstr("\nn1,normal,A,,1,,,,,,,,,,\n"));
}

TEST(FleetHosts, GoodAndBad) {
  EXPECT_EQ(*GoodHosts(testing::SmallFleet()), "n1\nn2\n");
  EXPECT_EQ(*BadHosts(testing::SmallFleet()), "n3\nn4\nn6\n");
}

TEST(FleetHosts, ANodeWhoseResultCannotBeReadIsBad) {
  Fleet fleet = testing::SmallFleet();
  fleet.unread = {{"out/n7/cyclescope.json", "it is empty"},
                  {"out/n1/cyclescope.json", "it is empty"},  // n1 has another, good one
                  {"out/package.json", "it is no result"},
                  {"out/n8", "cannot read the folder"}};
  EXPECT_EQ(*BadHosts(fleet), "n3\nn4\nn6\nn7\nn8\n");
}

TEST(FleetHosts, LinesForNhc) {
  const std::string lines = *NhcLines(testing::SmallFleet());
  EXPECT_THAT(lines, StartsWith("n3 || die 1 \"cyclescope: slow: core clock 3.49 GHz, 3.1 % below "
                                "3.60 GHz\"\n"));
}

// These files are read by programs that run what they find.
TEST(FleetHosts, NothingOfADocumentBecomesACommand) {
  Fleet fleet = testing::SmallFleet();
  fleet.nodes[0].deviations.clear();
  fleet.nodes[0].cause = "\"; rm -rf $HOME `id` \\ \n";
  EXPECT_THAT(*NhcLines(fleet),
              AllOf(HasSubstr("_; rm -rf _HOME _id_ _ _\"\n"), Not(HasSubstr("`"))));
  for (const char* name : {"a b", "$(id)", "-x", "", "a\nb", "a;b"}) {
    fleet.nodes[0].name = name;
    EXPECT_FALSE(BadHosts(fleet)) << name;
  }
}

}  // namespace
}  // namespace cyclescope
