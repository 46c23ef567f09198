#include "instructions/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;
using testing::FormOf;
using testing::MakePlanner;
using ::testing::SizeIs;

constexpr std::uint64_t kAddress = 0x10000;

std::size_t IndexOf(const Form& form, std::string_view name) {
  const auto found = std::ranges::find(form.groups, name, &Group::name);
  EXPECT_NE(found, form.groups.end()) << name;
  return static_cast<std::size_t>(found - form.groups.begin());
}

class CopiesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Planner> planner_ = MakePlanner();
  // A destination that is not read, and two sources, in the vector file of either architecture.
  Form form_ = FormOf(*planner_, Either("fadd d0, d1, d2", "vaddsd xmm0, xmm1, xmm2"));
  std::size_t to_ = IndexOf(form_, Either("d0", "xmm0"));
  std::size_t from_ = IndexOf(form_, Either("d1", "xmm1"));
  std::size_t other_ = IndexOf(form_, Either("d2", "xmm2"));
  Copies copies_{form_, nullptr, kAddress};
};

TEST_F(CopiesTest, InARingEachCopyReadsWhatTheLastWrote) {
  ASSERT_TRUE(copies_.Ring(from_, to_, 4));
  ASSERT_TRUE(copies_.Rest(4));
  EXPECT_EQ(copies_.Period(), 4u);
  for (std::size_t copy = 0; copy < 8; ++copy) {
    EXPECT_EQ(copies_.At(copy)[to_], copies_.At(copy + 1)[from_]);
    EXPECT_NE(copies_.At(copy)[to_], copies_.At(copy)[from_]);
    EXPECT_NE(copies_.At(copy)[other_],
              copies_.At(copy)[from_]);  // the other source is off the chain
    EXPECT_NE(copies_.At(copy)[other_], copies_.At(copy)[to_]);
  }
}

TEST_F(CopiesTest, IndependentCopiesNeverReadWhatIsWritten) {
  ASSERT_TRUE(copies_.Rest(8));
  EXPECT_EQ(copies_.Period(), 8u);
  std::set<std::uint8_t> written;
  std::set<std::uint8_t> read;
  for (std::size_t copy = 0; copy < 8; ++copy) {
    written.insert(copies_.At(copy)[to_]);
    read.insert({copies_.At(copy)[from_], copies_.At(copy)[other_]});
  }
  EXPECT_THAT(written, SizeIs(8));
  EXPECT_THAT(read, SizeIs(2));
  for (const std::uint8_t index : read) EXPECT_FALSE(written.contains(index));
}

TEST_F(CopiesTest, SourcesCanShareARegisterOrWorkInPlace) {
  ASSERT_TRUE(copies_.Share({from_, other_}));
  ASSERT_TRUE(copies_.Rest(4));
  EXPECT_EQ(copies_.At(0)[from_], copies_.At(0)[other_]);
  Copies in_place(form_, nullptr, kAddress);
  ASSERT_TRUE(in_place.InPlace({from_, other_, to_}, 4));
  EXPECT_EQ(in_place.At(1)[from_], in_place.At(1)[to_]);
  EXPECT_NE(in_place.At(0)[to_], in_place.At(1)[to_]);
}

TEST(Copies, NeverHandsOutTheKernelsOwnRegisters) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("add x0, x1, x2", "lea rax, [rcx + rdx]"));
  Copies copies(form, nullptr, kAddress);
  ASSERT_TRUE(copies.Rest(32));
  const arch::KernelRegisters& own = arch::ReservedRegisters();
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    for (const std::uint8_t index : copies.At(copy)) {
      for (const int reserved : {own.counter, own.address, own.zero, own.temporary, own.stack}) {
        EXPECT_NE(index, reserved);
      }
    }
  }
}

TEST(Copies, AddressesHoldTheAddressAndIndexesZero) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("ldr x0, [x1, x2]", "mov rax, qword ptr [rcx + rdx]"));
  Copies copies(form, nullptr, kAddress);
  EXPECT_EQ(copies.ValueOf(IndexOf(form, Either("x1", "rcx"))), kAddress);
  EXPECT_EQ(copies.ValueOf(IndexOf(form, Either("x2", "rdx"))), 0u);
  EXPECT_EQ(copies.ValueOf(IndexOf(form, Either("x0", "rax"))), std::nullopt);
}

TEST(Copies, ValuesGoToSourcesInOrder) {
  const auto planner = MakePlanner();
  const Form form = FormOf(*planner, Either("sdiv x0, x1, x2", "vdivsd xmm0, xmm1, xmm2"));
  const arch::ValueSet values = {"made", {11, 22, 33}};
  const Copies copies(form, &values, kAddress);
  EXPECT_EQ(copies.ValueOf(IndexOf(form, Either("x1", "xmm1"))), 11u);
  EXPECT_EQ(copies.ValueOf(IndexOf(form, Either("x2", "xmm2"))), 22u);
}

}  // namespace
}  // namespace cyclescope::instructions
