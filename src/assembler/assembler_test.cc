#include "assembler/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Renamed(Assembler& assembler, std::string_view text,
                    std::vector<RegisterChoice> choices) {
  const Instruction renamed = assembler.Rename(ParseOne(assembler, text), choices);
  // What it prints is what it is: the text parses back to the same bytes.
  auto again = assembler.Assemble(renamed.text);
  EXPECT_TRUE(again && again->bytes == assembler.Encode(renamed)) << renamed.text;
  EXPECT_EQ(assembler.Print(renamed), renamed.text);
  return renamed.text;
}

TEST(Rename, AArch64) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(Renamed(arm, "madd x0, x1, x2, x3", {{0, 5}, {3, 5}}), "madd x5, x1, x2, x5");
  EXPECT_EQ(Renamed(arm, "add w0, w1, w2", {{1, 30}}), "add w0, w30, w2");
  EXPECT_EQ(Renamed(arm, "fmla v0.4s, v1.4s, v2.4s", {{0, 31}}), "fmla v31.4s, v1.4s, v2.4s");
  EXPECT_EQ(Renamed(arm, "ldr x0, [x1], #8", {{1, 9}}), "ldr x0, [x9], #8");
  EXPECT_EQ(Renamed(arm, "ldr x0, [x1, x2, lsl #3]", {{2, 7}}), "ldr x0, [x1, x7, lsl #3]");
  EXPECT_EQ(Renamed(arm, "ld1 {v0.16b, v1.16b}, [x0]", {{0, 31}}), "ld1 { v31.16b, v0.16b }, [x0]");
  EXPECT_EQ(Renamed(arm, "casp x0, x1, x2, x3, [x4]", {{0, 8}, {1, 10}}),
            "casp x8, x9, x10, x11, [x4]");
  EXPECT_EQ(Renamed(arm, "fmov x0, d1", {{1, 17}}), "fmov x0, d17");
}

TEST(Rename, X86) {
  Assembler x86 = MakeX86();
  EXPECT_EQ(Renamed(x86, "add rax, rbx", {{0, 10}}), "add r10, rbx");
  EXPECT_EQ(Renamed(x86, "setc al", {{0, 6}}), "setb sil");
  EXPECT_EQ(Renamed(x86, "mov rax, [rbx + 8*rcx + 16]", {{1, 13}, {3, 12}}),
            "mov rax, qword ptr [r13 + 8*r12 + 16]");
  EXPECT_EQ(Renamed(x86, "mov rax, [ebx]", {{1, 9}}), "mov rax, qword ptr [r9d]");
  EXPECT_EQ(Renamed(x86, "vpaddd zmm0 {k1}, zmm1, zmm2", {{0, 31}, {1, 7}}),
            "vpaddd zmm31 {k7}, zmm1, zmm2");
  EXPECT_EQ(Renamed(x86, "vaddps xmm16, xmm17, xmm18", {{0, 0}, {1, 1}, {2, 2}}),
            "{evex} vaddps xmm0, xmm1, xmm2");
  EXPECT_EQ(Renamed(x86, "vgatherdps ymm0, [rax + 4*ymm1], ymm2", {{0, 5}, {3, 6}, {5, 7}}),
            "vgatherdps ymm5, ymmword ptr [rax + 4*ymm6], ymm7");
  EXPECT_EQ(Renamed(x86, "lock cmpxchg [rbx], rcx", {{0, 14}}),
            "lock cmpxchg qword ptr [r14], rcx");
}

TEST(EndsWithin, AnInstructionThatIsCutOff) {
  Assembler x86 = MakeX86();
  for (const Bytes& bytes : {Bytes{0x48, 0x0f}, Bytes{0xc5}, Bytes{0x62, 0xf1}, Bytes{0x48},
                             Bytes{0x90, 0x48, 0x0f, 0xaf}, Bytes{0xb8, 1, 0, 0}}) {
    EXPECT_TRUE(x86.EndsWithin(bytes)) << bytes.size();
  }
  // What is no instruction is not the beginning of one.
  for (const Bytes& bytes :
       {Bytes{0x48, 0x0f, 0xaf, 0xc1}, Bytes{0x90}, Bytes{0x06}, Bytes{0x0f, 0x04}, Bytes{}}) {
    EXPECT_FALSE(x86.EndsWithin(bytes)) << bytes.size();
  }
  Assembler arm = MakeAArch64();
  EXPECT_TRUE(arm.EndsWithin(Bytes{0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20}));
  EXPECT_FALSE(arm.EndsWithin(Bytes{0x1f, 0x20, 0x03, 0xd5}));
  EXPECT_FALSE(arm.EndsWithin(Bytes{0xff, 0xff, 0xff, 0xff}));
}

