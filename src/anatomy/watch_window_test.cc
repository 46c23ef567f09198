#include "anatomy/watch_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "anatomy/testing/simulated_source.h"

namespace cyclescope::anatomy {
namespace {

using simulator::CoreModel;
using simulator::Resource;

std::optional<WindowWatch> Read(std::vector<double> sizes) { return ReadWindowWatch(sizes); }

TEST(WindowWatch, TwoSizesThatRepeat) {
  const auto watch = Read({190, 96, 200, 95, 185, 97, 192, 190});
  ASSERT_TRUE(watch);
  EXPECT_EQ(watch->whole, 190);
  ASSERT_TRUE(watch->part);
  EXPECT_EQ(*watch->part, 96);
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
  EXPECT_NEAR((*watch)->whole, 192, 25);
  ASSERT_TRUE((*watch)->part);
  EXPECT_NEAR(*(*watch)->part, 96, 15);
}

}  // namespace
}  // namespace cyclescope::anatomy
