#include "blocks/block_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "analysis/claims.h"
#include "instructions/conclude.h"
#include "instructions/testing/planning.h"
#include "instructions/testing/simulated_measurements.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Died;
using instructions::testing::Either;
using instructions::testing::OnArm;
using instructions::testing::Took;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BlockPlanTest : public ::testing::Test {
 protected:
  Block BlockOf(std::string_view text) {
    Block block;
    block.text = text;
    const auto bytes = planner_->assembler().AssembleText(text);
    EXPECT_TRUE(bytes.has_value()) << text;
    block.bytes = bytes.value_or(assembler::Bytes());
    block.instructions =
        planner_->assembler().Parse(text).value_or(std::vector<assembler::Instruction>());
    return block;
  }

  BlockSubject Read(const Block& block, bool filters_system_calls = true) {
    return ReadBlock(planner_->assembler(), block, filters_system_calls);
  }

  BlockPlan Plan(const Block& block, const blocks::Setup& setup = {}) {
    return PlanBlock(*planner_, Read(block), setup, {}, kPlaces);
  }

  BlockRow Conclude(const BlockPlan& plan, const measure::Measurement& measurement) const {
    return ConcludeBlock(plan, measurement, {.clock = &clock_});
  }

  static constexpr sandbox::KernelPlaces kPlaces = {.code = 0x20'0000'0000,
                                                    .window = 0x20'1000'0000,
                                                    .stack = 0x20'2000'0000,
                                                    .count = 0x20'3000'0000};
  std::unique_ptr<instructions::Planner> planner_ = instructions::testing::MakePlanner();
  measure::TickClock clock_ = {.hz = 1e9};
};

constexpr std::string_view kAdds[] = {"add x0, x0, x1; add x2, x2, x3",
                                      "add rax, rcx; add rdx, rbx"};
std::string_view Adds() { return Either(kAdds[0], kAdds[1]); }

TEST_F(BlockPlanTest, TheLongerKernelHasTwiceAsManyCopies) {
  const BlockPlan plan = Plan(BlockOf(Adds()));
  ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
  EXPECT_EQ(plan.row.instructions, 2);
  EXPECT_GT(plan.row.unroll, 8);
  EXPECT_EQ(plan.experiment->units, plan.row.unroll);
  EXPECT_EQ(plan.experiment->difference, measure::Difference::kCopies);
  EXPECT_TRUE(plan.experiment->alone);
  const auto& [shorter, longer] = plan.experiment->kernels;
  EXPECT_EQ(longer.size() - shorter.size(),
            static_cast<std::size_t>(plan.row.unroll) * plan.snippet_bytes);
}

TEST_F(BlockPlanTest, CopiesAreTheUsersIfTheyAreGiven) {
  Block block = BlockOf(Adds());
  block.unroll = 3;
  EXPECT_EQ(Plan(block).row.unroll, 3);
  block.loop = BlockLoop::kAsLoop;
  const BlockPlan loop = Plan(block);
  EXPECT_EQ(loop.experiment->difference, measure::Difference::kLoops);
  EXPECT_EQ(loop.experiment->kernels[0], loop.experiment->kernels[1]);
  block.loop = BlockLoop::kStraight;
  EXPECT_EQ(Plan(block).experiment->difference, measure::Difference::kStraight);
  EXPECT_FALSE(Plan(block).row.loop);
}

TEST_F(BlockPlanTest, WhatMustNotRunIsRefused) {
  const BlockSubject halts = Read(BlockOf(Either("msr daifset, #2", "hlt")));
  EXPECT_TRUE(halts.refused);
  EXPECT_EQ(halts.row.status, Status::kPrivileged);
  const Block calls = BlockOf(Either("svc #0", "syscall"));
  EXPECT_FALSE(Read(calls).refused);
  EXPECT_TRUE(Read(calls, /*filters_system_calls=*/false).refused);
  Block init = BlockOf(Adds());
  init.init_instructions = BlockOf(Either("msr daifset, #2", "hlt")).instructions;
  EXPECT_TRUE(Read(init).refused);
}

TEST_F(BlockPlanTest, RegistersThatTheCpuDoesNotHaveAreRefused) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "APX";
  Block block;
  block.raw = true;
  block.bytes = {0x62, 0xf9, 0x74, 0xc9, 0x5c, 0x03};  // vsubps zmm0 {k1} {z}, zmm1, [r19]
  const BlockSubject subject = Read(block);
  EXPECT_TRUE(subject.refused);
  EXPECT_EQ(subject.row.status, Status::kUnsupported);
}

