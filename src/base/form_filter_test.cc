#include "base/form_filter.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(FormFilter, LooksAtTextMnemonicAndOpcode) {
  const auto selects = [](const std::string& expression) {
    return FormFilter::Parse(expression)->Selects("fadd v0.4s, v1.4s, v2.4s", "fadd", "FADDv4f32");
  };
  EXPECT_TRUE(selects(""));
  EXPECT_TRUE(selects("4s, v2"));
  EXPECT_TRUE(selects("^fadd$"));
  EXPECT_TRUE(selects("v4f32$"));
  EXPECT_FALSE(selects("^add"));
}

TEST(FormFilter, RefusesWhatIsNoExpression) {
  const auto filter = FormFilter::Parse("(");
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().kind, ErrorKind::kBadInput);
}

// By backtracking the first takes 2^60 steps.
TEST(FormFilter, EndsWhateverTheExpressionIs) {
  const std::string text(60, 'x');
  for (const char* expression : {"^(x+)+y$", "^(x|x)*y$", "^(x*)*y$", "(.*)*(.*)*(.*)*y"})
    EXPECT_FALSE(FormFilter::Parse(expression)->Selects(text, text, text)) << expression;
  EXPECT_TRUE(FormFilter::Parse("^(x+)+$")->Selects(text, "", ""));
}

TEST(FormFilter, RefusesWhatIsTooMuch) {
  EXPECT_FALSE(FormFilter::Parse(std::string(2000, '(')));
  EXPECT_FALSE(FormFilter::Parse("(x{1,1000}){1,1000}"));
  EXPECT_FALSE(FormFilter::Parse("(x)\\1")) << "a back-reference";
}

}  // namespace
}  // namespace cyclescope
