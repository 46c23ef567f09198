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

}  // namespace
}  // namespace cyclescope::predict
