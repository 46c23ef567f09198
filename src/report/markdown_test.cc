#include "report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "report/testing/made_surveys.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Markdown, HasATableOfEachKind) {
  EXPECT_THAT(
      ToMarkdown(testing::SurveyDocument()),
      AllOf(StartsWith("**"), HasSubstr("Neoverse-V1, aarch64, 16 CPUs"),
            HasSubstr("| `fmadd d0, d1, d2, d3` | 4.00 ± 0.003 | 0.25 ± 0.00019 | 4 |  |\n"),
            HasSubstr("| `clz x0, x1` | 1.00 ± 0.00075 | ≤ 0.25 ± 0.00019 (contended) | 1 |  |\n"),
            HasSubstr("| `udf #0` |  |  |  | crashed |\n"),
            HasSubstr("| `str x0, [x1]; ldr x0, [x1]` | 5.00 ± "),
            HasSubstr("test cas:\n\n|  | 0 | 1 | 2 |")));
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
