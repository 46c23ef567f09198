#include "anatomy/watch_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "anatomy/testing/simulated_source.h"

namespace cyclescope::anatomy {
namespace {

using simulator::CoreModel;
using simulator::Resource;

// Sizes whose range is a tenth wide.
std::optional<WindowWatch> Read(std::vector<double> sizes) {
  std::vector<statistics::Interval> ranges;
  for (const double size : sizes) ranges.push_back({0.95 * size, 1.05 * size});
  return ReadWindowWatch(ranges);
}

TEST(WindowWatch, TwoSizesThatRepeat) {
  const auto watch = Read({190, 96, 200, 95, 185, 97, 192, 190});
  ASSERT_TRUE(watch);
  EXPECT_NEAR(watch->whole.low, 0.95 * 190, 1e-9);
  EXPECT_NEAR(watch->whole.high, 1.05 * 190, 1e-9);
  ASSERT_TRUE(watch->part);
  EXPECT_NEAR((watch->part->low + watch->part->high) / 2, 96, 1e-9);
  EXPECT_NEAR(watch->part_share, 3.0 / 8, 1e-9);
}

TEST(WindowWatch, OneSizeIsNoPart) {
  const auto watch = Read({190, 192, 188, 96, 195});
  ASSERT_TRUE(watch);
  EXPECT_FALSE(watch->part);
}

TEST(WindowWatch, NothingWhereNoSizeRepeats) {
  EXPECT_FALSE(Read({400, 190, 96}));
  EXPECT_FALSE(Read({}));
}

TEST(WindowWatch, SeesTheHalfOfASimulatedCore) {
  CoreModel core;
  core.SizeOf(Resource::kReorderBuffer) = 512;
  core.SizeOf(Resource::kLoads) = 192;
  CoreModel half = core;
  for (int& size : half.sizes) size /= 2;
  testing::SimulatedMachine machine{.core = core, .shared = half};
  machine.shared_share = 0.5;
  machine.stay_ms = 20;
  testing::SimulatedSource source(machine, 3);
  const auto& fillers = testing::SimulatedFillers();
  const auto loads = std::ranges::find(fillers, arch::Window::kLoads, &arch::WindowFiller::window);
  const auto watch = WatchWindow(*loads, source, 12);
  ASSERT_TRUE(watch && *watch);
  const auto holds = [](const statistics::Interval& range, double size) {
    EXPECT_LE(range.low, size);
    EXPECT_GE(range.high, size);
    EXPECT_LT(range.high - range.low, 0.6 * size);
  };
  holds((*watch)->whole, 192);
  ASSERT_TRUE((*watch)->part);
  holds(*(*watch)->part, 96);
}

}  // namespace
}  // namespace cyclescope::anatomy
