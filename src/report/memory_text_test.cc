#include "report/memory_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/memory_words.h"
#include "report/table.h"
#include "report/testing/made_surveys.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MemoryText, ShowsAChartTheLevelsAndWhatContradicts) {
  const std::string text =
      MemoryText(cyclescope::testing::SurveyDocument(), {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("Memory from CPU 15, lines of 64 bytes\n"));
  EXPECT_THAT(text, HasSubstr("o huge pages\n"));
  EXPECT_THAT(text, HasSubstr("* small pages\n"));
  EXPECT_THAT(text, HasSubstr("L2"));
  EXPECT_THAT(text, HasSubstr("1.17 MB"));
  EXPECT_THAT(text, HasSubstr("L2 ends at 1.17 MB, the system says 2 MB"));
  EXPECT_THAT(text, HasSubstr("48 entries"));
  EXPECT_THAT(text, HasSubstr("memory: up to 7.7 loads at once"));
  EXPECT_THAT(text, HasSubstr("memory of node 0: 127 ns"));
  EXPECT_THAT(text, Not(HasSubstr("visits")));
}

TEST(MemoryText, FitsTheTerminal) {
  const std::string text =
      MemoryText(cyclescope::testing::SurveyDocument(), {.color = false, .width = 80});
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(DisplayWidth(text.substr(begin, end - begin)), 80u)
        << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(MemoryText, FullListsEveryFootprint) {
  const std::string text = MemoryText(cyclescope::testing::SurveyDocument(),
                                      {.color = false, .width = 80}, MemoryTextSize::kFull);
  EXPECT_THAT(text, HasSubstr("random order, huge pages\n"));
  EXPECT_THAT(text, HasSubstr("visits"));
}

TEST(MemoryText, IsEmptyWhereNothingWasMeasured) {
  EXPECT_EQ(MemoryText(Document(), {}), "");
  Document interrupted;
  interrupted.memory.emplace_back();
  EXPECT_THAT(MemoryText(interrupted, {}), HasSubstr("Memory from CPU 0"));
}

TEST(MemoryText, WordsEveryKindOfFinding) {
  MemoryFinding finding = {.kind = MemoryFindingKind::kLargerCache,
                           .level = "L2",
                           .found_bytes = 4 << 20,
                           .claimed_bytes = 1 << 20,
                           .text = ""};
  EXPECT_EQ(FindingText(finding), "L2 ends at 4 MB, the system says 1 MB: more than it admits");
  finding.kind = MemoryFindingKind::kNoSuchCache;
  EXPECT_EQ(FindingText(finding),
            "the system says that there is an L2 of 1 MB, but no footprint shows it");
  finding.kind = MemoryFindingKind::kUnknownCache;
  EXPECT_EQ(FindingText(finding),
            "there is an L2 that ends at 4 MB, which the system does not list");
}

}  // namespace
}  // namespace cyclescope
