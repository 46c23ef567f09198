#include "base/ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace cyclescope {
namespace {

TEST(Ranges, RunsOfNumbersBecomeRanges) {
  const auto text = [](const std::vector<int>& numbers) { return FormatRanges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({4}), "4");
  EXPECT_EQ(text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(text({0, 2, 4, 5}), "0,2,4-5");
}

}  // namespace
}  // namespace cyclescope
