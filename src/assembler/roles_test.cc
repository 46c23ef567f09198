#include "assembler/roles.h"

#include <gtest/gtest.h>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

struct Case {
  std::string_view text;
  std::string_view roles;
};

class AArch64Roles : public testing::TestWithParam<Case> {};

TEST_P(AArch64Roles, AreTheManuals) {
  Assembler assembler = MakeAArch64();
  EXPECT_EQ(Roles(ParseOne(assembler, GetParam().text)), GetParam().roles) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Forms, AArch64Roles,
    testing::Values(Case{"madd x0, x1, x2, x3", "x0:w x1:r x2:r x3:r"},
                    Case{"adds x0, x1, x2", "x0:w x1:r x2:r flags:w!"},
                    Case{"adc w0, w1, w2", "w0:w w1:r w2:r flags:r!"},
                    Case{"csel x0, x1, x2, eq", "x0:w x1:r x2:r flags:r!"},
                    Case{"ccmp x0, x1, #0, eq", "x0:r x1:r flags:rw!"},
                    Case{"movk x0, #1, lsl #16", "x0:rw"}, Case{"bfi x0, x1, #4, #8", "x0:rw x1:r"},
                    Case{"mov x0, x1", "x0:w xzr:r x1:r"}, Case{"add x0, sp, #16", "x0:w sp:r"},
                    Case{"ldr x0, [x1]", "x0:w x1:r@base memory:r!"},
                    Case{"ldr x0, [x1], #8", "x0:w x1:rw@base memory:r!"},
                    Case{"ldr x0, [x1, #8]!", "x0:w x1:rw@base memory:r!"},
                    Case{"ldr x0, [x1, x2, lsl #3]", "x0:w x1:r@base x2:r@index memory:r!"},
                    Case{"ldp x0, x1, [x2, #16]", "x0:w x1:w x2:r@base memory:r!"},
                    Case{"str q0, [x1]", "q0:r x1:r@base memory:w!"},
                    Case{"stp x0, x1, [x2], #16", "x0:r x1:r x2:rw@base memory:w!"},
                    Case{"stxr w0, x1, [x2]", "w0:w x1:r x2:r@base memory:w!"},
                    Case{"ldaxr x1, [x2]", "x1:w x2:r@base memory:r!"},
                    Case{"ldadd x0, x1, [x2]", "x1:w x0:r x2:r@base memory:rw!"},
                    Case{"casp x0, x1, x2, x3, [x4]", "x0-x1:rw x2-x3:r x4:r@base memory:rw!"},
                    Case{"ld1 {v0.16b, v1.16b}, [x0]", "v0-v1:w x0:r@base memory:r!"},
                    Case{"ld1 {v0.16b}, [x0], x5", "v0:w x0:rw@base x5:r@increment memory:r!"},
                    Case{"ld1 {v0.s}[1], [x0]", "v0:rw x0:r@base memory:r!"},
                    Case{"fmla v0.4s, v1.4s, v2.4s", "v0:rw v1:r v2:r"},
                    Case{"fadd d0, d1, d2", "d0:w d1:r d2:r"},
                    Case{"fcmp d0, d1", "d0:r d1:r flags:w!"}, Case{"fmov x0, d1", "x0:w d1:r"},
                    Case{"umov w0, v1.s[1]", "w0:w v1:r"},
                    Case{"tbl v0.16b, {v1.16b, v2.16b}, v3.16b", "v0:w v1-v2:r v3:r"},
                    Case{"ldapursw x0, [x1, #4]", "x0:w x1:r@base memory:r!"},
                    Case{"dc zva, x0", "x0:r@base memory:w!"}, Case{"dc cvau, x0", "x0:r@base"},
                    Case{"prfm pldl1keep, [x0]", "x0:r@base"}, Case{"dmb ish", ""},
                    Case{"mrs x0, tpidr_el0", "x0:w"}, Case{"mrs x0, rndr", "x0:w flags:w!"},
                    Case{"blr x3", "x3:r x30:w!"}, Case{"ret", "x30:r"}));

class X86Roles : public testing::TestWithParam<Case> {};

