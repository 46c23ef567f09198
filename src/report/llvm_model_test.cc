#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"
#include "report/port_exports.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Document SimulatedModel() {
  Document document = testing::PortsDocument();
  document.anatomy = Anatomy{};
  document.anatomy->rows = {{.part = AnatomyPart::kWindows,
                             .name = "reorder buffer",
                             .filler = "nop",
                             .unit = "entries",
                             .value = AnatomyValue{508, 500, 512}},
                            {.part = AnatomyPart::kWindows,
                             .name = "reorder buffer",
                             .filler = "add",
                             .unit = "entries",
                             .value = AnatomyValue{512, 510, 514}},
                            {.part = AnatomyPart::kWindows,
                             .name = "loads",
                             .filler = "mov r, [m]",
                             .unit = "entries",
                             .value = AnatomyValue{192, 190, 194},
                             .at_least = true},
                            {.part = AnatomyPart::kFrontEnd,
                             .name = "mispredicted branch",
                             .unit = "cycles",
                             .value = AnatomyValue{16.6, 16, 17}}};
  MemoryRow& memory = document.memory.emplace_back();
  memory.levels.push_back({.name = "L1", .cycles = {5.02, 5, 5.1}});
  return document;
}

std::string TextOf(const Document& document) {
  const auto text = LlvmModel(document, "Simulated");
  EXPECT_TRUE(text) << text.error().ToString();
  return text.value_or("");
}

Latency Pair(std::string from, std::string to, double cycles) {
  return {.from = std::move(from),
          .to = std::move(to),
          .cycles = testing::SimulatedEstimate(cycles, 0.01)};
}

TEST(LlvmModel, NopsThatShareEntriesAreNoSize) {
  Document document = SimulatedModel();
  document.anatomy->rows[0].value = AnatomyValue{1024, 1020, 1028};
  EXPECT_THAT(TextOf(document), HasSubstr("let MicroOpBufferSize = 1024;"));
  document.anatomy->rows[0].claim = Claim{ClaimCode::kNopsShareEntries, {{"others", 512.0}}};
  EXPECT_THAT(TextOf(document), HasSubstr("let MicroOpBufferSize = 512;"));
}

TEST(LlvmModel, HasWhatTheCoreIsBuiltOf) {
  EXPECT_THAT(
      TextOf(SimulatedModel()),
      AllOf(HasSubstr("def SimulatedModel : SchedMachineModel {"), HasSubstr("let IssueWidth = 6;"),
            HasSubstr("let MicroOpBufferSize = 512;"), HasSubstr("let LoadLatency = 5;"),
            HasSubstr("let MispredictPenalty = 17;"),
            HasSubstr("// loads, filled with mov r, [m]: at least 192 entries"),
            HasSubstr("def SimulatedPort0_6 : ProcResGroup<[SimulatedPort0, SimulatedPort6]>;")));
}

TEST(LlvmModel, SaysWhatWasNotMeasured) {
  Document document = testing::PortsDocument();
  EXPECT_THAT(TextOf(document),
              AllOf(HasSubstr("let MicroOpBufferSize = 256;  // not measured"),
                    HasSubstr("// LoadLatency: "), HasSubstr("// MispredictPenalty: ")))
      << "without a buffer LLVM would execute in order";
  EXPECT_FALSE(LlvmModel(testing::BareDocument(), "Simulated")) << "it has no ports";
}

TEST(LlvmModel, AnOperandThatMayComeLaterHasAReadAdvance) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "madd x0, x1, x2, x3";
  row.opcode = "MADDXrrr";
  row.latency = {Pair("x1", "x0", 3), Pair("x2", "x0", 3), Pair("x3", "x0", 1)};
  EXPECT_THAT(
      TextOf(document),
      AllOf(HasSubstr("def SimulatedRead2 : SchedReadAdvance<2>;"),
            HasSubstr(", ReadDefault, ReadDefault, SimulatedRead2], (instrs\n  MADDXrrr  // madd "
                      "x0, x1, x2, x3: x1 to x0 3.00 (2.99 to 3.01)")));
}

TEST(LlvmModel, AResultThatIsReadIsTheFirstOperand) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "shld rax, rbx, 3";
  row.opcode = "SHLD64rri8";
  row.latency = {Pair("rax", "rax", 1), Pair("rbx", "rax", 3)};
  EXPECT_THAT(TextOf(document), HasSubstr(", SimulatedRead2], (instrs\n  SHLD64rri8"));
}

TEST(LlvmModel, WhatLoadsTakesThatLongerAndItsRegistersMayComeLater) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "vaddpd ymm0, ymm1, ymmword ptr [rbx]";
  row.opcode = "VADDPDYrm";
  row.latency = {Pair("ymm1", "ymm0", 2), Pair("rbx", "ymm0", 12)};
  row.latency[1].kind = LatencyKind::kUpperBound;
  EXPECT_THAT(TextOf(document), AllOf(HasSubstr("let Latency = 7;"),
                                      HasSubstr(", SimulatedRead5], (instrs\n  VADDPDYrm")));
  row.latency[1] = Pair("rbx", "ymm0", 8);
  EXPECT_THAT(TextOf(document), AllOf(HasSubstr("let Latency = 8;"),
                                      HasSubstr(", SimulatedRead6], (instrs\n  VADDPDYrm")));
}

TEST(LlvmModel, EachResultHasAWrite) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "mulx rax, rbx, rcx";
  row.opcode = "MULX64rr";
  row.latency = {Pair("rcx", "rax", 4), Pair("rcx", "rbx", 3)};
  EXPECT_THAT(
      TextOf(document),
      AllOf(::testing::ContainsRegex("InstRW<\\[SimulatedWrite[0-9]+, SimulatedWrite[0-9]+\\], "
                                     "\\(instrs\n  MULX64rr"),
            HasSubstr("SchedWriteRes<[]> {\n  let NumMicroOps = 0;\n  let Latency = 3;\n}")));
}

