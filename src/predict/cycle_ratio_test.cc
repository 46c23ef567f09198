#include "predict/cycle_ratio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace cyclescope::predict {
namespace {

using Edges = std::vector<DependenceEdge>;

TEST(CycleRatio, OfOneChain) {
  const Edges edges = {{0, 1, 3, 0}, {1, 0, 1, 1}};
  const CriticalCycle cycle = LongestCycle(2, edges);
  EXPECT_DOUBLE_EQ(cycle.cycles, 4);
  EXPECT_EQ(cycle.edges.size(), 2U);
}

// Twenty cycles in three iterations are 6.67 for each, exactly.
TEST(CycleRatio, MaySpanSeveralIterations) {
  const Edges edges = {{0, 1, 10, 1}, {1, 2, 5, 1}, {2, 0, 5, 1}, {0, 0, 6, 1}};
  EXPECT_DOUBLE_EQ(LongestCycle(3, edges).cycles, 20.0 / 3);
}

TEST(CycleRatio, WithoutACycleThereIsNone) {
  EXPECT_TRUE(LongestCycle(2, Edges{{0, 1, 3, 0}}).edges.empty());
  EXPECT_TRUE(LongestCycle(0, Edges{}).edges.empty());
}

// R. M. Karp's maximum cycle mean ("A characterization of the minimum cycle mean in a digraph",
// 1978), for graphs each of whose edges spans one iteration, from one node of each component.
double Karp(std::size_t nodes, const Edges& edges) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  // From a node beyond all others that leads to each of them.
  std::vector<std::vector<double>> longest(nodes + 1, std::vector<double>(nodes, kNever));
  std::ranges::fill(longest[0], 0);
  for (std::size_t k = 1; k <= nodes; ++k) {
    for (const DependenceEdge& edge : edges)
      longest[k][edge.to] = std::max(longest[k][edge.to], longest[k - 1][edge.from] + edge.cycles);
  }
  double best = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (longest[nodes][node] == kNever) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < nodes; ++k) {
      if (longest[k][node] == kNever) continue;
      least = std::min(least,
                       (longest[nodes][node] - longest[k][node]) / static_cast<double>(nodes - k));
    }
    best = std::max(best, least);
  }
  return best;
}

TEST(CycleRatio, AgreesWithKarp) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t nodes = 1 + random() % 12;
    Edges edges;
    for (std::size_t i = random() % (3 * nodes); i-- > 0;) {
      edges.push_back(
          {random() % nodes, random() % nodes, static_cast<double>(random() % 40) / 4, 1});
    }
    ASSERT_NEAR(LongestCycle(nodes, edges).cycles, Karp(nodes, edges), 1e-6) << "round " << round;
  }
}

}  // namespace
}  // namespace cyclescope::predict
