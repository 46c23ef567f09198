#include "blocks/block_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;
using predict::DependenceChain;
using predict::LatencyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<assembler::Instruction> ParseSnippet(std::string_view text) {
  const auto planner = instructions::testing::MakePlanner();
  const auto parsed = planner->assembler().Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(std::vector<assembler::Instruction>());
}

// Multiplications take 3, loads 5, all else 1.
LatencyOf SimulatedLatencies(const std::vector<assembler::Instruction>& instructions) {
  return [&instructions](std::size_t index, const assembler::Operand& from,
                         const assembler::Operand& to) -> std::optional<double> {
    const std::string& name = instructions[index].name;
    if (to.kind == assembler::OperandKind::kMemory) return 4;
    if (from.kind == assembler::OperandKind::kMemory) return 0;
    if (instructions[index].flags.may_load) return 5;
    return name == "imul" || name == "mul" || name == "madd" ? 3 : 1;
  };
}

double ChainOf(std::string_view text) {
  const auto instructions = ParseSnippet(text);
  const auto links = FindMemoryLinks(TripValues(SnippetCode(text), std::nullopt));
  return LongestChain(instructions, SimulatedLatencies(instructions),
                      predict::FindFlows(instructions, links))
      .cycles;
}

TEST(Chain, IsTheSumOfItsLinks) {
  const auto instructions =
      ParseSnippet(Either("mul x0, x0, x1; add x0, x0, x2", "imul rax, rcx; add rax, rdx"));
  const DependenceChain chain = LongestChain(instructions, SimulatedLatencies(instructions),
                                             predict::FindFlows(instructions));
  EXPECT_DOUBLE_EQ(chain.cycles, 4);
  EXPECT_EQ(ToString(chain, instructions),
            Either("x0 → x0: mul 3 + add 1", "rax → rax: imul 3 + add 1"));
}

TEST(Chain, AnAddressRelativeToTheInstructionIsTheSameOnlyThere) {
  if (Either("", "x86").empty()) return;
  EXPECT_GT(ChainOf("add dword ptr [rip + 64], 1"), 3);
  // The second instruction is seven bytes long.
  EXPECT_GT(ChainOf("mov rax, qword ptr [rip + 71]; mov qword ptr [rip + 64], rax"), 3);
  EXPECT_LT(ChainOf("mov rax, qword ptr [rip + 64]; mov qword ptr [rip + 128], rax"), 3);
}

TEST(MemoryPlaces, DataAtADistanceFromTheCodeKeepTheirs) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's rip";
  const TripValues values(
      SnippetCode("mov eax, dword ptr [rip + 100]; movups xmm0, xmmword ptr [rip + 200]; "
                  "mov dword ptr [rip + 100], ecx"),
      std::nullopt);
  const auto places = FindMemoryPlaces(values);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[1].offset, 0) << "the widest begins a line";
  EXPECT_EQ(places[0].offset, -107) << "seven bytes of an instruction nearer";
  EXPECT_EQ(places[2].offset, -94);
  EXPECT_EQ(places[0].origin, places[1].origin);
}

TEST(MemoryPlaces, ARegisterHoldsTheBeginningOfALine) {
  const TripValues values(SnippetCode(Either("str x2, [x1, #-216]; str x2, [x1, #-184]",
                                             "mov [rbx - 216], rax; mov [rbx - 184], rax")),
                          std::nullopt);
  const auto places = FindMemoryPlaces(values);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].offset, -216);
  EXPECT_EQ(places[1].offset, -184);
}

TEST(MemoryPlaces, APointerThatAnotherTakesThePlaceOfBeginsALineEachTime) {
  const TripValues values(
      SnippetCode(Either("str x2, [x1, #120]; str x2, [x1, #768]; mov x1, x3",
                         "mov [rbx + 120], rax; mov [rbx + 768], rax; mov rbx, rcx")),
      std::nullopt);
  const auto places = FindMemoryPlaces(values);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].origin, places[1].origin);
  EXPECT_EQ(places[0].offset, 120);
  EXPECT_EQ(places[1].offset, 768);
  EXPECT_EQ(places[1].step, 0);
}

