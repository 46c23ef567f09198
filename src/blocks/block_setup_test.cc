// How the next try is chosen; nothing runs here.
#include "blocks/block_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/headline_forms.h"
#include "arch/kernel_parts.h"
#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSomewhere = 0x5000'0000;

using sandbox::DeathKind;

sandbox::Death FaultAt(std::uint64_t address) {
  return sandbox::DeathBy(DeathKind::kBadAddress, "SIGSEGV", address);
}

Exploration ExplorationOf(std::string_view text) {
  return Exploration(SetupsFor(SnippetCode(text), {}), kPage);
}

TEST(InitialValues, AreDifferentAddressesInDifferentPlacesOfTheirPages) {
  const auto values = InitialValues(SnippetCode(Either("add x0, x1, x2", "add rax, rcx")),
                                    RegisterValues::kAddresses);
  std::set<std::uint64_t> pages, lines;
  for (const auto& [index, value] : values) {
    EXPECT_EQ(value % 64, 0U) << index;
    EXPECT_TRUE(pages.insert(value / kPage).second) << index;
    lines.insert(value % kPage / 64);
    EXPECT_LT(9 * value, std::uint64_t{1} << 46) << "a scaled index added to a base is an address";
  }
  EXPECT_GE(lines.size(), 15U);
}

TEST(InitialValues, FollowRoles) {
  const BlockCode code = SnippetCode(Either("ldr x0, [x1, x2]", "mov rax, [rcx + rdx]"));
  const auto values = InitialValues(code, RegisterValues::kRoles);
  const int base = 1;
  const int index = 2;
  EXPECT_GT(values.at(base), 0x1'0000U);
  EXPECT_LT(values.at(index), 0x1000U);
  EXPECT_EQ(values.at(index) % 8, 0U);
  EXPECT_LT(values.at(0), 0x1000U);
}

TEST(InitialValues, LetDivisionsDivide) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "AArch64's divisions never fault";
  const auto values = InitialValues(SnippetCode("div rcx"), RegisterValues::kAddresses);
  constexpr int kRdx = 2;
  EXPECT_EQ(values.at(kRdx), 0U);
  EXPECT_NE(values.at(1), 0U);
}

TEST(Setups, BeginWithAPlainLoop) {
  const auto setups = SetupsFor(SnippetCode(Either("add x0, x0, x1", "add rax, rcx")), {});
  EXPECT_FALSE(setups.front().passes);
  EXPECT_EQ(setups.front().memory, MemoryValues::kPointers);
}

TEST(Setups, GiveFloatsToWhatLoadsFloats) {
  const auto memory_for = [](std::string_view text) {
    return SetupsFor(SnippetCode(text), {}).front().memory;
  };
  EXPECT_EQ(memory_for(Either("ldr s0, [x0]", "addss xmm0, [rax]")), MemoryValues::kFloats);
  EXPECT_EQ(memory_for(Either("ldr q0, [x0]", "paddd xmm0, [rax]")), MemoryValues::kPointers);
}

TEST(Setups, PutTheStackRightInEveryPass) {
  const auto setups = SetupsFor(SnippetCode(Either("str x0, [sp, #-16]!", "push rax")), {});
  EXPECT_THAT(setups, Each(::testing::Field(&Setup::passes, true)));
}

TEST(Setups, SetTheStackBeforeEachCopyLastAndOnlyWhereItMovesByEights) {
  const auto sets_stack = ::testing::Field(&Setup::sets_stack, true);
  const auto moving = SetupsFor(SnippetCode(Either("str x0, [sp, #-16]!", "push rax")), {});
  const auto still = SetupsFor(SnippetCode(Either("add x0, x0, x1", "add rax, rcx")), {});
  EXPECT_FALSE(moving.front().sets_stack);
  EXPECT_EQ(moving.back().sets_stack, arch::StackOffsetOfFunctions() != 0);
  EXPECT_THAT(still, Each(::testing::Not(sets_stack)));
}

TEST(Setups, KeepTheUsersMemory) {
  const auto setups = SetupsFor(SnippetCode(Either("ldr x0, [x1]", "mov rax, [rcx]")),
                                {.memory = MemoryValues::kOnes});
  EXPECT_THAT(setups, Each(::testing::Field(&Setup::memory, MemoryValues::kOnes)));
}

