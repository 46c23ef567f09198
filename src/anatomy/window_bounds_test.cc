#include "anatomy/window_bounds.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "analysis/row_figures.h"

namespace cyclescope::anatomy {
namespace {

using arch::Window;

const std::vector<arch::WindowFiller> kFillers = {
    {Window::kReorderBuffer, "nop", {"nop"}},
    {Window::kReorderBuffer, "mix", {"nop", "int"}, {{Window::kIntegerRegisters, 0.5}}},
    {Window::kIntegerRegisters, "int", {"int"}},
    {Window::kIntegerRegisters, "int and flags", {"int"}, {{Window::kFlags}}},
    {Window::kFlags, "flags", {"flags"}},
};

// As x86-64 has them.
const std::vector<arch::WindowFiller> kReorderFillers = {
    {Window::kReorderBuffer, "nop", {"nop"}},
    {Window::kReorderBuffer, "sum", {"sum"}, {{Window::kIntegerRegisters}}},
    {Window::kReorderBuffer, "mix", {"nop", "int"}, {{Window::kIntegerRegisters, 0.25}}},
    {Window::kIntegerRegisters, "int", {"int"}},
    {Window::kFlags, "flags", {"flags"}},
};

std::vector<AnatomyRow> MarkedReorder(const std::vector<double>& sizes) {
  std::vector<AnatomyRow> rows;
  for (const double size : sizes) rows.push_back({.value = AnatomyValue{size, size, size}});
  MarkBounds(kReorderFillers, rows);
  return rows;
}

// Rows for sizes of the fillers' windows, in their order.
std::vector<AnatomyRow> Marked(const std::vector<double>& sizes) {
  std::vector<AnatomyRow> rows;
  for (const double size : sizes) rows.push_back({.value = AnatomyValue{size, size, size}});
  MarkBounds(kFillers, rows);
  return rows;
}

TEST(MarkBounds, ValuesThatEndAloneStay) {
  for (const AnatomyRow& row : Marked({512, 512, 300, 300, 318})) EXPECT_FALSE(row.at_least);
}

TEST(MarkBounds, WhatAlsoTakesASmallerWindowIsABound) {
  const std::vector<AnatomyRow> rows = Marked({512, 512, 300, 242, 240});
  EXPECT_FALSE(rows[2].at_least);
  EXPECT_TRUE(rows[3].at_least);
  EXPECT_EQ(rows[3].note, "ends with the flags");
  EXPECT_FALSE(rows[4].at_least);
}

TEST(MarkBounds, WhatEndsWithTheReorderBufferIsABound) {
  const std::vector<AnatomyRow> rows = Marked({512, 512, 512, 512, 510});
  EXPECT_TRUE(rows[2].at_least);
  EXPECT_TRUE(rows[4].at_least);
  EXPECT_FALSE(rows[0].at_least);
}

TEST(MarkBounds, AMixEndsWhereItsShareDoes) {
  // 200 integer registers, of which every second instruction of the mix takes one.
  const std::vector<AnatomyRow> rows = Marked({512, 398, 200, 200, 300});
  EXPECT_FALSE(rows[0].at_least);
  EXPECT_TRUE(rows[1].at_least);
  EXPECT_EQ(rows[1].note, "ends with the integer registers");
}

// As on a Skylake, whose renamer does no sums: 145 registers for them.
TEST(MarkBounds, AFillerOfTheReorderBufferThatEndsFirstIsNoSizeOfIt) {
  const std::vector<AnatomyRow> rows = MarkedReorder({222, 145, 224, 141, 145});
  EXPECT_TRUE(rows[1].at_least);
  EXPECT_EQ(rows[1].note, "ends with the integer registers");
  for (const std::size_t stays : {0, 2, 3, 4}) EXPECT_FALSE(rows[stays].at_least) << stays;
}

TEST(MarkBounds, AFillerThatEndsFirstByAnUnknownCauseIsABound) {
  const std::vector<AnatomyRow> rows = MarkedReorder({222, 145, 224, 190, 180});
  EXPECT_TRUE(rows[1].at_least);
  ASSERT_TRUE(rows[1].claim);
  EXPECT_EQ(rows[1].claim->code, ClaimCode::kEndsBeforeOthers);
}

TEST(MarkBounds, FillersOfTheReorderBufferThatEndNearEachOtherStay) {
  for (const AnatomyRow& row : MarkedReorder({512, 500, 512, 300, 240})) EXPECT_FALSE(row.at_least);
  // Several `nop` may share an entry.
  EXPECT_FALSE(MarkedReorder({512, 250, 256, 180, 90})[1].at_least);
}

TEST(MarkBounds, StatesOfTheCoreAreNotMixed) {
  std::vector<AnatomyRow> rows = {{.value = AnatomyValue{512, 512, 512}},
                                  {.value = AnatomyValue{512, 512, 512}},
                                  {.value = AnatomyValue{300, 300, 300}},
                                  {.value = AnatomyValue{242, 242, 242}},
                                  {.value = AnatomyValue{240, 240, 240}, .contended = true}};
  MarkBounds(kFillers, rows);
  EXPECT_FALSE(rows[3].at_least);
}

TEST(MarkParts, WhatOnlyASharedCoreShowedIsABound) {
  std::vector<AnatomyRow> rows = {{.value = AnatomyValue{512, 508, 516}},
                                  {.value = AnatomyValue{243, 238, 261}, .contended = true},
                                  {.contended = true}};
  MarkParts(rows);
  EXPECT_FALSE(rows[0].at_least) << "the whole one was seen";
  EXPECT_TRUE(rows[1].at_least);
  EXPECT_FALSE(rows[2].at_least) << "there is nothing to bound";
}

// Rows for two fillers of the reorder buffer.
std::vector<AnatomyRow> WithNops(const AnatomyRow& nops, const AnatomyRow& others) {
  std::vector<AnatomyRow> rows = {nops, others};
  MarkNops(std::span(kFillers).first(2), rows);
  return rows;
}

TEST(MarkNops, TwiceAsManyAsOthersShareEntries) {
  const auto rows =
      WithNops({.value = AnatomyValue{514, 512, 516}}, {.value = AnatomyValue{253, 250, 256}});
  ASSERT_TRUE(rows[0].claim);
  EXPECT_EQ(rows[0].claim->code, ClaimCode::kNopsShareEntries);
  EXPECT_FALSE(TellsSize(rows[0]));
  EXPECT_FALSE(rows[1].claim);
  EXPECT_TRUE(TellsSize(rows[1]));
}

TEST(MarkNops, AsManyAsOthersAreASize) {
  const AnatomyRow nops = {.value = AnatomyValue{512, 508, 516}};
  const AnatomyRow fewer = {.value = AnatomyValue{430, 420, 440}};
  EXPECT_FALSE(WithNops(nops, fewer)[0].claim) << "an interval that touches";
  AnatomyRow bound = {.value = AnatomyValue{253, 250, 256}, .at_least = true};
  EXPECT_FALSE(WithNops(nops, bound)[0].claim) << "something else ended them";
  AnatomyRow shared = {.value = AnatomyValue{253, 250, 256}, .contended = true};
  EXPECT_FALSE(WithNops(nops, shared)[0].claim) << "a core that was shared";
  EXPECT_FALSE(WithNops(nops, {})[0].claim);
}

}  // namespace
}  // namespace cyclescope::anatomy
