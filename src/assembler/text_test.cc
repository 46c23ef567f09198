// Text of every kind: good, wrong, of other CPUs, hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Assembler> MakeAll() {
  std::vector<Assembler> assemblers;
  assemblers.push_back(MakeAArch64());
  assemblers.push_back(MakeX86());
  assemblers.push_back(MakeX86(Syntax::kAtt));
  return assemblers;
}

TextError ErrorOf(Assembler& assembler, std::string_view text) {
  auto assembled = assembler.Assemble(text);
  if (assembled) {
    ADD_FAILURE() << "was accepted: " << text;
    return {};
  }
  return assembled.error();
}

TEST(Text, SeparatorsLabelsAndComments) {
  Assembler arm = MakeAArch64();
  auto parsed = arm.Parse("add x0, x1, x2; sub x3, x4, x5 // a comment; with a separator\n\n nop");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 3u);
  EXPECT_EQ((*parsed)[1].text, "sub x3, x4, x5");
  EXPECT_EQ((*parsed)[1].mnemonic, "sub");
  EXPECT_EQ((*parsed)[1].opcode, "SUBXrs");
  EXPECT_TRUE(arm.Parse("")->empty());
  EXPECT_TRUE(arm.Parse("  \n ; // nothing\n")->empty());
}

TEST(Text, BytesAreTheManuals) {
  Assembler arm = MakeAArch64();
  EXPECT_THAT(arm.Assemble("madd x0, x1, x2, x3")->bytes, ElementsAre(0x20, 0x0c, 0x02, 0x9b));
  Assembler x86 = MakeX86();
  EXPECT_THAT(x86.Assemble("vaddps zmm0, zmm1, zmm2")->bytes,
              ElementsAre(0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2));
}

TEST(Text, LabelsAndBranchesAreResolved) {
  Assembler arm = MakeAArch64();
  EXPECT_THAT(arm.Assemble("again: subs x0, x0, #1\n b.ne again")->bytes,
              ElementsAre(0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54));
  EXPECT_THAT(arm.Assemble("1: cbz x0, 1f; b 1b; 1: nop")->bytes,
              ElementsAre(0x40, 0, 0, 0xb4, 0xff, 0xff, 0xff, 0x17, 0x1f, 0x20, 0x03, 0xd5));
  Assembler x86 = MakeX86();
  EXPECT_THAT(x86.Assemble("again: dec rax; jne again")->bytes,
              ElementsAre(0x48, 0xff, 0xc8, 0x75, 0xfb));
  std::string far = "jmp end\n";  // too far for a branch of two bytes
  for (int i = 0; i < 50; ++i) far += "vaddps zmm0, zmm1, zmm2\n";
  EXPECT_EQ(x86.Assemble(far + "end:")->bytes.size(), 5u + 50 * 6);
  EXPECT_THAT(x86.Assemble("mov rax, [rip + here]; here: nop")->bytes,
              ElementsAre(0x48, 0x8b, 0x05, 0, 0, 0, 0, 0x90));
}

TEST(Text, AttSyntaxOnRequest) {
  Assembler x86 = MakeX86(Syntax::kAtt);
  const Instruction load = ParseOne(x86, "movq 16(%rbx,%rcx,8), %rax");
  EXPECT_EQ(load.text, "movq 16(%rbx,%rcx,8), %rax");
  EXPECT_EQ(Roles(load), "rax:w rbx:r@base rcx:r@index memory:r!");
  EXPECT_THAT(x86.Encode(load), ElementsAre(0x48, 0x8b, 0x44, 0xcb, 0x10));
}

TEST(Text, AnInstructionWithoutItsOperandsIsNone) {
  Assembler assembler = MakeAArch64();
  for (const char* text : {"bfdot", "bfdot // v0.2s, v1.4h, v2.4h"}) {
    const auto parsed = assembler.Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().kind, TextErrorKind::kSyntax);
    EXPECT_FALSE(assembler.Assemble(text).has_value());
  }
}

TEST(Text, ErrorsPointAtThePlace) {
  Assembler arm = MakeAArch64();
  const TextError error = ErrorOf(arm, "nop\nadd x0, x1, q2\nnop");
  EXPECT_EQ(error.kind, TextErrorKind::kSyntax);
  EXPECT_EQ(error.line, 2u);
  EXPECT_EQ(error.column, 13u);
  EXPECT_EQ(error.Excerpt(), "add x0, x1, q2\n            ^");
  EXPECT_THAT(error.ToError().ToString(), HasSubstr("line 2, column 13: "));
  EXPECT_EQ(error.ToError().kind, ErrorKind::kBadInput);
}