TEST_P(X86Roles, AreTheManuals) {
  Assembler assembler = MakeX86();
  EXPECT_EQ(Roles(ParseOne(assembler, GetParam().text)), GetParam().roles) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Forms, X86Roles,
    testing::Values(
        Case{"imul r10, r11", "r10:rw r11:r flags:w!"},
        Case{"mul rcx", "rcx:r rax:rw! rdx:w! flags:w!"},
        Case{"div rcx", "rcx:r rax:rw! rdx:rw! flags:w!"},
        Case{"adc rax, rbx", "rax:rw rbx:r flags:rw!"},
        Case{"shl rax, cl", "rax:rw cl:r! flags:w!"}, Case{"setc al", "al:w~ flags:r!"},
        Case{"mov ax, bx", "ax:w~ bx:r"}, Case{"mov eax, ebx", "eax:w ebx:r"},
        Case{"cmpxchg rbx, rcx", "rbx:rw rcx:r rax:rw! flags:w!"},
        Case{"lock cmpxchg [rbx], rcx", "rbx:r@base rcx:r rax:rw! flags:w! memory:rw!"},
        Case{"xchg rbx, rcx", "rbx:rw rcx:rw"}, Case{"xadd rbx, rcx", "rbx:rw rcx:rw flags:w!"},
        Case{"mov rax, [rbx + 8*rcx + 16]", "rax:w rbx:r@base rcx:r@index memory:r!"},
        Case{"mov [rbx], rax", "rbx:r@base rax:r memory:w!"},
        Case{"add [rbx], rax", "rbx:r@base rax:r flags:w! memory:rw!"},
        Case{"lea rax, [rbx + 8]", "rax:w rbx:r@base"},
        Case{"pdep rax, rbx, rcx", "rax:w rbx:r rcx:r"},
        Case{"push rax", "rax:r rsp:rw! memory:w!"}, Case{"pop rcx", "rcx:w rsp:rw! memory:r!"},
        Case{"call rax", "rax:r rsp:rw! memory:w!"}, Case{"ret", "rsp:rw! memory:r!"},
        Case{"movss dword ptr [rcx], xmm0", "rcx:r@base xmm0:r memory:w!"},
        Case{"rep movsb", "rdi:rw@base rsi:rw@base rcx:rw! memory:r! memory:w!"},
        Case{"lodsq", "rsi:rw@base rax:w! memory:r!"},
        Case{"cmovbe rax, rbx", "rax:rw rbx:r flags:r!"},
        Case{"sqrtss xmm0, xmm1", "xmm0:w~ xmm1:r"}, Case{"cvtsi2sd xmm0, rax", "xmm0:w~ rax:r"},
        Case{"vsqrtss xmm0, xmm1, xmm2", "xmm0:w xmm1:r xmm2:r"},
        Case{"movss xmm0, xmm1", "xmm0:rw xmm1:r"},
        Case{"vpaddd zmm0 {k1} {z}, zmm1, zmm2", "zmm0:w k1:r zmm1:r zmm2:r"},
        Case{"vpaddd zmm0 {k1}, zmm1, zmm2", "zmm0:rw k1:r zmm1:r zmm2:r"},
        Case{"vgatherdps ymm0, [rax + 4*ymm1], ymm2",
             "ymm0:rw rax:r@base ymm1:r@index ymm2:rw memory:r!"},
        Case{"vfmadd213ps ymm0, ymm1, ymm2", "ymm0:rw ymm1:r ymm2:r"},
        Case{"fadd st, st(1)", "st(1):r st(0):rw!"}, Case{"fxch st(1)", "st(1):rw st(0):rw!"},
        Case{"fcomi st, st(1)", "st(1):r st(0):r! flags:w!"}, Case{"fnop", ""}, Case{"mfence", ""},
        Case{"vzeroupper", ""}, Case{"cqo", "rax:r! rdx:w!"}, Case{"cdq", "eax:r! edx:w!"},
        Case{"push qword ptr [rax]", "rax:r@base rsp:rw! memory:r! memory:w!"},
        Case{"pop word ptr [rax]", "rax:r@base rsp:rw! memory:r! memory:w!"},
        Case{"push ax", "ax:r rsp:rw! memory:w!"},
        Case{"vmaskmovps [rax], ymm0, ymm1", "rax:r@base ymm0:r ymm1:r memory:w!"},
        Case{"vmaskmovps ymm0, ymm1, [rax]", "ymm0:w ymm1:r rax:r@base memory:r!"},
        Case{"ldmxcsr [rax]", "rax:r@base memory:r!"}, Case{"fxsave [rax]", "rax:r@base memory:w!"},
        Case{"sgdt [rax]", "rax:r@base memory:w!"}, Case{"xlatb", "al:rw!~ rbx:r@base! memory:r!"},
        Case{"loop next; next:", "rcx:rw!"}, Case{"enter 16, 0", "rbp:rw! rsp:rw! memory:w!"},
        Case{"fadd st(3), st", "st(3):rw st(0):r!"}, Case{"fst st(3)", "st(3):w st(0):r!"},
        Case{"fprem", "st(0):rw! st(1):r!"}, Case{"prefetcht0 [rax]", "rax:r@base"},
        Case{"nop dword ptr [rax]", "rax:r@base"}));

