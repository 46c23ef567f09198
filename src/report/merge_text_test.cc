#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/part_texts.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Merged TwoRuns(int disagreements) {
  Merged merged;
  merged.runs = {{.file = "a.json", .command = "sweep", .commit = "abc", .shared_share = 0.25},
                 {.file = "b.json", .command = "survey"}};
  merged.parts = {{"port_map", 2}};
  merged.combined = 40;
  merged.replaced = 3;
  merged.disagreed = disagreements;
  for (int i = 0; i < disagreements; ++i) {
    merged.claims.push_back({ClaimCode::kRunsDisagree,
                             {{"what", "form " + std::to_string(i)},
                              {"kind", "latency"},
                              {"unit", "cycles"},
                              {"first", 1.0},
                              {"first_run", "a.json"},
                              {"second", 2.0},
                              {"second_run", "b.json"}}});
  }
  return merged;
}

TEST(MergeText, SaysWhatBecameOfTheValues) {
  const std::string text = MergeText(TwoRuns(1), {}, TextSize::kPage);
  EXPECT_THAT(text, HasSubstr("a.json"));
  EXPECT_THAT(text, HasSubstr("25 %"));
  EXPECT_THAT(text, HasSubstr("40 values combined, 3 replaced by quiet ones"));
  EXPECT_THAT(text, HasSubstr("form 0 (latency): 1 cycles in a.json, 2 in b.json"));
  EXPECT_THAT(text, Not(HasSubstr("port_map")));
  EXPECT_THAT(text, Not(HasSubstr("more")));
}

TEST(MergeText, TheFullTextHasPartsAndAllDisagreements) {
  EXPECT_THAT(MergeText(TwoRuns(12), {}, TextSize::kPage), HasSubstr("and 2 more"));
  const std::string text = MergeText(TwoRuns(12), {}, TextSize::kFull);
  EXPECT_THAT(text, HasSubstr("port_map"));
  EXPECT_THAT(text, HasSubstr("form 11"));
  EXPECT_THAT(text, Not(HasSubstr("more")));
}

TEST(MergeText, RunsThatAgreeHaveNoDisagreements) {
  EXPECT_THAT(MergeText(TwoRuns(0), {}, TextSize::kPage), Not(HasSubstr("Disagreements")));
}

}  // namespace
}  // namespace cyclescope