TEST(Text, UnknownNamesGetNearOnes) {
  Assembler arm = MakeAArch64();
  const TextError error = ErrorOf(arm, "maddd x0, x1, x2, x3");
  EXPECT_EQ(error.message, "there is no instruction 'maddd'");
  EXPECT_THAT(error.hint, HasSubstr("madd"));
  Assembler x86 = MakeX86();
  EXPECT_THAT(ErrorOf(x86, "vaddpx ymm0, ymm1, ymm2").hint, HasSubstr("vaddps"));
  EXPECT_THAT(ErrorOf(x86, "qqqqqqqq rax").hint, IsEmpty());
}

TEST(Text, MissingFeaturesAreNamedAsPeopleDo) {
  Assembler arm = MakeAArch64();
  const TextError sve = ErrorOf(arm, "fadd z0.s, z1.s, z2.s");
  EXPECT_EQ(sve.kind, TextErrorKind::kNeedsFeature);
  EXPECT_THAT(sve.features, ElementsAre("sve"));
  EXPECT_EQ(sve.message, "'fadd' needs sve, which is not offered here");
  EXPECT_THAT(ErrorOf(arm, "pacia x0, x1").features, ElementsAre("paca"));
  EXPECT_THAT(ErrorOf(arm, "abs x0, x1").features, ElementsAre("cssc"));

  Assembler plain = Make(Architecture::kX86_64, "");
  EXPECT_THAT(ErrorOf(plain, "vaddpd zmm0, zmm1, zmm2").features, ElementsAre("avx512f"));
  EXPECT_THAT(ErrorOf(plain, "vaddpd ymm0, ymm1, ymm2").features, ElementsAre("avx"));
  EXPECT_THAT(ErrorOf(plain, "vpaddd ymm0, ymm1, ymm2").features, ElementsAre("avx2"));
  EXPECT_THAT(ErrorOf(plain, "pdep rax, rbx, rcx").features, ElementsAre("bmi2"));
  EXPECT_THAT(ErrorOf(plain, "popcnt rax, rbx").features, ElementsAre("popcnt"));
  EXPECT_TRUE(plain.Parse("addps xmm0, xmm1; cmovbe rax, rbx; imul rax, rbx"));
  Assembler x86 = MakeX86();
  EXPECT_THAT(ErrorOf(x86, "vpdpbusd zmm0, zmm1, zmm2").features, ElementsAre("avx512_vnni"));
}

// A loop of a compiler's file may be left in its middle, for a label that is elsewhere.
TEST(Text, LabelsOfAPartMayBeElsewhere) {
  auto x86 = MakeX86(Syntax::kAtt);
  const auto loop = x86.AssemblePart(".L3:\ndecl %ecx\nje .L9\ntestb $1, %al\njne .L3\n");
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->instructions.size(), 4u);
  const auto decoded = x86.Decode(loop->bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->size(), 4u);
  auto aarch64 = MakeAArch64();
  const auto other = aarch64.AssemblePart(".L3:\nsubs x0, x0, #1\nb.eq .L9\ncbnz x1, .L3\n");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->bytes.size(), 12u);
  EXPECT_FALSE(x86.AssemblePart("jmp 1f\n"));
}

// Where a jump leads through a table stands beside the code.
TEST(Text, ResolvesTheTargetsOfTables) {
  auto x86 = MakeX86(Syntax::kAtt);
  const JumpTable table{.jump = 1, .targets = {".L5", "", ".L3"}};
  const auto part = x86.AssemblePart(
      ".L3:\nmovzbl (%rdi), %eax\njmp *.L4(,%rax,8)\n.L5:\nincq %rdi\njne .L3\nje .L9\n",
      std::span(&table, 1));
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->bytes.size(), 3u + 7u + 3u + 2u + 2u);
  EXPECT_EQ(part->instructions.size(), 5u);
  ASSERT_EQ(part->tables.size(), 1u);
  EXPECT_EQ(part->tables[0].jump, 1u);
  EXPECT_THAT(part->tables[0].offsets, ElementsAre(10u, std::nullopt, 0u));
}

TEST(Text, LabelsMustBeThere) {
  Assembler arm = MakeAArch64();
  const TextError error = ErrorOf(arm, "nop\nbl nowhere");
  EXPECT_EQ(error.kind, TextErrorKind::kNoSuchLabel);
  EXPECT_THAT(error.message, HasSubstr("'nowhere'"));
  EXPECT_EQ(error.line, 2u);
  EXPECT_EQ(error.column, 4u);
  EXPECT_EQ(ErrorOf(arm, "adrp x0, here; here: nop").kind, TextErrorKind::kNotAllowed);
}

class Hostile : public testing::TestWithParam<std::string> {};

