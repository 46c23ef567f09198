// How often the interval of a snippet with several speeds holds the truth: kinds of noise × visits.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "measure/experiment.h"
#include "statistics/statistics.h"
#include "statistics/testing/simulated_noise.h"

namespace cyclescope::measure {
namespace {

using statistics::testing::kNoises;
using statistics::testing::Noise;

constexpr double kCyclesPerUnit = 3.37;

// A visit is in one speed for both kernels; what they take differs from its speed by a tenth.
Visit SimulatedVisit(const Noise& noise, std::mt19937& random, double place) {
  constexpr double kSize = 0.02;
  const double speed = noise.draw(random, place);
  const auto taken = [&](double units) {
    const double own = 0.1 * statistics::testing::Normal(random);
    return units * kCyclesPerUnit * (1 + kSize * (speed + own));
  };
  Visit visit;
  visit.shorter = taken(1);
  visit.longer = taken(2);
  visit.cycles = {visit.longer - visit.shorter};
  return visit;
}

// What the fast quarter of very many visits takes.
double TruthOf(const Noise& noise, int visits) {
  std::mt19937 random(7);
  std::vector<double> shorter;
  std::vector<double> longer;
  for (int i = 0; i < 40'000; ++i) {
    const Visit visit = SimulatedVisit(noise, random, (i % visits + 0.5) / visits - 0.5);
    shorter.push_back(visit.shorter);
    longer.push_back(visit.longer);
  }
  return statistics::Quantile(longer, 0.25) - statistics::Quantile(shorter, 0.25);
}

double CoverageOfSnippets(const Noise& noise, int visits) {
  constexpr int kTrials = 400;
  const double truth = TruthOf(noise, visits);
  std::mt19937 random(static_cast<unsigned>(visits));
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Measurement measurement;
    measurement.units_of_speeds = 1;
    measurement.end = SamplingEnd::kBudget;
    for (int i = 0; i < visits; ++i)
      measurement.visits.push_back(SimulatedVisit(noise, random, (i + 0.5) / visits - 0.5));
    const Estimate estimate = EstimateOf(measurement, 0.95, 1);
    held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
  }
  return static_cast<double>(held) / kTrials;
}

TEST(CoverageBulk, IntervalsOfSnippetsHoldTheTruth) {
  constexpr double kMinCoverage = 0.93;
  for (const Noise& noise : kNoises) {
    std::string line = fmt::format("{:12}", noise.name);
    for (const int visits : {12, 14, 24}) {
      const double coverage = CoverageOfSnippets(noise, visits);
      line += fmt::format("  {:5.1f}", 100 * coverage);
      EXPECT_GE(coverage, kMinCoverage) << noise.name << ", " << visits << " visits";
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace cyclescope::measure
