#include "blocks/trip_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;
using instructions::testing::OnArm;
using ::testing::ElementsAre;
using ::testing::Pair;

TripValues ValuesOf(std::string_view text) {
  const BlockCode code = SnippetCode(text);
  return TripValues(code, FindLoop(code));
}

TEST(TripValues, SeesHowFarARegisterWalks) {
  const TripValues values =
      ValuesOf(Either("1: ldr x3, [x1], #8; add x2, x2, #4; cmp x1, x5; b.ne 1b",
                      "1: mov rbx, [rcx]; add rcx, 8; lea rdx, [rdx + 4]; "
                      "cmp rcx, rsi; jne 1b"));
  EXPECT_EQ(values.StepOf(1), 8);
  EXPECT_EQ(values.StepOf(2), 4);
  EXPECT_EQ(values.StepOf(OnArm() ? 5 : 6), 0);
  EXPECT_EQ(values.StepOf(3), std::nullopt) << "it was loaded";
}

TEST(TripValues, APairsIncrementCountsInBytes) {
  if (!instructions::testing::OnArm()) GTEST_SKIP() << "AArch64's pairs";
  EXPECT_EQ(ValuesOf("1: ldp d0, d1, [x1], #16; cmp x1, x2; b.ne 1b").StepOf(1), 16);
  EXPECT_EQ(ValuesOf("1: ld1 {v0.4s}, [x1], #16; cmp x1, x2; b.ne 1b").StepOf(1), 16);
  EXPECT_EQ(ValuesOf("stp x29, x30, [sp, #-304]!").StepOf(31), -304);
}

TEST(TripValues, PushesAndPopsMoveTheStackPointer) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's pushes";
  constexpr GeneralNumber kStackPointer = 4;
  const TripValues values =
      ValuesOf("push rbx; push 7; sub rsp, 16; mov rax, [rsp + 24]; mov [rsp + 8], rcx; pop rdx");
  EXPECT_EQ(values.StepOf(kStackPointer), -24);
  std::vector<std::int64_t> places;
  for (const MemoryUse& use : values.accesses()) {
    EXPECT_THAT(use.address.registers, ElementsAre(Pair(kStackPointer, 1)));
    EXPECT_TRUE(use.address.is_exact());
    places.push_back(use.address.constant);
  }
  EXPECT_THAT(places, ElementsAre(-8, -16, -8, -24, -32));
  EXPECT_EQ(ValuesOf("leave; push rbx").StepOf(kStackPointer), std::nullopt);
}

// A loaded value that is shifted or masked is an index of which the code says how large it gets.
TEST(TripValues, AShiftOrAMaskBoundsAnIndex) {
  for (const auto& [text, limit] : {
           std::pair(Either("1: ldr w3, [x1], #4; lsr w3, w3, #24; str w4, [x2, x3, lsl #2]; "
                            "cmp x1, x5; b.ne 1b",
                            "1: mov ebx, [rcx]; add rcx, 4; shr ebx, 24; mov [rdx + 4*rbx], eax; "
                            "cmp rcx, rsi; jne 1b"),
                     4 * 255),
           std::pair(Either("1: ldr x3, [x1], #8; eor x3, x3, x4; and x3, x3, #63; "
                            "str x4, [x2, x3, lsl #3]; cmp x1, x5; b.ne 1b",
                            "1: mov rbx, [rcx]; add rcx, 8; xor rbx, rax; and ebx, 63; "
                            "mov [rdx + 8*rbx], rax; cmp rcx, rsi; jne 1b"),
                     8 * 63),
       }) {
    const TripValues values = ValuesOf(text);
    ASSERT_EQ(values.accesses().size(), 2u) << text;
    const SymbolicValue& address = values.accesses()[1].address;
    EXPECT_EQ(address.spread, limit) << text;
    EXPECT_FALSE(address.is_open()) << text;
    EXPECT_EQ(address.loads.size(), 1u) << "data decide where it leads";
  }
  const TripValues sum =
      ValuesOf(Either("1: ldr w3, [x1], #4; lsr w6, w3, #24; add x6, x6, x3; "
                      "str w4, [x2, x6, lsl #2]; cmp x1, x5; b.ne 1b",
                      "1: mov ebx, [rcx]; add rcx, 4; mov edi, ebx; shr edi, 24; add rdi, rbx; "
                      "mov [rdx + 4*rdi], eax; cmp rcx, rsi; jne 1b"));
  EXPECT_TRUE(sum.accesses()[1].address.is_open()) << "what is added to it is not bounded";
}