TEST(Features, AreWhatTheLeastCpuLacks) {
  Assembler arm = MakeAArch64();
  EXPECT_THAT(arm.Features(ParseOne(arm, "add x0, x1, x2")), IsEmpty());
  EXPECT_THAT(arm.Features(ParseOne(arm, "fadd v0.4s, v1.4s, v2.4s")), ElementsAre("asimd"));
  EXPECT_THAT(arm.Features(ParseOne(arm, "cas x0, x1, [x2]")), ElementsAre("atomics"));
  Assembler x86 = MakeX86();
  EXPECT_THAT(x86.Features(ParseOne(x86, "add rax, rcx")), IsEmpty());
  EXPECT_THAT(x86.Features(ParseOne(x86, "vpaddd ymm0, ymm1, ymm2")), ElementsAre("avx2"));
}

TEST(MachineText, IsThatOfLlvmsTools) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(arm.MachineText(ParseOne(arm, "add x0, x1, #1")), "ADDXri X0 X1 i_0x1 i_0x0");
  EXPECT_EQ(arm.MachineText(ParseOne(arm, "ld1 {v0.16b, v1.16b}, [x0]")), "LD1Twov16b Q0_Q1 X0");
  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.MachineText(ParseOne(x86, "mov rax, [rbx]")), "MOV64rm RAX RBX i_0x1  i_0x0 ")
      << "without index and segment";
}

TEST(Rename, UpdatesNamesRegistersAndLength) {
  Assembler x86 = MakeX86();
  const Instruction original = ParseOne(x86, "add eax, ebx");
  const Instruction renamed = x86.Rename(original, {{{.operand = 0, .index = 9}}});
  EXPECT_EQ(Roles(renamed), "r9d:rw ebx:r flags:w!");
  EXPECT_EQ(renamed.operands[0].reg.index, 9);
  EXPECT_EQ(original.length, 2);
  EXPECT_EQ(renamed.length, 3) << "with a REX prefix";
}

TEST(SetValue, ChangesImmediatesAndDisplacements) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(arm.SetValue(ParseOne(arm, "add x0, x1, #1"), 2, 4095)->text, "add x0, x1, #4095");
  EXPECT_EQ(arm.SetValue(ParseOne(arm, "ldr x0, [x1]"), 2, 2)->text, "ldr x0, [x1, #16]");
  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.SetValue(ParseOne(x86, "mov rax, [rbx]"), 3, 64)->text,
            "mov rax, qword ptr [rbx + 64]");
}

TEST(SetValue, RefusesWhatTheFieldDoesNotHold) {
  Assembler arm = MakeAArch64();
  const auto refused = arm.SetValue(ParseOne(arm, "add x0, x1, #1"), 2, 4096);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "'add x0, x1, #1' has no room for the value 4096");
}

TEST(Disassemble, SaysWhatBytesHold) {
  Assembler x86 = MakeX86();
  const std::vector<std::uint8_t> bytes = {0x48, 0x01, 0xd8, 0x06, 0x90};
  const auto lines = x86.Disassemble(bytes);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text, "add rax, rbx");
  EXPECT_EQ(lines[0].opcode, "ADD64rr");
  EXPECT_EQ(lines[1].text, "") << "06 was push es in 32-bit code";
  EXPECT_THAT(lines[1].bytes, ElementsAre(0x06));
  EXPECT_EQ(lines[2].offset, 4u);
  EXPECT_EQ(lines[2].text, "nop");

  Assembler arm = MakeAArch64();
  const std::vector<std::uint8_t> cut = {0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20};
  ASSERT_EQ(arm.Disassemble(cut).size(), 2u);
  EXPECT_EQ(arm.Disassemble(cut)[0].text, "nop");
  EXPECT_EQ(arm.Disassemble(cut)[1].text, "");
}

