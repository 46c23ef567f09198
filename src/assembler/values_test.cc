// What an instruction wants of the values it works on, and the loads that read stores back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using arch::ElementKind;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> ValueNames(const Instruction& instruction) {
  std::vector<std::string_view> names;
  for (const arch::ValueSet& set : instruction.value_sets) names.push_back(set.name);
  return names;
}

TEST(ValueSets, AreTheSameInEverySyntax) {
  Assembler intel = MakeX86();
  Assembler att = MakeX86(Syntax::kAtt);
  struct Pair {
    std::string_view intel, att;
  };
  for (const auto& [intel_text, att_text] : std::initializer_list<Pair>{
           {"div rcx", "divq %rcx"},
           {"idiv dword ptr [rbx]", "idivl (%rbx)"},
           {"rep movsb", "rep movsb"},
           {"bts qword ptr [rbx], rcx", "btsq %rcx, (%rbx)"},
           {"xgetbv", "xgetbv"},
           {"vgatherdps ymm0, [rax + 4*ymm1], ymm2", "vgatherdps %ymm2, (%rax,%ymm1,4), %ymm0"},
           {"divsd xmm0, [rbx]", "divsd (%rbx), %xmm0"}}) {
    const Instruction one = ParseOne(intel, intel_text);
    const Instruction other = ParseOne(att, att_text);
    EXPECT_FALSE(one.value_sets.empty()) << intel_text;
    EXPECT_EQ(one.value_sets, other.value_sets) << att_text;
    EXPECT_EQ(one.name, other.name);
  }
}

TEST(ValueSets, NameFastAndSlowWhereTimeDependsOnThem) {
  Assembler x86 = MakeX86();
  EXPECT_THAT(ValueNames(ParseOne(x86, "div ecx")), ElementsAre("fast", "slow"));
  EXPECT_THAT(ValueNames(ParseOne(x86, "vsqrtps ymm0, ymm1")), ElementsAre("fast", "slow"));
  EXPECT_THAT(ValueNames(ParseOne(x86, "rsqrtps xmm0, xmm1")), IsEmpty());
  EXPECT_THAT(ValueNames(ParseOne(x86, "add rax, rbx")), IsEmpty());
  Assembler arm = MakeAArch64();
  EXPECT_THAT(ValueNames(ParseOne(arm, "udiv x0, x1, x2")), ElementsAre("fast", "slow"));
  EXPECT_EQ(ParseOne(arm, "fdiv v0.8h, v1.8h, v2.8h").value_sets[0].values[0],
            arch::kHalfPatterns.fast);
  EXPECT_EQ(ParseOne(arm, "fsqrt s0, s1").value_sets[0].values[0], arch::kSinglePatterns.fast);
  EXPECT_EQ(ParseOne(arm, "fdiv v0.2d, v1.2d, v2.2d").value_sets[0].values[0],
            arch::kDoublePatterns.fast);
  EXPECT_THAT(ParseOne(arm, "fmul d0, d1, d2").value_sets, IsEmpty());
}

// True if the dividend in two halves of `bits`, of whose low ones each number is made, divided by
// the divisor gives a quotient that `idiv` and `div` can write.
bool QuotientFits(int bits, std::uint64_t divisor, std::uint64_t low, std::uint64_t high) {
  using Wide = unsigned __int128;
  const auto part = [bits](std::uint64_t value) {
    return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  };
  const Wide dividend = (Wide{part(high)} << bits) | part(low);
  return dividend / part(divisor) < (Wide{1} << (bits - 1)) && part(divisor) >> (bits - 1) == 0 &&
         part(high) >> (bits - 1) == 0;
}

// In every width: a register of 8 bits divides ax, whose halves both come from rax.
void ExpectQuotientsThatFit(std::uint64_t divisor, std::uint64_t low, std::uint64_t high) {
  for (const int bits : {16, 32, 64}) EXPECT_TRUE(QuotientFits(bits, divisor, low, high)) << bits;
  EXPECT_TRUE(QuotientFits(8, divisor, low, low >> 8));
}

