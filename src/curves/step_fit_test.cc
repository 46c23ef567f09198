#include "curves/step_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cyclescope::curves {
namespace {

std::vector<FitPoint> Points(const StepFit& made) {
  std::vector<FitPoint> points;
  for (double bytes = 1024; bytes < 1e9; bytes *= std::exp2(0.25)) {
    points.push_back({bytes, made.LatencyAt(bytes), 0});
  }
  return points;
}

TEST(MissShape, AllMissInTheEndAndNoneAtFirst) {
  for (const MissShape shape : {MissShape{Filling::kEven, 8}, MissShape{Filling::kScattered, 8},
                                MissShape{Filling::kScattered, 64}, MissShape{Filling::kRandom, 0},
                                MissShape{Filling::kKeeping, 0}}) {
    EXPECT_EQ(MissedShare(shape, 0), 0);
    EXPECT_LT(MissedShare(shape, 0.1), 0.001);
    EXPECT_GT(MissedShare(shape, 1000), 0.99);
    double before = 0;
    for (double ratio = 0.1; ratio < 10; ratio *= 1.1) {
      EXPECT_GE(MissedShare(shape, ratio), before - 1e-12);
      before = MissedShare(shape, ratio);
    }
  }
}

TEST(MissShape, AreWhatTheirFormulasSay) {
  EXPECT_DOUBLE_EQ(MissedShare({Filling::kEven, 8}, 1 + 0.5 / 8), 0.5);
  EXPECT_NEAR(MissedShare({Filling::kScattered, 16}, 1), 0.533, 0.001);
  const double hit = 1 - MissedShare({Filling::kRandom, 0}, 1.5);
  EXPECT_NEAR(hit, std::exp(-(1 - hit) * 1.5), 1e-9);
  EXPECT_LT(hit, 0.5);
  EXPECT_DOUBLE_EQ(MissedShare({Filling::kKeeping, 0}, 4), 0.75);
}

TEST(FitSteps, FindsTheStepsThatACurveWasMadeOf) {
  StepFit made;
  made.first = 5;
  made.steps = {{48 * 1024.0, 11, {Filling::kEven, 8}, 0, 0},
                {2 * 1048576.0, 54, {Filling::kScattered, 16}, 0, 0},
                {30 * 1048576.0, 250, {Filling::kRandom, 0}, 0, 0}};
  const StepFit fit = FitSteps(Points(made), {});
  ASSERT_EQ(fit.steps.size(), 3u);
  ASSERT_EQ(fit.ranges.size(), 4u);
  EXPECT_NEAR(fit.first, 5, 0.1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fit.steps[i].bytes / made.steps[i].bytes, 1, 0.1) << i;
    EXPECT_NEAR(fit.LatencyBefore(i) / made.LatencyBefore(i), 1, 0.03) << i;
    EXPECT_LE(fit.steps[i].bytes_low, fit.steps[i].bytes);
    EXPECT_GE(fit.steps[i].bytes_high, fit.steps[i].bytes);
    EXPECT_LE(fit.ranges[i].low, fit.ranges[i].high);
  }
}

TEST(FitSteps, AFlatCurveHasNone) {
  StepFit flat;
  flat.first = 4;
  EXPECT_TRUE(FitSteps(Points(flat), {}).steps.empty());
  EXPECT_TRUE(FitSteps({}, {}).steps.empty());
  const std::vector<FitPoint> few = {{1024, 4, 0}, {2048, 4, 0}, {4096, 40, 0}, {8192, 40, 0}};
  EXPECT_TRUE(FitSteps(few, {}).steps.empty());
}

// Two steps need a plateau between them.
TEST(FitSteps, StepsThatRunIntoEachOtherAreOne) {
  const auto steps_with = [](double second_bytes) {
    StepFit made;
    made.first = 5;
    made.steps = {{48 * 1024.0, 11, {Filling::kEven, 8}, 0, 0},
                  {2 * 1048576.0, 80, {Filling::kEven, 16}, 0, 0},
                  {second_bytes, 250, {Filling::kEven, 16}, 0, 0}};
    return FitSteps(Points(made), {}).steps.size();
  };
  EXPECT_EQ(steps_with(2 * 2 * 1048576.0), 3u);
  EXPECT_EQ(steps_with(1.3 * 2 * 1048576.0), 2u);
}

TEST(FitSteps, ALowStepIsNone) {
  StepFit made;
  made.first = 10;
  made.steps = {{65536.0, 1, {Filling::kEven, 8}, 0, 0}};
  EXPECT_TRUE(FitSteps(Points(made), {}).steps.empty());
}

}  // namespace
}  // namespace cyclescope::curves
