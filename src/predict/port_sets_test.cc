#include "predict/port_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LeastPressure, WideMicroOpsGoWhereNarrowOnesAreNot) {
  // Two that need port 0, and one that takes any of three.
  EXPECT_THAT(LeastPressure({{0b1, 2}, {0b111, 1}}),
              ElementsAre(Pair(0, 2), Pair(1, 0.5), Pair(2, 0.5)));
  EXPECT_THAT(LeastPressure({{0b1, 1}, {0b11, 3}}), ElementsAre(Pair(0, 2), Pair(1, 2)));
  EXPECT_THAT(LeastPressure({}), IsEmpty());
}

// Sets that share nothing are looked at one by one: their unions would be 16 million.
TEST(PortSets, PortsOfTheirOwnAreQuick) {
  std::map<PortSet, double> uops;
  for (int port = 0; port < kMostPorts; ++port) uops[PortSet{1} << port] = port == 3 ? 2 : 1;
  EXPECT_EQ(NarrowestOf(uops).ports, PortSet{1} << 3);
  uops[PortSet{1} << 7] = 2;
  EXPECT_EQ(NarrowestOf(uops).ports, PortSet{1} << 3 | PortSet{1} << 7) << "both bind";
}

}  // namespace
}  // namespace cyclescope::predict
