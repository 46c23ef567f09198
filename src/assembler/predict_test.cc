#include "assembler/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Result<Prediction> PredictText(Assembler& assembler, std::string_view text, bool timeline = false) {
  const auto parsed = assembler.Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return Predict(assembler, *parsed, timeline);
}

TEST(Predict, AChainTakesItsLatency) {
  Assembler x86 = Make(Architecture::kX86_64, "skylake");
  const auto predicted = PredictText(x86, "imul rax, rcx; add rax, rdx");
  ASSERT_TRUE(predicted.has_value());
  EXPECT_EQ(predicted->cpu, "skylake");
  EXPECT_DOUBLE_EQ(predicted->cycles, 4);
  EXPECT_DOUBLE_EQ(predicted->throughput_bound, 1);
  EXPECT_EQ(predicted->bottleneck, "register dependences");
  EXPECT_THAT(predicted->timeline, IsEmpty());
}

TEST(Predict, IndependentInstructionsTakeTheirResource) {
  Assembler x86 = Make(Architecture::kX86_64, "skylake");
  const auto predicted = PredictText(x86, "imul rax, rcx, 3; imul rdx, rcx, 3");
  ASSERT_TRUE(predicted.has_value());
  EXPECT_NEAR(predicted->cycles, 2, 0.05);
  EXPECT_DOUBLE_EQ(predicted->throughput_bound, 2);
  EXPECT_THAT(predicted->bottleneck, HasSubstr("Port"));
}

TEST(Predict, DrawsATimeline) {
  Assembler arm = Make(Architecture::kAArch64, "neoverse-v1");
  const auto predicted = PredictText(arm, "mul x0, x0, x1", /*timeline=*/true);
  ASSERT_TRUE(predicted.has_value());
  EXPECT_THAT(predicted->timeline, HasSubstr("[0,0]"));
  EXPECT_THAT(predicted->timeline, HasSubstr("mul x0, x0, x1"));
  EXPECT_THAT(predicted->timeline, HasSubstr("DeeER"));
}

TEST(Predict, SaysWhereThereIsNoModel) {
  Assembler generic = Make(Architecture::kX86_64, "");
  const auto predicted = PredictText(generic, "add rax, rcx");
  ASSERT_FALSE(predicted.has_value());
  EXPECT_THAT(predicted.error().message, Not(IsEmpty()));
}

// The same code with one thing more that is not followed, and for a CPU whose model runs in order.
TEST(Predict, WhereThereIsAModelNothingIsMissing) {
  Assembler x86 = Make(Architecture::kX86_64, "skylake");
  EXPECT_TRUE(PredictText(x86, "add rax, rcx").has_value());
  EXPECT_FALSE(PredictText(x86, "add rax, rcx; ret").has_value());
  Assembler in_order = Make(Architecture::kX86_64, "bonnell");
  EXPECT_FALSE(PredictText(in_order, "add rax, rcx").has_value());
}

TEST(Predict, FollowsNoCalls) {
  Assembler x86 = Make(Architecture::kX86_64, "skylake");
  for (const char* text : {"call rax", "add rax, rcx; ret"}) {
    const auto predicted = PredictText(x86, text);
    ASSERT_FALSE(predicted.has_value()) << text;
    EXPECT_THAT(predicted.error().message, HasSubstr("calls")) << text;
  }
}

}  // namespace
}  // namespace cyclescope::assembler
