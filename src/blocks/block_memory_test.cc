#include "blocks/block_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "arch/value_patterns.h"
#include "blocks/testing/snippet_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using instructions::testing::Either;

constexpr int kLongestTrips = 100;

struct LaidOut {
  Streams streams;
  std::optional<AreaPlan> plan;
};

LaidOut LayOut(std::string_view text, AreaData data = AreaData::kRandom) {
  const BlockCode code = SnippetCode(text);
  const TripValues values(code, FindLoop(code));
  LaidOut all{FindStreams(code, values), std::nullopt};
  all.plan = LayOutAreas(values, all.streams, {.data = data, .trips = kLongestTrips});
  return all;
}

// What eight bytes of an area hold.
std::uint64_t WordAt(const AreaPlan& plan, std::uint64_t address) {
  std::size_t offset = 0;
  for (const sandbox::MemoryArea& area : plan.areas) {
    if (address >= area.address && address + 8 <= area.address + area.bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, &plan.image[offset + (address - area.address)], sizeof(word));
      return word;
    }
    offset += area.bytes;
  }
  ADD_FAILURE() << "no memory at " << address;
  return 0;
}

std::string_view TwoArraysOfFloats() {
  return Either("1: ldr d3, [x1], #8; ldr d4, [x2], #8; cmp x1, x5; b.ne 1b",
                "1: movsd xmm0, [rcx]; movsd xmm1, [rdx]; add rcx, 8; add rdx, 8; cmp rcx, rsi; "
                "jne 1b");
}

std::string_view TwoArrays() {
  return Either("1: ldr x3, [x1], #8; str x3, [x2], #8; cmp x1, x5; b.ne 1b",
                "1: mov rbx, [rcx]; mov [rdx], rbx; add rcx, 8; add rdx, 8; cmp rcx, rsi; jne 1b");
}

