#include "blocks/jump_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "arch/architecture.h"
#include "blocks/block_memory.h"
#include "blocks/block_trips.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {
namespace {

using ::testing::ElementsAre;

struct Read {
  BlockCode code;
  CountedLoop loop;
  std::vector<TableUse> tables;
};

// A loop of this machine's architecture whose jump goes through a table of these labels.
Read ReadTable(std::string_view text, std::size_t jump, std::vector<std::string> targets) {
  const auto planner = instructions::testing::MakePlanner();
  const assembler::JumpTable table{.jump = jump, .targets = std::move(targets)};
  const auto part = planner->assembler().AssemblePart(text, std::span(&table, 1));
  EXPECT_TRUE(part.has_value());
  auto code = ReadBlockCode(planner->assembler(), part->bytes, part->instructions, part->tables);
  EXPECT_TRUE(code.has_value());
  auto loop = ReadLoop(*code);
  EXPECT_TRUE(loop.has_value());
  auto tables = ReadTables(*code, loop->values);
  EXPECT_TRUE(tables.has_value());
  return {std::move(*code), std::move(*loop), std::move(tables).value_or(std::vector<TableUse>())};
}

bool IsX86() { return arch::Name() == "x86_64"; }

// Entries that lead out of the loop are told apart.
constexpr std::string_view kAbsolute =
    ".L8: movzx eax, byte ptr [rdi]; sub eax, 97; cmp al, 2; ja .L2; movzx eax, al; "
    "jmp qword ptr [8*rax + .L4]; .L5: add rcx, 1; jmp .L2; .L6: add rcx, 2; "
    ".L2: inc rdi; cmp rdi, rsi; jne .L8";

TEST(JumpTables, AnEntryMayBeAnAddress) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const Read read = ReadTable(kAbsolute, 5, {".L6", ".L5", ""});
  ASSERT_EQ(read.tables.size(), 1U);
  const TableUse& use = read.tables.front();
  EXPECT_EQ(use.load, use.jump);
  EXPECT_FALSE(use.table_register);
  EXPECT_THAT(use.entries, ElementsAre(8U, 6U, std::nullopt));
  EXPECT_THAT(use.ValuesThatStay(), ElementsAre(97, 98));
  EXPECT_EQ(use.ValueThatLeaves(), 99);
  EXPECT_EQ(use.entry_stride, 8);
  EXPECT_EQ(use.index_origin, 97);
  EXPECT_EQ(EntryFor(use, 0x7000, 0x2000, 0x5000), 0x7000U);
}

// The data that are laid out reach each entry, and no other.
TEST(JumpTables, DataReachEveryEntry) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const Read read = ReadTable(kAbsolute, 5, {".L6", ".L5", ".L2"});
  const Streams streams = FindStreams(read.code, read.loop.values, read.tables);
  ASSERT_TRUE(streams.understood);
  AreaWishes wishes;
  wishes.trips = 256;
  const auto areas = LayOutAreas(read.loop.values, streams, wishes);
  ASSERT_TRUE(areas.has_value());
  constexpr int kRdi = 7;
  const std::size_t begin = areas->registers.at(kRdi) - areas->areas.front().address;
  std::vector<int> counts(3);
  for (std::size_t i = 0; i < 256; ++i) {
    const int value = areas->image.at(begin + i);
    ASSERT_GE(value, 97);
    ASSERT_LE(value, 99);
    ++counts[static_cast<std::size_t>(value - 97)];
  }
  EXPECT_GT(std::ranges::min(counts), 32);
}

TEST(JumpTables, AnEntryMayBeADistanceFromTheTable) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const Read read = ReadTable(
      ".L8: movzx eax, byte ptr [rdi]; movsxd rax, dword ptr [rdx + 4*rax]; "
      "add rax, rdx; jmp rax; .L5: add rcx, 1; jmp .L2; .L6: add rcx, 2; "
      ".L2: inc rdi; cmp rdi, rsi; jne .L8",
      3, {".L6", ".L5"});
  ASSERT_EQ(read.tables.size(), 1U);
  const TableUse& use = read.tables.front();
  constexpr int kRdx = 2;
  EXPECT_EQ(use.load, 1U);
  EXPECT_EQ(use.table_register, kRdx);
  EXPECT_TRUE(use.from_table);
  EXPECT_EQ(use.entry_bytes, 4);
  EXPECT_EQ(EntryFor(use, 0x2100, 0x2000, 0x5000), 0x100U);
  EXPECT_EQ(EntryFor(use, std::uint64_t{1} << 40, 0x2000, 0x5000), std::nullopt);
}