TEST(ValueSets, SlowIntegerDivisionsHaveAHighHalf) {
  Assembler x86 = MakeX86();
  const auto registers = ParseOne(x86, "div rcx").value_sets;
  ASSERT_EQ(registers.size(), 2u);
  for (const auto& set : registers)
    ExpectQuotientsThatFit(set.values[0], set.values[1], set.values[2]);
  EXPECT_EQ(registers[0].values[2], 0u);
  EXPECT_NE(registers[1].values[2], 0u);
  const auto memory = ParseOne(x86, "idiv qword ptr [rbx]").value_sets;
  ASSERT_EQ(memory.size(), 2u);
  for (const auto& set : memory) ExpectQuotientsThatFit(set.memory, set.values[0], set.values[1]);
  EXPECT_EQ(memory[0].values[1], 0u);
  EXPECT_NE(memory[1].values[1], 0u);
}

struct MemoryCase {
  std::string_view text;
  ElementKind element;
  int bits;
};

TEST(Memory, HoldsWhatTheInstructionTakesItFor) {
  Assembler x86 = Make(Architecture::kX86_64, "graniterapids");
  for (const MemoryCase& expected : std::initializer_list<MemoryCase>{
           {"fdiv dword ptr [rbx]", ElementKind::kSingle, 32},
           {"fadd qword ptr [rbx]", ElementKind::kDouble, 64},
           {"fld tbyte ptr [rbx]", ElementKind::kExtended, 80},
           {"fiadd dword ptr [rbx]", ElementKind::kInteger, 32},
           {"fbld tbyte ptr [rbx]", ElementKind::kDecimal, 80},
           {"addps xmm0, [rbx]", ElementKind::kSingle, 128},
           {"vaddpd ymm0, ymm1, [rbx]", ElementKind::kDouble, 256},
           {"vaddph zmm0, zmm1, [rbx]", ElementKind::kHalf, 512},
           {"cvtps2pd xmm0, [rbx]", ElementKind::kSingle, 64},
           {"cvtsi2sd xmm0, qword ptr [rbx]", ElementKind::kInteger, 64},
           {"vcvtph2psx zmm0, [rbx]", ElementKind::kHalf, 256},
           {"vdpbf16ps zmm0, zmm1, [rbx]", ElementKind::kBfloat16, 512},
           {"pmaxsd xmm0, [rbx]", ElementKind::kInteger, 128},
           {"vpermilps ymm0, [rbx], 1", ElementKind::kSingle, 256},
           {"movsd", ElementKind::kInteger, 32},
           {"movsd xmm0, qword ptr [rbx]", ElementKind::kDouble, 64},
           {"add rax, [rbx]", ElementKind::kInteger, 64}}) {
    const Instruction instruction = ParseOne(x86, expected.text);
    const auto memory =
        std::ranges::find(instruction.operands, OperandKind::kMemory, &Operand::kind);
    ASSERT_NE(memory, instruction.operands.end()) << expected.text;
    EXPECT_EQ(memory->element, expected.element) << expected.text;
    EXPECT_EQ(memory->memory_bits, expected.bits) << expected.text;
  }
  Assembler att = MakeX86(Syntax::kAtt);
  EXPECT_EQ(ParseOne(att, "fdivs (%rbx)").operands.back().element, ElementKind::kSingle);
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ParseOne(arm, "ldp x0, x1, [x2]").operands.back().memory_bits, 128);
  EXPECT_EQ(ParseOne(arm, "strb w0, [x2]").operands.back().memory_bits, 8);
}

TEST(Memory, OrdinaryPatternsAreOrdinary) {
  // As its 80 bits lie in memory: the exponent behind the mantissa.
  const std::uint64_t extended = arch::OrdinaryPattern(ElementKind::kExtended);
  EXPECT_NE(extended >> 63, 0u) << "normal";
  EXPECT_EQ(extended & 0xffff, 0x3fffu) << "from 1 to 2";
  const double number = std::bit_cast<double>(arch::OrdinaryPattern(ElementKind::kDouble));
  EXPECT_TRUE(number > 2 && number < 8);
  const auto single = static_cast<std::uint32_t>(arch::OrdinaryPattern(ElementKind::kSingle));
  EXPECT_TRUE(std::bit_cast<float>(single) > 2 && std::bit_cast<float>(single) < 4);
}

