#include "pairs/visits.h"

#include <gtest/gtest.h>

namespace cyclescope::pairs {
namespace {

DirectedVisit MakeVisit(double ns, double error = 0.5, double lines = 16) {
  return {static_cast<float>(ns), static_cast<float>(ns), static_cast<float>(error),
          static_cast<float>(lines)};
}

TEST(VisitEstimate, TheIntervalComesFromBetweenVisits) {
  std::vector<DirectedVisit> visits;
  for (const double ns : {98, 102, 99, 101, 97, 103, 100, 100})
    visits.push_back(MakeVisit(ns, 0.1));
  const VisitEstimate estimate = EstimateFromVisits(visits);
  EXPECT_NEAR(estimate.ns, 100, 1e-4);
  // A standard deviation of 2, eight visits, and Student's 2.365.
  EXPECT_NEAR(estimate.ns - estimate.low, 2.365 * 2 / std::sqrt(8), 0.01);
  EXPECT_NEAR(estimate.high - estimate.ns, 1.6 * (estimate.ns - estimate.low), 1e-6);
}

TEST(VisitEstimate, VisitsCountByTheirLines) {
  const VisitEstimate estimate = EstimateFromVisits({MakeVisit(100, 1, 30), MakeVisit(104, 1, 10)});
  EXPECT_NEAR(estimate.ns, 101, 1e-4);
}

TEST(VisitEstimate, TwoVisitsHaveOnlyTheirOwnWord) {
  const VisitEstimate estimate = EstimateFromVisits({MakeVisit(100, 2), MakeVisit(100, 2)});
  EXPECT_NEAR(estimate.ns - estimate.low, 2.04 * 2 / std::sqrt(2), 0.02);
}

// A hundred visits of a machine that was slow in the first half of the run know no more of the next
// run than two do.
TEST(VisitEstimate, VisitsThatFollowEachOtherAreNotIndependent) {
  std::vector<DirectedVisit> visits(50, MakeVisit(104, 1));
  visits.resize(100, MakeVisit(100, 1));
  const VisitEstimate estimate = EstimateFromVisits(visits);
  EXPECT_NEAR(estimate.ns, 102, 1e-4);
  EXPECT_NEAR(estimate.ns - estimate.low, 2.365 * 2.138 / std::sqrt(8), 0.02);
  const VisitEstimate drifting = EstimateFromVisits(visits, true);
  EXPECT_NEAR(drifting.ns - drifting.low, 2.365 * 2.138, 0.05);
}

TEST(VisitEstimate, AFewFarAboveAreLeftOut) {
  std::vector<DirectedVisit> visits(6, MakeVisit(100));
  visits.push_back(MakeVisit(180));
  visits.push_back(MakeVisit(140));
  EXPECT_NEAR(EstimateFromVisits(visits).ns, 100, 1e-4);
  EXPECT_LT(EstimateFromVisits(visits).high, 101);
  visits.push_back(MakeVisit(150));  // three of nine are no accident
  EXPECT_NEAR(EstimateFromVisits(visits).ns, 100, 1e-4);
  EXPECT_GT(EstimateFromVisits(visits).high, 115);
}

TEST(VisitEstimate, HoldsBothOfTwoStatesThatAreSeenAsOften) {
  std::vector<DirectedVisit> visits(4, MakeVisit(100));
  visits.resize(8, MakeVisit(140));
  const VisitEstimate estimate = EstimateFromVisits(visits);
  EXPECT_LE(estimate.low, 100);
  EXPECT_GE(estimate.high, 120);
}

TEST(VisitTable, AMoveBetweenTheDirectionsIsOfOneLevel) {
  VisitTable visits(2);
  visits.BeginRound();
  visits.At(0, 1) = MakeVisit(100);
  visits.At(1, 0) = MakeVisit(104);
  visits.BeginRound();
  visits.At(0, 1) = MakeVisit(100);
  visits.At(1, 0) = MakeVisit(8);
  visits.BeginRound();
  visits.At(1, 0) = MakeVisit(50);
  EXPECT_NEAR(visits.Both(0, 0, 1), 102, 1e-4);
  EXPECT_NEAR(visits.Both(1, 0, 1), 8, 1e-4);
  EXPECT_NEAR(visits.Both(2, 0, 1), 50, 1e-4);
  EXPECT_EQ(visits.Of(0, 1).size(), 2u);
  EXPECT_EQ(visits.All().size(), 5u);
}

// All pairs a little slower in the second half of the run: by less than matters, and by more.
TEST(Stability, NoiseIsNoDrift) {
  const auto stability = [](double ratio, double error) {
    VisitTable visits(10);
    double time_ns = 0;
    for (int round = 0; round < 8; ++round) {
      visits.BeginRound();
      for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t j = 0; j < 10; ++j) {
          if (i == j) continue;
          DirectedVisit visit = MakeVisit(round < 4 ? 100 : 100 * ratio, error);
          visit.time_ns = time_ns += 1e6;
          visits.At(i, j) = visit;
        }
      }
    }
    return JudgeStability(visits).stability;
  };
  EXPECT_EQ(stability(1.2, 0.5), Stability::kDrifting);
  EXPECT_EQ(stability(1.02, 0.5), Stability::kStable) << "too little to matter";
  EXPECT_EQ(stability(1.2, 40), Stability::kStable) << "each visit is this uncertain";
}

}  // namespace
}  // namespace cyclescope::pairs
