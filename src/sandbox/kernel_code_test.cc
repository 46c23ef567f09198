#include "sandbox/kernel_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "arch/kernel_entry.h"
#include "sandbox/control_block.h"

namespace cyclescope::sandbox {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kRoom = 4 << 20;

// What is written for kernels that fit.
std::vector<std::uint8_t> Written(const std::vector<Kernel>& kernels) {
  const std::vector<KernelView> views(kernels.begin(), kernels.end());
  const KernelLayout layout = LayOut(views, kRoom).value();
  std::vector<std::uint8_t> region(layout.size);
  WriteKernels(views, layout, region);
  return region;
}

TEST(LayOut, AlignsKernelsAndKeepsTheirBytes) {
  const std::vector<Kernel> kernels = {Kernel(100, 0x11), Kernel(64, 0x22), Kernel()};
  const auto layout = LayOut(std::vector<KernelView>(kernels.begin(), kernels.end()), kRoom);
  ASSERT_TRUE(layout);
  ASSERT_EQ(layout->extents.size(), kernels.size());
  const std::vector<std::uint8_t> bytes = Written(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelExtent& extent = layout->extents[i];
    EXPECT_EQ(extent.offset % kKernelAlignment, 0u);
    ASSERT_LE(extent.offset + extent.size, bytes.size());
    EXPECT_TRUE(
        std::ranges::equal(kernels[i], std::span(bytes).subspan(extent.offset, extent.size)));
  }
}

TEST(LayOut, PutsTheExitPadRightBehindAKernel) {
  const std::vector<std::uint8_t> bytes = Written({Kernel(8, 0x11)});
  const auto pad = arch::ExitPad(8);
  EXPECT_TRUE(std::ranges::equal(pad, std::span(bytes).subspan(8, pad.size())));
}

TEST(LayOut, EndsInABreakpointEvenWhenNoRoomIsLeftToAlign) {
  // The exit pad ends on an alignment boundary, so that nothing would have to be filled.
  std::size_t size = arch::InstructionAlignment();
  while ((size + arch::ExitPad(size).size()) % kKernelAlignment != 0) {
    size += arch::InstructionAlignment();
  }
  const std::vector<std::uint8_t> bytes = Written({Kernel(size, 0x11)});
  const auto breakpoint = arch::Breakpoint();
  EXPECT_TRUE(std::ranges::equal(breakpoint, std::span(bytes).last(breakpoint.size())));
}

TEST(LayOut, RefusesWhatIsTooLong) {
  const auto code = LayOut(std::vector<KernelView>{Kernel(kLongestKernel + 4, 0)}, kRoom);
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error().message, HasSubstr("8388612 bytes"));
}

TEST(LayOut, RefusesWhatDoesNotFitTogether) {
  const Kernel kernel(1024, 0);
  EXPECT_TRUE(LayOut(std::vector<KernelView>(3, kernel), 4096));
  EXPECT_FALSE(LayOut(std::vector<KernelView>(4, kernel), 4096));
}

TEST(LayOut, RefusesTooManyKernels) {
  EXPECT_TRUE(LayOut(std::vector<KernelView>(kMostKernels), kRoom));
  EXPECT_FALSE(LayOut(std::vector<KernelView>(kMostKernels + 1), kRoom));
}

TEST(LayOut, RefusesPartsOfInstructions) {
  if (arch::InstructionAlignment() == 1) GTEST_SKIP() << "instructions have any length here";
  const auto code = LayOut(std::vector<KernelView>{Kernel(7, 0)}, kRoom);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, ErrorKind::kBadInput);
}

TEST(FindPlace, NamesKernelAndOffset) {
  const std::vector<KernelExtent> extents = {{0, 10}, {64, 20}};
  EXPECT_EQ(FindPlace(extents, 0), (CodePlace{0, 0}));
  EXPECT_EQ(FindPlace(extents, 70), (CodePlace{1, 6}));
  EXPECT_EQ(FindPlace(extents, 84), (CodePlace{1, 20}));
  EXPECT_EQ(FindPlace(extents, 85), std::nullopt);
  EXPECT_EQ(FindPlace(extents, 11), std::nullopt);
}

}  // namespace
}  // namespace cyclescope::sandbox