TEST(Setups, AreAllLoopsWhereOneIsAskedFor) {
  const auto setups =
      SetupsFor(SnippetCode(Either("add x0, x0, x1", "add rax, rcx")), {.allows_passes = false});
  EXPECT_THAT(setups, Each(::testing::Field(&Setup::passes, false)));
}

// A loop that computes without memory leaves when its numbers grow; small ones and zeros stay. Only
// then it is measured as one that leaves early.
TEST(Setups, TryOtherNumbersBeforeALoopMayLeaveEarly) {
  const BlockCode code = SnippetCode(Either("fadd d0, d0, d1", "addsd xmm0, xmm1"));
  const auto setups = SetupsFor(code, {.needs_passes = true, .has_data_exits = true});
  ASSERT_GE(setups.size(), 4U);
  EXPECT_EQ(setups[0].vectors, blocks::VectorValues::kOrdinary);
  EXPECT_EQ(setups[1].vectors, blocks::VectorValues::kSmall);
  EXPECT_EQ(setups[2].vectors, blocks::VectorValues::kZero);
  EXPECT_FALSE(setups[2].leaves_early);
  EXPECT_TRUE(setups.back().leaves_early);
}

// `if (a[i] > a[i + 1]) break` ends over random numbers at once, and over rising ones never.
TEST(Setups, TryBothOrdersWhereDataMayEndALoop) {
  const BlockCode code = SnippetCode(Either("ldr x0, [x1]", "mov rax, [rcx]"));
  const auto kinds = [&code](const SetupWishes& wishes) {
    std::vector<AreaData> all;
    for (const blocks::Setup& setup : SetupsFor(code, wishes)) {
      if (setup.areas && !setup.leaves_early) all.push_back(*setup.areas);
    }
    return all;
  };
  EXPECT_THAT(
      kinds({.needs_passes = true, .has_areas = true, .has_data_exits = true}),
      ElementsAre(AreaData::kRandom, AreaData::kConstant, AreaData::kRising, AreaData::kFalling));
  EXPECT_THAT(kinds({.needs_passes = true, .has_areas = true}), ElementsAre(AreaData::kRandom));
  EXPECT_THAT(kinds({.needs_passes = true,
                     .has_areas = true,
                     .has_data_exits = true,
                     .data = AreaData::kFewValued}),
              ElementsAre(AreaData::kFewValued));
}

// Data that are not ours lead anywhere.
TEST(Setups, LayMemoryOutForWhatJumpsByData) {
  const BlockCode code = SnippetCode(Either("ldr x0, [x1]", "mov rax, [rcx]"));
  const auto setups =
      SetupsFor(code, {.needs_passes = true, .has_areas = true, .needs_own_data = true});
  EXPECT_FALSE(setups.empty());
  for (const blocks::Setup& setup : setups) EXPECT_TRUE(setup.areas.has_value());
}

TEST(Exploration, MapsThePageThatFaulted) {
  Exploration exploration = ExplorationOf(Either("ldr x0, [x1]", "mov rax, [rcx]"));
  ASSERT_TRUE(exploration.Learn(FaultAt(kSomewhere + 8), {}));
  EXPECT_THAT(exploration.pages(), Contains(kSomewhere));
  EXPECT_FALSE(exploration.setup().passes);
  EXPECT_FALSE(exploration.has_failed());
}

TEST(Exploration, MapsMoreAndMoreAheadOfCodeThatWalks) {
  Exploration exploration = ExplorationOf(Either("ldr x0, [x1], #8", "mov rax, [rcx]; add rcx, 8"));
  int faults = 0;
  for (std::uint64_t page = kSomewhere; page < kSomewhere + 20 * kPage; page += kPage) {
    if (exploration.pages().contains(page)) continue;
    ASSERT_TRUE(exploration.Learn(FaultAt(page), exploration.pages()));
    ++faults;
  }
  EXPECT_LE(faults, 6);
}