TEST(MemoryPlaces, OfWhatIsNotKnownNoPlaceIs) {
  const TripValues values(SnippetCode(Either("mul x1, x1, x3; str x2, [x1, #60]",
                                             "imul rbx, rcx; mov [rbx + 60], rax")),
                          std::nullopt);
  EXPECT_TRUE(FindMemoryPlaces(values).empty());
}

TEST(MemoryPlaces, TheStackIsWhereItsPointerLeads) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's pushes";
  constexpr GeneralNumber kStackPointer = 4;
  const TripValues values(SnippetCode("push rbx; push rcx; mov rax, [rsp + 8]"), std::nullopt);
  const auto places = FindMemoryPlaces(values, kStackPointer, -8);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].offset, -16);
  EXPECT_EQ(places[1].offset, -24);
  EXPECT_EQ(places[2].offset, -16);
  EXPECT_EQ(places[1].step, -16);
  EXPECT_EQ(places[0].origin, places[2].origin);
}

TEST(MemoryPlaces, WhatIsPushedFromMemoryHasTwo) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's pushes";
  const TripValues values(SnippetCode("push qword ptr [rbx + 24]"), std::nullopt);
  const auto places = FindMemoryPlaces(values, 4);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_TRUE(places[0].loads && !places[0].stores);
  EXPECT_EQ(places[0].offset, 24);
  EXPECT_TRUE(places[1].stores && !places[1].loads);
  EXPECT_EQ(places[1].offset, -8);
  EXPECT_TRUE(FindMemoryLinks(values).empty());
}

TEST(MemoryLinks, APointerThatIsLoadedAgainLeadsToTheSamePlace) {
  const auto links = [](std::string_view text) {
    return FindMemoryLinks(TripValues(SnippetCode(text), std::nullopt));
  };
  // The pointer is the same in each trip.
  const auto stays = links(Either("ldr x0, [x1, #8]; ldr x2, [x0, #16]; str x2, [x0, #16]",
                                  "mov rax, [rbx + 8]; mov rdx, [rax + 16]; mov [rax + 16], rdx"));
  ASSERT_EQ(stays.size(), 1u);
  EXPECT_EQ(stays[0].iterations, 1);
  const auto twice =
      links(Either("ldr x0, [x1, #8]; str x2, [x0, #16]; ldr x3, [x1, #8]; ldr x4, [x3, #16]",
                   "mov rax, [rbx + 8]; mov [rax + 16], rdx; mov rcx, [rbx + 8]; "
                   "mov rdi, [rcx + 16]"));
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].iterations, 0);
  // It is stored to in between, or goes on, or is multiplied.
  EXPECT_TRUE(links(Either("ldr x0, [x1], #8; ldr x2, [x0, #16]; str x2, [x0, #16]",
                           "mov rax, [rbx]; add rbx, 8; mov rdx, [rax + 16]; mov [rax + 16], rdx"))
                  .empty());
  EXPECT_EQ(links(Either("ldr x0, [x1, #8]; str x2, [x0, #16]; str x5, [x1, #8]; "
                         "ldr x3, [x1, #8]; ldr x4, [x3, #16]",
                         "mov rax, [rbx + 8]; mov [rax + 16], rdx; mov [rbx + 8], rsi; "
                         "mov rcx, [rbx + 8]; mov rdi, [rcx + 16]"))
                .size(),
            2u)
      << "only the pointer itself, in both trips";
}

