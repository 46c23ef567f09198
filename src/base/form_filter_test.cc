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

}  // namespace
}  // namespace cyclescope
