#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/instruction_rows.h"

namespace cyclescope::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StatementsTest, LabelsCommentsAndDirectivesAreNone) {
  EXPECT_THAT(
      StatementsOf("1: imul rax, rcx; jne 1b # again\n\n# alone\n.L3:\n\t.align 16\n", "x86_64"),
      ElementsAre("imul rax, rcx", "jne 1b"));
  EXPECT_THAT(StatementsOf("", "x86_64"), IsEmpty());
  EXPECT_THAT(StatementsOf("a: b: nop", "x86_64"), ElementsAre("nop"));
}

TEST(StatementsTest, AColonWithinAnOperandEndsNoLabel) {
  EXPECT_THAT(StatementsOf("mov rax, qword ptr fs:[0]", "x86_64"),
              ElementsAre("mov rax, qword ptr fs:[0]"));
  EXPECT_THAT(StatementsOf("movq %fs:0, %rax", "x86_64"), ElementsAre("movq %fs:0, %rax"));
}

TEST(StatementsTest, NumbersOfAArch64StartAsCommentsOfX86) {
  EXPECT_THAT(StatementsOf("add x0, x0, #8 // next\n# alone\nsubs x1, x1, #1", "aarch64"),
              ElementsAre("add x0, x0, #8", "subs x1, x1, #1"));
}

TEST(StatementsTest, EndsOfLinesMayHaveTwoCharacters) {
  EXPECT_THAT(StatementsOf("nop\r\nadd\trax, 1\r\nnop\r\n", "x86_64"),
              ElementsAre("nop", "add rax, 1", "nop"));
}

}  // namespace
}  // namespace cyclescope::serve