TEST(Model, IsTheCompilers) {
  Assembler arm = MakeAArch64();
  const Instruction madd = ParseOne(arm, "madd x0, x1, x2, x3");
  EXPECT_EQ(arm.Model(madd).latency, 2);
  EXPECT_EQ(arm.Model(madd).reciprocal_throughput, 1);
  EXPECT_EQ(arm.Model(madd, "cortex-a53").latency, 4);
  EXPECT_EQ(arm.Model(ParseOne(arm, "fadd d0, d1, d2")).reciprocal_throughput, 0.25);
  // A class that depends on the operands: shifted by more than four.
  EXPECT_EQ(arm.Model(ParseOne(arm, "add x0, x1, x2, lsl #17")).latency, 2);
  EXPECT_EQ(arm.Model(ParseOne(arm, "add x0, x1, x2")).latency, 1);

  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.Model(ParseOne(x86, "imul r10, r11")).latency, 3);
  EXPECT_EQ(x86.Model(ParseOne(x86, "xor eax, eax")).latency, 0) << "a zero idiom";
}

// What LLVM's model of Skylake says of the pairs of a load with an operation: the address waits for
// all of it, the other register only for the operation.
// LLVM's models have 100 cycles for what they do not model: that predicts nothing.
TEST(Model, AStandInIsNoPrediction) {
  Assembler x86 = Make(Architecture::kX86_64, "sapphirerapids");
  for (const std::string_view cpu :
       {"sapphirerapids", "skylake-avx512", "haswell", "alderlake", "znver2", "znver4"}) {
    for (const char* text : {"hlt", "ud2", "wrmsr", "tdpbssd tmm0, tmm1, tmm2"}) {
      const Instruction unmodelled = ParseOne(x86, text);
      EXPECT_EQ(x86.Model(unmodelled, cpu).latency, std::nullopt) << text << " on " << cpu;
      EXPECT_EQ(x86.Model(unmodelled, cpu).reciprocal_throughput, std::nullopt) << text;
      EXPECT_TRUE(x86.PortsOfModel(unmodelled, cpu).empty()) << text;
    }
    EXPECT_TRUE(x86.Model(ParseOne(x86, "imul r10, r11"), cpu).latency) << cpu;
    EXPECT_TRUE(x86.Model(ParseOne(x86, "div rcx"), cpu).latency) << cpu;
  }
}

TEST(Model, PairsHaveTheirOwnLatency) {
  Assembler x86 = MakeX86();
  const Instruction load_op = ParseOne(x86, "vpaddd ymm0, ymm1, [rbx]");
  const double whole = *x86.Model(load_op).latency;
  EXPECT_EQ(x86.ModelLatency(load_op, "rbx", "ymm0"), whole);
  const Instruction alone = ParseOne(x86, "vpaddd ymm0, ymm1, ymm2");
  const double operation = *x86.Model(alone).latency;
  EXPECT_LT(operation, whole);
  EXPECT_EQ(x86.ModelLatency(load_op, "ymm1", "ymm0"), operation);
  EXPECT_EQ(x86.ModelLatency(alone, "ymm1", "ymm0"), operation);
  EXPECT_EQ(x86.ModelLatency(load_op, "memory", "ymm0"), std::nullopt);
  EXPECT_EQ(x86.ModelLatency(ParseOne(x86, "add rax, [rbx]"), "rax", "rax"), 1);
  const Instruction own_address = ParseOne(x86, "add rax, [rax]");
  EXPECT_EQ(x86.ModelLatency(own_address, "rax", "rax"), 1);
  EXPECT_GT(*x86.ModelLatency(own_address, "[rax]", "rax"), 1);

  Assembler arm = MakeAArch64();
  const Instruction post = ParseOne(arm, "ldr x0, [x1], #8");
  EXPECT_EQ(arm.ModelLatency(post, "x1", "x1"), 1) << "the new address does not wait for the load";
  EXPECT_GT(*arm.ModelLatency(post, "x1", "x0"), 1);
}