TEST(Areas, StoresThatWalkFasterDoNotCatchUpWithLoads) {
  const auto [streams, plan] =
      LayOut(Either("1: ldrb w3, [x1], #1; str x3, [x2], #8; cmp x1, x5; b.ne 1b",
                    "1: mov bl, [rcx]; mov [rdx], rbx; inc rcx; add rdx, 8; cmp rcx, rsi; jne 1b"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->registers.at(2) % 4096, 0U);
  // In 100 trips they gain 700 bytes.
  EXPECT_EQ(plan->registers.at(1) % 4096, 64U + 704U);
}

std::string_view BytesAndWords() {
  return Either("1: ldrb w3, [x1], #1; ldr w4, [x2], #4; cmp x1, x5; b.ne 1b",
                "1: movzx eax, byte ptr [rcx]; mov ebx, [rdx]; inc rcx; add rdx, 4; cmp rcx, rsi; "
                "jne 1b");
}

template <typename Element>
std::vector<Element> ElementsAt(const AreaPlan& plan, int base) {
  std::vector<Element> elements;
  const std::uint64_t begin = plan.registers.at(base);
  for (int i = 0; i < kLongestTrips; ++i)
    elements.push_back(static_cast<Element>(
        WordAt(plan, begin + static_cast<std::uint64_t>(i) * sizeof(Element))));
  return elements;
}

TEST(Areas, HaveFewValuesInRuns) {
  const auto plan = LayOut(BytesAndWords(), AreaData::kFewValued).plan;
  ASSERT_TRUE(plan.has_value());
  const auto check = [](const auto& elements) {
    const std::set distinct(elements.begin(), elements.end());
    EXPECT_GT(distinct.size(), 3U);
    EXPECT_LE(distinct.size(), 8U);
    int same = 0;
    for (std::size_t i = 1; i < elements.size(); ++i) same += elements[i] == elements[i - 1];
    EXPECT_GT(same, kLongestTrips / 3);
    EXPECT_LT(same, kLongestTrips * 3 / 4);
  };
  check(ElementsAt<std::uint8_t>(*plan, 1));
  check(ElementsAt<std::uint32_t>(*plan, 2));
}

TEST(Areas, HaveOneOrderOrTheOther) {
  const auto rising = LayOut(BytesAndWords(), AreaData::kRising).plan;
  const auto falling = LayOut(BytesAndWords(), AreaData::kFalling).plan;
  ASSERT_TRUE(rising && falling);
  using ::testing::Each;
  using ::testing::Gt;
  EXPECT_TRUE(std::ranges::is_sorted(ElementsAt<std::int8_t>(*rising, 1)));
  EXPECT_TRUE(std::ranges::is_sorted(ElementsAt<std::int8_t>(*falling, 1), std::greater<>()));
  EXPECT_THAT(ElementsAt<std::int8_t>(*falling, 1), Each(Gt(0)));
  const auto up = ElementsAt<std::int32_t>(*rising, 2);
  const auto down = ElementsAt<std::int32_t>(*falling, 2);
  EXPECT_TRUE(std::ranges::is_sorted(up, std::less_equal<>())) << "no two are equal";
  EXPECT_TRUE(std::ranges::is_sorted(down, std::greater_equal<>()));
  EXPECT_THAT(down, Each(Gt(0)));
}

TEST(Areas, NumbersOfOneAreaAreBelowThoseOfTheNext) {
  const auto rising = LayOut(TwoArraysOfFloats(), AreaData::kRising).plan;
  const auto falling = LayOut(TwoArraysOfFloats(), AreaData::kFalling).plan;
  ASSERT_TRUE(rising && falling);
  const auto numbers = [](const AreaPlan& plan, int base) {
    std::vector<double> all;
    for (const std::uint64_t word : ElementsAt<std::uint64_t>(plan, base))
      all.push_back(std::bit_cast<double>(word));
    return all;
  };
  const auto up = numbers(*rising, 1);
  EXPECT_TRUE(std::ranges::is_sorted(up, std::less_equal<>()));
  EXPECT_LT(up.back(), numbers(*rising, 2).front());
  EXPECT_GT(up.front(), std::bit_cast<double>(arch::kUsualValue)) << "which registers hold";
  const auto down = numbers(*falling, 1);
  EXPECT_TRUE(std::ranges::is_sorted(down, std::greater_equal<>()));
  EXPECT_GT(down.back(), numbers(*falling, 2).front());
  EXPECT_LT(down.front(), std::bit_cast<double>(arch::kUsualValue));
}

TEST(Areas, PointersThatMeetHaveOne) {
  const BlockCode code = SnippetCode(
      Either("1: ldr x3, [x1], #8; str x3, [x2], #-8; cmp x1, x2; b.lo 1b",
             "1: mov rbx, [rcx]; mov [rdx], rbx; add rcx, 8; sub rdx, 8; cmp rcx, rdx; jb 1b"));
  const TripValues values(code, FindLoop(code));
  const Streams streams = FindStreams(code, values);
  const auto plan = LayOutAreas(
      values, streams,
      {.trips = kLongestTrips,
       .meeting = MeetingPointers{.base = 1, .other = 2, .distance = 16 * kLongestTrips}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->areas.size(), 1U);
  EXPECT_EQ(plan->registers.at(2), plan->registers.at(1) + 16 * kLongestTrips);
  const sandbox::MemoryArea& area = plan->areas.front();
  EXPECT_LE(area.address, plan->registers.at(1));
  EXPECT_GE(area.address + area.bytes, plan->registers.at(2) + 8);
}

TEST(Areas, EachStreamHasMemoryOfItsOwn) {
  const auto [streams, plan] = LayOut(TwoArrays());
  EXPECT_TRUE(streams.understood);
  EXPECT_EQ(streams.bytes_per_trip, 16);
  EXPECT_EQ(streams.elements_per_trip, 1);
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->areas.size(), 2U);
  for (const sandbox::MemoryArea& area : plan->areas) {
    EXPECT_EQ(area.address % 4096, 0U);
    EXPECT_GE(area.bytes, 8U * kLongestTrips);
    EXPECT_LE(area.bytes, 2U * 4096) << "no more than it needs";
  }
  EXPECT_GE(plan->areas[1].address, plan->areas[0].address + plan->areas[0].bytes);
  // What is read lies a line behind what is written, so that a load never meets a store that is
  // under way.
  EXPECT_EQ(plan->registers.at(2) % 4096, 0U);
  EXPECT_EQ(plan->registers.at(1) % 4096, 64U);
}

// As objects of a program do: a load would wait for a store at the same place of another page.
TEST(Areas, WhatNothingWalksThroughHasLinesOfItsOwnInItsPage) {
  const auto [streams, plan] =
      LayOut(Either("str x3, [x0]; str x4, [x1, #72]; ldr x5, [x2]; ldr x6, [x0, #128]",
                    "mov [rdi], rax; mov [rsi + 72], rcx; mov r8, [rdx]; mov r9, [rdi + 128]"));
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->areas.size(), 3U);
  std::vector<std::uint64_t> lines;
  for (const MemoryUse& use : streams.uses) {
    const auto base = static_cast<int>(use.address.registers.begin()->first);
    const std::uint64_t address =
        plan->registers.at(base) + static_cast<std::uint64_t>(use.address.constant);
    lines.push_back(address % 4096 / 64);
    EXPECT_LT(lines.back(), kLinesApart);
  }
  std::ranges::sort(lines);
  EXPECT_EQ(std::ranges::adjacent_find(lines), lines.end());
}

