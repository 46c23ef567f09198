#include "sandbox/chase.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace cyclescope::sandbox {
namespace {

struct Chase {
  explicit Chase(std::size_t bytes) : words(bytes / sizeof(std::uint64_t)) {
    WriteChase(words, cursors);
  }
  std::size_t LineOf(std::uint64_t address) const {
    return (address - reinterpret_cast<std::uint64_t>(words.data())) / 64;
  }
  static std::uint64_t Next(std::uint64_t address) {
    return *reinterpret_cast<const std::uint64_t*>(address);
  }

  std::vector<std::uint64_t> words;
  std::array<std::uint64_t, kChaseCursors> cursors{};
};

TEST(Chase, IsOneCycleThroughOneLineOfEachPair) {
  constexpr std::size_t kBytes = 1 << 20;
  const Chase chase(kBytes);
  std::map<std::size_t, int> visits;  // by pair of lines
  std::uint64_t at = chase.cursors[0];
  for (std::size_t i = 0; i < kBytes / kChaseStride; ++i) {
    ++visits[chase.LineOf(at) / 2];
    at = Chase::Next(at);
  }
  EXPECT_EQ(at, chase.cursors[0]);
  EXPECT_EQ(visits.size(), kBytes / kChaseStride);
}

TEST(Chase, CursorsAreAtEqualDistances) {
  constexpr std::size_t kBytes = 1 << 18;
  const Chase chase(kBytes);
  constexpr std::size_t kBetween = kBytes / kChaseStride / kChaseCursors;
  for (std::size_t i = 0; i < kChaseCursors; ++i) {
    std::uint64_t at = chase.cursors[i];
    for (std::size_t step = 0; step < kBetween; ++step) at = Chase::Next(at);
    EXPECT_EQ(at, chase.cursors[(i + 1) % kChaseCursors]) << i;
  }
}

TEST(Chase, HasNoDistanceThatAPrefetcherCouldLearn) {
  const Chase chase(1 << 20);
  std::map<std::int64_t, int> distances;
  std::uint64_t at = chase.cursors[0];
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t next = Chase::Next(at);
    ++distances[static_cast<std::int64_t>(next - at)];
    at = next;
  }
  for (const auto& [distance, count] : distances) EXPECT_LT(count, kSteps / 50) << distance;
}

}  // namespace
}  // namespace cyclescope::sandbox
