#include "analysis/filter_rows.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(KeepInstructions, LeavesWhatMatches) {
  Document document;
  document.sweep = SweepSummary{.opcodes = 4, .left_out = 1};
  for (const char* mnemonic : {"add", "fadd", "fmul"}) {
    InstructionRow& row = document.instructions.emplace_back();
    row.text = row.mnemonic = mnemonic;
    row.origin = "sweep";
  }
  EXPECT_EQ(KeepInstructions(*FormFilter::Parse("^f"), document), 2U);
  EXPECT_EQ(document.instructions[0].text, "fadd");
  EXPECT_EQ(document.sweep->left_out, 2) << "so that the counts still add up";
  EXPECT_EQ(KeepInstructions(*FormFilter::Parse("zzz"), document), 0U);
}

}  // namespace
}  // namespace cyclescope