TEST(Roles, OverlappingRegistersAreOneRegister) {
  Assembler arm = MakeAArch64();
  const Instruction narrow = ParseOne(arm, "add w5, w6, w7");
  const Instruction wide = ParseOne(arm, "add x5, x6, x7");
  EXPECT_TRUE(narrow.operands[0].reg.Overlaps(wide.operands[0].reg));
  EXPECT_FALSE(narrow.operands[0].reg.Overlaps(wide.operands[1].reg));
  EXPECT_EQ(narrow.operands[0].reg.bits, 32);
  EXPECT_TRUE(ParseOne(arm, "fadd d3, d1, d2")
                  .operands[0]
                  .reg.Overlaps(ParseOne(arm, "fadd v3.4s, v1.4s, v2.4s").operands[0].reg));

  Assembler x86 = MakeX86();
  const Register rdi = ParseOne(x86, "mov rdi, rbx").operands[0].reg;
  EXPECT_TRUE(ParseOne(x86, "mov dil, bl").operands[0].reg.Overlaps(rdi));
  const Register ah = ParseOne(x86, "mov ah, bl").operands[0].reg;
  EXPECT_TRUE(ah.high_byte);
  EXPECT_TRUE(ah.Overlaps(ParseOne(x86, "mov rax, rbx").operands[0].reg));
  EXPECT_TRUE(ParseOne(x86, "vaddps xmm9, xmm1, xmm2")
                  .operands[0]
                  .reg.Overlaps(ParseOne(x86, "vaddps zmm9, zmm1, zmm2").operands[0].reg));
}

TEST(Roles, AllowedRegistersLeaveOutTheStackPointerAndZero) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ParseOne(arm, "add x0, x1, x2").operands[0].allowed, 0x7fffffffu);
  EXPECT_EQ(ParseOne(arm, "ldr x0, [sp]").operands[1].allowed, 0x7fffffffu);
  EXPECT_EQ(ParseOne(arm, "mov x0, x1").operands[1].allowed, 0u) << "xzr makes it a mov";
  EXPECT_EQ(ParseOne(arm, "mul v0.8h, v1.8h, v2.h[3]").operands[2].allowed, 0xffffu);
  EXPECT_EQ(ParseOne(arm, "casp x0, x1, x2, x3, [x4]").operands[0].allowed, 0x15555555u);

  Assembler x86 = MakeX86();
  EXPECT_EQ(ParseOne(x86, "add rax, rbx").operands[0].allowed, 0xffefu);
  EXPECT_EQ(ParseOne(x86, "vaddps xmm0, xmm1, xmm2").operands[0].allowed, 0xffffu) << "VEX";
  EXPECT_EQ(ParseOne(x86, "vaddps zmm0, zmm1, zmm2").operands[0].allowed, 0xffffffffu);
  EXPECT_EQ(ParseOne(x86, "vpaddd zmm0 {k1}, zmm1, zmm2").operands[1].allowed, 0xfeu);
  EXPECT_EQ(ParseOne(x86, "mov ah, bl").operands[1].allowed, 0xfu) << "no REX beside ah";
}