TEST(MemoryLinks, ALoadMayReadAPartOfAStoreOrMore) {
  const auto links = [](std::string_view text) {
    return FindMemoryLinks(TripValues(SnippetCode(text), std::nullopt));
  };
  const auto part =
      links(Either("str x0, [x1]; ldr w2, [x1, #4]", "mov [rcx], rax; mov edx, [rcx + 4]"));
  ASSERT_EQ(part.size(), 1u);
  EXPECT_EQ(part[0].offset, 4);
  EXPECT_EQ(part[0].iterations, 0);
  const auto more =
      links(Either("ldr x2, [x1]; str w0, [x1, #4]", "mov rdx, [rcx]; mov [rcx + 4], eax"));
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].offset, -4);
  EXPECT_EQ(more[0].iterations, 1);
  EXPECT_TRUE(links(Either("str x0, [x1]; ldr x2, [x1, #8]", "mov [rcx], rax; mov rdx, [rcx + 8]"))
                  .empty());
}

TEST(Chain, EqualLinksInARowAreOnePart) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += Either("add x0, x0, x1\n", "add rax, rcx\n");
  text += Either("mul x0, x0, x1", "imul rax, rcx");
  const auto instructions = ParseSnippet(text);
  const std::string chain = ToString(LongestChain(instructions, SimulatedLatencies(instructions),
                                                  predict::FindFlows(instructions)),
                                     instructions);
  EXPECT_THAT(chain, HasSubstr("3000 × add 1"));
  EXPECT_THAT(chain, HasSubstr("mul 3"));
  EXPECT_LT(chain.size(), 60u);
}

TEST(Chain, IsTheLongestOfSeveral) {
  EXPECT_DOUBLE_EQ(ChainOf(Either("add x0, x0, x5; mul x1, x1, x5; mul x2, x3, x4",
                                  "add rax, r8; imul rcx, r8; lea rdx, [rbx + rsi]")),
                   3);
}

TEST(Chain, MayTakeSeveralIterations) {
  // Two registers that change places: three cycles every second iteration, and one in the other.
  EXPECT_DOUBLE_EQ(ChainOf(Either("mul x2, x0, x5; add x0, x1, x5; add x1, x2, x5",
                                  "lea rdx, [rax + r8]; lea rax, [rcx + r8]; lea rcx, [rdx + r8]")),
                   Either("a", "x") == "a" ? 2.5 : 1.5);
}

TEST(Chain, IsNoneWhereNothingGoesRound) {
  EXPECT_DOUBLE_EQ(ChainOf(Either("mul x0, x1, x2; mul x3, x0, x4",
                                  "lea rax, [rcx + rdx]; lea rbx, [rax + rdx]")),
                   0);
}

TEST(Chain, GoesThroughMemoryThatStays) {
  EXPECT_DOUBLE_EQ(ChainOf(Either("ldr x0, [x1]; add x0, x0, x2; str x0, [x1]",
                                  "mov rax, [rcx]; add rax, rdx; mov [rcx], rax")),
                   5);
  // Another place each time: no chain but that of the pointer.
  EXPECT_DOUBLE_EQ(ChainOf(Either("ldr x0, [x1]; str x0, [x1]; add x1, x1, x2",
                                  "mov rax, [rcx]; mov [rcx], rax; add rcx, rdx")),
                   1);
  // What is stored behind the next element's place is loaded in the next trip, or in the one after.
  EXPECT_DOUBLE_EQ(ChainOf(Either("ldr x0, [x1]; add x0, x0, x2; str x0, [x1, #8]; add x1, x1, #8",
                                  "mov rax, [rcx]; add rax, rdx; mov [rcx + 8], rax; add rcx, 8")),
                   5);
  EXPECT_DOUBLE_EQ(ChainOf(Either("ldr x0, [x1]; add x0, x0, x2; str x0, [x1, #16]; add x1, x1, #8",
                                  "mov rax, [rcx]; add rax, rdx; mov [rcx + 16], rax; add rcx, 8")),
                   2.5);
}

TEST(Slots, OfACompareAndItsBranchAreOne) {
  const auto instructions = ParseSnippet(
      Either("1: add x0, x0, #1; cmp x0, x1; b.ne 1b", "1: add rax, 1; cmp rax, rcx; jne 1b"));
  EXPECT_EQ(predict::SlotsOf(instructions), Either("a", "x") == "a" ? 3 : 2);
}

