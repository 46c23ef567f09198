#include "library/osaca_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::library {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

assembler::Assembler For(assembler::Architecture architecture) {
  const std::vector<std::string> features = {"fp", "asimd"};
  auto made = assembler::Assembler::Create(
      assembler::HostTarget(architecture, features, {}, assembler::Syntax::kIntel));
  return std::move(*made);
}

TEST(DescribeForOsaca, X86OperandsAreInAttOrder) {
  assembler::Assembler x86 = For(assembler::Architecture::kX86_64);
  const auto add = DescribeForOsaca(x86, "add rax, qword ptr [rbx + 8]");
  ASSERT_TRUE(add);
  EXPECT_EQ(add->name, "add");
  EXPECT_THAT(add->operands, ElementsAre(HasSubstr("class: memory"), "class: register, name: gpr"));
  const auto shuffle = DescribeForOsaca(x86, "pshufd xmm0, xmm1, 27");
  ASSERT_TRUE(shuffle);
  EXPECT_THAT(shuffle->operands,
              ElementsAre("class: immediate, imd: int", "class: register, name: xmm",
                          "class: register, name: xmm"));
  const auto nop = DescribeForOsaca(x86, "nop");
  ASSERT_TRUE(nop);
  EXPECT_THAT(nop->operands, IsEmpty());
  EXPECT_FALSE(DescribeForOsaca(x86, "no such thing"));
}

TEST(DescribeForOsaca, ArmRegistersHaveTheirPrefix) {
  assembler::Assembler arm = For(assembler::Architecture::kAArch64);
  const auto add = DescribeForOsaca(arm, "add x0, x1, #4");
  ASSERT_TRUE(add);
  EXPECT_EQ(add->operands.front(), "class: register, prefix: x");
  const auto load = DescribeForOsaca(arm, "ldr w0, [x1, #8]");
  ASSERT_TRUE(load);
  EXPECT_THAT(load->operands,
              ElementsAre("class: register, prefix: w", HasSubstr("class: memory")));
  const auto vector = DescribeForOsaca(arm, "fadd v0.4s, v1.4s, v2.4s");
  ASSERT_TRUE(vector);
  EXPECT_EQ(vector->operands.front(), "class: register, prefix: v, shape: '*'");
}

}  // namespace
}  // namespace cyclescope::library
