#include "base/work.h"

#include <gtest/gtest.h>

#include <atomic>

namespace cyclescope {
namespace {

TEST(MayGoOn, WhereThereIsNothingToAsk) {
  EXPECT_TRUE(MayGoOn({}));
  EXPECT_TRUE(MayGoOn([] { return true; }));
  EXPECT_FALSE(MayGoOn([] { return false; }));
}

TEST(RunOnThreads, AllIsDoneWhenItReturns) {
  for (const std::size_t most : {0U, 1U, 4U}) {
    constexpr int kParts = 100;
    std::atomic<int> next = 0;
    std::atomic<int> done = 0;
    RunOnThreads(most, [&] {
      while (next++ < kParts) ++done;
    });
    EXPECT_EQ(done, kParts) << most;
  }
}

}  // namespace
}  // namespace cyclescope
