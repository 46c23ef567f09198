#include "instructions/siblings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using measure::CoreState;
using measure::Measurement;
using measure::Visit;
using testing::Either;

constexpr double kConfidence = 0.95;

// So many visits that took as long.
Measurement Visited(double cycles, int visits) {
  Measurement measurement;
  for (int i = 0; i < visits; ++i) {
    Visit visit;
    visit.state = CoreState::kQuiet;
    visit.cycles = {cycles, cycles * 1.001, cycles * 0.999};
    measurement.visits.push_back(visit);
  }
  return measurement;
}

class SiblingsTest : public ::testing::Test {
 protected:
  FormPlan PlanOf(std::string_view text) {
    FormPlan plan = testing::PlanOf(*planner_, text);
    plan.family = FamilyOf(plan.form);
    return plan;
  }
  // All of the plan's experiments took as long, and the last arrangement won.
  std::vector<Measurement> Measured(const FormPlan& plan, double cycles) {
    std::vector<Measurement> measured(plan.experiments.size(), Visited(cycles, 3));
    for (const ArrangementPlan& arrangement : plan.values.front().arrangements)
      measured[arrangement.experiment] = Visited(2 * cycles, 1);
    measured[plan.values.front().arrangements.back().experiment] = Visited(cycles, 3);
    return measured;
  }

  std::unique_ptr<Planner> planner_ = testing::MakePlanner(Either("neoverse-v1", "icelake-server"));
  std::string_view plain_ = Either("add v0.4s, v1.4s, v2.4s", "vaddpd zmm0, zmm1, zmm2");
  Siblings siblings_;
};

TEST_F(SiblingsTest, MasksDoNotPartAFamily) {
  if (testing::OnArm()) GTEST_SKIP() << "no masks";
  const std::string family = PlanOf("vaddpd zmm0, zmm1, zmm2").family;
  EXPECT_NE(family, "");
  EXPECT_EQ(PlanOf("vaddpd zmm0 {k1}, zmm1, zmm2").family, family);
  EXPECT_EQ(PlanOf("vaddpd zmm0 {k1} {z}, zmm1, zmm2").family, family);
  EXPECT_NE(PlanOf("vaddpd ymm0, ymm1, ymm2").family, family);
  EXPECT_NE(PlanOf("vsubpd zmm0, zmm1, zmm2").family, family);
  const std::string loads = PlanOf("vaddpd zmm0, zmm1, zmmword ptr [rbx]").family;
  EXPECT_NE(loads, family);
  EXPECT_EQ(PlanOf("vaddpd zmm0, zmm1, qword ptr [rbx]{1to8}").family, loads);
}

TEST_F(SiblingsTest, GeneralInstructionsHaveNone) {
  EXPECT_EQ(PlanOf(Either("add x0, x1, x2", "add rax, rcx")).family, "");
}

TEST_F(SiblingsTest, WhatOneTookIsExpectedOfTheNext) {
  const FormPlan first = PlanOf(plain_);
  FormPlan second = PlanOf(plain_);
  siblings_.Expect(second);
  EXPECT_TRUE(std::ranges::none_of(second.experiments,
                                   [](const auto& each) { return each.expected.has_value(); }));
  siblings_.Learn(first, Measured(first, 4), kConfidence);
  siblings_.Expect(second);
  const auto& expected =
      second.experiments[second.values[0].pairs[0].chains[0].experiment].expected;
  ASSERT_TRUE(expected.has_value());
  EXPECT_TRUE(expected->settles);
  EXPECT_LT(expected->low, 4);
  EXPECT_GT(expected->high, 4);
  EXPECT_EQ(expected->like, first.row.text);
}

TEST_F(SiblingsTest, OnlyTheLikelyWinnerAndThePlainestRunAtFirst) {
  const FormPlan first = PlanOf(plain_);
  siblings_.Learn(first, Measured(first, 4), kConfidence);
  FormPlan second = PlanOf(plain_);
  siblings_.Expect(second);
  const std::vector<ArrangementPlan>& arrangements = second.values[0].arrangements;
  ASSERT_GT(arrangements.size(), 3u);
  EXPECT_FALSE(second.experiments[arrangements.front().experiment].reserve);
  EXPECT_FALSE(second.experiments[arrangements.back().experiment].reserve);
  EXPECT_TRUE(second.experiments[arrangements[1].experiment].reserve);
}

TEST_F(SiblingsTest, WhatWasMeasuredBadlyIsNoExample) {
  const FormPlan first = PlanOf(plain_);
  std::vector<Measurement> measured = Measured(first, 4);
  for (Measurement& each : measured) each.contended = true;
  siblings_.Learn(first, measured, kConfidence);
  FormPlan second = PlanOf(plain_);
  siblings_.Expect(second);
  for (const auto& each : second.experiments) {
    EXPECT_FALSE(each.expected && each.expected->settles);
    EXPECT_FALSE(each.reserve);
  }
  // A better one takes its place.
  siblings_.Learn(second, Measured(second, 4), kConfidence);
  FormPlan third = PlanOf(plain_);
  siblings_.Expect(third);
  EXPECT_TRUE(third.experiments[third.values[0].pairs[0].chains[0].experiment].expected->settles);
}

}  // namespace
}  // namespace cyclescope::instructions