TEST(LlvmModel, WhatIsDoneAtRenameTakesNoTime) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "mov rax, rbx";
  row.opcode = "MOV64rr";
  row.latency = {Pair("rbx", "rax", 0.51)};
  row.latency.front().kind = LatencyKind::kExact;
  const auto begins_with = [](std::string_view latency) {
    return ::testing::ContainsRegex(std::string("Latency = ") + std::string(latency) +
                                    ";\n\\}\n\ndef : InstRW<\\[SimulatedWrite[0-9]+\\], "
                                    "\\(instrs\n  MOV64rr");
  };
  EXPECT_THAT(TextOf(document), begins_with("0"));
  row.latency.front().cycles.value = 0.9;
  EXPECT_THAT(TextOf(document), begins_with("1"));
}

TEST(LlvmModel, NobodyWaitsForTheStackPointerOfPushesAndPops) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.latency.clear();
  row.text = "pop rbx";
  row.opcode = "POP64r";
  EXPECT_THAT(TextOf(document),
              AllOf(HasSubstr("let Latency = 5;"),
                    HasSubstr("SchedWriteRes<[]> {\n  let NumMicroOps = 0;\n  let Latency = 0;\n}"),
                    ::testing::ContainsRegex("InstRW<\\[SimulatedWrite[0-9]+, SimulatedWrite[0-9]+"
                                             "\\], \\(instrs\n  POP64r ")));
  row.text = "push rbx";
  row.opcode = "PUSH64r";
  EXPECT_THAT(TextOf(document),
              ::testing::ContainsRegex("Latency = 0;\n\\}\n\ndef : InstRW<\\[SimulatedWrite[0-9]+"
                                       "\\], \\(instrs\n  PUSH64r "));
}

TEST(LlvmModel, ZeroIdiomsWaitForNothing) {
  Document document = SimulatedModel();
  EXPECT_THAT(TextOf(document), Not(HasSubstr("IsZeroIdiomFunction")));
  InstructionRow& row = document.instructions.front();
  row.text = "xor ebx, esi";
  row.opcode = "XOR32rr";
  row.latency = {Pair("ebx", "ebx", 1), Pair("esi", "ebx", 1)};
  EXPECT_THAT(
      TextOf(document),
      AllOf(HasSubstr("DepBreakingClass<[XOR32rr], CheckSameRegOperand<1, 2>>"),
            HasSubstr("SchedVar<MCSchedPredicate<CheckSameRegOperand<1, 2>>, [SimulatedWrite"),
            HasSubstr("def : InstRW<[SimulatedChoice0], (instrs\n  XOR32rr")));
}

TEST(LlvmModel, AddressesOfOtherShapesHaveTimesOfTheirOwn) {
  Document document = SimulatedModel();
  InstructionRow& row = document.instructions.front();
  row.text = "lea rbx, [rsi]";
  row.opcode = "LEA64r";
  row.latency = {Pair("rsi", "rbx", 1)};
  InstructionRow other = row;
  other.text = "lea rbx, [rsi + 4*rdi + 64]";
  other.latency = {Pair("rsi", "rbx", 3)};
  InstructionRow relative = row;
  relative.text = "lea rbx, [rip + 64]";
  relative.latency.clear();
  document.instructions.push_back(row);
  document.instructions.push_back(other);
  document.instructions.push_back(relative);
  const std::string text = TextOf(document);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("SchedVar<MCSchedPredicate<CheckAll<[CheckNot<CheckInvalidRegOperand<1>>, "
                      "CheckNot<CheckInvalidRegOperand<3>>, CheckNot<CheckImmOperand<2, 1>>, "
                      "CheckNot<CheckAll<[CheckIsImmOperand<4>, CheckZeroOperand<4>]>>]>>, ["),
            HasSubstr("SchedVar<MCSchedPredicate<CheckRegOperand<1, RIP>>, ["),
            HasSubstr("LEA64r  // lea rbx, [rsi]: rsi to rbx 1.00")));
  EXPECT_EQ(text.find("def : InstRW<[SimulatedChoice0]"),
            text.rfind("def : InstRW<[SimulatedChoice"))
      << "an opcode has one entry";
}

TEST(LlvmModel, GapsAreMarked) {
  Document document = SimulatedModel();
  InstructionRow& gap = document.instructions.emplace_back();
  gap.text = "vgatherqpd";
  gap.opcode = "VGATHERQPDrm";
  gap.status = Status::kCrashed;
  gap.reason = "SIGSEGV";
  gap.model = ModelFigures{.cpu = "sapphirerapids", .latency = 20};
  InstructionRow& other = document.instructions.emplace_back();
  other.opcode = "AMX";
  other.status = Status::kUnsupported;
  EXPECT_THAT(
      TextOf(document),
      AllOf(HasSubstr("// Not measured. Latencies are those of LLVM's model"),
            HasSubstr("def SimulatedUnmeasured20 : SchedWriteRes<[]> {\n  let Latency = 20;"),
            HasSubstr("VGATHERQPDrm  // sapphirerapids: SIGSEGV"), Not(HasSubstr("AMX"))));
}

TEST(LlvmModel, ItsNameIsThatOfTheFile) {
  EXPECT_EQ(LlvmModelName("models/graviton3.td"), "graviton3");
  EXPECT_EQ(LlvmModelName("emerald-rapids.td"), "emerald_rapids");
  EXPECT_EQ(LlvmModelName("9950x.td"), "Core9950x");
}

}  // namespace
}  // namespace cyclescope
