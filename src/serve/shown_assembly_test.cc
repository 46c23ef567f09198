#include <gtest/gtest.h>

#include "serve/prepared_code.h"

namespace cyclescope::serve {
namespace {

TEST(ShownAssembly, HasInstructionsAndLabelsThatAreUsed) {
  const auto lines = ShownLines(
      "\t.file\t\"<stdin>\"\n\t.intel_syntax noprefix\n\t.text\n.Ltext0:\n\t.globl\tsum\n"
      "\t.type\tsum, @function\nsum:\n.LFB0:\n\t.file 1 \"<stdin>\"\n\t.loc 1 1 24\n"
      "\txor\teax, eax\n.L3:\n\t.loc 1 3 7\n\tadd\teax, DWORD PTR [rdi]\n"
      "\t.loc 2 40 1\n\tadd\trdi, 4\n\t.loc 1 2 1\n\tjne\t.L3\n.LVL1:\n\tret\n"
      "\t.section\t.debug_info,\"\",@progbits\n\t.long\t0x58\n.Ldebug_info0:\n");
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0].text, "sum:");
  EXPECT_TRUE(lines[0].is_label);
  EXPECT_EQ(lines[1].text, "xor eax, eax");
  EXPECT_EQ(lines[1].line, 11);
  EXPECT_EQ(lines[1].source, 1);
  EXPECT_EQ(lines[2].text, ".L3:");
  EXPECT_EQ(lines[3].source, 3);
  EXPECT_EQ(lines[4].source, 0);  // of a header
  EXPECT_EQ(lines[5].source, 2);
  EXPECT_EQ(lines[6].text, "ret");
}

TEST(ShownAssembly, CodeInOtherSectionsAndComments) {
  const auto lines = ShownLines(
      "\t.section\t.rodata\n.LC0:\n\t.long 1\n\t.section .text.unlikely,\"ax\"\ncold:\n"
      "# a comment\n\tud2\n\t.type cold, @function\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].text, "cold:");
  EXPECT_EQ(lines[1].text, "ud2");
}

TEST(ShownAssembly, OfNothingIsNothing) { EXPECT_TRUE(ShownLines("").empty()); }

}  // namespace
}  // namespace cyclescope::serve
