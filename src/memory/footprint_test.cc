#include "memory/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cyclescope::memory {
namespace {

constexpr AreaShape kArea = {.pages = 100, .lines_per_page = 64};

std::vector<std::uint32_t> Draw(ChaseOrder order, std::uint32_t lines, std::uint64_t seed = 1) {
  return FootprintDrawer(kArea, seed).Draw(order, lines);
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

TEST(Footprint, LinePerPageTouchesEachPageOnceAndSpreadsOverSets) {
  const auto lines = Draw(ChaseOrder::kLinePerPage, 96);
  EXPECT_EQ(PagesOf(lines).size(), 96u);
  std::array<int, 64> sets{};
  for (const std::uint32_t line : lines) ++sets[line % 64];
  EXPECT_EQ(std::ranges::max(sets), 2);
  EXPECT_EQ(std::ranges::min(sets), 1);
}

TEST(Footprint, EveryVisitHasPagesOfItsOwn) {
  EXPECT_NE(PagesOf(Draw(ChaseOrder::kRandom, 640, 1)), PagesOf(Draw(ChaseOrder::kRandom, 640, 2)));
}

}  // namespace
}  // namespace cyclescope::memory
