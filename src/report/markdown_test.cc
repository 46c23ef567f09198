#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_surveys.h"
#include "report/document_text.h"

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
            ::testing::ContainsRegex(
                "`fmadd d0, d1, d2, d3` \\| source 1 → destination \\| 4.00 \\(3.997 – 4.003\\) "),
            ::testing::ContainsRegex(
                "`clz x0, x1` \\| source 1 → destination \\| 1.00 .* \\| 1 \\| ≤ 0.25 "),
            HasSubstr("| `udf #0` |  |  |  |  |  | crashed |\n"),
            HasSubstr("\n- 3 of 11 throughputs on vector registers are twice the model's: "),
            HasSubstr("| `ldr x0, [x1], #8; add x2, x2, x0; subs x3, x3, #1` | 1.50 ("),
            HasSubstr("| store to load: `str x0, [x1]; ldr x0, [x1]` | 5.00 ("),
            HasSubstr("test cas:\n\n|  | 0 | 1 | 2 |")));
}

// The accumulator's latency is another than the factors'.
TEST(Markdown, EveryPairHasALine) {
  Document document;
  InstructionRow& row = document.instructions.emplace_back();
  row.text = "fmla";
  row.latency.resize(2);
  row.latency[0] = {
      .from = "v0", .to = "v0", .cycles = testing::SimulatedEstimate(2, 0.5), .model = 2};
  row.latency[1] = {
      .from = "v1", .to = "v0", .cycles = testing::SimulatedEstimate(4, 0.5), .model = 4};
  row.latency[1].to_others = testing::SimulatedEstimate(5, 0.5);
  row.throughput = Throughput{.cycles = testing::SimulatedEstimate(0.25, 0.01)};
  EXPECT_THAT(
      ToMarkdown(document),
      HasSubstr("| `fmla` | v0 → v0 | 2.00 (1.5 – 2.5) | 2 | 0.25 (0.24 – 0.26) |  |  |\n"
                "| `fmla` | v1 → v0 | 4.00 (3.5 – 4.5); to other units 5.00 | 4 |  |  |  |\n"));
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