Estimate Known(double cycles) {
  Estimate estimate;
  estimate.value = estimate.low = estimate.high = cycles;
  return estimate;
}

InstructionRow RowWith(double throughput) {
  InstructionRow row;
  row.throughput = Throughput{.cycles = Known(throughput)};
  return row;
}

TEST(Bounds, TakeNoUpperBoundForALatency) {
  const auto instructions = ParseSnippet(Either("add x0, x0, x1", "lea rax, [rax + rcx]"));
  const std::string name(Either("x0", "rax"));
  InstructionRow row = RowWith(0.25);
  row.latency.push_back({.from = name, .to = name});
  row.latency[0].cycles = Known(2);
  const auto chain_of = [&] { return BoundsOf(instructions, {{row}}, 8).chain; };
  EXPECT_DOUBLE_EQ(chain_of(), 2);
  row.latency[0].kind = LatencyKind::kUpperBound;
  EXPECT_DOUBLE_EQ(chain_of(), 0);
  row.latency[0].kind = LatencyKind::kExact;
  row.zero_idiom = true;
  EXPECT_DOUBLE_EQ(chain_of(), 0);
}

TEST(Bounds, GoThroughMemoryByTheLatencyOfTheStore) {
  const auto instructions = ParseSnippet(Either("str x0, [x1]; ldr x0, [x1]; add x0, x0, x2",
                                                "mov [rdi], rax; mov rax, [rdi]; add rax, rcx"));
  const std::string name(Either("x0", "rax"));
  const std::string pointer(Either("x1", "rdi"));
  std::vector<InstructionRow> parts(3, RowWith(0.25));
  parts[0].latency.push_back({.from = name, .to = "memory", .cycles = Known(4)});
  parts[1].latency.push_back({.from = pointer, .to = name, .cycles = Known(5)});
  parts[2].latency.push_back({.from = name, .to = name, .cycles = Known(1)});
  const std::vector<predict::MemoryLink> memory = {{.store = 0, .load = 1, .iterations = 0}};
  const auto chain_of = [&](std::span<const predict::MemoryLink> links) {
    return BoundsOf(instructions, parts, 8, links).chain;
  };
  EXPECT_DOUBLE_EQ(chain_of(memory), 5);
  EXPECT_DOUBLE_EQ(chain_of({}), 0);
  parts[0].latency[0].kind = LatencyKind::kUpperBound;
  EXPECT_DOUBLE_EQ(chain_of(memory), 1) << "a core may forward in no time";
}

TEST(Bounds, TakeTheLeastThatAPartMayTake) {
  const auto instructions = ParseSnippet(Either("add x0, x0, x1", "lea rax, [rax + rcx]"));
  const std::string name(Either("x0", "rax"));
  InstructionRow row = RowWith(1.47);
  const auto bounds_of = [&] { return BoundsOf(instructions, {{row}}, 8); };
  row.latency.push_back({.from = name, .to = name, .cycles = Known(7)});
  row.throughput->cycles.low = 1.46;
  EXPECT_DOUBLE_EQ(bounds_of().resource, 1.47) << "it is known precisely";
  row.throughput->cycles.low = 1.31;
  EXPECT_DOUBLE_EQ(bounds_of().resource, 1.31);
  row.throughput->cycles.states = {{.value = 1.2, .share = 0.5}, {.value = 1.47, .share = 0.5}};
  EXPECT_DOUBLE_EQ(bounds_of().resource, 1.2);
  row.throughput_by_values = {{.cycles = Known(1), .values = "fast"},
                              {.cycles = Known(2), .values = "slow"}};
  EXPECT_DOUBLE_EQ(bounds_of().resource, 1);
  row.latency.push_back({.from = name, .to = name, .cycles = Known(4), .values = "fast"});
  EXPECT_DOUBLE_EQ(bounds_of().chain, 4);
  row.claims.push_back({ClaimCode::kRepeats, {{"times", 64}}});
  EXPECT_DOUBLE_EQ(bounds_of().chain, 0) << "it may be repeated less often";
  EXPECT_DOUBLE_EQ(bounds_of().resource, 0);
}

