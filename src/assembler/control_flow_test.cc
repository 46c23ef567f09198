#include "assembler/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::assembler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Graph = std::vector<std::vector<std::size_t>>;

TEST(ControlFlow, FindsALoopOfOneBlock) {
  const auto loops = InnermostLoops(Graph{{1}, {1, 2}, {}}, 0);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].header, 1U);
  EXPECT_THAT(loops[0].body, ElementsAre(1));
}

TEST(ControlFlow, EdgesBackToOneHeaderMakeOneLoop) {
  // An `if` whose two ways both go back: 1 → 2 → 1, 1 → 3 → 1.
  const auto loops = InnermostLoops(Graph{{1}, {2, 3}, {1}, {1, 4}, {}}, 0);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_THAT(loops[0].body, ElementsAre(1, 2, 3));
}

TEST(ControlFlow, TheInnerOfTwoLoopsCounts) {
  const auto loops = InnermostLoops(Graph{{1}, {2}, {2, 3}, {1, 4}, {}}, 0);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].header, 2U);
  EXPECT_THAT(loops[0].body, ElementsAre(2));
}

TEST(ControlFlow, WhatEndsTheProgramIsNoPartOfALoop) {
  // 2 leaves, 3 goes back.
  const auto loops = InnermostLoops(Graph{{1}, {2, 3}, {}, {1}}, 0);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_THAT(loops[0].body, ElementsAre(1, 3));
}

TEST(ControlFlow, ACycleWithTwoEntriesHasNoHeader) {
  EXPECT_THAT(InnermostLoops(Graph{{1, 2}, {2}, {1}}, 0), IsEmpty());
}

TEST(ControlFlow, WhatCannotBeReachedDoesNotCount) {
  EXPECT_THAT(InnermostLoops(Graph{{}, {1}}, 0), IsEmpty());
  EXPECT_THAT(NaturalLoops(Graph{{}, {1}}, 0), IsEmpty());
  EXPECT_THAT(ReachableFrom(Graph{{2}, {1}, {}}, 0), ElementsAre(0, 2));
}

}  // namespace
}  // namespace cyclescope::assembler
