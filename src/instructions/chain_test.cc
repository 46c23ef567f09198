#include "instructions/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "instructions/conclude.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using ::testing::Contains;
using testing::Either;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePlanner;
using ::testing::Not;
using testing::OnArm;
using testing::PlanOf;

std::vector<Latency> PlanPairs(std::string_view text) {
  const auto planner = MakePlanner();
  return DryRow(PlanOf(*planner, text)).latency;
}

std::vector<std::string> Names(const std::vector<Latency>& pairs) {
  std::vector<std::string> names;
  for (const Latency& pair : pairs) names.push_back(pair.from + " to " + pair.to);
  return names;
}

Latency Find(const std::vector<Latency>& pairs, std::string_view from, std::string_view to) {
  const auto found = std::ranges::find_if(
      pairs, [&](const Latency& pair) { return pair.from == from && pair.to == to; });
  EXPECT_NE(found, pairs.end()) << from << " to " << to;
  return found == pairs.end() ? Latency{} : *found;
}

TEST(Pairs, EverySourceToEveryDestination) {
  if (OnArm()) {
    EXPECT_THAT(Names(PlanPairs("madd x0, x1, x2, x3")),
                ElementsAre("x1 to x0", "x2 to x0", "x3 to x0"));
    EXPECT_THAT(Names(PlanPairs("csel x0, x1, x2, eq")),
                ElementsAre("x1 to x0", "x2 to x0", "flags to x0"));
    EXPECT_THAT(Names(PlanPairs("ldr x0, [x1], #8")), ElementsAre("x1 to x0", "x1 to x1"));
  } else {
    EXPECT_THAT(Names(PlanPairs("imul rax, rcx")), Contains("rcx to rax"));
    EXPECT_THAT(Names(PlanPairs("adc rax, rcx")), Contains("flags to flags"));
    EXPECT_THAT(Names(PlanPairs("mul rcx")), Contains("rcx to rdx"));
  }
}

TEST(Pairs, AreDependencesThroughOnePlace) {
  if (OnArm()) return;
  EXPECT_THAT(Names(PlanPairs("cqo")), ElementsAre("rax to rdx"));
  EXPECT_THAT(Names(PlanPairs("div rcx")), Not(Contains(HasSubstr("flags"))));
  EXPECT_THAT(Names(PlanPairs("push qword ptr [rax]")), IsEmpty());
  EXPECT_THAT(Names(PlanPairs("movsb")), Not(Contains("memory to memory")));
  EXPECT_THAT(Names(PlanPairs("fadd st(3), st")), Contains("st(3) to st(3)"));
}

TEST(Pairs, StoresEndInMemoryAndAtomicsGoRound) {
  EXPECT_THAT(Names(PlanPairs(Either("str x0, [x1]", "mov qword ptr [rcx], rax"))),
              ElementsAre(Either("x0 to memory", "rax to memory")));
  EXPECT_THAT(Names(PlanPairs(Either("ldadd x0, x1, [x2]", "lock xadd qword ptr [rcx], rax"))),
              Contains("memory to memory"));
}

TEST(Pairs, AnIncrementIsNoPartOfItsOwnAccess) {
  if (!OnArm()) GTEST_SKIP() << "x86-64 has no increments";
  const auto names = Names(PlanPairs("ld1 {v0.16b}, [x0], x1"));
  EXPECT_THAT(names, Not(Contains("x1 to v0")));
  EXPECT_THAT(names, Contains("x1 to x0"));
}

TEST(Chains, APointerChaseToItselfStaysAsItIs) {
  const std::string_view text = Either("ldr x0, [x0]", "mov rax, qword ptr [rax]");
  const auto pairs = PlanPairs(text);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].from, pairs[0].to);
  EXPECT_EQ(pairs[0].kind, LatencyKind::kExact);
  EXPECT_EQ(pairs[0].code, text);
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, text);
  EXPECT_EQ(plan.experiments[plan.values.front().pairs[0].chains[0].experiment].memory,
            planner->builder().address());
}

TEST(Chains, ARegisterThatIsDataAndAddressHasAPairOfEach) {
  if (OnArm()) GTEST_SKIP() << "nothing combines what it loads";
  EXPECT_THAT(Names(PlanPairs("add rax, qword ptr [rax]")),
              ElementsAre("rax to rax", "[rax] to rax", "rax to flags", "[rax] to flags"));
}

TEST(Chains, ARegisterThatIsBaseAndIndexHasAPairOfEach) {
  EXPECT_THAT(Names(PlanPairs(Either("ldr x0, [x1, x1]", "mov rcx, qword ptr [rax + rax]"))),
              OnArm() ? ElementsAre("x1 to x0", "index x1 to x0")
                      : ElementsAre("rax to rcx", "index rax to rcx"));
}

