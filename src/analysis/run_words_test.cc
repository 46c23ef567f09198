#include <gtest/gtest.h>

#include "analysis/host_words.h"

namespace cyclescope {
namespace {

TEST(CommandText, CanBeGivenAgain) {
  EXPECT_EQ(CommandText({.command = "block", .options = {{"unroll", "8"}, {"snippet", "-"}}}),
            "cyclescope block --unroll 8 '-'");
  EXPECT_EQ(CommandText({.command = "survey", .options = {{"quick", ""}}}),
            "cyclescope survey --quick");
  EXPECT_EQ(CommandText({.command = "instruction", .options = {{"text", "it's"}}}),
            "cyclescope instruction 'it'\\''s'");
}

}  // namespace
}  // namespace cyclescope
