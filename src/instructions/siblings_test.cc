#include "instructions/siblings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "instructions/conclude.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using measure::CoreState;
using measure::Measurement;
using measure::Visit;
using testing::Either;

constexpr double kConfidence = 0.95;

// This number of visits that took as long.
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

TEST_F(SiblingsTest, MaskedOnesAreComparedWithMaskedOnes) {
  if (testing::OnArm()) GTEST_SKIP() << "no masks";
  const auto expected = [&](std::string_view text) {
    FormPlan plan = PlanOf(text);
    siblings_.Expect(plan);
    const auto& chain =
        plan.experiments[plan.values.front().pairs.back().chains.front().experiment];
    return chain.expected ? chain.expected->value : 0;
  };
  const FormPlan plain = PlanOf(plain_);
  siblings_.Learn(plain, Measured(plain, 4), kConfidence);
  EXPECT_NEAR(expected("vaddpd zmm0 {k1} {z}, zmm1, zmm2"), 4, 0.01) << "nothing better is known";
  const FormPlan masked = PlanOf("vaddpd zmm0 {k1} {z}, zmm1, zmm2");
  siblings_.Learn(masked, Measured(masked, 5), kConfidence);
  EXPECT_NEAR(expected("vaddpd zmm0 {k1} {z}, zmm1, zmm2"), 5, 0.01);
  EXPECT_NEAR(expected(plain_), 4, 0.01);
}

TEST_F(SiblingsTest, WidthsPartAFamily) {
  if (testing::OnArm()) {
    EXPECT_NE(PlanOf("fdiv v0.4s, v1.4s, v2.4s").family, PlanOf("fdiv v0.2d, v1.2d, v2.2d").family);
    EXPECT_EQ(PlanOf("fdiv v0.4s, v1.4s, v2.4s").family, PlanOf("fdiv v3.4s, v4.4s, v5.4s").family);
    return;
  }
  const std::string narrow = PlanOf("vcvtpd2ps xmm0, xmmword ptr [rbx]").family;
  EXPECT_EQ(PlanOf("vcvtpd2ps xmm0, qword ptr [rbx]{1to2}").family, narrow);
  EXPECT_NE(PlanOf("vcvtpd2ps xmm0, ymmword ptr [rbx]").family, narrow);
  EXPECT_NE(PlanOf("vcvtpd2ps xmm0, qword ptr [rbx]{1to4}").family, narrow);
}

// Which arrangements there are depends on the bytes of an access; which is which must not.
TEST_F(SiblingsTest, EqualWaysAreEqualArrangements) {
  if (testing::OnArm()) GTEST_SKIP() << "no broadcasts";
  const FormPlan whole = PlanOf("vaddpd zmm0, zmm1, zmmword ptr [rbx]");
  const FormPlan element = PlanOf("vaddpd zmm0, zmm1, qword ptr [rbx]{1to8}");
  const auto replace_all = [](std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  const auto& ours = whole.values.front().arrangements;
  const auto& theirs = element.values.front().arrangements;
  EXPECT_LT(ours.size(), theirs.size());
  for (const ArrangementPlan& each : ours) {
    EXPECT_EQ(std::ranges::count(ours, each.way, &ArrangementPlan::way), 1) << each.way;
    const auto same = std::ranges::find(theirs, each.way, &ArrangementPlan::way);
    ASSERT_NE(same, theirs.end()) << each.way;
    EXPECT_EQ(same->has_fillers, each.has_fillers);
    EXPECT_EQ(same->equal_sources, each.equal_sources);
    EXPECT_EQ(replace_all(replace_all(same->code, "qword ptr", "zmmword ptr"), "{1to8}", ""),
              each.code);
  }
}

// In the row of the first several arrangements are as good, which makes its interval wider.
TEST_F(SiblingsTest, WhoFollowsIsNoSurerThanTheOneItFollows) {
  const FormPlan first = PlanOf(plain_);
  const std::vector<Measurement> measured(first.experiments.size(), Visited(2, 3));
  const Circumstances circumstances = {.confidence = kConfidence};
  Connectors connectors;
  for (const ConnectorPlan& connector : first.connectors)
    connectors[connector.name] = Visited(1, 3);
  const Estimate row = Conclude(first, measured, connectors, circumstances).throughput->cycles;
  siblings_.Learn(first, measured, kConfidence);
  FormPlan second = PlanOf(plain_);
  siblings_.Expect(second);
  const ExperimentIndex plainest = second.values.front().arrangements.front().experiment;
  std::vector<Measurement> followed(second.experiments.size());
  followed[plainest] = Visited(2, 1);
  followed[plainest].agreed = second.experiments[plainest].expected;
  ASSERT_TRUE(followed[plainest].agreed.has_value());
  const Estimate follower = EstimateOf(followed[plainest], kConfidence);
  EXPECT_LE(follower.low, row.low);
  EXPECT_GE(follower.high, row.high);
  // It turned out later that the core was shared.
  followed[plainest].contended = true;
  const Estimate contended = EstimateOf(followed[plainest], kConfidence);
  EXPECT_LT(contended.low, follower.low - 0.05);
  EXPECT_GT(contended.high, follower.high + 0.05);
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
    EXPECT_FALSE(each.expected.has_value());
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
