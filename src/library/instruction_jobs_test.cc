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

}  // namespace
}  // namespace cyclescope::library
