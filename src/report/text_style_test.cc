#include "report/text_style.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cyclescope {
namespace {

TEST(Printable, TakesAwayWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\x1b[2Jb\nc\td\x7f"), "a?[2Jb?c?d?");
  EXPECT_EQ(Printable("\u009b2J"), "?2J");
}

TEST(Printable, KeepsTheRest) { EXPECT_EQ(Printable("add ±é→ €"), "add ±é→ €"); }

}  // namespace
}  // namespace cyclescope
