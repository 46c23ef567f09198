#include "base/text.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(Trimmed, TakesBlanksFromBothEndsAlone) {
  EXPECT_EQ(Trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trimmed("a"), "a");
  EXPECT_EQ(Trimmed(" \n "), "");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed("\" 1 \"", " \""), "1");
}

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[1m\x7f\n"), "a?[1m??");
  EXPECT_EQ(Printable("\u0085 \u00b1"), "? \u00b1");
}

}  // namespace
}  // namespace cyclescope
