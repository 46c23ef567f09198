#include "os/memory_area.h"

#include <gtest/gtest.h>

#include <cstring>

#include "os/pages.h"

namespace cyclescope::os {
namespace {

constexpr std::size_t kBytes = 4 << 20;

TEST(MemoryArea, IsThereWhenItIsTouched) {
  const auto area = MemoryArea::Map(kBytes, {});
  ASSERT_TRUE(area) << area.error().ToString();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(area->begin()) % (2 << 20), 0u);
  std::memset(area->begin(), 1, area->bytes());
  const auto placement = area->ReadPlacement();
  ASSERT_TRUE(placement) << placement.error().ToString();
  EXPECT_GE(placement->resident_bytes, static_cast<std::int64_t>(kBytes / 2));
  EXPECT_EQ(placement->huge_bytes, 0);
}

TEST(MemoryArea, HugePagesAreNotPromised) {
  EXPECT_EQ(HugePageBytes(), std::nullopt);
  EXPECT_FALSE(MemoryArea::Map(kBytes, {.huge = true}));
}

TEST(MemoryArea, TheMachineHasSomeMemory) {
  EXPECT_GT(FreeMemoryBytes().value_or(0), 0);
  EXPECT_GE(SmallPageBytes(), 4096u);
}

TEST(Pages, CanBeWritten) {
  const auto pages = Pages::Map(3);
  ASSERT_TRUE(pages);
  for (std::size_t i = 0; i < pages->count(); ++i)
    std::memset(pages->At(i), 1, Pages::BytesPerPage());
}

}  // namespace
}  // namespace cyclescope::os
