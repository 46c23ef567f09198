#include "instructions/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/kernel_parts.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;
using testing::FormOf;
using ::testing::HasSubstr;
using testing::MakePlanner;

Sequence OneForm(Planner& planner, std::string_view text) {
  Sequence sequence;
  sequence.Append(planner.assembler(), FormOf(planner, text).instruction);
  sequence.units = 1;
  return sequence;
}

// The hand-made loop ends, read by LLVM: they must count down and jump back by just the bytes asked
// for.
TEST(LoopEnd, IsWhatItSays) {
  const auto planner = MakePlanner();
  for (const bool keep_flags : {false, true}) {
    for (const int counter : {arch::ReservedRegisters().counter, 3}) {
      const auto bytes = arch::LoopEnd(counter, 400, keep_flags);
      std::string text;
      for (const auto& line : planner->assembler().Disassemble(bytes)) {
        ASSERT_FALSE(line.text.empty());
        text += line.text + "\n";
      }
      if (testing::OnArm()) {
        EXPECT_THAT(text, HasSubstr("sub x" + std::to_string(counter)));
        EXPECT_THAT(text, HasSubstr("#-404"));
      } else {
        EXPECT_THAT(text, HasSubstr(keep_flags ? "jrcxz" : "sub"));
        // From the end of the jump back over the jump, what stands before it, and the loop.
        const int jump_end = keep_flags ? 17 : 10;
        EXPECT_THAT(text, HasSubstr(std::to_string(-(400 + jump_end))));
      }
    }
  }
}

// What puts values back is there as often in the longer kernel, behind stretches twice as long.
TEST(KernelBuilder, RestartsVanishFromTheDifference) {
  const auto planner = MakePlanner();
  Sequence sequence = OneForm(*planner, Either("fsqrt d0, d0", "sqrtsd xmm0, xmm0"));
  sequence.AppendRestart(planner->assembler(),
                         FormOf(*planner, Either("and x1, x1, x2", "and rbx, rcx")).instruction);
  sequence.stretch = 4;
  const auto pair = planner->builder().BuildPair(sequence, 12);
  ASSERT_TRUE(pair.has_value());
  for (std::size_t i = 0; i < pair->size(); ++i) {
    std::string text;
    for (const auto& line : planner->assembler().Disassemble((*pair)[i]))
      text += line.text.substr(0, line.text.find(' ')) + " ";
    const std::string root(Either("fsqrt ", "sqrtsd "));
    std::string stretch;
    for (int copy = 0; copy < (i == 0 ? 4 : 8); ++copy) stretch += root;
    EXPECT_THAT(text, HasSubstr(" " + stretch + "and " + stretch + "and " + stretch + "and "));
  }
  EXPECT_EQ((*pair)[1].size() - (*pair)[0].size(), 12 * sequence.code[0].size());
  // A multiple of the stretch, whatever else would fit.
  const auto experiment = planner->ExperimentOf(sequence);
  ASSERT_TRUE(experiment.has_value());
  EXPECT_EQ(static_cast<int>(experiment->units) % 4, 0);
}

TEST(KernelBuilder, LongerKernelsDifferByTheirCopiesAlone) {
  const auto planner = MakePlanner();
  const Sequence sequence = OneForm(*planner, Either("add x0, x1, x2", "add rax, rcx"));
  const auto pair = planner->builder().BuildPair(sequence, 10);
  const auto once = planner->builder().Build(sequence, 10);
  const auto twice = planner->builder().Build(sequence, 20);
  ASSERT_TRUE(once.has_value() && twice.has_value());
  EXPECT_EQ(pair, (std::array{*once, *twice}));
  EXPECT_EQ(twice->size() - once->size(), 10 * sequence.code[0].size());
}

// What is in a kernel, read back.
std::string Listing(Planner& planner, const Sequence& sequence) {
  const auto kernel = planner.builder().Build(sequence, 1);
  if (!kernel) return kernel.error().ToString();
  std::string text;
  for (const auto& line : planner.assembler().Disassemble(*kernel)) text += line.text + "\n";
  return text;
}

TEST(KernelBuilder, ConfiguresTilesAndGivesThemUp) {
  if (testing::OnArm()) return;
  const auto planner = MakePlanner("sapphirerapids");
  Sequence sequence;
  sequence.registers = {{.file = RegisterFile::kTile, .index = 3, .bits = 8192}};
  sequence.AppendText("nop", {0x90});
  const std::string text = Listing(*planner, sequence);
  EXPECT_LT(text.find("ldtilecfg"), text.find("nop"));
  EXPECT_LT(text.find("nop"), text.find("tilerelease"));
}

TEST(KernelBuilder, FillsTheX87StackAsFarAsItIsUsed) {
  if (testing::OnArm()) return;
  const auto planner = MakePlanner();
  const auto pushes = [&planner](std::string_view form) {
    const std::string text = Listing(*planner, OneForm(*planner, form));
    int count = 0;
    for (std::size_t at = text.find("fld1"); at != std::string::npos;
         at = text.find("fld1", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(pushes("fadd st(1), st"), 7) << "one place is left for what pushes";
  EXPECT_EQ(pushes("fadd st(7), st"), 8);
}

TEST(KernelBuilder, SetsUpEveryRegisterOnce) {
  const auto planner = MakePlanner();
  Sequence sequence = OneForm(*planner, Either("fadd d3, d1, d2", "addsd xmm3, xmm1"));
  const auto plain = planner->builder().Build(sequence, 1);
  sequence.values[{RegisterFile::kVector, 9}] = 42;  // one register more
  const auto more = planner->builder().Build(sequence, 1);
  ASSERT_TRUE(plain.has_value() && more.has_value());
  EXPECT_GT(more->size(), plain->size());
}

}  // namespace
}  // namespace cyclescope::instructions