TEST(Roles, RegistersThatMustDifferSaySo) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ParseOne(arm, "ldp x0, x1, [x2]").operands[0].differs_from, 0b010u);
  EXPECT_EQ(ParseOne(arm, "ldr x0, [x1], #8").operands[0].differs_from, 0b010u);
  EXPECT_EQ(ParseOne(arm, "ldr x0, [x1]").operands[0].differs_from, 0u);
  EXPECT_EQ(ParseOne(arm, "stxr w0, x1, [x2]").operands[0].differs_from, 0b110u);
  EXPECT_EQ(ParseOne(arm, "ldr d0, [x1], #8").operands[0].differs_from, 0u);

  Assembler x86 = MakeX86();
  const Instruction gather = ParseOne(x86, "vgatherdps ymm0, [rax + 4*ymm1], ymm2");
  EXPECT_EQ(gather.operands[0].differs_from, 1u << 3 | 1u << 5);
}

TEST(Roles, FlagsTellWhatAnInstructionDoes) {
  Assembler arm = MakeAArch64();
  EXPECT_TRUE(ParseOne(arm, "br x0").flags.indirect);
  EXPECT_TRUE(ParseOne(arm, "svc #0").flags.traps);
  EXPECT_TRUE(ParseOne(arm, "tlbi vmalle1").flags.privileged);
  EXPECT_FALSE(ParseOne(arm, "dc zva, x0").flags.privileged);
  EXPECT_TRUE(ParseOne(arm, "mrs x0, sctlr_el1").flags.privileged);
  EXPECT_FALSE(ParseOne(arm, "mrs x0, cntvct_el0").flags.privileged);

  Assembler x86 = MakeX86();
  EXPECT_TRUE(ParseOne(x86, "mov rax, cr0").flags.privileged);
  EXPECT_FALSE(ParseOne(x86, "mov rax, fs:[rbx]").flags.privileged);
  EXPECT_TRUE(ParseOne(x86, "wrmsr").flags.privileged);
  EXPECT_TRUE(ParseOne(x86, "syscall").flags.traps);
}

TEST(Roles, PlainLoadsGiveWhatMemoryHolds) {
  Assembler arm = MakeAArch64();
  for (const char* text :
       {"ldr x0, [x1]", "ldrb w0, [x1, x2]", "ldrsw x0, [x1], #4", "ldur q0, [x1, #3]",
        "ldp x0, x2, [x1, #16]!", "ldar x0, [x1]", "ld1 {v0.16b, v1.16b}, [x2]"})
    EXPECT_TRUE(ParseOne(arm, text).flags.plain_load) << text;
  for (const char* text : {"str x0, [x1]", "ldadd x0, x1, [x2]", "ld1 {v0.s}[1], [x1]",
                           "ld2 {v0.4s, v1.4s}, [x2]", "add x0, x1, x2"})
    EXPECT_FALSE(ParseOne(arm, text).flags.plain_load) << text;

  Assembler x86 = MakeX86();
  for (const char* text : {"mov rax, [rbx]", "movzx eax, byte ptr [rbx]"})
    EXPECT_TRUE(ParseOne(x86, text).flags.plain_load) << text;
  for (const char* text : {"mov [rbx], rax", "add rax, [rbx]", "mov rax, rbx"})
    EXPECT_FALSE(ParseOne(x86, text).flags.plain_load) << text;
}

TEST(Roles, TilesCanBeRenamed) {
  Assembler x86 = Make(Architecture::kX86_64, "graniterapids");
  const Instruction multiply = ParseOne(x86, "tdpbf16ps tmm0, tmm1, tmm2");
  EXPECT_EQ(Roles(multiply), "tmm0:rw tmm1:r tmm2:r");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(multiply.operands[i].reg.file, RegisterFile::kTile);
    EXPECT_EQ(multiply.operands[i].allowed, 0xffu);
    EXPECT_EQ(multiply.operands[i].differs_from, 0b111u & ~(1u << i)) << "or it faults";
  }
  EXPECT_EQ(x86.Rename(multiply, {{{.operand = 0, .index = 5}}}).text,
            "tdpbf16ps tmm5, tmm1, tmm2");
  EXPECT_EQ(Roles(ParseOne(x86, "tileloadd tmm0, [rbx + rcx]")),
            "tmm0:w rbx:r@base rcx:r@index memory:r!");
  EXPECT_EQ(Roles(ParseOne(x86, "tilestored [rbx + rcx], tmm0")),
            "rbx:r@base rcx:r@index tmm0:r memory:w!");
  EXPECT_EQ(Roles(ParseOne(x86, "tilezero tmm0")), "tmm0:w");
  const Instruction configure = ParseOne(x86, "ldtilecfg [rbx]");
  EXPECT_TRUE(configure.operands.back().read && !configure.operands.back().written);
}

