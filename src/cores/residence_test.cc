#include "cores/residence.h"

#include <gtest/gtest.h>

#include <random>

#include "cores/testing/floating_placement.h"

namespace cyclescope::cores {
namespace {

CoreSpectrum TwoLevels() {
  CoreSpectrum spectrum;
  spectrum.levels = {{.name = "", .nanoseconds = 60}, {.name = "", .nanoseconds = 100}};
  return spectrum;
}

// Batches of 0.1 ms: `stays` in batches at one level and the other, in turn.
std::vector<FollowedBatch> Batches(const std::vector<int>& stays, double noise = 0.01) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> deviation(1 - noise, 1 + noise);
  std::vector<FollowedBatch> batches;
  double ns = 60;
  for (const int stay : stays) {
    for (int i = 0; i < stay; ++i) batches.push_back({1e5, ns * deviation(random)});
    ns = 160 - ns;
  }
  return batches;
}

TEST(Residence, TimeOverChanges) {
  const CoreSpectrum spectrum = TwoLevels();
  Residence residence(spectrum);
  residence.Follow(Batches({100, 300, 100, 300, 200}));
  EXPECT_NEAR(residence.FollowedMs(), 100, 1e-6);
  EXPECT_NEAR(*residence.OverallMs(), 25, 1e-6);
  EXPECT_NEAR(*residence.LevelMs(0), 20, 1e-6);
  EXPECT_NEAR(*residence.LevelMs(1), 30, 1e-6);
}

TEST(Residence, NoneWhereNothingMoved) {
  const CoreSpectrum spectrum = TwoLevels();
  Residence residence(spectrum);
  residence.Follow(Batches({500}, 0.06));
  residence.Follow(Batches({500}, 0.02));
  EXPECT_FALSE(residence.OverallMs());
  EXPECT_FALSE(residence.LevelMs(0));
  EXPECT_NEAR(residence.FollowedMs(), 100, 1e-6);
}

TEST(Residence, SingleBatchesAreNoMove) {
  const CoreSpectrum spectrum = TwoLevels();
  Residence residence(spectrum);
  auto batches = Batches({500});
  for (std::size_t i = 10; i < batches.size(); i += 20) batches[i].ns *= 2;
  residence.Follow(batches);
  EXPECT_FALSE(residence.OverallMs());
}

// A pair changes when either of its CPUs moves to another level: somewhat more than half as long as
// one CPU stays, since not every move is to another.
TEST(Residence, OfAMadeHost) {
  const auto host = testing::TiledHost(96);
  for (const double stay_ms : {3.0, 30.0, 300.0}) {
    testing::FloatingPlacement placement(2, 96, stay_ms * 1e6, 1);
    std::vector<FollowedBatch> batches;
    double time_ns = 0;
    while (time_ns < 400 * stay_ms * 1e6) {
      const double ns =
          host.nanoseconds(placement.HardwareOf(0, time_ns), placement.HardwareOf(1, time_ns));
      batches.push_back({1000 * ns, ns});
      time_ns += 1000 * ns;
    }
    const CoreSpectrum spectrum = TwoLevels();
    Residence residence(spectrum);
    residence.Follow(batches);
    EXPECT_GT(*residence.OverallMs(), 0.5 * stay_ms);
    EXPECT_LT(*residence.OverallMs(), 1.5 * stay_ms);
  }
}

}  // namespace
}  // namespace cyclescope::cores
