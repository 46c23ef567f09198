#include "library/instruction_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/architecture.h"

namespace cyclescope::library {
namespace {

using ::testing::ElementsAre;

// One text may give two jobs, so that what belongs to a text is found by its index.
TEST(InstructionJobs, EachKnowsItsText) {
  auto assembler = CodeSettings{}.MakeAssembler({});
  ASSERT_TRUE(assembler.has_value()) << assembler.error().ToString();
  const bool is_arm = arch::Name() == "aarch64";
  const std::vector<std::string> texts =
      is_arm ? std::vector<std::string>{"add x0, x1, x2", "mul x0, x1, x2"}
             : std::vector<std::string>{"add rax, rcx", "add cx, 0x1234", "imul rax, rcx"};
  ReadTexts read;
  const ParsedTexts parsed = ParseInstructions(*assembler, texts, read);
  EXPECT_TRUE(parsed.problems.empty());
  std::vector<std::size_t> indices;
  for (const InstructionJob& job : parsed.jobs) indices.push_back(job.index);
  if (is_arm) {
    EXPECT_THAT(indices, ElementsAre(0, 1));
  } else {
    EXPECT_THAT(indices, ElementsAre(0, 1, 1, 2));
  }
}

TEST(InstructionJobs, OnlyWhatLacksAFeatureIsNotOffered) {
  auto assembler = CodeSettings{}.MakeAssembler({});
  ASSERT_TRUE(assembler.has_value()) << assembler.error().ToString();
  const bool is_arm = arch::Name() == "aarch64";
  const std::string lacks = is_arm ? "fadd z0.s, z1.s, z2.s" : "vaddps zmm0, zmm1, zmm2";
  const std::string has = is_arm ? "add x0, x1, x2" : "add rax, rcx";
  ReadTexts read;
  const ParsedTexts parsed = ParseInstructions(*assembler, {lacks, has}, read);
  ASSERT_EQ(parsed.jobs.size(), 2u);
  const InstructionRow& row = parsed.jobs[0].row;
  EXPECT_EQ(row.status, Status::kUnsupported);
  ASSERT_EQ(row.claims.size(), 1u);
  EXPECT_EQ(row.claims.front().code, ClaimCode::kFeatureNotOffered);
  EXPECT_EQ(row.reason, is_arm ? "'fadd' needs sve, which is not offered here"
                               : "'vaddps' needs avx512f, which is not offered here");
  EXPECT_TRUE(parsed.jobs[1].row.claims.empty());
}

}  // namespace
}  // namespace cyclescope::library