TEST_F(BlockPlanTest, WithoutARegisterToCountLoopsThereAreOnlyPasses) {
  std::string text;
  for (int i = 0; i < 32; ++i) {
    if (OnArm() && (i == 18 || i == 31)) continue;
    if (!OnArm() && i > 15) continue;
    const assembler::Register reg = {.file = assembler::RegisterFile::kGeneral,
                                     .index = static_cast<std::uint8_t>(i),
                                     .bits = 64};
    const std::string name = planner_->assembler().RegisterName(reg);
    if (name == "rsp") continue;
    text += OnArm() ? "add " + name + ", " + name + ", #1; " : "add " + name + ", 1; ";
  }
  const Block block = BlockOf(text.substr(0, text.size() - 2));
  if (CounterFor(block, Read(block).code)) GTEST_SKIP() << "a register is left";
  EXPECT_THAT(Plan(block).row.reason, HasSubstr("leaves none to count its loops"));
  EXPECT_TRUE(Plan(block, {.passes = true}).experiment.has_value());
}

// A list's end is in its data, which is not known. What a trip takes is what a copy takes whose
// branch leads to the next copy.
TEST_F(BlockPlanTest, ALoopThatItsDataEndLeadsOn) {
  const Block block =
      BlockOf(Either("1: ldr x2, [x1]; add x3, x3, x2; ldr x1, [x1, #8]; cbnz x1, 1b",
                     "1: add rax, [rcx]; mov rcx, [rcx + 8]; test rcx, rcx; jnz 1b"));
  const BlockSubject subject = Read(block);
  EXPECT_FALSE(subject.is_loop);
  EXPECT_TRUE(subject.leads_on);
  EXPECT_TRUE(subject.knows_count);
  EXPECT_EQ(subject.row.instructions, 4);
  EXPECT_THAT(subject.row.notes, ::testing::Contains(HasSubstr("data decide when the loop ends")));
  EXPECT_FALSE(FindLoop(subject.code)) << "its branch goes to what follows";
  const BlockPlan plan = Plan(block);
  ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
  EXPECT_EQ(plan.row.trips, 0);
  EXPECT_LE(plan.row.unroll, 16) << "few branches";
  EXPECT_EQ(plan.experiment->units, plan.row.unroll);
  // A request for trips is told why there are none.
  Block trips = block;
  trips.trips = 100;
  EXPECT_TRUE(Read(trips).is_loop);
  EXPECT_THAT(Plan(trips).row.reason, HasSubstr("--trips"));
}

// A binary search: what a misprediction takes is not in its cycles, which the row says.
TEST_F(BlockPlanTest, ALoopThatDataEndSaysThatItGoesOneWay) {
  const auto ways = ::testing::Contains(HasSubstr("the same way each time"));
  const Block search = BlockOf(
      Either("1: add x2, x0, x1; lsr x2, x2, #1; ldr w3, [x5, x2, lsl #2]; cmp w3, w4; b.lt 2f; "
             "mov x1, x2; b 3f; 2: add x0, x2, #1; 3: cmp x0, x1; b.lt 1b",
             "1: lea rax, [rcx + rsi]; shr rax, 1; cmp dword ptr [rdi + 4*rax], edx; jl 2f; "
             "mov rcx, rax; jmp 3f; 2: lea rsi, [rax + 1]; 3: cmp rsi, rcx; jl 1b"));
  EXPECT_TRUE(Read(search).leads_on);
  EXPECT_THAT(Read(search).row.notes, ways);
  const Block list = BlockOf(
      Either("1: ldr x1, [x1, #8]; cbnz x1, 1b", "1: mov rcx, [rcx + 8]; test rcx, rcx; jnz 1b"));
  EXPECT_TRUE(Read(list).leads_on);
  EXPECT_THAT(Read(list).row.notes, ::testing::Not(ways));
}

