#include "anatomy/conclude_windows.h"

#include <gtest/gtest.h>

#include <vector>

namespace cyclescope::anatomy {
namespace {

const std::vector<arch::WindowFiller> kConcludedFillers = {
    {arch::Window::kReorderBuffer, "nop", {"nop"}}, {arch::Window::kStores, "store", {"store"}}};
constexpr double kQuietWidth = 0.2;
constexpr double kSharedWidth = 0.4;

StepSearch SearchOf(int fits) {
  StepSearch search(1200, 1);
  while (fits > 0 && !search.IsDone()) {
    std::vector<OverlapPoint> points;
    for (const int count : search.Next())
      points.push_back({count, count <= fits ? 1 - 0.3 * count / fits : 0});
    search.Add(points);
  }
  return search;
}

// Numbers of fillers that fit; 0 where nothing was seen.
struct Seen {
  int own = 0;
  int shared = 0;
};

std::vector<AnatomyRow> Conclude(Seen nops, Seen stores, double width = kQuietWidth,
                                 const SearchedCore& about = {.has_witness = true}) {
  SearchedCore core = about;
  core.is_quiet = [](double each) { return each == kQuietWidth; };
  std::vector<WindowSearch> searches;
  for (const auto& [own, shared] : {nops, stores}) {
    searches.push_back({.filler = &kConcludedFillers[searches.size()],
                        .own = SearchOf(own),
                        .shared = SearchOf(shared)});
    if (own > 0) searches.back().own_widths = {width, width, width};
    if (shared > 0) searches.back().shared_visits = 3;
  }
  return ConcludeWindows(kConcludedFillers, searches, core);
}

TEST(ConcludeWindows, BothSizesAreSaidWhereBothWereSeen) {
  const std::vector<AnatomyRow> rows = Conclude({500, 244}, {112, 56}, kSharedWidth);
  const int heads = arch::EntriesOfHeads(arch::Window::kStores);
  ASSERT_TRUE(rows[1].value && rows[1].shared);
  EXPECT_EQ(rows[1].value->value, 112 + heads);
  EXPECT_EQ(rows[1].shared->value, 56 + heads);
  // Whatever the probes say: the larger one is the whole.
  EXPECT_FALSE(rows[1].contended);
  EXPECT_FALSE(rows[1].at_least);
  // Of the reorder buffer as many are kept free of both.
  ASSERT_TRUE(rows[0].value && rows[0].shared);
  EXPECT_NEAR(rows[0].value->value, 2 * rows[0].shared->value, 2);
}

TEST(ConcludeWindows, OneSizeIsABound) {
  for (const double width : {kQuietWidth, kSharedWidth}) {
    for (const AnatomyRow& row : Conclude({500, 0}, {112, 0}, width)) {
      ASSERT_TRUE(row.value) << row.name;
      EXPECT_TRUE(row.at_least) << row.name;
      EXPECT_FALSE(row.shared) << row.name;
      EXPECT_EQ(row.contended, width == kSharedWidth) << row.name;
    }
  }
}

TEST(ConcludeWindows, OneSizeIsTheSizeWhereCoresRunOneThread) {
  const auto rows = Conclude({500, 0}, {112, 0}, kSharedWidth, {.may_be_shared = false});
  ASSERT_FALSE(rows.empty());
  for (const AnatomyRow& row : rows) {
    ASSERT_TRUE(row.value) << row.name;
    EXPECT_FALSE(row.at_least) << row.name;
    EXPECT_FALSE(row.contended) << row.name;
  }
}

TEST(ConcludeWindows, WhatOnlyASharedCoreShowedIsMarked) {
  const AnatomyRow row = Conclude({500, 244}, {0, 56})[1];
  ASSERT_TRUE(row.value);
  EXPECT_TRUE(row.contended);
  EXPECT_TRUE(row.at_least);
}

TEST(ConcludeWindows, WhatWasNotSeenHasTheReason) {
  const std::vector<AnatomyRow> rows = Conclude({0, 0}, {0, 0});
  ASSERT_FALSE(rows.empty());
  for (const AnatomyRow& row : rows) {
    EXPECT_FALSE(row.value) << row.name;
    ASSERT_TRUE(row.claim) << row.name;
    EXPECT_EQ(row.claim->code, ClaimCode::kEndedTooSoon) << row.name;
  }
}

}  // namespace
}  // namespace cyclescope::anatomy
