#include "os/pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace cyclescope::os {
namespace {

TEST(Pages, AreZeroAndApart) {
  auto pages = Pages::Map(3);
  ASSERT_TRUE(pages.has_value());
  EXPECT_EQ(pages->count(), 3u);
  EXPECT_EQ(pages->At(2) - pages->At(0), static_cast<std::ptrdiff_t>(2 * Pages::BytesPerPage()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->At(0)) % Pages::BytesPerPage(), 0u);
  for (std::size_t page = 0; page < 3; ++page) {
    EXPECT_EQ(*pages->At(page), std::byte{0});
    *pages->At(page) = std::byte{1};
  }
}

TEST(Pages, MoveWithTheirOwner) {
  auto pages = Pages::Map(1);
  ASSERT_TRUE(pages.has_value());
  std::byte* const begin = pages->At(0);
  const Pages moved = std::move(*pages);
  EXPECT_EQ(moved.At(0), begin);
  *moved.At(0) = std::byte{1};
}

TEST(Pages, MoreThanThereCanBeIsAnError) {
  const auto pages =
      Pages::Map(std::numeric_limits<std::size_t>::max() / Pages::BytesPerPage() / 2);
  ASSERT_FALSE(pages.has_value());
  EXPECT_EQ(pages.error().kind, ErrorKind::kFailed);
}

}  // namespace
}  // namespace cyclescope::os
