// How often the interval of a pair of CPUs holds the truth: kinds of noise × visits.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "pairs/visits.h"
#include "statistics/testing/simulated_noise.h"

namespace cyclescope::pairs {
namespace {

using statistics::testing::kNoises;
using statistics::testing::Noise;

// Each visit's mean differs from the truth by noise of its kind; the value of a pair is a mean.
double CoverageOfPairs(const Noise& noise, int visits) {
  constexpr int kTrials = 1000;
  constexpr double kTruthNs = 43.7, kSize = 0.02;
  std::mt19937 random(static_cast<unsigned>(visits));
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<DirectedVisit> made;
    for (int i = 0; i < visits; ++i) {
      const double place = (i + 0.5) / visits - 0.5;
      const double ns = kTruthNs * (1 + kSize * (noise.draw(random, place) - noise.mean));
      made.push_back({static_cast<float>(ns), static_cast<float>(ns),
                      static_cast<float>(0.005 * kTruthNs), 16});
    }
    const VisitEstimate estimate = EstimateFromVisits(made);
    held += estimate.low <= kTruthNs && kTruthNs <= estimate.high ? 1 : 0;
  }
  return static_cast<double>(held) / kTrials;
}

TEST(Coverage, IntervalsOfPairsHoldTheTruth) {
  constexpr double kMinCoverage = 0.93;
  for (const Noise& noise : kNoises) {
    std::string line = fmt::format("{:12}", noise.name);
    for (const int visits : {3, 4, 6, 8, 14}) {
      const double coverage = CoverageOfPairs(noise, visits);
      line += fmt::format("  {:5.1f}", 100 * coverage);
      EXPECT_GE(coverage, kMinCoverage) << noise.name << ", " << visits << " visits";
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace cyclescope::pairs