// clang's tables of bytes.
TEST(JumpTables, AnEntryMayBeADistanceFromAPlaceInTheCode) {
  if (IsX86()) GTEST_SKIP() << "AArch64's code";
  const Read read = ReadTable(
      ".L4:\nldrb w12, [x8]\ncmp w12, #1\nb.hi .L3\nadr x13, .L2\nldrb w14, [x11, x12]\n"
      "add x13, x13, x14, lsl #2\nbr x13\n.L2: mvn x9, x9\nb .L3\n.L6: add x0, x9, x0\n"
      ".L3: subs x1, x1, #1\nadd x8, x8, #1\nb.ne .L4\n",
      6, {".L2", ".L6"});
  ASSERT_EQ(read.tables.size(), 1U);
  const TableUse& use = read.tables.front();
  EXPECT_EQ(use.load, 4U);
  EXPECT_EQ(use.table_register, 11);
  EXPECT_EQ(use.from_code, 28U);
  EXPECT_EQ(use.entry_scale, 4);
  EXPECT_EQ(EntryFor(use, 0x5000 + 36, 0x2000, 0x5000), 2U);
  EXPECT_EQ(EntryFor(use, 0x5000 + 28 + 4 * 256, 0x2000, 0x5000), std::nullopt);
}

// GCC's: signed, since the register is extended.
TEST(JumpTables, AnEntryMayBeSigned) {
  if (IsX86()) GTEST_SKIP() << "AArch64's code";
  const Read read = ReadTable(
      ".L4:\nldrb w1, [x3]\nldrb w1, [x4, w1, uxtw]\nadr x2, .L2\nadd x1, x2, w1, sxtb #2\n"
      "br x1\n.L2: mvn x9, x9\nb .L3\n.L6: add x0, x9, x0\n"
      ".L3: add x3, x3, #1\ncmp x3, x5\nb.ne .L4\n",
      4, {".L2", ".L6"});
  ASSERT_EQ(read.tables.size(), 1U);
  const TableUse& use = read.tables.front();
  EXPECT_TRUE(use.entry_is_signed);
  EXPECT_EQ(EntryFor(use, 0x5000 + *use.from_code - 8, 0x2000, 0x5000), ~std::uint64_t{1});
}

// An index of which only some bits are known may be anything: the table has an entry for each, and
// none leads out.
TEST(JumpTables, ATableMayBeRepeated) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const Read read = ReadTable(
      ".L8: movzx eax, byte ptr [rdi]; and eax, 3; jmp qword ptr [8*rax + .L4]; "
      ".L5: add rcx, 1; jmp .L2; .L6: add rcx, 2; .L2: inc rdi; cmp rdi, rsi; jne .L8",
      2, {".L6", "", ".L5"});
  ASSERT_EQ(read.tables.size(), 1U);
  const auto entries = read.tables.front().EntriesToFill();
  ASSERT_EQ(entries.size(), kIndexLimit);
  EXPECT_EQ(entries[0], 5U);
  EXPECT_EQ(entries[1], 3U);
  EXPECT_EQ(entries[2], 5U);
  EXPECT_THAT(read.tables.front().ValuesThatStay(), ::testing::IsEmpty());
}

// An interpreter's loop: what it reads ends it, behind the last trip.
TEST(JumpTables, AValueThatIsReadMayEndTheLoop) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const Read read = ReadTable(
      ".L8: add rdi, 1; movzx eax, byte ptr [rdi - 1]; jmp qword ptr [8*rax + .L4]; "
      ".L5: add rcx, 1; jmp .L8; .L6: add rcx, 2; jmp .L8",
      2, {".L6", "", ".L5"});
  EXPECT_TRUE(read.loop.counted.empty());
  const Streams streams = FindStreams(read.code, read.loop.values, read.tables);
  const auto end = FindEndOfWalk(read.loop.values, streams, read.tables);
  ASSERT_TRUE(end.has_value());
  constexpr int kRdi = 7;
  EXPECT_EQ(end->walks, kRdi);
  EXPECT_EQ(end->step, 1);
  EXPECT_EQ(end->value, 1);
  const auto areas =
      LayOutAreas(read.loop.values, streams, {.trips = 100, .end = end, .registers = {}});
  ASSERT_TRUE(areas.has_value());
  const std::size_t begin = areas->registers.at(kRdi) - areas->areas.front().address;
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NE(areas->image.at(begin + i), 1) << i;
  EXPECT_EQ(areas->image.at(begin + 100), 1);
}

// What is not known as a table is none: the jump is left out then.
TEST(JumpTables, AnotherUseIsNotUnderstood) {
  if (!IsX86()) GTEST_SKIP() << "x86-64's code";
  const auto planner = instructions::testing::MakePlanner();
  const assembler::JumpTable table{.jump = 2, .targets = {".L5", ".L2"}};
  const auto part = planner->assembler().AssemblePart(
      ".L8: movzx eax, byte ptr [rdi]; imul rax, rax, 16; jmp rax; .L5: add rcx, 1; "
      ".L2: inc rdi; cmp rdi, rsi; jne .L8",
      std::span(&table, 1));
  ASSERT_TRUE(part.has_value());
  const auto code =
      ReadBlockCode(planner->assembler(), part->bytes, part->instructions, part->tables);
  ASSERT_TRUE(code.has_value());
  const auto loop = ReadLoop(*code);
  ASSERT_TRUE(loop.has_value());
  EXPECT_FALSE(ReadTables(*code, loop->values).has_value());
}

}  // namespace
}  // namespace cyclescope::blocks
