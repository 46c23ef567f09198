#include "anatomy/conclude_pipeline.h"

#include <gtest/gtest.h>

namespace cyclescope::anatomy {
namespace {

constexpr arch::PipelinePattern kAlone = {.name = "loads of one address",
                                          .unit = "cycles/load",
                                          .pattern = "six loads",
                                          .code = "load",
                                          .per = 6};
constexpr arch::PipelinePattern kPair = {.name = "4 KB aliasing",
                                         .unit = "cycles",
                                         .pattern = "over one that is not",
                                         .code = "aliased",
                                         .without = "plain"};

TEST(ConcludePipeline, DividesByTheAccesses) {
  const AnatomyRow row =
      Concluded(kAlone, Estimate{.value = 3, .low = 2.94, .high = 3.06}, std::nullopt);
  ASSERT_TRUE(row.value);
  EXPECT_DOUBLE_EQ(row.value->value, 0.5);
  EXPECT_DOUBLE_EQ(row.value->low, 0.49);
  EXPECT_DOUBLE_EQ(row.value->high, 0.51);
}

TEST(ConcludePipeline, TakesOffTheCounterpartWithTheUncertaintyOfBoth) {
  const AnatomyRow row =
      Concluded(kPair, Estimate{.value = 12, .low = 11.9, .high = 12.1},
                Estimate{.value = 5, .low = 4.9, .high = 5.1, .contended = true});
  ASSERT_TRUE(row.value);
  EXPECT_DOUBLE_EQ(row.value->value, 7);
  EXPECT_NEAR(row.value->low, 6.8, 1e-9);
  EXPECT_NEAR(row.value->high, 7.2, 1e-9);
  EXPECT_TRUE(row.contended);
}

TEST(ConcludePipeline, SaysThatOneHalfIsMissing) {
  const AnatomyRow row = Concluded(kPair, Estimate{.value = 12}, std::nullopt);
  EXPECT_FALSE(row.value);
  EXPECT_EQ(row.status, Status::kUnmeasurable);
}

}  // namespace
}  // namespace cyclescope::anatomy