TEST(Chains, WithinAFileNeedNoConnector) {
  const Latency pair = OnArm() ? Find(PlanPairs("madd x0, x1, x2, x3"), "x3", "x0")
                               : Find(PlanPairs("vfmadd231sd xmm0, xmm1, xmm2"), "xmm1", "xmm0");
  EXPECT_EQ(pair.kind, LatencyKind::kExact);
  EXPECT_THAT(pair.connector, IsEmpty());
}

TEST(Chains, BetweenFilesNameTheirConnector) {
  const auto pairs = PlanPairs(Either("fmov x0, d1", "vmovq rax, xmm1"));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].kind, LatencyKind::kUpperBound);
  EXPECT_THAT(pairs[0].connector, HasSubstr(Either("fmov d", "movq xmm")));
  EXPECT_THAT(pairs[0].code, HasSubstr(pairs[0].connector));
}

TEST(Chains, ThroughFlagsAreClosedByAComparison) {
  const auto pairs = PlanPairs(Either("csel x0, x1, x2, eq", "cmovb rax, rcx"));
  EXPECT_THAT(Find(pairs, "flags", Either("x0", "rax")).connector, HasSubstr("cmp"));
}

TEST(Chains, LoadsChasePointersOrAddToTheAddress) {
  const auto wide = PlanPairs(Either("ldr x0, [x1]", "mov rax, qword ptr [rcx]"));
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_THAT(wide[0].connector, IsEmpty());
  const auto narrow = PlanPairs(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"));
  ASSERT_EQ(narrow.size(), 1u);
  EXPECT_THAT(narrow[0].connector, HasSubstr(Either("add x", "lea r")));
}

// With rbp or r13 as its base, `lea` has a displacement, too, and takes 3 cycles on a Skylake: a
// fourth of the links would be two cycles too long.
TEST(Chains, AddToTheAddressWithoutADisplacement) {
  if (OnArm()) GTEST_SKIP() << "additions of registers are alike";
  for (const std::string_view text :
       {"add ebx, dword ptr [rsi]", "add dword ptr [rbx], 300", "movzx eax, byte ptr [rcx]"}) {
    bool has_addition = false;
    for (const Latency& pair : PlanPairs(text)) {
      has_addition |= pair.code.find("lea ") != std::string::npos;
      EXPECT_THAT(pair.code, Not(HasSubstr("[rbp +"))) << text;
      EXPECT_THAT(pair.code, Not(HasSubstr("[r13 +"))) << text;
    }
    EXPECT_TRUE(has_addition) << text;
  }
}

TEST(Chains, StoresAreReadBackFromTheSamePlace) {
  const auto pairs = PlanPairs(Either("str x0, [x1, #16]", "mov qword ptr [rcx + 16], rax"));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_THAT(pairs[0].connector, HasSubstr("16]"));
}

TEST(Chains, StoresGoOverSeveralLines) {
  const auto pairs = PlanPairs(Either("str x0, [x1]", "mov qword ptr [rcx], rax"));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(std::ranges::count(pairs[0].code, '['), 8) << pairs[0].code;
}

// A core may know what the next copy loads before it has the address, if the last one stored there.
TEST(Chains, UpdatesThatAreNotTheLinkTouchSeveralLines) {
  const std::string_view text = Either("ldadd x0, x1, [x2]", "xadd qword ptr [rdx], rcx");
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, text);
  ASSERT_GT(plan.values.front().pairs.size(), 1u);
  for (const PairPlan& pair : plan.values.front().pairs) {
    ASSERT_FALSE(pair.chains.empty()) << pair.from << " to " << pair.to;
    const Sequence& chain = pair.chains[0].sequence;
    std::set<std::uint64_t> lines;
    for (const auto& [reg, value] : chain.values) {
      if (value >= planner->builder().address()) lines.insert(value);
    }
    if (pair.from == "memory") {
      EXPECT_EQ(lines.size(), 1u);
      continue;
    }
    EXPECT_GE(chain.units, 4) << pair.from << " to " << pair.to;
    EXPECT_EQ(lines.size(), 4u) << pair.from << " to " << pair.to;
  }
}

TEST(Chains, ReadBackWhatWasStoredAndNoMore) {
  if (OnArm()) {
    EXPECT_THAT(PlanPairs("strb w0, [x1]")[0].connector, HasSubstr("ldrb w"));
    EXPECT_THAT(PlanPairs("str d0, [x1]")[0].connector, HasSubstr("ldr d"));
    EXPECT_THAT(PlanPairs("st1 {v0.h}[2], [x1]")[0].connector, HasSubstr(".h }[2]"));
    // The base has moved by then.
    EXPECT_THAT(Find(PlanPairs("str x0, [x1], #8"), "x0", "memory").connector, HasSubstr("#-8]"));
    EXPECT_THAT(Find(PlanPairs("str x0, [x1, #8]!"), "x0", "memory").connector,
                Not(HasSubstr("#8")));
  } else {
    EXPECT_THAT(PlanPairs("mov byte ptr [rcx], al")[0].connector, HasSubstr("movzx e"));
    EXPECT_THAT(PlanPairs("movss dword ptr [rcx], xmm0")[0].connector, HasSubstr("movd xmm"));
    EXPECT_THAT(PlanPairs("push rax")[0].connector, HasSubstr("pop r"));
  }
}

