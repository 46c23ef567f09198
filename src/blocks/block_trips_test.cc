#include "blocks/block_trips.h"

#include <gtest/gtest.h>

#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;

constexpr int kTrips = 100;

bool IsLoop(const BlockCode& code) { return ReadLoop(code).has_value(); }

bool CountsTrips(const BlockCode& code) {
  const auto loop = ReadLoop(code);
  return loop && !loop->counted.empty();
}

std::optional<std::map<int, std::uint64_t>> ValuesForTrips(
    const BlockCode& code, const std::map<int, std::uint64_t>& registers, int trips) {
  const auto loop = ReadLoop(code);
  return loop ? blocks::ValuesForTrips(code, *loop, registers, trips) : std::nullopt;
}

TEST(Trips, OnlyOfWhatIsOneLoop) {
  EXPECT_TRUE(IsLoop(SnippetCode(Either("1: sub x1, x1, #1; cbnz x1, 1b", "1: dec rcx; jnz 1b"))));
  EXPECT_FALSE(IsLoop(SnippetCode(Either("add x0, x0, x1", "add rax, rcx"))));
  EXPECT_FALSE(IsLoop(SnippetCode(
      Either("mov x1, #5; 1: sub x1, x1, #1; cbnz x1, 1b", "mov ecx, 5; 1: dec rcx; jnz 1b"))));
}

// As clang leaves it where a call is taken out.
TEST(Trips, OfALoopWithJumpsToWhatFollows) {
  EXPECT_TRUE(
      CountsTrips(SnippetCode(Either("1: add x2, x2, #1; b 2f; 2: sub x1, x1, #1; cbnz x1, 1b",
                                     "1: inc rdx; jmp 2f; 2: dec rcx; jnz 1b"))));
}

TEST(Trips, OfACountdown) {
  const auto values = ValuesForTrips(
      SnippetCode(Either("1: sub x1, x1, #2; cbnz x1, 1b", "1: sub rcx, 2; jnz 1b")), {}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(1), 2U * kTrips);
}

TEST(Trips, UpToABoundInARegister) {
  // A pointer that goes up to the end of an array.
  const auto values =
      ValuesForTrips(SnippetCode(Either("1: ldr x3, [x1], #8; cmp x1, x2; b.ne 1b",
                                        "1: mov rbx, [rcx]; add rcx, 8; cmp rcx, rdx; jne 1b")),
                     {{1, 0x10000}, {2, 0}}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->size(), 1U);
  EXPECT_EQ(values->at(2), 0x10000U + 8 * kTrips);
}

TEST(Trips, UntilTwoThatWalkTowardsEachOtherMeet) {
  const BlockCode code = SnippetCode(
      Either("1: ldrb w3, [x1], #1; strb w3, [x2], #-3; cmp x1, x2; b.lo 1b",
             "1: mov bl, [rcx]; mov [rdx], bl; inc rcx; sub rdx, 3; cmp rcx, rdx; jb 1b"));
  const auto values = ValuesForTrips(code, {{1, 0x10000}, {2, 0}}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(2), 0x10000U + 4 * kTrips);
  const auto meeting = PointersThatMeet(code, *ReadLoop(code), kTrips);
  ASSERT_TRUE(meeting.has_value());
  EXPECT_EQ(meeting->base, 1);
  EXPECT_EQ(meeting->other, 2);
  EXPECT_EQ(meeting->distance, 4 * kTrips);
  // An end that stays is no second pointer.
  const BlockCode plain =
      SnippetCode(Either("1: ldr x3, [x1], #8; cmp x1, x2; b.ne 1b",
                         "1: mov rbx, [rcx]; add rcx, 8; cmp rcx, rdx; jne 1b"));
  EXPECT_FALSE(PointersThatMeet(plain, *ReadLoop(plain), kTrips));
  // Those that stay as far apart as they are never meet.
  EXPECT_FALSE(
      CountsTrips(SnippetCode(Either("1: add x1, x1, #8; add x2, x2, #8; cmp x1, x2; b.lo 1b",
                                     "1: add rcx, 8; add rdx, 8; cmp rcx, rdx; jb 1b"))));
}

TEST(Trips, UpToANumber) {
  const auto values = ValuesForTrips(SnippetCode(Either("1: add x1, x1, #4; cmp x1, #1000; b.ne 1b",
                                                        "1: add rcx, 4; cmp rcx, 1000; jne 1b")),
                                     {}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(1), 1000U - 4 * kTrips);
}

TEST(Trips, DownToANegativeNumber) {
  const auto values = ValuesForTrips(SnippetCode(Either("1: sub x1, x1, #4; cmn x1, #100; b.ne 1b",
                                                        "1: sub rcx, 4; cmp rcx, -100; jne 1b")),
                                     {}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(1), static_cast<std::uint64_t>(4 * kTrips - 100));
}

TEST(Trips, InNarrowRegisters) {
  const auto values = ValuesForTrips(
      SnippetCode(Either("1: adds w1, w1, #1; b.ne 1b", "1: inc ecx; jnz 1b")), {}, kTrips);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(1), 0x1'0000'0000U - kTrips);
}

TEST(Trips, OfNothingThatCountsByItself) {
  // A pointer chase ends when the data say so.
  const BlockCode chase = SnippetCode(
      Either("1: ldr x1, [x1]; cbnz x1, 1b", "1: mov rcx, [rcx]; test rcx, rcx; jnz 1b"));
  EXPECT_FALSE(ValuesForTrips(chase, {{1, 0x10000}}, kTrips));
  EXPECT_FALSE(CountsTrips(chase));
  EXPECT_TRUE(
      CountsTrips(SnippetCode(Either("1: subs x1, x1, #1; b.ne 1b", "1: dec rcx; jnz 1b"))));
  EXPECT_FALSE(ValuesForTrips(
      SnippetCode(Either("1: lsr x1, x1, #1; cbnz x1, 1b", "1: shr rcx, 1; jnz 1b")), {}, kTrips));
  // Not by one: by three times and one.
  EXPECT_FALSE(ValuesForTrips(SnippetCode(Either("1: madd x1, x1, x2, x1; cmp x1, #99; b.ne 1b",
                                                 "1: lea rcx, [rcx + 2*rcx + 1]; cmp rcx, 99; "
                                                 "jne 1b")),
                              {}, kTrips));
}

TEST(Trips, OneBitTellsNothing) {
  EXPECT_FALSE(ValuesForTrips(
      SnippetCode(Either("1: add x1, x1, #1; tbz x1, #3, 1b", "1: inc rcx; test cl, 8; jz 1b")), {},
      kTrips));
}

}  // namespace
}  // namespace cyclescope::blocks
