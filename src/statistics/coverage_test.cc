// How often an interval of 95 % holds the truth: kinds of noise × visits, around values that are no
// whole numbers.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "statistics/sample_groups.h"
#include "statistics/testing/simulated_noise.h"

namespace cyclescope::statistics {
namespace {

using testing::kNoises;
using testing::Noise;
using testing::Normal;

// Each visit differs from the truth by noise of its kind, each sample from its visit by a third of
// that.
double Coverage(const Noise& noise, int visits, double size) {
  constexpr int kTrials = 1000;
  constexpr double kTruth = 3.37;
  std::mt19937 random(static_cast<unsigned>(visits));
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> groups;
    for (int i = 0; i < visits; ++i) {
      const double place = (i + 0.5) / visits - 0.5;
      const double visit = noise.draw(random, place);
      auto& group = groups.emplace_back();
      for (int sample = 0; sample < 3; ++sample)
        group.push_back(kTruth * (1 + size * (visit + Normal(random) / 3)));
    }
    SampleGroups samples;
    for (const auto& group : groups) samples.groups.emplace_back(group);
    const Estimate estimate = EstimateOf(samples, 0.95);
    held += estimate.low <= kTruth && kTruth <= estimate.high ? 1 : 0;
  }
  return static_cast<double>(held) / kTrials;
}

TEST(Coverage, IntervalsHoldTheTruth) {
  constexpr double kSmallSpread = 0.001, kLargeSpread = 0.02;
  constexpr double kMinCoverage = 0.93;
  for (const Noise& noise : kNoises) {
    std::string line = fmt::format("{:12}", noise.name);
    for (const int visits : {3, 4, 6, 8, 14}) {
      for (const double size : {kSmallSpread, kLargeSpread}) {
        const double coverage = Coverage(noise, visits, size);
        line += fmt::format("  {:5.1f}", 100 * coverage);
        EXPECT_GE(coverage, kMinCoverage) << noise.name << ", " << visits << " visits, " << size;
      }
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace cyclescope::statistics