TEST(Roles, X87FormsSayWhetherTheyWriteOnlyTheTop) {
  Assembler x86 = MakeX86();
  EXPECT_TRUE(ParseOne(x86, "fadd st, st(1)").flags.writes_x87_top_only);
  EXPECT_TRUE(ParseOne(x86, "fsqrt").flags.writes_x87_top_only);
  EXPECT_FALSE(ParseOne(x86, "fcomi st, st(1)").flags.writes_x87_top_only);
  const Instruction add = ParseOne(x86, "fadd st(1), st");
  EXPECT_FALSE(add.flags.writes_x87_top_only);
  EXPECT_EQ(add.operands[0].allowed, 0xfeu) << "seven destinations";
}

TEST(Roles, RemarksAndReasonsAreTheInstructions) {
  Assembler x86 = MakeX86();
  EXPECT_TRUE(ParseOne(x86, "add ax, 300").flags.length_changing_prefix);
  EXPECT_TRUE(ParseOne(x86, "mov word ptr [rbx], 300").flags.length_changing_prefix);
  EXPECT_FALSE(ParseOne(x86, "add ax, 5").flags.length_changing_prefix);
  EXPECT_FALSE(ParseOne(x86, "add eax, 300").flags.length_changing_prefix);
  const auto remarks_of = [&x86](const char* text) { return ParseOne(x86, text).remarks; };
  EXPECT_EQ(remarks_of("rep movsb"),
            (std::vector<Claim>{{ClaimCode::kRepeats, {{"times", 64.0}}}}));
  EXPECT_EQ(remarks_of("add ax, 300"),
            (std::vector<Claim>{{ClaimCode::kLengthChangingPrefix, {}}}));
  EXPECT_EQ(remarks_of("cpuid"), (std::vector<Claim>{{ClaimCode::kHypervisorAnswers, {}}}));
  for (const char* text : {"movsb", "add ax, 5", "add eax, 300", "xgetbv"})
    EXPECT_TRUE(remarks_of(text).empty()) << text;
  EXPECT_NE(ParseOne(x86, "leave").refusal, "");
  EXPECT_NE(ParseOne(x86, "rdpmc").fault_reason, "");
  EXPECT_NE(ParseOne(x86, "mov rax, [ebx]").fault_reason, "");
  EXPECT_EQ(ParseOne(x86, "mov rax, [rbx]").fault_reason, "");
}

TEST(Roles, AreTheSameInAttSyntax) {
  Assembler att = MakeX86(Syntax::kAtt);
  EXPECT_EQ(Roles(ParseOne(att, "cvtsi2sdq %rax, %xmm0")), "xmm0:w~ rax:r");
  EXPECT_EQ(Roles(ParseOne(att, "fadds (%rbx)")), "rbx:r@base st(0):rw! memory:r!");
  EXPECT_TRUE(ParseOne(att, "fldl (%rbx)").flags.moves_x87_stack);
  EXPECT_TRUE(ParseOne(att, "sysretq").flags.privileged);
  EXPECT_TRUE(ParseOne(att, "inb $5, %al").flags.privileged);
  EXPECT_TRUE(ParseOne(att, "lidtq (%rbx)").flags.privileged);
}

TEST(Roles, ConditionsAndModifiersAreNoImmediates) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ParseOne(arm, "csel x0, x1, x2, eq").operands[3].kind, OperandKind::kCondition);
  EXPECT_EQ(ParseOne(arm, "add x0, x1, x2, lsl #17").operands[3].kind, OperandKind::kModifier);
  EXPECT_EQ(ParseOne(arm, "add x0, x1, #17").operands[2].kind, OperandKind::kImmediate);
  Assembler x86 = MakeX86();
  EXPECT_EQ(ParseOne(x86, "cmovbe rax, rbx").operands[2].kind, OperandKind::kCondition);
  EXPECT_EQ(ParseOne(x86, "mov rax, [rbx + 8*rcx]").operands[2].kind, OperandKind::kModifier);
  EXPECT_EQ(ParseOne(x86, "vaddps zmm0, zmm1, zmm2, {rn-sae}").operands[3].kind,
            OperandKind::kModifier);
}

}  // namespace
}  // namespace cyclescope::assembler