// `fimul` by the usual value overflows after a thousand copies, and infinity takes 300 cycles.
TEST(Memory, X87MultipliesAndDividesByNumbersNearOne) {
  Assembler x86 = MakeX86();
  const auto memory_of = [&x86](std::string_view text) {
    const Instruction instruction = ParseOne(x86, text);
    EXPECT_THAT(instruction.value_sets, IsEmpty());
    return instruction.operands.back().factor.value_or(0);
  };
  EXPECT_EQ(memory_of("fimul word ptr [rbx]"), 0x0001'0001'0001'0001u);
  EXPECT_EQ(memory_of("fimul dword ptr [rbx]"), 0x0000'0001'0000'0001u);
  EXPECT_EQ(memory_of("fidivr word ptr [rbx]"), 0x0003'0003'0003'0003u);
  EXPECT_EQ(memory_of("fmul dword ptr [rbx]"), arch::kSingleNearOne);
  EXPECT_EQ(memory_of("fdiv qword ptr [rbx]"), arch::kDoubleNearOne);
  EXPECT_EQ(memory_of("fiadd word ptr [rbx]"), 0u);
  EXPECT_EQ(memory_of("fmul st, st(1)"), 0u);
}

std::string ReloadOf(Assembler& assembler, std::string_view text) {
  const Instruction store = ParseOne(assembler, text);
  for (std::size_t i = 0; i < store.operands.size(); ++i) {
    const Operand& operand = store.operands[i];
    if (operand.kind != OperandKind::kRegister || !operand.read ||
        operand.address != AddressPart::kNone || operand.stack_pointer) {
      continue;
    }
    const auto load = assembler.Reload(store, i);
    return load ? load->text : "none";
  }
  return "nothing stored";
}

TEST(Reload, ReadsBackX86Stores) {
  Assembler x86 = Make(Architecture::kX86_64, "graniterapids");
  EXPECT_EQ(ReloadOf(x86, "mov [rbx + 8*rcx + 16], rdx"), "mov rax, qword ptr [rbx + 8*rcx + 16]");
  EXPECT_EQ(ReloadOf(x86, "mov byte ptr [rbx], dl"), "movzx eax, byte ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "movaps [rbx], xmm3"), "movdqu xmm0, xmmword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "vmovaps [rbx], xmm3"), "vmovdqu xmm0, xmmword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "vmovups [rbx], zmm3"), "vmovdqu64 zmm0, zmmword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "movss [rbx], xmm3"), "movd xmm0, dword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "movq [rbx], mm3"), "movq mm0, qword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "kmovd [rbx], k3"), "kmovd k0, dword ptr [rbx]");
  EXPECT_EQ(ReloadOf(x86, "push rcx"), "pop rax");
  EXPECT_EQ(ReloadOf(x86, "tilestored [rbx + rcx], tmm3"), "tileloadd tmm0, [rbx + rcx]");
  Assembler att = MakeX86(Syntax::kAtt);
  EXPECT_EQ(ReloadOf(att, "movq %rdx, 16(%rbx)"), "movq 16(%rbx), %rax");
  EXPECT_EQ(ReloadOf(att, "pushq %rcx"), "popq %rax");
}

TEST(Reload, ReadsBackAArch64Stores) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ReloadOf(arm, "str x3, [x1, #16]"), "ldr x0, [x1, #16]");
  EXPECT_EQ(ReloadOf(arm, "stur x3, [x1, #-8]"), "ldur x0, [x1, #-8]");
  EXPECT_EQ(ReloadOf(arm, "strb w3, [x1]"), "ldrb w0, [x1]");
  EXPECT_EQ(ReloadOf(arm, "str q3, [x1, #16]!"), "ldr q0, [x1]");
  EXPECT_EQ(ReloadOf(arm, "str x3, [x1], #8"), "ldur x0, [x1, #-8]");
  EXPECT_EQ(ReloadOf(arm, "stp x3, x4, [x1], #16"), "ldur x0, [x1, #-16]");
  EXPECT_EQ(ReloadOf(arm, "stp w3, w4, [x1, #8]"), "ldr w0, [x1, #8]");
  EXPECT_EQ(ReloadOf(arm, "str w3, [x1, x2, lsl #2]"), "ldr w0, [x1, x2, lsl #2]");
  EXPECT_EQ(ReloadOf(arm, "st1 {v3.h}[2], [x1]"), "ld1 { v0.h }[2], [x1]");
  EXPECT_EQ(ReloadOf(arm, "st1 {v3.16b}, [x1], #16"), "ldur q0, [x1, #-16]");
  EXPECT_EQ(ReloadOf(arm, "stlr x3, [x1]"), "ldr x0, [x1]");
  const Instruction pair = ParseOne(arm, "stp x3, x4, [x1, #16]");
  EXPECT_EQ(arm.Reload(pair, 1)->text, "ldr x0, [x1, #24]") << "the second of the two";
}

}  // namespace
}  // namespace cyclescope::assembler
