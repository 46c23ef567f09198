#include "memory/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace cyclescope::memory {
namespace {

constexpr AreaShape kArea = {.pages = 100, .lines_per_page = 64};

std::vector<std::uint32_t> Draw(ChaseOrder order, std::uint32_t lines, std::uint64_t seed = 1) {
  std::vector<std::uint32_t> drawn;
  FootprintDrawer(kArea, seed).Draw(order, lines, [&](std::span<const std::uint32_t> part) {
    drawn.insert(drawn.end(), part.begin(), part.end());
  });
  return drawn;
}

std::set<std::uint32_t> PagesOf(const std::vector<std::uint32_t>& lines) {
  std::set<std::uint32_t> pages;
  for (const std::uint32_t line : lines) pages.insert(line / kArea.lines_per_page);
  return pages;
}

TEST(Footprint, HasEveryLineOnceAndNoMorePagesThanItNeeds) {
  for (const ChaseOrder order : {ChaseOrder::kRandom, ChaseOrder::kPageByPage}) {
    for (const std::uint32_t count : {2u, 63u, 64u, 65u, 1000u, 6400u}) {
      const auto lines = Draw(order, count);
      EXPECT_EQ(lines.size(), count);
      EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), count);
      EXPECT_LT(std::ranges::max(lines), kArea.pages * kArea.lines_per_page);
      EXPECT_EQ(PagesOf(lines).size(), (count + 63) / 64);
    }
  }
}

TEST(Footprint, OnePageIsLeftBeforeTheNextBegins) {
  const auto lines = Draw(ChaseOrder::kPageByPage, 640);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) changes += lines[i] / 64 != lines[i - 1] / 64;
  EXPECT_EQ(changes, 9u);
}

TEST(Footprint, RandomOrderHasNoPageLocality) {
  const auto lines = Draw(ChaseOrder::kRandom, 6400);
  std::size_t stays = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) stays += lines[i] / 64 == lines[i - 1] / 64;
  EXPECT_LT(stays, 130u);  // 64 are to be expected: a hundredth
}

// Fetching ahead would hide a latency that has a pattern.
TEST(Footprint, RandomOrderHasNoStrideThatComesBack) {
  const auto lines = Draw(ChaseOrder::kRandom, 6400);
  std::map<std::int64_t, int> strides;
  for (std::size_t i = 1; i < lines.size(); ++i)
    ++strides[static_cast<std::int64_t>(lines[i]) - static_cast<std::int64_t>(lines[i - 1])];
  for (const auto& [stride, times] : strides)
    EXPECT_LT(times, 20) << stride;  // 1 is to be expected
}

TEST(Footprint, LinePerPageTouchesEachPageOnceAndSpreadsOverSets) {
  const auto lines = Draw(ChaseOrder::kLinePerPage, 96);
  EXPECT_EQ(PagesOf(lines).size(), 96u);
  std::array<int, 64> sets{};
  for (const std::uint32_t line : lines) ++sets[line % 64];
  EXPECT_EQ(std::ranges::max(sets), 2);
  EXPECT_EQ(std::ranges::min(sets), 1);
}

// Translations of huge pages may be split into those of small ones, which share sets by the bits of
// an address above 12: no more than three of 48 lie in one set of sixteen.
TEST(Footprint, LinePerHugePageSpreadsOverItsSmallPages) {
  constexpr std::uint32_t kLinesPerHugePage = 32768;
  FootprintDrawer drawer({.pages = 64, .lines_per_page = kLinesPerHugePage}, 1);
  std::array<int, 16> small_sets{};
  std::array<int, 64> cache_sets{};
  drawer.Draw(ChaseOrder::kLinePerPage, 48, [&](std::span<const std::uint32_t> part) {
    for (const std::uint32_t line : part) {
      ++small_sets[line / 64 % 16];
      ++cache_sets[line % 64];
    }
  });
  EXPECT_EQ(std::ranges::max(small_sets), 3);
  EXPECT_EQ(std::ranges::max(cache_sets), 1);
}

TEST(Footprint, EveryVisitHasPagesOfItsOwn) {
  EXPECT_NE(PagesOf(Draw(ChaseOrder::kRandom, 640, 1)), PagesOf(Draw(ChaseOrder::kRandom, 640, 2)));
}

}  // namespace
}  // namespace cyclescope::memory