TEST(Assembler, PutsAnAddressIntoTheInstruction) {
  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.AtAddress(ParseOne(x86, "movabs rax, [5]"), 0x123456789000).text,
            "movabs rax, qword ptr [20015998341120]");
  EXPECT_EQ(x86.AtAddress(ParseOne(x86, "mov rax, [rbx + 8]"), 0x1000).text,
            "mov rax, qword ptr [rbx + 8]");
  EXPECT_EQ(x86.AtAddress(ParseOne(x86, "mov rax, [8]"), 0x1000).text, "mov rax, qword ptr [8]");
}

TEST(Assembler, TakesLengthChangingPrefixesAway) {
  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.WithShortImmediate(ParseOne(x86, "add bx, 300"))->text, "add bx, 5");
  EXPECT_EQ(x86.WithShortImmediate(ParseOne(x86, "add ax, 300"))->text, "add ax, 5");
  EXPECT_EQ(x86.WithShortImmediate(ParseOne(x86, "add word ptr [rbx + 8], 300"))->text,
            "add word ptr [rbx + 8], 5");
  EXPECT_EQ(x86.WithShortImmediate(ParseOne(x86, "imul bx, cx, 300"))->text, "imul bx, cx, 5");
  EXPECT_FALSE(x86.WithShortImmediate(ParseOne(x86, "add ebx, 300")));
  EXPECT_FALSE(x86.WithShortImmediate(ParseOne(x86, "mov bx, 300"))) << "it has none";
}

TEST(Assembler, SetsTheDistanceOfABranch) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(arm.SetValue(ParseOne(arm, "b #8"), 0, 4)->text, "b #16");
  Assembler x86 = MakeX86();
  const auto decoded = x86.Decode(Bytes{0xe9, 0, 0, 0, 0});
  ASSERT_TRUE(decoded && decoded->size() == 1);
  const auto far = x86.SetValue(decoded->front().instruction, 0, 0x130);
  ASSERT_TRUE(far.has_value());
  EXPECT_EQ(x86.Encode(*far), (Bytes{0xe9, 0x30, 0x01, 0, 0}));
}

TEST(Assembler, InstructionsThatReferToALabelSayThatTheyCannotStandAlone) {
  Assembler arm = MakeAArch64();
  EXPECT_NE(ParseOne(arm, "adr x0, .").refusal, "");
  EXPECT_EQ(ParseOne(arm, "adr x0, #4").refusal, "");
}

TEST(RegisterName, IsThatOfItsWidth) {
  Assembler arm = MakeAArch64();
  EXPECT_EQ(arm.RegisterName({RegisterFile::kGeneral, 29, 64}), "x29");
  EXPECT_EQ(arm.RegisterName({RegisterFile::kVector, 3, 128}), "q3");
  Assembler x86 = MakeX86();
  EXPECT_EQ(x86.RegisterName({RegisterFile::kGeneral, 2, 32}), "edx");
  EXPECT_EQ(x86.RegisterName({RegisterFile::kVector, 17, 512}), "zmm17");
}

TEST(AssembleText, GivesBytesOrAnError) {
  Assembler arm = MakeAArch64();
  EXPECT_TRUE(arm.AssembleText("")->empty());
  EXPECT_EQ(arm.AssembleText("nop; nop")->size(), 8u);
  EXPECT_EQ(arm.AssembleText("nop; no").error().kind, ErrorKind::kBadInput);
}

TEST(Assembler, RefusesUnknownCpus) {
  const auto made = Assembler::Create({Architecture::kX86_64, "neoverse-v1", {}, Syntax::kIntel});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, testing::HasSubstr("knows no x86_64 CPU 'neoverse-v1'"));
}

TEST(Assembler, OnePerThreadWorks) {
  const auto work = [] {
    Assembler x86 = MakeX86();
    Assembler arm = MakeAArch64();
    for (int i = 0; i < 200; ++i) {
      ParseOne(x86, "vpaddd zmm0 {k1}, zmm1, zmm2");
      ParseOne(arm, "madd x0, x1, x2, x3");
    }
  };
  std::thread other(work);
  work();
  other.join();
}

}  // namespace
}  // namespace cyclescope::assembler
