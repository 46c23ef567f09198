#include "anatomy/front_end_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/architecture.h"
#include "arch/front_end_code.h"
#include "assembler/test_support.h"

namespace cyclescope::anatomy {
namespace {

constexpr std::uint64_t kScratch = 0x10000;

class FrontEndKernelsTest : public ::testing::Test {
 protected:
  FrontEndKernelsTest()
      : assembler_(arch::Name() == "x86_64" ? assembler::MakeX86() : assembler::MakeAArch64()) {}

  std::size_t SizeOf(const CodePattern& pattern) {
    FrontEndKernels kernels(assembler_, kScratch);
    const auto kernel = kernels.Make(pattern);
    EXPECT_TRUE(kernel);
    return kernel ? kernel->size() : 0;
  }

  assembler::Assembler assembler_;
};

TEST_F(FrontEndKernelsTest, InstructionsOfAMixAreAsLongAsItSays) {
  for (const arch::StraightMix& mix : arch::StraightMixes()) {
    for (const std::string_view text : mix.code) {
      const auto bytes = assembler_.AssembleText(text);
      ASSERT_TRUE(bytes) << text;
      EXPECT_EQ(bytes->size(), static_cast<std::size_t>(mix.bytes)) << text;
    }
  }
}

TEST_F(FrontEndKernelsTest, ALoopGrowsByWhatItHasMore) {
  for (std::size_t mix = 0; mix < arch::StraightMixes().size(); ++mix) {
    const CodePattern few = {.kind = PatternKind::kStraight, .count = 100, .mix = mix};
    const CodePattern more = {.kind = PatternKind::kStraight, .count = 177, .mix = mix};
    EXPECT_EQ(SizeOf(more) - SizeOf(few),
              static_cast<std::size_t>(77 * arch::StraightMixes()[mix].bytes));
  }
  const CodePattern aligned = {.kind = PatternKind::kAligned, .count = 8};
  const CodePattern further = {.kind = PatternKind::kAligned, .count = 8, .stride = 28};
  EXPECT_EQ(SizeOf(further) - SizeOf(aligned), 28U);
  for (const std::int64_t stride : {8, 64, 256}) {
    const CodePattern few = {.kind = PatternKind::kJumps, .count = 10, .stride = stride};
    const CodePattern more = {.kind = PatternKind::kJumps, .count = 31, .stride = stride};
    EXPECT_EQ(SizeOf(more) - SizeOf(few), static_cast<std::size_t>(21 * stride));
  }
}

TEST_F(FrontEndKernelsTest, EveryPatternCanBeMade) {
  for (const PatternKind kind : {PatternKind::kBranches, PatternKind::kReturns,
                                 PatternKind::kHistory, PatternKind::kIndirect}) {
    EXPECT_GT(SizeOf({.kind = kind, .count = 20}), 64);
    EXPECT_FALSE(FrontEndKernels::TextOf({.kind = kind, .count = 20}).empty());
  }
}

TEST_F(FrontEndKernelsTest, AnotherSeedIsOtherCode) {
  FrontEndKernels kernels(assembler_, kScratch);
  const CodePattern pattern = {.kind = PatternKind::kBranches, .count = 8};
  EXPECT_NE(*kernels.Make(pattern, 1), *kernels.Make(pattern, 2));
}

}  // namespace
}  // namespace cyclescope::anatomy