// `if ((k += 3) >= 1000) k -= 1000`, as compilers write it.
TEST(TripValues, AnIndexThatComesBackStaysWithinItsRange) {
  const TripValues values =
      ValuesOf(Either("1: ldrb w3, [x1, x2]; add x4, x2, #3; sub x2, x2, #997; cmp x4, #999; "
                      "csel x2, x4, x2, le; subs x5, x5, #1; b.ne 1b",
                      "1: movzx ebx, byte ptr [rcx + rdx]; lea rdi, [rdx + 3]; sub rdx, 997; "
                      "cmp rdi, 999; cmovle rdx, rdi; sub rsi, 1; jne 1b"));
  EXPECT_EQ(values.WrapOf(2), 1000);
  EXPECT_EQ(values.FarthestStepOf(2), 0);
  EXPECT_EQ(values.WrapOf(OnArm() ? 5 : 6), std::nullopt) << "it walks";
  const TripValues up_or_down =
      ValuesOf(Either("1: ldr x3, [x1, x2]; add x4, x2, #8; sub x2, x2, #8; tst x3, x3; "
                      "csel x2, x4, x2, mi; subs x5, x5, #1; b.ne 1b",
                      "1: mov rbx, [rcx + rdx]; lea rdi, [rdx + 8]; sub rdx, 8; test rbx, rbx; "
                      "cmovs rdx, rdi; sub rsi, 1; jne 1b"));
  EXPECT_EQ(up_or_down.WrapOf(2), std::nullopt) << "data may lead it far away";
}

// Both ways of an `if` walk on by the same, though each has an addition of its own.
TEST(TripValues, WaysThatAgreeMakeAStep) {
  const TripValues values =
      ValuesOf(Either("1: ldr x3, [x1]; tbz x3, #0, 2f; add x1, x1, #8; b 3f; 2: add x1, x1, #8; "
                      "add x4, x4, #1; 3: cmp x1, x2; b.ne 1b",
                      "1: mov rbx, [rcx]; test bl, 1; je 2f; add rcx, 8; jmp 3f; 2: add rcx, 8; "
                      "inc r8; 3: cmp rcx, rdx; jne 1b"));
  EXPECT_EQ(values.StepOf(1), 8);
  EXPECT_EQ(values.StepOf(OnArm() ? 4 : 8), std::nullopt) << "on one way only";
  EXPECT_EQ(values.FarthestStepOf(OnArm() ? 4 : 8), 1);
  EXPECT_EQ(values.FarthestStepOf(1), 8);
}

// `if (x > 0) out[k++] = x`
TEST(TripValues, AnAddressMayLieWithinASpread) {
  const TripValues values = ValuesOf(
      Either("1: ldr w3, [x1], #4; cmp w3, #0; b.le 2f; str w3, [x4, x5, lsl #2]; add x5, x5, #1; "
             "2: str w3, [x6, x5, lsl #2]; cmp x1, x2; b.ne 1b",
             "1: mov ebx, [rcx]; add rcx, 4; test ebx, ebx; jle 2f; mov [rsi + 4*rdi], ebx; "
             "inc rdi; 2: mov [r8 + 4*rdi], ebx; cmp rcx, rdx; jne 1b"));
  ASSERT_EQ(values.accesses().size(), 3U);
  EXPECT_TRUE(values.accesses()[1].address.is_exact());
  EXPECT_EQ(values.accesses()[2].address.constant, 0);
  EXPECT_EQ(values.accesses()[2].address.spread, 4) << "an element further on one way";
  EXPECT_EQ(values.StepOf(values.accesses()[1].address), std::nullopt);
  EXPECT_EQ(values.FarthestStepOf(OnArm() ? 5 : 7), 1);
}