TEST_F(BlockPlanTest, CallsThatAreAvoidedAreSaid) {
  const auto says = ::testing::Contains(::testing::Field(&Claim::code, ClaimCode::kAvoidsCalls));
  Block block = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  EXPECT_THAT(Read(block).row.claims, ::testing::Not(says));
  block.avoided_calls = {"call sqrt"};
  EXPECT_THAT(Read(block).row.claims, says);
  EXPECT_THAT(Read(block).row.notes, ::testing::Contains(HasSubstr("'call sqrt'")));
}

TEST_F(BlockPlanTest, LoopsThatAreAvoidedAreSaid) {
  const auto says = [](ClaimCode code) {
    return ::testing::Contains(::testing::Field(&Claim::code, code));
  };
  Block block = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  EXPECT_THAT(Read(block).row.claims, IsEmpty());
  block.avoided_loops = {14, 27};
  EXPECT_THAT(Read(block).row.claims, says(ClaimCode::kAvoidsLoops));
  EXPECT_THAT(Read(block).row.notes,
              ::testing::ElementsAre(HasSubstr("the loops inside of it at lines 14, 27")));
  block.avoided_loops = {};
  block.loop_around = 9;
  EXPECT_THAT(Read(block).row.claims, says(ClaimCode::kLoopAround));
  EXPECT_THAT(Read(block).row.notes, ::testing::ElementsAre(HasSubstr("at line 9 has ways")));
}

// `while (*p++)` and `while (*p == ' ')`: the walk is laid out with what ends it behind the last
// trip.
TEST_F(BlockPlanTest, AValueInMemoryEndsALoopThatNothingCounts) {
  for (const Block& block :
       {BlockOf(Either("1: ldrb w1, [x0], #1; cbnz w1, 1b",
                       "1: inc rdi; cmp byte ptr [rdi], 0; jne 1b")),
        BlockOf(Either("1: ldrb w1, [x0], #1; cmp w1, #32; b.eq 1b",
                       "1: movzx eax, byte ptr [rdi]; inc rdi; cmp al, 32; je 1b"))}) {
    const BlockSubject subject = Read(block);
    EXPECT_TRUE(subject.is_loop);
    EXPECT_FALSE(subject.leads_on);
    EXPECT_TRUE(subject.end.has_value());
    const BlockPlan plan = Plan(block, {.areas = AreaData::kRandom, .passes = true});
    ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
    EXPECT_EQ(plan.row.trips, 512);
    EXPECT_FALSE(plan.traps[0].has_value()) << "there is no other exit";
  }
  // Whether it is larger tells not at which number the loop ends.
  const Block larger = BlockOf(Either("1: ldrb w1, [x0], #1; cmp w1, #32; b.hi 1b",
                                      "1: inc rdi; cmp byte ptr [rdi], 32; ja 1b"));
  EXPECT_TRUE(Read(larger).leads_on);
}

// Code that is linked at a fixed place has the addresses of its arrays in its instructions.
TEST_F(BlockPlanTest, SymbolsAreArraysOfTheirOwn) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's absolute addresses";
  const auto subject_of = [&](std::string_view text) {
    const auto assembled = planner_->assembler().AssemblePart(text);
    EXPECT_TRUE(assembled.has_value());
    Block block;
    block.part = true;
    block.bytes = assembled->bytes;
    block.instructions = assembled->instructions;
    block.symbols = assembled->symbols;
    return block;
  };
  const Block table = subject_of(
      "1: movzx eax, byte ptr [rdi]; inc rdi; add ecx, dword ptr [table + 8 + 4*rax]; "
      "cmp rdi, rsi; jne 1b");
  ASSERT_EQ(table.symbols.size(), 1u);
  EXPECT_EQ(table.symbols[0].symbol, "table");
  EXPECT_EQ(table.symbols[0].addend, 8);
  EXPECT_TRUE(Read(table).has_areas());
  const BlockPlan plan = Plan(table, {.areas = AreaData::kRandom, .passes = true});
  ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
  EXPECT_EQ(plan.experiment->surroundings.areas.size(), 2u);
  // `for (p = a; p != a + 1024; ++p)`: the end of the array is a number, too.
  const Block walk =
      subject_of("1: add ecx, dword ptr [rax]; add rax, 4; cmp rax, offset array + 4096; jne 1b");
  EXPECT_EQ(Read(walk).loop->counted.size(), 1u);
  const BlockPlan walked = Plan(walk, {.areas = AreaData::kRandom, .passes = true});
  ASSERT_TRUE(walked.experiment.has_value()) << walked.row.reason;
  EXPECT_EQ(walked.row.trips, 512);
}

