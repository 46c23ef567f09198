#include "instructions/form.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;
using testing::FormOf;
using testing::MakePlanner;

const Group& Find(const Form& form, std::string_view name) {
  const auto found = std::ranges::find(form.groups, name, &Group::name);
  EXPECT_NE(found, form.groups.end()) << name;
  return *found;
}

TEST(MakeForm, OneGroupPerRegister) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("adds x0, x1, x2", "add rax, rcx"));
  const Group& destination = Find(form, Either("x0", "rax"));
  EXPECT_TRUE(destination.written);
  EXPECT_EQ(destination.read, !testing::OnArm());
  EXPECT_FALSE(destination.fixed);
  const Group& flags = Find(form, "flags");
  EXPECT_TRUE(flags.written);
  EXPECT_TRUE(flags.fixed);
  EXPECT_FALSE(flags.read);
}

TEST(MakeForm, OperandsOfOneRegisterStayTogether) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("eor x0, x1, x1", "xor rax, rax"));
  const Group& twice = Find(form, Either("x1", "rax"));
  EXPECT_EQ(twice.operands.size(), 2u);
  Assignment assignment = TextAssignment(form);
  assignment[static_cast<std::size_t>(&twice - form.groups.data())] = 5;
  EXPECT_EQ(Rename(planner->assembler(), form, assignment).text,
            Either("eor x0, x5, x5", "xor rbp, rbp"));
}

TEST(MakeForm, KnowsAddressesAndMemory) {
  const auto planner = MakePlanner();
  const Form load = FormOf(*planner, Either("ldr x0, [x1, x2]", "mov rax, qword ptr [rcx + rdx]"));
  EXPECT_TRUE(load.reads_memory);
  EXPECT_FALSE(load.writes_memory);
  EXPECT_EQ(Find(load, Either("x1", "rcx")).address, AddressPart::kBase);
  EXPECT_EQ(Find(load, Either("x2", "rdx")).address, AddressPart::kIndex);
  EXPECT_FALSE(Find(load, Either("x0", "rax")).is_address());
  EXPECT_TRUE(FormOf(*planner, Either("str x0, [x1]", "mov qword ptr [rcx], rax")).writes_memory);
}

// It destroys its own address: only with another destination can copies of it be independent.
TEST(MakeForm, AnAddressSharesWithNothingElse) {
  const auto planner = MakePlanner();
  const Form chase = FormOf(*planner, Either("ldr x0, [x0]", "mov rax, qword ptr [rax]"));
  ASSERT_EQ(chase.groups.size(), 2u);
  EXPECT_FALSE(chase.groups[0].is_address());
  EXPECT_TRUE(chase.groups[1].is_address());
  EXPECT_EQ(chase.groups[0].name, chase.groups[1].name);
  const Form twice = FormOf(*planner, Either("ldr x1, [x0, x0]", "mov rcx, qword ptr [rax + rax]"));
  EXPECT_EQ(twice.groups.size(), 3u);
  const Form store = FormOf(*planner, Either("str x0, [x0]", "mov qword ptr [rax], rax"));
  EXPECT_EQ(Find(store, Either("x0", "rax")).address, AddressPart::kNone);
  EXPECT_EQ(Find(store, Either("[x0]", "[rax]")).address, AddressPart::kBase);
}

TEST(MakeForm, AnAddressIsNotWhatTheInstructionWritesByItself) {
  if (testing::OnArm()) GTEST_SKIP() << "nothing writes a register that no text names";
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, "mul qword ptr [rax]");
  EXPECT_FALSE(Find(form, "[rax]").written);
  EXPECT_FALSE(Find(form, "[rax]").fixed);
  EXPECT_TRUE(Find(form, "rax").written);
}

TEST(Rename, LeavesFixedRegistersAlone) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("csel x0, x1, x2, eq", "shl rax, cl"));
  Assignment assignment(form.groups.size(), 6);
  EXPECT_EQ(Rename(planner->assembler(), form, assignment).text,
            Either("csel x6, x6, x6, eq", "shl rsi, cl"));
}

}  // namespace
}  // namespace cyclescope::instructions
