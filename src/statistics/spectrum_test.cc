#include "statistics/spectrum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace cyclescope::statistics {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Mode {
  double ns = 0;
  int count = 0;
  double noise = 0.02;
};

std::vector<double> Values(const std::vector<Mode>& modes, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (const Mode& mode : modes) {
    std::normal_distribution<double> noise(0, mode.noise);
    for (int i = 0; i < mode.count; ++i) values.push_back(mode.ns * std::exp(noise(random)));
  }
  return values;
}

TEST(Spectrum, LevelsWithTheirShares) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const CoreSpectrum spectrum =
        FindSpectrum(Values({{8, 6}, {63, 300}, {80, 200}, {102, 500}}, seed));
    ASSERT_THAT(spectrum.levels, SizeIs(4)) << seed;
    EXPECT_NEAR(spectrum.levels[0].nanoseconds, 8, 0.25);
    EXPECT_NEAR(spectrum.levels[1].nanoseconds, 63, 1);
    EXPECT_NEAR(spectrum.levels[2].nanoseconds, 80, 1);
    EXPECT_NEAR(spectrum.levels[3].nanoseconds, 102, 1);
    EXPECT_NEAR(spectrum.levels[0].share, 0.006, 0.001);
    EXPECT_NEAR(spectrum.levels[3].share, 0.497, 0.02);
    EXPECT_EQ(spectrum.levels[0].name, "same core");
    EXPECT_EQ(spectrum.levels[1].name, "nearest other core");
    EXPECT_EQ(spectrum.levels[2].name, "farther");
    EXPECT_EQ(spectrum.levels[3].name, "farthest");
  }
}

// An Emerald Rapids whose CPUs move, by the test `two-lines`: 21 ns is one core, and 142 ns is the
// same die, on a machine of one socket.
TEST(Spectrum, TimesAloneNameNoDieAndNoSocket) {
  const CoreSpectrum spectrum = FindSpectrum(Values({{21.2, 57}, {142, 5460}}, 1));
  ASSERT_THAT(spectrum.levels, SizeIs(2));
  EXPECT_EQ(spectrum.levels[0].name, "nearest");
  EXPECT_EQ(spectrum.levels[1].name, "farthest");
}

TEST(Spectrum, PlacesOnOneDieAreOneLevel) {
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) values.push_back(40 + i * 0.006);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_THAT(FindSpectrum(Values({{46, 60, 0.05}}, seed)).levels, SizeIs(1)) << seed;
    EXPECT_THAT(FindSpectrum(Values({{46, 2000, 0.12}}, seed)).levels, SizeIs(1)) << seed;
  }
  const CoreSpectrum spectrum = FindSpectrum(values);
  ASSERT_THAT(spectrum.levels, SizeIs(1));
  EXPECT_EQ(spectrum.levels[0].name, "other core");
  EXPECT_NEAR(spectrum.levels[0].low, 40.6, 0.1);
  EXPECT_NEAR(spectrum.levels[0].high, 51.4, 0.1);
}

TEST(Spectrum, ADisturbedValueIsNoLevel) {
  std::vector<double> values = Values({{9, 16}, {40, 480}});
  values.push_back(900);
  const CoreSpectrum spectrum = FindSpectrum(values);
  EXPECT_THAT(spectrum.levels, SizeIs(2));
  EXPECT_LT(spectrum.first_ns * std::pow(spectrum.step, spectrum.counts.size()), 100)
      << "the bars are those of the others";
}

TEST(Spectrum, BarsHoldEveryValueOnce) {
  const CoreSpectrum spectrum = FindSpectrum(Values({{8, 10}, {63, 300}, {300, 50}}));
  EXPECT_LE(spectrum.counts.size(), 25u);
  EXPECT_EQ(std::accumulate(spectrum.counts.begin(), spectrum.counts.end(), 0), 360);
  EXPECT_EQ(FindSpectrum(std::vector<double>{50, 50, 50}).counts.size(), 1u);
}

TEST(Spectrum, OfNextToNothing) {
  EXPECT_THAT(FindSpectrum({}).levels, IsEmpty());
  EXPECT_THAT(FindSpectrum(std::vector<double>{40}).counts, IsEmpty());
  EXPECT_THAT(FindSpectrum(std::vector<double>{-1, 0, NAN, INFINITY}).counts, IsEmpty());
  EXPECT_THAT(FindSpectrum(std::vector<double>{40, 41}).levels, SizeIs(1));
}

TEST(Spectrum, LevelOfAValue) {
  const CoreSpectrum spectrum = FindSpectrum(Values({{8, 10}, {63, 300}, {102, 300}}));
  EXPECT_EQ(LevelOf(spectrum, 9), 0u);
  EXPECT_EQ(LevelOf(spectrum, 70), 1u);
  EXPECT_EQ(LevelOf(spectrum, 900), 2u);
}

}  // namespace
}  // namespace cyclescope::statistics
