#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cyclescope {
namespace {

using testing::Optional;

TEST(Trimmed, TakesBlanksFromBothEndsAlone) {
  EXPECT_EQ(Trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trimmed("a"), "a");
  EXPECT_EQ(Trimmed(" \n "), "");
  EXPECT_EQ(Trimmed(std::string_view("a\0", 2)), "a");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed("\" 1 \"", " \""), "1");
}

TEST(Ranges, RunsOfNumbersBecomeRanges) {
  const auto text = [](const std::vector<int>& numbers) { return FormatRanges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({4}), "4");
  EXPECT_EQ(text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(text({0, 2, 4, 5}), "0,2,4-5");
}

TEST(ParseNumber, RefusesWhatDoesNotFit) {
  EXPECT_THAT(ParseNumber<int>("2147483647"), Optional(2147483647));
  EXPECT_EQ(ParseNumber<int>("2147483648"), std::nullopt);
  EXPECT_EQ(ParseNumber<int>(""), std::nullopt);
  EXPECT_THAT(ParseNumber<unsigned>("d40", 16), Optional(0xd40U));
  EXPECT_THAT(ParseNumber<double>("1.5e3"), Optional(1500.0));
  EXPECT_EQ(ParseNumber<double>("1.5 "), std::nullopt);
}

TEST(TakeLine, WalksThroughTheText) {
  std::string_view text = "one\n\nthree";
  EXPECT_EQ(TakeLine(text), "one");
  EXPECT_EQ(TakeLine(text), "");
  EXPECT_EQ(TakeLine(text), "three");
  EXPECT_TRUE(text.empty());
}

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[1m\x7f\n"), "a?[1m??");
  EXPECT_EQ(Printable("\u0085 \u00b1"), "? \u00b1");
}

}  // namespace
}  // namespace cyclescope