TEST(Bounds, NothingWaitsForWhatIsSetBeforeEachRun) {
  const auto instructions = ParseSnippet(Either("add x1, x1, x2", "lea rcx, [rcx + rdx]"));
  const std::string name(Either("x1", "rcx"));
  InstructionRow row = RowWith(0.25);
  row.latency.push_back({.from = name, .to = name, .cycles = Known(2)});
  constexpr std::uint32_t kOne = 1 << 1;  // the number of either register
  EXPECT_DOUBLE_EQ(BoundsOf(instructions, {{row}}, 8, {}, 0).chain, 2);
  EXPECT_DOUBLE_EQ(BoundsOf(instructions, {{row}}, 8, {}, kOne).chain, 0);
  EXPECT_DOUBLE_EQ(BoundsOf(instructions, {{row}}, 8, {}, ~kOne).chain, 2);
}

TEST(Bounds, SeeNoResourceInWhatStartsAsFastAsAnything) {
  const auto nops = ParseSnippet("nop; nop; nop");
  const std::vector<InstructionRow> parts(3, RowWith(0.177));
  EXPECT_DOUBLE_EQ(BoundsOf(nops, parts, 6).resource, 0);
  EXPECT_DOUBLE_EQ(BoundsOf(nops, parts, 6).issue, 3.0 / 6);
  EXPECT_DOUBLE_EQ(BoundsOf(nops, parts, 0).resource, 3 * 0.177)
      << "how many start at once is not known";
}

// x86-64 alone has updates that are not atomic.
TEST(Bounds, SeeNoResourceInUpdatesThatWaitForTheirPlaces) {
  if (Either("AArch64", "x86-64") == "AArch64") GTEST_SKIP();
  const auto update = ParseSnippet("add dword ptr [rcx + 4*rdx], 1");
  InstructionRow row = RowWith(1.38);
  row.latency.push_back({.from = "memory", .to = "memory", .cycles = Known(5)});
  EXPECT_DOUBLE_EQ(BoundsOf(update, {{row}}, 6).resource, 0);
  row.latency.back().cycles = Known(2.5);
  EXPECT_DOUBLE_EQ(BoundsOf(update, {{row}}, 6).resource, 1.38) << "a place is updated as fast";
}

TEST(Bounds, AreOfIssueAndOfTheBusiestInstruction) {
  const auto instructions =
      ParseSnippet(Either("mul x0, x1, x2; mul x3, x4, x5; add x6, x7, x8",
                          "imul rax, rcx, 5; imul rdx, rbx, 5; lea rsi, [rdi + r8]"));
  const std::vector<InstructionRow> parts = {RowWith(1), RowWith(1), RowWith(0.25)};
  BlockBounds bounds = BoundsOf(instructions, parts, 8);
  EXPECT_DOUBLE_EQ(bounds.issue, 3.0 / 8);
  EXPECT_DOUBLE_EQ(bounds.resource, 2);
  EXPECT_THAT(bounds.resource_text, StartsWith("2 × "));
  EXPECT_DOUBLE_EQ(bounds.chain, 0);
  FindWhatBinds(Known(2.01), bounds);
  EXPECT_EQ(bounds.binds, "resource");
  EXPECT_THAT(bounds.verdict, StartsWith("bound by what executes 2 × "));
  FindWhatBinds(Known(3), bounds);
  EXPECT_EQ(bounds.binds, "");
  EXPECT_THAT(bounds.verdict, HasSubstr("1.00 cycles more than any bound"));
}

