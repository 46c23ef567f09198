#include "cores/line_set.h"

#include <gtest/gtest.h>

#include <set>

namespace cyclescope::cores {
namespace {

LineSet DrawLines(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto lines = LineSet::Draw(count, random);
  EXPECT_TRUE(lines.has_value());
  EXPECT_EQ(lines->size(), count);
  lines->FirstTouch(arch::Protocol::kTwoLines);
  return std::move(*lines);
}

std::uintptr_t Address(const std::uint64_t* line) { return reinterpret_cast<std::uintptr_t>(line); }

TEST(LineSet, EveryLineHasAPageOfItsOwn) {
  const LineSet lines = DrawLines(100, 1);
  std::set<std::uintptr_t> pages;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uintptr_t address = Address(lines.First(i, arch::Protocol::kToken).own);
    EXPECT_EQ(address % 64, 0u);
    EXPECT_TRUE(pages.insert(address / os::Pages::BytesPerPage()).second);
  }
}

TEST(LineSet, PlacesWithinThePageAreDrawn) {
  const LineSet lines = DrawLines(200, 1);
  std::set<std::uintptr_t> offsets;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    offsets.insert(Address(lines.First(i, arch::Protocol::kToken).own) % os::Pages::BytesPerPage());
  }
  EXPECT_GT(offsets.size(), 40u);  // of 64 places on a small page
}

TEST(LineSet, TheTwoLinesOfAGameAreFarApartOnOnePage) {
  const LineSet lines = DrawLines(20, 3);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const arch::Side side = lines.First(i, arch::Protocol::kTwoLines);
    const auto page = os::Pages::BytesPerPage();
    EXPECT_EQ(Address(side.own) / page, Address(side.other) / page);
    EXPECT_EQ(Address(side.own) % 64, Address(side.other) % 64);
    EXPECT_GE(std::max(Address(side.own), Address(side.other)) -
                  std::min(Address(side.own), Address(side.other)),
              std::uintptr_t{2048});
  }
}

// Whatever the protocol, the first side can make the first move and the second cannot.
TEST(LineSet, SidesBeginAGame) {
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    if (!ping_pong.feature.empty()) continue;
    std::mt19937_64 random(1);
    auto lines = LineSet::Draw(2, random);
    ASSERT_TRUE(lines.has_value());
    lines->FirstTouch(ping_pong.protocol);
    arch::Side first = lines->First(1, ping_pong.protocol);
    arch::Side second = lines->Second(1, ping_pong.protocol);
    EXPECT_EQ(ping_pong.take_turns(second, 1, 10), 1u) << ping_pong.test;
    EXPECT_EQ(ping_pong.take_turns(first, 1, 10), 0u) << ping_pong.test;
    EXPECT_EQ(ping_pong.take_turns(first, 1, 10), 1u) << ping_pong.test;
    EXPECT_EQ(ping_pong.take_turns(second, 1, 10), 0u) << ping_pong.test;
  }
}

}  // namespace
}  // namespace cyclescope::cores