TEST_F(BlockPlanTest, WhatLeavesIsNamedAsItWasWritten) {
  const auto assembled = planner_->assembler().AssemblePart(
      Either("add x0, x0, x1\nbl elsewhere", "add rax, rcx\ncall elsewhere"));
  ASSERT_TRUE(assembled.has_value());
  Block block;
  block.bytes = assembled->bytes;
  block.instructions = assembled->instructions;
  EXPECT_THAT(Read(block).row.left_out, ::testing::Contains(HasSubstr("elsewhere")));
}

TEST_F(BlockPlanTest, ALoopMakesTwiceAsManyTrips) {
  const Block block = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  const BlockSubject subject = Read(block);
  EXPECT_TRUE(subject.is_loop);
  EXPECT_TRUE(subject.code.claims.empty());
  const BlockPlan plan = Plan(block, {.passes = true});
  ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
  EXPECT_EQ(plan.row.trips, 512);
  EXPECT_EQ(plan.experiment->units, 512);
  EXPECT_EQ(plan.row.unroll, 1);
  // The longer kernel has a beginning of its own and jumps into the loop of the shorter one.
  const auto& [shorter, longer] = plan.experiment->kernels;
  const auto has_loop = [&block](const sandbox::Kernel& kernel) {
    return !std::ranges::search(kernel, block.bytes).empty();
  };
  EXPECT_TRUE(has_loop(shorter));
  EXPECT_FALSE(has_loop(longer));
  EXPECT_FALSE(plan.experiment->learns_branches) << "there is one way";
}

TEST_F(BlockPlanTest, AnExitThatIsNeverTakenIsSaid) {
  const auto says =
      ::testing::Contains(::testing::Field(&Claim::code, ClaimCode::kNeverEndedByData));
  const Block find =
      BlockOf(Either("1: ldrb w3, [x1], #1; cmp w3, w4; b.eq 2f; subs x2, x2, #1; b.ne 1b; 2:",
                     "1: cmp byte ptr [rsi], dil; je 2f; inc rsi; dec rcx; jne 1b; 2:"));
  EXPECT_THAT(Plan(find, {.areas = AreaData::kRandom, .passes = true}).row.claims, says);
  EXPECT_THAT(
      Plan(find, {.areas = AreaData::kRandom, .leaves_early = true, .passes = true}).row.claims,
      ::testing::Not(says));
  const Block plain = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  EXPECT_THAT(Plan(plain, {.passes = true}).row.claims, ::testing::Not(says));
}

TEST_F(BlockPlanTest, OnlyInAShortLoopDoesItsEndShow) {
  const Block block = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  const BlockPlan plan = Plan(block, {.passes = true});
  ASSERT_EQ(plan.row.trips, 512);
  EXPECT_THAT(Conclude(plan, Took(0.78)).claims,
              ::testing::ElementsAre(::testing::Field(&Claim::code, ClaimCode::kEndOfLoopShows)));
  EXPECT_THAT(Conclude(plan, Took(0.79)).claims, IsEmpty());
  EXPECT_THAT(Conclude(Plan(BlockOf(Adds())), Took(0.5)).claims, IsEmpty()) << "it has no end";
}

TEST_F(BlockPlanTest, DataDecideWhereAComparisonReadsThem) {
  const auto decide = [this](std::string_view arm, std::string_view x86) {
    return DataDecideBranch(Read(BlockOf(Either(arm, x86))));
  };
  EXPECT_TRUE(decide(
      "1: ldr x3, [x1], #8; cmp x3, x4; b.lt 2f; add x0, x0, x3; 2: subs x2, x2, #1; b.ne 1b",
      "1: mov rdx, [rsi]; cmp rdx, rdi; jl 2f; add rax, rdx; 2: add rsi, 8; dec rcx; jne 1b"));
  EXPECT_TRUE(
      decide("1: ldr x3, [x1], #8; tbz x3, #0, 2f; add x0, x0, x3; 2: subs x2, x2, #1; b.ne 1b",
             "1: cmp [rsi], rdi; jl 2f; add rax, rdi; 2: add rsi, 8; dec rcx; jne 1b"));
  EXPECT_TRUE(decide(
      "1: ldr d3, [x1], #8; fcmp d3, d4; b.lt 2f; fadd d0, d0, d3; 2: subs x2, x2, #1; b.ne 1b",
      "1: movsd xmm3, [rsi]; ucomisd xmm3, xmm4; ja 2f; addsd xmm0, xmm3; 2: add rsi, 8; dec rcx; "
      "jne 1b"));
  // By its own count alone.
  EXPECT_FALSE(decide(
      "1: ldr x3, [x1], #8; tst x2, #1; b.eq 2f; add x0, x0, x3; 2: subs x2, x2, #1; b.ne 1b",
      "1: mov rdx, [rsi]; test cl, 1; je 2f; add rax, rdx; 2: add rsi, 8; dec rcx; jne 1b"));
  EXPECT_FALSE(decide("1: ldr x3, [x1], #8; add x0, x0, x3; subs x2, x2, #1; b.ne 1b",
                      "1: add rax, [rsi]; add rsi, 8; dec rcx; jne 1b"));
}

