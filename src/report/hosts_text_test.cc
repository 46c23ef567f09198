#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_fleets.h"
#include "report/part_texts.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HostsText, SizesGridAndGroups) {
  const std::string text = HostsText(testing::SimulatedHosts(4), {});
  EXPECT_THAT(text, StartsWith("4 hosts, 8 visits to each pair\n"));
  EXPECT_THAT(text, HasSubstr("    8 B   1.50    4.00   4.00  µs, one way\n"));
  EXPECT_THAT(text, HasSubstr("   1 MB   10.0    10.0   10.0"));
  EXPECT_THAT(text, HasSubstr("GB/s"));
  EXPECT_THAT(text, HasSubstr("\nh1        1.50  4.00  4.00\n"));
  EXPECT_THAT(text, HasSubstr("group A: h1, h2 (1.50 µs)\n"));
}

TEST(HostsText, ManyHostsHaveNoGrid) {
  const std::string text = HostsText(testing::SimulatedHosts(64), {});
  EXPECT_THAT(text, AllOf(HasSubstr("64 hosts"), Not(HasSubstr("\nh64 "))));
}

TEST(HostsText, NothingMeasured) {
  HostMatrix matrix = testing::SimulatedHosts(2);
  matrix.rounds = 0;
  matrix.partial = true;
  matrix.groups.clear();
  matrix.latency.clear();
  matrix.bandwidth = {};
  EXPECT_THAT(HostsText(matrix, {}), HasSubstr("ended early"));
}

TEST(HostsText, NothingIsSaidOfHostsThatWereNotVisited) {
  HostMatrix matrix = testing::SimulatedHosts(3);
  matrix.groups.clear();
  EXPECT_THAT(HostsText(matrix, {}), HasSubstr("no host is closer to some than to others"));
  HostMatrix partial = matrix;
  partial.partial = true;
  HostMatrix two = testing::SimulatedHosts(2);
  two.groups.clear();
  HostMatrix unvisited = matrix;
  unvisited.rounds = 0;
  for (const HostMatrix& each : {partial, two, unvisited, testing::SimulatedHosts(4)})
    EXPECT_THAT(HostsText(each, {}), Not(HasSubstr("closer to some")));
}

}  // namespace
}  // namespace cyclescope