TEST_P(Hostile, IsRefused) {
  for (Assembler& assembler : MakeAll()) {
    const TextError error = ErrorOf(assembler, GetParam());
    EXPECT_TRUE(error.kind == TextErrorKind::kNotAllowed || error.kind == TextErrorKind::kTooLong)
        << error.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Hostile,
    testing::Values(".incbin \"/etc/passwd\"", ".include \"/etc/passwd\"",
                    "nop; .incbin \"/dev/zero\"", "a: .space 1<<40", "a: b: .fill 1000000000, 8, 0",
                    "/* x */ .org 0x7fffffffffff", ".rept 1000000000\nnop\n.endr",
                    ".macro m\nnop\n.endm", ".if 1", ".quad 1", "a = b", "a == 5", ". = 100",
                    "nop\n.data", "1: .p2align 40", ".req", std::string(kMaxTextBytes + 1, '\n'),
                    "mov x0, " + std::string(kMaxStatementBytes, '('),
                    "nop" + std::string(1, '\0') + ".incbin \"x\""),
    [](const auto& test) { return "text" + std::to_string(test.index); });

TEST(Text, DivisionInExpressionsIsRefused) {
  Assembler x86 = MakeX86();
  EXPECT_EQ(ErrorOf(x86, "mov eax, 1/0").kind, TextErrorKind::kNotAllowed);
  EXPECT_EQ(ErrorOf(x86, "mov eax, 5 mod 0").kind, TextErrorKind::kNotAllowed);
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ErrorOf(arm, "mov x0, #(0x8000000000000000 / -1)").kind, TextErrorKind::kNotAllowed);
  EXPECT_EQ(ErrorOf(arm, "ldr x0, =0x123456789abcdef").kind, TextErrorKind::kNotAllowed);
  EXPECT_EQ(ErrorOf(arm, "foo .req x0").kind, TextErrorKind::kNotAllowed);
}

TEST(Text, BracketsMustBeClosed) {
  Assembler x86 = MakeX86();
  const TextError error = ErrorOf(x86, "sbb ebx, dword ptr [rsi");
  EXPECT_EQ(error.message, "this '[' has no partner");
  EXPECT_EQ(error.column, 20u);
  EXPECT_EQ(ErrorOf(x86, "mov rax, [rbx)").message, "this ')' has no partner");
}

TEST(Text, AddressesThatLlvmWouldEncodeWronglyAreRefused) {
  Assembler x86 = MakeX86();
  EXPECT_THAT(ErrorOf(x86, "mov rax, [rbx + 0x123456789]").message, HasSubstr("32 bits"));
  EXPECT_TRUE(x86.Parse("mov rax, [rbx - 0x80000000]"));
  EXPECT_EQ(ErrorOf(x86, "mov rax, [rbx + xmm0]").message,
            "'mov' takes no vector register as an index");
}

// Words of assembly in any order, and any bytes between them: whatever comes out, something must.
TEST(Text, AnyTextGetsAnAnswer) {
  constexpr std::array<std::string_view, 48> kWords = {
      "add ", "ldr ",  "mov ",      "vaddps ", "lock ",     "b ",   "jmp ", "x0",
      "w1",   "sp",    "v0.4s",     "rax",     "xmm1",      "zmm2", "{k1}", "{z}",
      "[x0]", "[rax]", "[rax+rcx]", "#1",      "5",         "-1",   "1f",   "1:",
      "foo",  "foo:",  ",",         "(",       ")",         "[",    "]",    "{",
      "}",    "\n",    ";",         "!",       "lsl #3",    "eq",   "ptr ", "qword ",
      "\"",   "/*",    "*/",        "//",      ":lo12:foo", "$",    "%rax", "@"};
  std::mt19937 random(7);
  std::vector<Assembler> assemblers = MakeAll();
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto words = 1 + random() % 10; words > 0; --words) {
      text += random() % 30 == 0 ? std::string(1, static_cast<char>(random() % 256))
                                 : std::string(kWords[random() % kWords.size()]);
    }
    Assembler& assembler = assemblers[random() % assemblers.size()];
    const auto assembled = assembler.Assemble(text);
    EXPECT_TRUE(assembled || !assembled.error().message.empty()) << text;
  }
}