TEST_F(BlockPlanTest, OnlyShortRunsOverlap) {
  const auto says = ::testing::Contains(::testing::Field(&Claim::code, ClaimCode::kRunsOverlap));
  Block block = BlockOf(
      Either("1: add x0, x0, x1; subs x2, x2, #1; b.ne 1b", "1: add rax, rbx; dec rcx; jne 1b"));
  block.trips = 170;
  EXPECT_THAT(Conclude(Plan(block), Took(9)).claims, says) << "510 instructions";
  block.trips = 171;
  EXPECT_THAT(Conclude(Plan(block), Took(9)).claims, IsEmpty()) << "513 instructions";
  block.inside_loop = true;
  EXPECT_THAT(Conclude(Plan(block), Took(9)).claims, says);
  EXPECT_THAT(Conclude(Plan(BlockOf(Adds())), Took(9)).claims, IsEmpty()) << "it is no loop";
}

TEST_F(BlockPlanTest, AWayThatDataDecideAboutIsLearnt) {
  const Block block = BlockOf(
      Either("1: ldr x3, [x1], #8; tbz x3, #0, 2f; add x0, x0, x3; 2: subs x2, x2, #1; b.ne 1b",
             "1: mov rdx, [rsi]; test dl, 1; je 2f; add rax, rdx; 2: add rsi, 8; dec rcx; jne 1b"));
  const BlockPlan plan = Plan(block, {.areas = AreaData::kRandom, .passes = true});
  ASSERT_TRUE(plan.experiment.has_value()) << plan.row.reason;
  EXPECT_TRUE(plan.experiment->learns_branches);
}

TEST_F(BlockPlanTest, TheUserMaySayWhatCountsALoop) {
  Block block = BlockOf(
      Either("1: ldr x0, [x0]; cbnz x0, 1b", "1: mov rax, qword ptr [rax]; test rax, rax; jne 1b"));
  block.registers = {{0, 500}};
  EXPECT_EQ(Plan(block, {.passes = true}).row.trips, 500);
  block.registers = {{9, 500}};
  EXPECT_TRUE(Read(block).leads_on) << "the loop does not use it";
}

TEST_F(BlockPlanTest, AMeasurementIsCyclesPerIterationAndAClassicRow) {
  const BlockPlan plan = Plan(BlockOf(Adds()));
  const BlockRow row = Conclude(plan, Took(1.5));
  EXPECT_EQ(row.status, Status::kMeasured);
  ASSERT_TRUE(row.cycles.has_value());
  EXPECT_NEAR(row.cycles->value, 1.5, 0.001);
  ASSERT_EQ(row.classic.size(), 1u);
  EXPECT_EQ(row.classic[0].test, "BLK");
  EXPECT_NEAR(row.classic[0].cycles_per_instruction, 1.5, 0.001);
  EXPECT_NEAR(row.classic[0].instructions_per_cycle, 2 / 1.5, 0.01);
  EXPECT_FALSE(row.classic[0].upper_bound);
  EXPECT_TRUE(row.claims.empty());
}