// What a loaded value adds has no limit.
// `out[k] = x; k += x < limit;` without a branch.
TEST(TripValues, AConditionAddsOneAtMost) {
  for (const std::string_view text :
       {Either("1: ldr w3, [x1], #4; str w3, [x2, x4, lsl #2]; cmp w3, w6; cinc x4, x4, lt; "
               "cmp x1, x5; b.ne 1b",
               "1: mov ebx, [rcx]; add rcx, 4; mov [rdx + 4*rbp], ebx; cmp ebx, eax; setl bl; "
               "movzx ebx, bl; add rbp, rbx; cmp rcx, rsi; jne 1b"),
        Either("1: ldr w3, [x1], #4; str w3, [x2, x4, lsl #2]; cmp w3, w6; cset w3, lt; "
               "add x4, x4, x3; cmp x1, x5; b.ne 1b",
               "1: mov ebx, [rcx]; add rcx, 4; mov [rdx + 4*rbp], ebx; cmp ebx, eax; "
               "adc rbp, 0; cmp rcx, rsi; jne 1b")}) {
    const GeneralNumber index = OnArm() ? 4 : 5;  // x4, rbp
    const TripValues values = ValuesOf(text);
    EXPECT_EQ(values.StepOf(index), std::nullopt) << text;
    EXPECT_EQ(values.FarthestStepOf(index), 1) << text;
  }
}

TEST(TripValues, WhatDataAddHasNoFarthestStep) {
  EXPECT_EQ(ValuesOf(Either("1: ldr x3, [x1], #8; add x4, x4, x3; cmp x1, x2; b.ne 1b",
                            "1: add r8, [rcx]; add rcx, 8; cmp rcx, rdx; jne 1b"))
                .FarthestStepOf(OnArm() ? 4 : 8),
            std::nullopt);
}

TEST(TripValues, AddressesAreSumsOfRegisters) {
  const TripValues values = ValuesOf(Either("ldr x3, [x1, x2, lsl #3]; ldr w4, [x1, #12]",
                                            "mov rbx, [rcx + 8*rdx]; "
                                            "mov eax, [rcx + 12]"));
  ASSERT_EQ(values.accesses().size(), 2U);
  EXPECT_THAT(values.accesses()[0].address.registers, ElementsAre(Pair(1, 1), Pair(2, 8)));
  EXPECT_EQ(values.accesses()[0].bytes, 8);
  EXPECT_EQ(values.accesses()[1].address.constant, 12);
}

// `a[i * 32]`: compilers shift the index.
TEST(TripValues, AShiftToTheLeftMultiplies) {
  const TripValues values =
      ValuesOf(Either("1: lsl x3, x1, #8; ldr d0, [x2, x3]; add x1, x1, #1; cmp x1, x5; b.ne 1b",
                      "1: mov rbx, rcx; shl rbx, 8; movsd xmm0, [rdx + rbx]; inc rcx; "
                      "cmp rcx, rsi; jne 1b"));
  ASSERT_EQ(values.accesses().size(), 1U);
  EXPECT_THAT(values.accesses()[0].address.registers, ElementsAre(Pair(1, 256), Pair(2, 1)));
  EXPECT_TRUE(values.accesses()[0].address.is_exact());
}

TEST(TripValues, ALoadedValueIsSeenInAnAddress) {
  const TripValues values = ValuesOf(Either("ldrb w3, [x1]; ldr w4, [x2, x3, lsl #2]",
                                            "movzx ebx, byte ptr [rcx]; mov eax, [rdx + 4*rbx]"));
  ASSERT_EQ(values.accesses().size(), 2U);
  EXPECT_THAT(values.accesses()[1].address.registers, ElementsAre(Pair(2, 1)));
  EXPECT_THAT(values.accesses()[1].address.loads, ElementsAre(0));
  EXPECT_EQ(values.accesses()[1].multiplier, 4);
}

TEST(TripValues, ARegisterMayBeTheStep) {
  const TripValues values =
      ValuesOf(Either("1: ldr x3, [x1]; add x1, x1, x4; subs x5, x5, #1; b.ne 1b",
                      "1: mov rbx, [rcx]; add rcx, rsi; dec rdi; jne 1b"));
  EXPECT_EQ(values.StepOf(1), std::nullopt);
  EXPECT_EQ(values.StepRegisterOf(1), OnArm() ? 4 : 6);
}

}  // namespace
}  // namespace cyclescope::blocks