TEST(Areas, ElementsOfVectorsAreCountedByTheirIndex) {
  if (instructions::testing::OnArm()) GTEST_SKIP() << "x86-64's multiplied indexes";
  // An index that is multiplied counts elements, whatever the vectors hold.
  EXPECT_EQ(LayOut("1: movups xmm0, [rdx + 8*rax]; movups xmm1, [rdx + 8*rax + 16]; xorps xmm0, "
                   "xmm2; xorps xmm1, xmm2; movups [rcx + 8*rax], xmm0; movups [rcx + 8*rax + 16], "
                   "xmm1; add rax, 4; cmp rax, rsi; jne 1b")
                .streams.elements_per_trip,
            4);
  // One that counts bytes of the narrower stream: the wider has as many elements.
  EXPECT_EQ(LayOut("1: movups xmm0, [rdx + rax]; cvtdq2pd xmm1, xmm0; pshufd xmm0, xmm0, 238; "
                   "cvtdq2pd xmm0, xmm0; movups [rcx + 2*rax], xmm1; movups [rcx + 2*rax + 16], "
                   "xmm0; add rax, 16; cmp rax, rsi; jne 1b")
                .streams.elements_per_trip,
            4);
}

TEST(Areas, AnIndexStartsAtZero) {
  const auto [streams, plan] =
      LayOut(Either("1: ldr x3, [x1, x2, lsl #3]; add x2, x2, #1; cmp x2, x5; b.ne 1b",
                    "1: mov rbx, [rcx + 8*rdx]; inc rdx; cmp rdx, rsi; jne 1b"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->areas.size(), 1U);
  EXPECT_EQ(plan->registers.at(2), 0U);
  EXPECT_EQ(streams.bytes_per_trip, 8);
}

TEST(Areas, LoadedIndexesAreBounded) {
  const auto [streams, plan] =
      LayOut(Either("1: ldr w3, [x1], #4; ldr x4, [x2, x3, lsl #3]; cmp x1, x5; b.ne 1b",
                    "1: mov ebx, [rcx]; mov rax, [rdx + 8*rbx]; add rcx, 4; cmp rcx, rsi; jne 1b"));
  ASSERT_TRUE(plan.has_value());
  std::set<std::uint64_t> seen;
  for (int i = 0; i < kLongestTrips; ++i) {
    const std::uint64_t index = WordAt(*plan, plan->registers.at(1) + 4U * i) & 0xffff'ffff;
    EXPECT_LT(index, 1024U);
    seen.insert(index);
    WordAt(*plan, plan->registers.at(2) + 8 * index);  // is there
  }
  EXPECT_GT(seen.size(), 50U) << "random";
}

TEST(Areas, ConstantDataAreAllTheSame) {
  const auto [streams, plan] = LayOut(TwoArrays(), AreaData::kConstant);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(WordAt(*plan, plan->registers.at(1)), WordAt(*plan, plan->registers.at(1) + 256));
  const auto random = LayOut(TwoArrays());
  EXPECT_NE(WordAt(*random.plan, plan->registers.at(1)),
            WordAt(*random.plan, plan->registers.at(1) + 256));
}

TEST(Areas, WhatTheLastTripLoadedIsThereAtFirst) {
  const auto text = Either(
      "1: mov w3, w4; ldr w4, [x1], #4; cmp w4, w3; b.lt 2f; subs x5, x5, #1; "
      "b.ne 1b; 2:",
      "1: mov ebx, edi; mov edi, [rcx]; add rcx, 4; cmp edi, ebx; jl 2f; "
      "dec rsi; jne 1b; 2:");
  const int carried = instructions::testing::OnArm() ? 4 : 7;
  EXPECT_EQ(LayOut(text, AreaData::kConstant).plan->registers.at(carried), 0x01010101U);
  EXPECT_FALSE(LayOut(text).plan->registers.contains(carried)) << "no value is the next one";
}

TEST(Areas, APointerLeadsToAnother) {
  const auto [streams, plan] =
      LayOut(Either("1: ldr x3, [x1, #8]; ldr x1, [x1]; subs x5, x5, #1; b.ne 1b",
                    "1: add rax, [rcx + 8]; mov rcx, [rcx]; dec rsi; jne 1b"));
  ASSERT_TRUE(plan.has_value());
  std::uint64_t node = plan->registers.at(1);
  std::set<std::uint64_t> nodes;
  while (nodes.insert(node).second) {
    WordAt(*plan, node + 8);
    node = WordAt(*plan, node);
  }
  EXPECT_EQ(nodes.size(), 64U) << "a ring";
}

TEST(Areas, FloatsAreOrdinaryNumbersOfEveryPrecision) {
  const auto [streams, plan] =
      LayOut(Either("1: ldr d0, [x1], #8; fadd d1, d1, d0; cmp x1, x5; b.ne 1b",
                    "1: addsd xmm0, [rcx]; add rcx, 8; cmp rcx, rsi; jne 1b"));
  ASSERT_TRUE(plan.has_value());
  for (int i = 0; i < kLongestTrips; ++i) {
    const std::uint64_t word = WordAt(*plan, plan->registers.at(1) + 8U * i);
    const auto number = std::bit_cast<double>(word);
    EXPECT_TRUE(number >= 1 && number < 2) << number;
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(word));
    EXPECT_TRUE(single >= 1 && single < 2) << single;
  }
}