// As many pages as get memory of their own, and one more; a setup with and without what is set.
TEST_F(BlockPlanTest, NearMissesHaveNoClaims) {
  const auto codes = [](const BlockRow& row) {
    std::vector<ClaimCode> found;
    for (const Claim& claim : row.claims) found.push_back(claim.code);
    return found;
  };
  const auto with_pages = [&](std::size_t count) {
    std::set<std::uint64_t> pages;
    for (std::size_t i = 0; i < count; ++i) pages.insert(0x10'0000'0000 + 4096 * i);
    const BlockPlan plan = PlanBlock(*planner_, Read(BlockOf(Adds())), {}, pages, kPlaces);
    return codes(plan.row);
  };
  EXPECT_THAT(with_pages(sandbox::kMostOwnPages), IsEmpty());
  EXPECT_THAT(with_pages(sandbox::kMostOwnPages + 1), ::testing::ElementsAre(ClaimCode::kOnePage));
  EXPECT_THAT(codes(Plan(BlockOf(Adds()), {.sets_bases = true}).row),
              ::testing::ElementsAre(ClaimCode::kSetsBases));
  EXPECT_THAT(codes(Plan(BlockOf(Adds()), {.leaves_early = true}).row),
              ::testing::ElementsAre(ClaimCode::kLeavesEarly));
  EXPECT_THAT(codes(Plan(BlockOf(Adds()), {.sets_stack = true}).row),
              ::testing::ElementsAre(ClaimCode::kSetsStack));
}

// As many visits as tell what is fast, and one fewer; visits that agreed; a longer kernel that took
// 0.9 % more in half of them.
TEST_F(BlockPlanTest, VisitsOfOneSpeedDoNotDiffer) {
  const auto claims = [&](std::size_t visits, SamplingEnd end, double slower) {
    measure::Measurement measured = Took(1.5);
    measured.units_of_speeds = 64;
    measured.end = end;
    measured.visits.resize(visits, measured.visits.front());
    for (std::size_t i = 0; i < visits; ++i) {
      measured.visits[i].shorter = 96;
      measured.visits[i].longer = 192 * (i % 2 == 0 ? 1 : slower);
    }
    return Conclude(Plan(BlockOf(Adds())), measured).claims;
  };
  const std::vector<Claim> found = claims(12, SamplingEnd::kBudget, 1.1);
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(Sentence(found.front()),
            "its visits differ: this is what it takes when it is fast; in 50 % of them it was "
            "slower, by 0.30 cycles");
  EXPECT_THAT(claims(12, SamplingEnd::kBudget, 1.009), IsEmpty());
  EXPECT_THAT(claims(11, SamplingEnd::kBudget, 1.1), IsEmpty());
  EXPECT_THAT(claims(12, SamplingEnd::kPrecise, 1.1), IsEmpty());
}

TEST_F(BlockPlanTest, UnderANeighbourItIsABound) {
  measure::Measurement contended = Took(1.5);
  contended.contended = true;
  const BlockRow row = Conclude(Plan(BlockOf(Adds())), contended);
  EXPECT_TRUE(row.cycles->contended);
  EXPECT_TRUE(row.classic.at(0).upper_bound);
}

// With a branch it is not known how many instructions ran, but for counters.
TEST_F(BlockPlanTest, WithoutACountOfInstructionsThereIsNoClassicRow) {
  BlockPlan plan = Plan(BlockOf(Adds()));
  plan.knows_count = false;
  EXPECT_THAT(Conclude(plan, Took(1.5)).classic, IsEmpty());
  measure::Measurement counted = Took(1.5);
  counted.totals.instructions = 2000;
  EXPECT_EQ(Conclude(plan, counted).classic.size(), 1u);
}

TEST_F(BlockPlanTest, TooFewCopiesTellNothing) {
  Block block = BlockOf(Adds());
  block.unroll = 2;
  const BlockRow row = Conclude(Plan(block), Took(1.5));
  EXPECT_EQ(row.status, Status::kUnmeasurable);
  EXPECT_THAT(row.reason, HasSubstr("2 copies take 3.0 cycles"));
  EXPECT_FALSE(row.cycles.has_value());
  EXPECT_THAT(row.classic, IsEmpty());
}

TEST_F(BlockPlanTest, TooFewCopiesWithoutALoopTellNothing) {
  Block block = BlockOf(Adds());
  block.loop = BlockLoop::kStraight;
  block.unroll = 10;
  const BlockRow row = Conclude(Plan(block), Took(1.5));
  EXPECT_EQ(row.status, Status::kUnmeasurable);
  EXPECT_THAT(row.reason, HasSubstr("10 copies take 15.0 cycles, too few beside what calling"));
  block.unroll = 200;
  EXPECT_EQ(Conclude(Plan(block), Took(1.5)).status, Status::kMeasured);
}

