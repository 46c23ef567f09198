#include "anatomy/code_alignment.h"

#include <gtest/gtest.h>

#include "anatomy/testing/simulated_front_end.h"

namespace cyclescope::anatomy {
namespace {

using testing::SimulatedFrontEnd;

constexpr std::int64_t kAlignedLoop = 8;

TEST(CodeAlignment, ABlockMoreCostsWhatItCosts) {
  SimulatedFrontEnd core;
  core.fetch_block_cycles = 1;
  const AlignmentCost cost = MeasureAlignment(core, kAlignedLoop);
  EXPECT_EQ(cost.points.size(), 16);
  ASSERT_TRUE(cost.lost);
  EXPECT_NEAR(cost.lost->cycles, 1, 0.05);
  EXPECT_FALSE(cost.lost->shared);
}

// The slowest of sixteen equal times is slower than the fastest, and yet nothing is lost.
TEST(CodeAlignment, NoiseIsNoCost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedFrontEnd core;
    core.random.seed(seed);
    core.noise = 0.02;
    const AlignmentCost cost = MeasureAlignment(core, kAlignedLoop);
    ASSERT_TRUE(cost.lost) << seed;
    EXPECT_LT(cost.lost->cycles, 0.05) << seed;
  }
}

TEST(CodeAlignment, PlacesThatCouldNotBeMeasuredTellNothing) {
  SimulatedFrontEnd core;
  core.unmeasured_share = 0.9;
  EXPECT_FALSE(MeasureAlignment(core, kAlignedLoop).lost);
}

TEST(CodeAlignment, ASharedCoreIsMarked) {
  SimulatedFrontEnd core;
  core.shared_share = 1;
  const AlignmentCost cost = MeasureAlignment(core, kAlignedLoop);
  ASSERT_TRUE(cost.lost);
  EXPECT_TRUE(cost.lost->shared);
}

}  // namespace
}  // namespace cyclescope::anatomy
