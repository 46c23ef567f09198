#include "blocks/loop_exits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;
using instructions::testing::OnArm;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ExitPlan ExitsOf(std::string_view text) {
  const BlockCode code = SnippetCode(text);
  const auto loop = ReadLoop(code);
  EXPECT_TRUE(loop.has_value()) << text;
  return loop ? PlanExits(code, *loop) : ExitPlan{};
}

TEST(LoopExits, ACounterNeedsNoTrap) {
  const ExitPlan plan = ExitsOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  EXPECT_TRUE(plan.counted_falls_off);
  EXPECT_FALSE(plan.NeedsTrap());
}

// Looking for a byte: one way out is the data's, the other the counter's.
TEST(LoopExits, DataMayEndALoopToo) {
  const ExitPlan plan = ExitsOf(
      Either("1: ldrb w3, [x1]; cmp w3, w4; b.eq 2f; add x1, x1, #1; cmp x1, x5; b.ne 1b; 2:",
             "1: cmp byte ptr [rcx], al; je 2f; inc rcx; cmp rcx, rsi; jne 1b; 2:"));
  EXPECT_TRUE(plan.NeedsTrap());
  EXPECT_THAT(plan.by_data, ElementsAre(OnArm() ? 2 : 1));
  EXPECT_TRUE(plan.counted_falls_off);
}

TEST(LoopExits, TheCounterMayStandFirst) {
  const ExitPlan plan =
      ExitsOf(Either("1: add x1, x1, #1; cmp x1, x5; b.eq 2f; ldrb w3, [x1]; cbnz w3, 1b; 2:",
                     "1: inc rcx; cmp rcx, rsi; je 2f; cmp byte ptr [rcx], 0; jne 1b; 2:"));
  EXPECT_TRUE(plan.data_fall_off);
  EXPECT_THAT(plan.counted, ElementsAre(2));
  EXPECT_THAT(plan.by_data, IsEmpty());
}

}  // namespace
}  // namespace cyclescope::blocks
