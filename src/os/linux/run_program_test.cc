#include "os/run_program.h"

#include <gtest/gtest.h>

namespace cyclescope::os {
namespace {

TEST(RunProgram, GetsTheContentsAsAFile) {
  const auto text = RunProgramOn("cat", {}, "contents");
  ASSERT_TRUE(text.has_value()) << text.error().ToString();
  EXPECT_EQ(*text, "contents");
}

TEST(RunProgram, OneThatFailsOrIsMissing) {
  EXPECT_FALSE(RunProgramOn("false", {}, "").has_value());
  EXPECT_FALSE(RunProgramOn("no-such-program-here", {}, "").has_value());
}

}  // namespace
}  // namespace cyclescope::os