TEST_F(BlockPlanTest, ADeathNamesThePlaceInTheSnippet) {
  const BlockPlan plan = Plan(BlockOf(Adds()));
  measure::Measurement died = Died(sandbox::DeathKind::kBadAddress, "bad memory access");
  EXPECT_EQ(Conclude(plan, died).status, Status::kCrashed);
  EXPECT_EQ(Conclude(plan, died).reason, "bad memory access");
  died.death->code_place = {{.kernel = 0, .offset = plan.prologue_bytes + plan.snippet_bytes + 1}};
  EXPECT_THAT(Conclude(plan, died).reason, HasSubstr("at or just before byte 1 of the snippet"));
  died.death->code_place = {{.kernel = 0, .offset = 0}};
  EXPECT_EQ(Conclude(plan, died).reason, "bad memory access") << "that is code of ours";
  EXPECT_THAT(Conclude(plan, died).claims, IsEmpty()) << "it leaves the stack as it was";
}

TEST_F(BlockPlanTest, ADeathOfCodeThatMovesTheStackSaysWhy) {
  const BlockPlan plan = Plan(BlockOf(Either("sub sp, sp, #16", "push rax")));
  EXPECT_TRUE(plan.moves_stack);
  const BlockRow row = Conclude(plan, Died(sandbox::DeathKind::kBadAddress, "bad memory access"));
  ASSERT_EQ(row.claims.size(), 1u);
  EXPECT_EQ(row.claims.front().code, ClaimCode::kMovesStack);
}

TEST_F(BlockPlanTest, OnlyALoopWithoutAWayOutNeverEnds) {
  const auto claims = [&](const Block& block, sandbox::DeathKind kind) {
    return Conclude(Plan(block), Died(kind, "did not end within 1000 ms")).claims;
  };
  const Block endless = BlockOf(Either("nop; 1: b 1b", "nop; 1: jmp 1b"));
  const auto found = claims(endless, sandbox::DeathKind::kTimeout);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().code, ClaimCode::kNothingEndsLoop);
  EXPECT_EQ(Sentence(found.front()),
            "nothing ends a loop of it: from its instruction 2 on, no way leads out");
  EXPECT_THAT(claims(endless, sandbox::DeathKind::kBadAddress), IsEmpty());
  // Data may end it late; a jump over it leaves it alone; where this jumps is not known.
  for (const std::string_view text :
       {Either("1: add x0, x0, x1; cbnz x0, 1b", "1: add rax, rcx; jne 1b"),
        Either("b 2f; 1: b 1b; 2: nop", "jmp 2f; 1: jmp 1b; 2: nop")}) {
    const auto others = claims(BlockOf(text), sandbox::DeathKind::kTimeout);
    EXPECT_EQ(std::ranges::find(others, ClaimCode::kNothingEndsLoop, &Claim::code), others.end())
        << text;
  }
}

TEST_F(BlockPlanTest, OnlyAnIllegalInstructionIsNotOffered) {
  const BlockPlan plan = Plan(BlockOf(Adds()));
  const BlockRow row = Conclude(plan, Died(sandbox::DeathKind::kIllegalInstruction, "SIGILL"));
  ASSERT_EQ(row.claims.size(), 1u);
  EXPECT_EQ(row.claims.front().code, ClaimCode::kNotOffered);
  EXPECT_EQ(row.reason, Sentence(row.claims.front()));
  EXPECT_THAT(Conclude(plan, Died(sandbox::DeathKind::kBadAddress, "SIGSEGV")).claims, IsEmpty());
}

TEST_F(BlockPlanTest, LostAndFewSamplesAreDisturbed) {
  const BlockPlan plan = Plan(BlockOf(Adds()));
  EXPECT_EQ(Conclude(plan, {}).status, Status::kDisturbed);
  measure::Measurement few = Took(1.5);
  few.visits.resize(1);
  EXPECT_EQ(Conclude(plan, few).status, Status::kDisturbed);
  EXPECT_TRUE(Conclude(plan, few).cycles.has_value());
}

}  // namespace
}  // namespace cyclescope::blocks
