#include "report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "document/testing/made_surveys.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Markdown, HasATableOfEachKind) {
  EXPECT_THAT(
      ToMarkdown(testing::SurveyDocument()),
      AllOf(
          StartsWith("**"), HasSubstr("Neoverse-V1, aarch64, 16 CPUs"),
          ::testing::ContainsRegex("`fmadd d0, d1, d2, d3` \\| 4.00 \\(3.997 – 4.003\\) \\| 0.25 "),
          ::testing::ContainsRegex("`clz x0, x1` \\| 1.00 .* \\| ≤ 0.25 \\(contended\\) \\| 1 "),
          HasSubstr("| `udf #0` |  |  |  | crashed |\n"),
          HasSubstr("| `str x0, [x1]; ldr x0, [x1]` | 5.00 ("),
          HasSubstr("test cas:\n\n|  | 0 | 1 | 2 |")));
}

TEST(Markdown, HasWarningsFrequencyAndMemory) {
  Document document = testing::SurveyDocument();
  document.warnings = {{"shared-core", "another | shares this core", "wait longer"}};
  const std::string text = ToMarkdown(document);
  EXPECT_THAT(text, HasSubstr("- Warning: another \\| shares this core; wait longer\n"));
  EXPECT_THAT(text, HasSubstr("| CPU | core GHz | status |\n"));
  EXPECT_THAT(text, HasSubstr("| level | cycles | ns | holds | system says |\n"));
  EXPECT_THAT(text, HasSubstr("| L1 | "));
  EXPECT_THAT(text, HasSubstr("Cycles from reference."));
}

TEST(Markdown, ALargeMatrixIsLeftOut) {
  const std::string text = ToMarkdown(testing::ManyCpusDocument());
  EXPECT_THAT(text, HasSubstr("768 CPUs, which is too many for a table"));
  EXPECT_LT(text.size(), 2000U);
}

TEST(Markdown, AHostileTextStaysInItsCell) {
  const std::string text = ToMarkdown(testing::HostileDocument());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n<script"))));
  // Every line of a table has as many bars as its title.
  Document document;
  InstructionRow row;
  row.text = "a | b ` c";
  document.instructions = {row};
  EXPECT_THAT(ToMarkdown(document), HasSubstr("| `a \\| b ' c` |"));
}

}  // namespace
}  // namespace cyclescope
