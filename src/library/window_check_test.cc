#include "library/window_check.h"

#include <gtest/gtest.h>

namespace cyclescope::library {
namespace {

TEST(JudgeWindow, AWholeWindowIsFine) {
  const Check check = JudgeWindow({.whole = {188, 204}}, 3);
  EXPECT_EQ(check.name, "window");
  EXPECT_EQ(check.status, CheckStatus::kOk);
  EXPECT_NE(check.finding.find("CPU 3 had room for 188 to 204 loads"), std::string::npos);
  EXPECT_EQ(check.effect, "");
  ASSERT_TRUE(check.claim);
  EXPECT_EQ(check.claim->code, ClaimCode::kWindowWhole);
}

TEST(JudgeWindow, AHalvedOneIsASignOfANeighbour) {
  const Check check = JudgeWindow(
      {.whole = {188, 204}, .part = statistics::Interval{95, 119}, .part_share = 0.4}, 3);
  EXPECT_EQ(check.status, CheckStatus::kWarn);
  EXPECT_NE(
      check.finding.find("only for 95 to 119 during 40 % of this check: another thread shared"),
      std::string::npos);
  ASSERT_TRUE(check.claim);
  EXPECT_EQ(check.claim->code, ClaimCode::kWindowSplit);
  EXPECT_NE(check.effect, "");
  EXPECT_NE(check.remedy, "");
}

}  // namespace
}  // namespace cyclescope::library