TEST(Exploration, StartsAnewInPassesWhereALoopWalksTooFar) {
  Exploration exploration =
      ExplorationOf(Either("ldr x0, [x1], #64", "mov rax, [rcx]; add rcx, 64"));
  for (std::uint64_t page = kSomewhere; !exploration.setup().passes; page += kPage) {
    ASSERT_LT(page, kSomewhere + 1000 * kPage);
    if (exploration.pages().contains(page)) continue;
    ASSERT_TRUE(exploration.Learn(FaultAt(page), exploration.pages()));
  }
  EXPECT_THAT(exploration.pages(), IsEmpty());
}

TEST(Exploration, TriesOtherValuesWhereNoPageCanBe) {
  const std::string_view text = Either("ldr x0, [x1]", "mov rax, [rcx]");
  for (const sandbox::Death& death :
       {FaultAt(8), sandbox::DeathBy(DeathKind::kBadAddress, "SIGSEGV"),
        sandbox::DeathBy(DeathKind::kArithmetic, "SIGFPE"),
        sandbox::DeathBy(DeathKind::kBusError, "SIGBUS")}) {
    Exploration exploration = ExplorationOf(text);
    const blocks::Setup first = exploration.setup();
    ASSERT_TRUE(exploration.Learn(death, {}));
    EXPECT_FALSE(exploration.setup() == first);
    EXPECT_TRUE(exploration.has_failed());
  }
}

TEST(Exploration, GivesUpAPageThatStaysAway) {
  Exploration exploration = ExplorationOf(Either("ldr x0, [x1]", "mov rax, [rcx]"));
  const blocks::Setup first = exploration.setup();
  ASSERT_TRUE(exploration.Learn(FaultAt(kSomewhere), {}));
  ASSERT_TRUE(exploration.Learn(FaultAt(kSomewhere), exploration.pages()));
  EXPECT_FALSE(exploration.setup() == first);
}

TEST(Exploration, EndsAtOnceWithWhatNoValueHelps) {
  for (const DeathKind kind :
       {DeathKind::kIllegalInstruction, DeathKind::kTrap, DeathKind::kForbiddenSystemCall}) {
    EXPECT_FALSE(ExplorationOf(Either("add x0, x0, x1", "add rax, rcx"))
                     .Learn(sandbox::DeathBy(kind, "some signal"), {}));
  }
}

TEST(Exploration, EndsSomeTime) {
  Exploration exploration = ExplorationOf(Either("ldr x0, [x1]", "mov rax, [rcx]"));
  int tries = 0;
  while (exploration.Learn({.kind = sandbox::DeathKind::kTimeout}, {})) ASSERT_LT(++tries, 20);
  EXPECT_TRUE(exploration.setup().passes);
}

// ---- What is seen from the code

TEST(BlockCode, LeadsBranchesThatLeaveToItsEnd) {
  // A branch far over what follows, and an addition.
  const assembler::Bytes bytes = instructions::testing::OnArm()
                                     ? assembler::Bytes{0, 4, 0, 0x14, 0, 0, 1, 0x8b}
                                     : assembler::Bytes{0x75, 0x70, 0x48, 0x01, 0xc8};
  const auto planner = instructions::testing::MakePlanner();
  const auto code = ReadBlockCode(planner->assembler(), bytes);
  ASSERT_TRUE(code.has_value() && code->decoded.has_value());
  EXPECT_EQ(code->decoded->size(), 2U);
  const assembler::Instruction& branch = code->decoded->front().instruction;
  for (const assembler::Operand& operand : branch.operands) {
    if (operand.kind == assembler::OperandKind::kLabel) {
      EXPECT_EQ(operand.value, arch::BranchOver(instructions::testing::OnArm() ? 4 : 3));
    }
  }
}

TEST(BlockCode, TakesOutWhatNeverComesBack) {
  const BlockCode code = SnippetCode(Either("add x0, x0, x1; ret", "add rax, rcx; ret"));
  ASSERT_TRUE(code.decoded.has_value());
  EXPECT_EQ(code.decoded->size(), 1U);
  EXPECT_THAT(code.left_out, Not(IsEmpty()));
}