// x1 and w1 are one register, and the row of the form names it once.
TEST(Bounds, AChainGoesThroughBothNamesOfARegister) {
  const auto instructions = ParseSnippet(Either("umull x1, w1, w9", "movsxd rax, eax"));
  const std::string name(Either("x1", "rax"));
  InstructionRow row = RowWith(1);
  row.latency.push_back({.from = name, .to = name});
  row.latency[0].cycles = Known(2);
  EXPECT_DOUBLE_EQ(BoundsOf(instructions, {{row}}, 8).chain, 2);
}

TEST(Bounds, WhatComesNextIsKnownOnlyWithTheWidthAndEveryThroughput) {
  const auto next_of = [](double issue, bool knows_all) {
    BlockBounds bounds = {.chain = 4, .issue = issue, .width = 6, .knows_all = knows_all};
    FindWhatBinds(Known(4.2), bounds);
    return bounds.next;
  };
  EXPECT_EQ(next_of(1, true), 1);
  EXPECT_EQ(next_of(1, false), 0);
  EXPECT_EQ(next_of(0, true), 0);
  const auto instructions = ParseSnippet(Either("add x0, x0, x1", "add rax, rcx"));
  InstructionRow row = RowWith(0.25);
  EXPECT_TRUE(BoundsOf(instructions, {{row}}, 6).knows_all);
  row.throughput->cycles.contended = true;
  EXPECT_FALSE(BoundsOf(instructions, {{row}}, 6).knows_all);
}

TEST(Bounds, ABoundIsNamedOnlyWhereItExplainsTheTime) {
  BlockBounds bounds = {
      .chain = 4, .chain_text = "rax → rax: imul 3 + add 1", .issue = 1, .width = 6};
  FindWhatBinds(Known(4.2), bounds);
  ASSERT_TRUE(bounds.claim);
  EXPECT_EQ(bounds.claim->code, ClaimCode::kBoundByChain);
  EXPECT_EQ(bounds.binds, "chain");
  FindWhatBinds(Known(5), bounds);
  EXPECT_EQ(bounds.claim->code, ClaimCode::kAboveAllBounds);
  EXPECT_EQ(bounds.binds, "");
  EXPECT_EQ(bounds.verdict,
            "1.00 cycles more than any bound known here; nearest: bound by the chain rax → rax: "
            "imul 3 + add 1");
  bounds.issue = 4.9;
  FindWhatBinds(Known(5), bounds);
  EXPECT_EQ(bounds.claim->code, ClaimCode::kBoundByIssue);
  bounds.resource = 5;
  bounds.resource_text = "2 × imul at 2.5";
  FindWhatBinds(Known(5), bounds);
  EXPECT_EQ(bounds.claim->code, ClaimCode::kBoundByResource);
  Estimate contended = Known(5);
  contended.contended = true;
  FindWhatBinds(contended, bounds);
  EXPECT_FALSE(bounds.claim) << "it may take less";
  Estimate wide = Known(5);
  wide.high = 6;
  FindWhatBinds(wide, bounds);
  EXPECT_FALSE(bounds.claim) << "it may be bound, or not";
  BlockBounds none;
  FindWhatBinds(Known(5), none);
  EXPECT_FALSE(none.claim);
  EXPECT_EQ(none.verdict, "");
}

TEST(Bounds, WhatTakesLessThanABoundHasNone) {
  BlockRow row;
  row.cycles.emplace();
  row.cycles->value = 2;
  row.cycles->high = 2.02;
  row.bounds = BlockBounds{.chain = 2.05, .chain_text = "a", .resource = 2.2, .resource_text = "b"};
  DropFailedBounds(*row.cycles, row);
  EXPECT_DOUBLE_EQ(row.bounds->chain, 2.05) << "within what measuring may be off by";
  EXPECT_DOUBLE_EQ(row.bounds->resource, 0);
  EXPECT_EQ(row.bounds->resource_text, "");
  EXPECT_THAT(row.notes, ::testing::ElementsAre(HasSubstr("resource bound of 2.20")));
}

}  // namespace
}  // namespace cyclescope::blocks
