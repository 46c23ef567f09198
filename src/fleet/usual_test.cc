#include "fleet/usual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cyclescope::fleet {
namespace {

std::vector<MetricValue> Draw(int count, double spread, double error, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<MetricValue> values;
  for (int i = 0; i < count; ++i)
    values.push_back({0, 1 + spread * normal(random) + error * normal(random), error});
  return values;
}

TEST(Usual, FindsCentreAndSpread) {
  const Usual usual = FindUsual(Draw(4000, 0.01, 0), 0.01);
  EXPECT_NEAR(usual.centre, 1, 0.001);
  EXPECT_NEAR(usual.below, 0.01, 0.001);
  EXPECT_NEAR(usual.above, 0.01, 0.001);
}

// What the nodes' own intervals explain is no difference between nodes.
TEST(Usual, TakesOffTheNodesOwnErrors) {
  const Usual usual = FindUsual(Draw(4000, 0.003, 0.01), 0.001);
  EXPECT_LT(usual.above, 0.006);
  EXPECT_NEAR(usual.Score({0, usual.centre + 0.03, 0.01}), 3, 0.5);
}

TEST(Usual, FewThatAreFarOffChangeLittle) {
  std::vector<MetricValue> values = Draw(1000, 0.01, 0.002);
  for (std::size_t i = 0; i < 80; ++i) values[i].place += 1;
  const Usual usual = FindUsual(values, 0.01);
  EXPECT_NEAR(usual.centre, 1, 0.003);
  EXPECT_LT(usual.above, 0.02);
  EXPECT_NEAR(usual.below, 0.01, 0.002);
}

TEST(Usual, SidesDiffer) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> exponential;
  std::vector<MetricValue> values;
  for (int i = 0; i < 2000; ++i) values.push_back({0, 0.01 * exponential(random), 0});
  const Usual usual = FindUsual(values, 0.01);
  EXPECT_GT(usual.above, 1.5 * usual.below);
}

// Three nodes that happen to agree do not make a fourth of 1 % an outlier.
TEST(Usual, FewNodesSayLittleAboutTheirSpread) {
  const std::vector<MetricValue> values = {{0, 1.0, 0}, {0, 1.0, 0}, {0, 1.00001, 0}};
  const Usual usual = FindUsual(values, 0.01);
  EXPECT_GT(usual.above, 0.005);
  EXPECT_LT(usual.degrees_above, 7);
  EXPECT_GT(usual.Chance({0, 1.02, 0}), 0.01);
  EXPECT_LT(usual.Chance({0, 1.3, 0}), 1e-6);
}

// Of each the true tail at 10 standard deviations of a side's four fifths is known.
TEST(FindDecay, TailsOfKnownNoise) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  std::vector<double> normal_scores;
  std::vector<double> heavy_scores;
  for (int i = 0; i < 20'000; ++i) {
    normal_scores.push_back(std::abs(normal(random)));
    heavy_scores.push_back(exponential(random) / kLeastDecay);  // a fifth is beyond 1.2816
  }
  EXPECT_NEAR(FindDecay(normal_scores), 2.0, 0.1);
  EXPECT_NEAR(FindDecay(heavy_scores), kLeastDecay, 0.06);
  EXPECT_EQ(FindDecay({}), kLeastDecay);
}

// Many outliers make us careful, not blind.
TEST(FindDecay, OutliersLoosenIt) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> scores;
  for (int i = 0; i < 5'000; ++i) scores.push_back(std::abs(normal(random)));
  for (int i = 0; i < 50; ++i) scores.push_back(50);
  const double decay = FindDecay(scores);
  EXPECT_GT(decay, 1.3);
  EXPECT_LT(decay, 1.6);
}

TEST(Usual, OneValueIsUsual) {
  const std::vector<MetricValue> values = {{0, 2, 0.1}};
  EXPECT_EQ(FindUsual(values, 0.01).Score(values.front()), 0);
}

}  // namespace
}  // namespace cyclescope::fleet