TEST(BlockCode, BranchesLeadOverWhatIsTakenOut) {
  const BlockCode code = SnippetCode(Either("cbz x0, 1f; blr x1; add x2, x2, x2; 1: mul x3, x3, x3",
                                            "jz 1f; call rbx; add rcx, rcx; 1: imul rdx, rdx"));
  ASSERT_TRUE(code.decoded.has_value());
  ASSERT_EQ(code.decoded->size(), 3U);
  const std::size_t add_bytes = code.decoded->at(1).size;
  bool has_label = false;
  for (const assembler::Operand& operand : code.decoded->front().instruction.operands) {
    if (operand.kind != assembler::OperandKind::kLabel) continue;
    has_label = true;
    EXPECT_EQ(operand.value, arch::BranchOver(add_bytes));
  }
  EXPECT_TRUE(has_label);
}

TEST(BlockCode, KeepsCallsThatComeBack) {
  const BlockCode code =
      SnippetCode(Either("bl 1f; b 2f; 1: mul x3, x3, x3; ret; 2: add x0, x0, x0",
                         "call 1f; jmp 2f; 1: imul rdx, rdx; ret; 2: add rax, rax"));
  ASSERT_TRUE(code.decoded.has_value());
  EXPECT_EQ(code.decoded->size(), 5U);
  EXPECT_THAT(code.claims, IsEmpty());
}

// The survey prints no claims: what it names must be what it measures.
TEST(BlockCode, LeavesTheSnippetsOfTheSurveyAsTheyAre) {
  for (const auto& [text, code, _] : arch::HeadlineSnippets())
    EXPECT_THAT(SnippetCode(code.empty() ? text : code).claims, IsEmpty()) << text;
}

TEST(BlockCode, TakesOutCallsWhoseReturnMayBeTheSnippetsOwn) {
  // Without a jump over it, the function is entered from above, too.
  const BlockCode code =
      SnippetCode(Either("bl 1f; 1: mul x3, x3, x3; ret", "call 1f; 1: imul rdx, rdx; ret"));
  ASSERT_TRUE(code.decoded.has_value());
  EXPECT_EQ(code.decoded->size(), 1U);
  // One that calls itself never ends.
  EXPECT_EQ(
      SnippetCode(Either("add x0, x0, x0; 1: bl 1b", "add rax, rax; 1: call 1b")).decoded->size(),
      1U);
}

TEST(BlockCode, KnowsRegistersAndMemory) {
  const BlockCode code = SnippetCode(Either("ldr x3, [x1, x2]", "mov rbx, [rcx + 8*rdx]"));
  EXPECT_EQ(code.used, 0b1110U);
  EXPECT_EQ(code.bases, 0b10U);
  EXPECT_EQ(code.indexes, 0b100U);
  EXPECT_TRUE(code.touches_memory);
  EXPECT_FALSE(code.branches);
  EXPECT_FALSE(code.uses_stack);
}

TEST(BlockCode, FindsDistancesToData) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's rip";
  const BlockCode code = SnippetCode("nop; add dword ptr [rip + 0x1234], 7");
  ASSERT_EQ(code.data.size(), 1U);
  EXPECT_EQ(code.data[0].distance, 0x1234);
  EXPECT_EQ(code.data[0].from, code.bytes.size());
  EXPECT_EQ(code.bytes[code.data[0].at], 0x34);
}

TEST(BlockCode, SaysNothingOfBytesThatAreNoInstructions) {
  const auto planner = instructions::testing::MakePlanner();
  const assembler::Bytes nonsense(8, instructions::testing::OnArm() ? 0xff : 0x06);
  const auto code = ReadBlockCode(planner->assembler(), nonsense);
  ASSERT_TRUE(code.has_value());
  EXPECT_FALSE(code->decoded.has_value());
}

// gcc's gcd: the divisor and the upper half of what is divided are written before.
TEST(InitialValues, WhatTheSnippetWritesItselfNeedsNoValue) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "its divisions need no values";
  const BlockCode code = SnippetCode("mov ecx, edx; xor edx, edx; div ecx; mov eax, ecx");
  EXPECT_FALSE(code.needed_values.contains(1));
  EXPECT_FALSE(code.needed_values.contains(2));
  EXPECT_TRUE(code.needed_values.contains(0));
}

}  // namespace
}  // namespace cyclescope::blocks