TEST(Text, InstructionsOfAnotherArchitectureAreNamed) {
  Assembler x86 = MakeX86();
  Assembler arm = MakeAArch64();
  const auto message = [](Assembler& assembler, std::string_view text) {
    const auto parsed = assembler.Parse(text);
    return parsed ? "taken" : parsed.error().message;
  };
  EXPECT_EQ(message(x86, "madd x0, x1, x2, x3"), "'madd' is an AArch64 instruction");
  EXPECT_EQ(message(x86, "add x0, x1, x2"), "the operands of this 'add' are AArch64's");
  EXPECT_EQ(message(arm, "imul rax, rbx"), "'imul' is an x86-64 instruction");
  EXPECT_EQ(message(arm, "add rax, rbx"), "the operands of this 'add' are x86-64's");
  EXPECT_EQ(message(arm, "maddd x0, x1, x2, x3"), "there is no instruction 'maddd'");
  EXPECT_EQ(message(x86, "imull rax, rbx, rcx, rdx").find("AArch64"), std::string::npos);
}

TEST(Text, TooFewOperandsAreNamed) {
  Assembler x86 = MakeX86();
  Assembler arm = MakeAArch64();
  for (Assembler* assembler : {&x86, &arm}) {
    const auto parsed = assembler->Parse(assembler == &x86 ? "add rax" : "add x0, x1");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message, "too few operands for 'add'");
  }
}

TEST(Text, WhatLlvmSaysOfOperandsIsSaidInPlainWords) {
  Assembler x86 = MakeX86();
  TextError error = ErrorOf(x86, "add rax rbx");
  EXPECT_EQ(error.message, "a comma is missing here");
  EXPECT_THAT(error.hint, HasSubstr("'add rax, rbx'"));
  EXPECT_EQ(error.column, 9u);
  error = ErrorOf(x86, "add eax, rbx");
  EXPECT_EQ(error.message, "no form of 'add' takes these operands");
  EXPECT_EQ(error.hint, "eax has 32 bits, rbx has 64");
  error = ErrorOf(x86, "nop; add rax, rbz");
  EXPECT_THAT(error.message, HasSubstr("'rbz'"));
  EXPECT_THAT(error.hint, HasSubstr("rbx"));
  EXPECT_EQ(ErrorOf(x86, "jmp nowhere").hint, "code can only refer to labels of its own");
  EXPECT_THAT(ErrorOf(x86, "jmp 1b").message, HasSubstr("no such label"));
  Assembler arm = MakeAArch64();
  EXPECT_EQ(ErrorOf(arm, "add x0, x1 x2").message, "a comma is missing here");
}

TEST(Text, ExcerptsAreShortAndSafe) {
  TextError error;
  error.line = 1;
  error.column = 201;
  error.source = std::string(200, 'a') + '\x1b' + std::string(200, 'b');
  const std::string excerpt = error.Excerpt();
  EXPECT_LT(excerpt.size(), 300U);
  EXPECT_EQ(excerpt.find('\x1b'), std::string::npos);
  const std::size_t newline = excerpt.find('\n');
  EXPECT_EQ(excerpt[excerpt.find('^') - newline - 1], '?');
}

TEST(Text, RegistersWithoutPercentAreNoAttSyntax) {
  Assembler x86 = MakeX86(Syntax::kAtt);
  for (const char* text : {"mov rax, rbx", "addq rax, rbx", "incq rax", "nop; mov rax, 5"}) {
    const TextError error = ErrorOf(x86, text);
    EXPECT_EQ(error.message, "registers have a % in AT&T syntax: %rax") << text;
    EXPECT_EQ(error.hint, "write it so, or leave out --syntax att");
  }
  EXPECT_THAT(ErrorOf(x86, "jmp somewhere").message, HasSubstr("no label"));
}

TEST(Text, LockNeedsMemoryToWrite) {
  Assembler x86 = MakeX86();
  for (const char* text : {"lock add rax, rbx", "lock add rax, [rbx]", "lock nop"})
    EXPECT_EQ(ErrorOf(x86, text).message, "'lock' needs a memory destination") << text;
  for (const char* text : {"lock mov [rbx], rax", "lock sete byte ptr [rbx]"})
    EXPECT_THAT(ErrorOf(x86, text).message, HasSubstr("read and written")) << text;
  for (const char* text : {"lock add [rbx], rax", "lock inc dword ptr [rbx]",
                           "lock cmpxchg16b [rbx]", "lock xchg [rbx], rax", "lock xadd [rbx], rax",
                           "lock bts qword ptr [rbx], 3", "lock not byte ptr [rbx]"}) {
    EXPECT_TRUE(x86.Assemble(text)) << text;
  }
}

TEST(Text, RegistersOfAttSyntaxSayHowToAskForIt) {
  Assembler x86 = MakeX86();
  const auto parsed = x86.Parse("addq %rax, %rbx");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "'%rax' is AT&T syntax");
  EXPECT_EQ(parsed.error().hint, "say --syntax att, or write it without %");
}

}  // namespace
}  // namespace cyclescope::assembler
