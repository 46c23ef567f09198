#include "blocks/data_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::blocks {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kLinesBefore = 40, kMemoryBytes = 32 * 1024;

TEST(DataLayout, TheWidestBeginsALineAndOthersKeepTheirPlaces) {
  const std::vector<DataPlace> places = {{1000, 8}, {1016, 16}, {1020, 4}, {1016 + 64, 8}};
  EXPECT_EQ(LineBegin(places), 1016);
  // The first is at the end of the line before, the last in the next.
  EXPECT_THAT(LayOutData(places, kLinesBefore, kMemoryBytes),
              ElementsAre(40u * 64 + 48, 41u * 64, 41u * 64 + 4, 42u * 64));
}

TEST(DataLayout, DataThatAreFarApartAreNoNeighbours) {
  const std::vector<DataPlace> places = {{-100'000, 8}, {5'000'008, 4}};
  const auto offsets = LayOutData(places, kLinesBefore, kMemoryBytes);
  ASSERT_EQ(offsets.size(), 2u);
  EXPECT_EQ(offsets[0], 40u * 64);
  EXPECT_EQ(offsets[1] / 64, 42u);
  EXPECT_EQ(offsets[1] % 64, (5'000'008u + 100'000) % 64);
}

TEST(DataLayout, WhatCrossesALineHasTheNextOneBehindIt) {
  const std::vector<DataPlace> places = {{0, 16}, {56, 16}, {64, 4}};
  EXPECT_THAT(LayOutData(places, kLinesBefore, kMemoryBytes),
              ElementsAre(40u * 64, 40u * 64 + 56, 41u * 64));
}

}  // namespace
}  // namespace cyclescope::blocks
