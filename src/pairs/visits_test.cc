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
  EXPECT_NEAR(estimate.high - estimate.ns, 2.365 * 2 / std::sqrt(8), 0.01);
  EXPECT_NEAR(estimate.ns - estimate.low, estimate.high - estimate.ns, 1e-9);
}

TEST(VisitEstimate, VisitsCountByTheirLines) {
  const VisitEstimate estimate = EstimateFromVisits({MakeVisit(100, 1, 30), MakeVisit(104, 1, 10)});
  EXPECT_NEAR(estimate.ns, 101, 1e-4);
}

TEST(VisitEstimate, TwoVisitsHaveOnlyTheirOwnWord) {
  const VisitEstimate estimate = EstimateFromVisits({MakeVisit(100, 2), MakeVisit(100, 2)});
  EXPECT_NEAR(estimate.high - estimate.ns, 2.04 * 2 / std::sqrt(2), 0.02);
}

// A hundred visits of a machine that was slow in the first half of the run know no more of the next
// run than two do.
TEST(VisitEstimate, VisitsThatFollowEachOtherAreNotIndependent) {
  std::vector<DirectedVisit> visits(50, MakeVisit(104, 1));
  visits.resize(100, MakeVisit(100, 1));
  const VisitEstimate estimate = EstimateFromVisits(visits);
  EXPECT_NEAR(estimate.ns, 102, 1e-4);
  EXPECT_NEAR(estimate.high - estimate.ns, 2.365 * 2.138 / std::sqrt(8), 0.02);
  const VisitEstimate drifting = EstimateFromVisits(visits, true);
  EXPECT_NEAR(drifting.high - drifting.ns, 2.365 * 2.138, 0.05);
}

TEST(VisitEstimate, AFewFarAboveAreLeftOut) {
  std::vector<DirectedVisit> visits(6, MakeVisit(100));
  visits.push_back(MakeVisit(180));
  visits.push_back(MakeVisit(140));
  EXPECT_NEAR(EstimateFromVisits(visits).ns, 100, 1e-4);
  visits.push_back(MakeVisit(150));  // three of nine are no accident
  EXPECT_GT(EstimateFromVisits(visits).ns, 115);
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

}  // namespace
}  // namespace cyclescope::pairs