TEST(Chains, GoOverGeneralRegistersWhereNothingLeadsStraight) {
  if (OnArm()) GTEST_SKIP() << "every file that flags reach is reached straight";
  const auto pairs = PlanPairs("comisd xmm0, xmm1");
  EXPECT_THAT(Find(pairs, "xmm0", "flags").connector, HasSubstr("movq xmm"));
}

TEST(Chains, WhatAFormSpendsIsSetAgain) {
  if (OnArm()) GTEST_SKIP() << "no instruction clears its mask";
  const auto pairs = PlanPairs("vgatherdps ymm0, ymmword ptr [rax + ymm1], ymm2");
  EXPECT_THAT(Names(pairs), Not(Contains("ymm0 to ymm2")));
  EXPECT_THAT(Find(pairs, "rax", "ymm0").code, HasSubstr("vpcmpeqd ymm"));
}

TEST(Chains, ValuesThatMatterAreHeldInPlace) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("sdiv x0, x1, x2", "div rcx"));
  ASSERT_EQ(plan.values.size(), 2u);
  ASSERT_FALSE(plan.values[1].pairs.empty());
  for (const PairPlan& pair : plan.values[1].pairs) {
    ASSERT_FALSE(pair.chains.empty()) << pair.from;
    EXPECT_THAT(pair.chains[0].connector, HasSubstr("and ")) << pair.from;
    EXPECT_THAT(pair.chains[0].connector, HasSubstr(Either("orr ", "or "))) << pair.from;
  }
}

// Roots tend to one and halves soon become small, so that their direct chains begin again every few
// links. In the divisor of a form that writes its dividend, c / (c / x) is x again: c is put back.
TEST(Chains, OfDividersAreDirectWithSlowOperandsToo) {
  const auto planner = MakePlanner(Either("neoverse-v1", "sapphirerapids"));
  struct Case {
    std::string_view text;
    bool drifts;
  };
  const std::vector<Case> cases =
      OnArm()
          ? std::vector<Case>{{"fsqrt d0, d1", true},     {"fsqrt v0.4s, v1.4s", true},
                              {"fsqrt h0, h1", true},     {"fdiv h0, h1, h2", true},
                              {"fdiv d0, d1, d2", false}, {"fdivr z0.d, p0/m, z0.d, z1.d", false}}
          : std::vector<Case>{
                {"sqrtpd xmm0, xmm0", true},        {"sqrtsd xmm0, xmm1", true},
                {"vsqrtps ymm0, ymm1", true},       {"vsqrtpd zmm0 {k1}, zmm1", true},
                {"vsqrtsh xmm0, xmm1, xmm2", true}, {"vdivsh xmm0, xmm1, xmm2", true},
                {"divps xmm0, xmm1", false},        {"vdivpd zmm0 {k1}, zmm1, zmm2", false}};
  for (const Case& each : cases) {
    const FormPlan plan = PlanOf(*planner, each.text);
    ASSERT_EQ(plan.values.size(), 2u) << each.text;
    bool has_restart = false;
    for (const PairPlan& pair : plan.values[1].pairs) {
      if (pair.from.starts_with('k') || pair.from.starts_with('p')) continue;  // a mask
      ASSERT_EQ(pair.chains.size(), 1u) << each.text << " " << pair.from;
      EXPECT_THAT(pair.chains[0].connector, IsEmpty()) << each.text << " " << pair.from;
      EXPECT_FALSE(pair.to_others.empty()) << each.text << " " << pair.from;
      has_restart |= pair.chains[0].sequence.stretch > 0;
    }
    EXPECT_EQ(has_restart, each.drifts) << each.text;
  }
  if (OnArm()) return;
  const auto pairs = PlanOf(*planner, "divps xmm0, xmm1").values[1].pairs;
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_THAT(pairs[1].chains[0].beside, HasSubstr("movaps"));
  // Memory holds the divisor that goes with the dividend: another would make it small.
  const auto from_memory = PlanOf(*planner, "divps xmm0, xmmword ptr [rax]").values[1].pairs;
  EXPECT_EQ(from_memory[0].chains[0].sequence.memory, arch::kSingleSteady.divisor);
}

// `div` leaves its remainder where the high half of the next dividend stands: the chain through rax
// must not wait for it, nor divide something too large.
TEST(Chains, RegistersOffTheChainGetFreshValues) {
  if (OnArm()) GTEST_SKIP() << "no instruction reads and writes a fixed register";
  EXPECT_THAT(Find(PlanPairs("div rcx"), "rax", "rax").code, HasSubstr("mov rdx, "));
}

}  // namespace
}  // namespace cyclescope::instructions