// What --set gives an index: sums of it must not overflow.
TEST(Areas, NothingIsLaidOutForAnAbsurdIndex) {
  const BlockCode code =
      SnippetCode(Either("1: ldr x3, [x1, x2, lsl 3]; add x1, x1, 8; cmp x1, x5; b.ne 1b",
                         "1: mov rbx, [rcx + 8*rdx]; add rcx, 8; cmp rcx, rsi; jne 1b"));
  const TripValues values(code, FindLoop(code));
  const Streams streams = FindStreams(code, values);
  const auto with_index = [&](std::uint64_t index) {
    return LayOutAreas(values, streams, {.trips = kLongestTrips, .registers = {{2, index}}});
  };
  EXPECT_TRUE(with_index(1000).has_value());
  EXPECT_FALSE(with_index(std::uint64_t{1} << 63).has_value());
  EXPECT_FALSE(with_index(std::uint64_t{1} << 60).has_value());
  EXPECT_FALSE(with_index((std::uint64_t{1} << 61) - 1).has_value());
}

TEST(Areas, NothingIsLaidOutWhereAddressesAreNotUnderstood) {
  EXPECT_FALSE(LayOut(Either("1: mul x1, x1, x2; ldr x3, [x1]; subs x5, x5, #1; b.ne 1b",
                             "1: imul rcx, rdx; mov rax, [rcx]; dec rsi; jne 1b"))
                   .plan);
}

}  // namespace
}  // namespace cyclescope::blocks
