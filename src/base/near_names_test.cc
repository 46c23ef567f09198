#include "base/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsEveryKindOfMistake) {
  EXPECT_EQ(EditDistance("cores", "cores"), 0);
  EXPECT_EQ(EditDistance("core", "cores"), 1);
  EXPECT_EQ(EditDistance("coores", "cores"), 1);
  EXPECT_EQ(EditDistance("corez", "cores"), 1);
  EXPECT_EQ(EditDistance("croes", "cores"), 1);
  EXPECT_EQ(EditDistance("", "abc"), 3);
}

TEST(NearNames, NearestFirst) {
  const std::vector<std::string> known = {"compare", "cores", "frequency", "list"};
  EXPECT_THAT(NearNames("frequncy", known), ElementsAre("frequency"));
  EXPECT_THAT(NearNames("core", known), ElementsAre("cores"));
  EXPECT_THAT(NearNames("x", known), IsEmpty());
  EXPECT_THAT(NearNames("instruction", known), IsEmpty());
}

TEST(DidYouMean, ReadsAsASentence) {
  EXPECT_EQ(DidYouMean(std::vector<std::string>{}), "");
  EXPECT_EQ(DidYouMean(std::vector<std::string>{"add", "adc", "adds"}),
            "; did you mean 'add', 'adc' or 'adds'?");
}

}  // namespace
}  // namespace cyclescope
