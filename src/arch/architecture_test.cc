#include "arch/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cyclescope::arch {
namespace {

TEST(Ticks, NeverGoBack) {
  std::uint64_t last = ReadTicks();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = ReadTicks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Ticks, DeclaredRateIsPlausible) {
  const auto rate = DeclaredTickRate();
  if (!rate) GTEST_SKIP() << "this processor does not state the rate";
  EXPECT_GE(rate->hz, 1e6);
  EXPECT_LE(rate->hz, 1e10);
  EXPECT_FALSE(rate->source.empty());
}

TEST(ReferenceChains, TheUnitIsOneCycle) {
  const auto chains = ReferenceChains();
  ASSERT_GE(chains.size(), 3u);
  EXPECT_EQ(chains.front().least_cycles, 1);
  EXPECT_EQ(chains.front().most_cycles, 1);
}

TEST(ReferenceChains, LongerRunsTakeLonger) {
  for (const ReferenceChain& chain : ReferenceChains()) {
    EXPECT_GT(chain.links_per_loop, 0u);
    // The shortest of several runs, as a single one may be interrupted.
    const auto shortest = [&chain](std::uint64_t loops) {
      std::uint64_t least = ~std::uint64_t{0};
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t begin = ReadTicks();
        chain.run(loops);
        least = std::min(least, ReadTicks() - begin);
      }
      return least;
    };
    EXPECT_GT(shortest(2000), shortest(200)) << chain.instruction;
  }
}

TEST(Features, AreSortedAndUnique) {
  const auto features = Features({~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_FALSE(features.empty());
  EXPECT_TRUE(std::ranges::is_sorted(features));
  EXPECT_EQ(std::ranges::adjacent_find(features), features.end());
}

}  // namespace
}  // namespace cyclescope::arch
