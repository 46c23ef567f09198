#include "anatomy/read_step.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cyclescope::anatomy {
namespace {

struct Curve {
  int fits = 200;
  double before = 0.65;  // just before the fall
  double after = 0;
  double noise = 0;
  int fall_fillers = 0;  // from one level to the other

  std::vector<OverlapPoint> Points(int first, int last, int step, unsigned seed = 1) const {
    std::mt19937 random(seed);
    std::normal_distribution<> normal(0, noise == 0 ? 1e-9 : noise);
    std::vector<OverlapPoint> points;
    for (int fillers = first; fillers <= last; fillers += step) {
      double overlap = 1 - (1 - before) * fillers / fits;
      if (fillers > fits) overlap = after;
      if (fillers > fits - fall_fillers && fillers <= fits)
        overlap = after + (before - after) * (fits - fillers + 1) / (fall_fillers + 1);
      points.push_back({fillers, overlap + normal(random)});
    }
    return points;
  }
};

TEST(ReadStep, FindsTheJumpAndNotTheHalf) {
  const StepReading reading = ReadStep(Curve{.fits = 200}.Points(8, 400, 1));
  ASSERT_TRUE(reading.step);
  EXPECT_EQ(reading.step->fits, 200);
  EXPECT_EQ(reading.step->low, 200);
  EXPECT_EQ(reading.step->high, 200);
}

TEST(ReadStep, AnIntervalIsAsWideAsTheGrid) {
  const StepReading reading = ReadStep(Curve{.fits = 203}.Points(8, 400, 8));
  ASSERT_TRUE(reading.step);
  EXPECT_EQ(reading.step->low, 200);
  EXPECT_EQ(reading.step->high, 207);
  EXPECT_GE(reading.step->fits, 200);
  EXPECT_LE(reading.step->fits, 207);
}

// The last point before the gap is a little lower than the others, as at the begin of a fall.
TEST(ReadStep, AnIntervalReachesToTheNextPoint) {
  std::vector<OverlapPoint> points = Curve{.fits = 200, .noise = 0.01}.Points(100, 200, 4);
  points.back().overlap -= 0.1;
  for (int fillers = 400; fillers <= 600; fillers += 20) points.push_back({fillers, 0});
  const StepReading reading = ReadStep(points);
  ASSERT_TRUE(reading.step);
  EXPECT_EQ(reading.step->high, 399);
}

TEST(ReadStep, AnIntervalIsAsWideAsTheFall) {
  const StepReading reading = ReadStep(Curve{.fits = 68, .fall_fillers = 12}.Points(8, 160, 1));
  ASSERT_TRUE(reading.step);
  EXPECT_LE(reading.step->low, 60);
  EXPECT_GE(reading.step->high, 65);
  EXPECT_LE(reading.step->high, 68);
}

TEST(ReadStep, StandsNoiseAndSinglePointsThatAreWrong) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<OverlapPoint> points;
    for (unsigned visit = 0; visit < 4; ++visit) {
      const auto more = Curve{.fits = 190, .noise = 0.08}.Points(170, 210, 1, 100 * seed + visit);
      points.insert(points.end(), more.begin(), more.end());
    }
    const auto whole = Curve{.fits = 190, .noise = 0.08}.Points(10, 600, 20, seed);
    points.insert(points.end(), whole.begin(), whole.end());
    points.push_back({100, -0.1});
    points.push_back({500, 0.9});
    const StepReading reading = ReadStep(points);
    ASSERT_TRUE(reading.step) << seed;
    EXPECT_NEAR(reading.step->fits, 190, 2) << seed;
  }
}

// Three of four places before an end were disturbed, so that the fall seems to be there: one that
// is left behind it tells that this is not sure.
TEST(ReadStep, AnIntervalHasRoomForAnEndWhereOverlapWasSeenBehindTheFall) {
  std::vector<OverlapPoint> points = Curve{.fits = 200}.Points(8, 400, 8);
  for (OverlapPoint& point : points) {
    if (point.fillers >= 168 && point.fillers < 192) point.overlap = 0;
  }
  const StepReading reading = ReadStep(points);
  ASSERT_TRUE(reading.step);
  EXPECT_TRUE(reading.step->is_contradicted);
  EXPECT_LE(reading.step->low, 160);
  EXPECT_GE(reading.step->high, 200);
}

// Many that agree outvote one.
TEST(ReadStep, OnePlaceOfManyContradictsNothing) {
  std::vector<OverlapPoint> points = Curve{.fits = 200}.Points(8, 400, 4);
  for (OverlapPoint& point : points) {
    if (point.fillers == 176) point.overlap = 0;
    if (point.fillers == 232) point.overlap = 0.8;
  }
  const StepReading reading = ReadStep(points);
  ASSERT_TRUE(reading.step);
  EXPECT_FALSE(reading.step->is_contradicted);
  EXPECT_EQ(reading.step->low, 200);
  EXPECT_EQ(reading.step->high, 203);
}

TEST(ReadStep, SaysThatAWindowIsLargerThanAllPoints) {
  EXPECT_EQ(ReadStep(Curve{.fits = 2000}.Points(8, 1200, 50)).end, StepEnd::kBeyond);
}

TEST(ReadStep, SaysNothingWhereTheNoiseIsTooLarge) {
  int found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed)
    found += ReadStep(Curve{.fits = 200, .noise = 0.4}.Points(8, 400, 8, seed)).step ? 1 : 0;
  EXPECT_EQ(found, 0);
}

TEST(ReadStep, SaysNothingWhereThereIsNoOverlapAtAll) {
  std::vector<OverlapPoint> points;
  for (int fillers = 8; fillers < 400; fillers += 8) points.push_back({fillers, 0.02});
  EXPECT_EQ(ReadStep(points).end, StepEnd::kUnclear);
}

TEST(ReadStep, SaysNothingOfTooFewPoints) {
  EXPECT_EQ(ReadStep({}).end, StepEnd::kUnclear);
  EXPECT_EQ(ReadStep(std::vector<OverlapPoint>{{8, 1}, {400, 0}}).end, StepEnd::kUnclear);
}

}  // namespace
}  // namespace cyclescope::anatomy
