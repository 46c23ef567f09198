#include "predict/block_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/testing/simulated_machine.h"

namespace cyclescope::predict {
namespace {

using testing::SimulatedMachine;
using testing::SmallCore;

BlockProgram ProgramOf(SimulatedMachine& machine, std::string_view text,
                       std::vector<MemoryLink> memory = {}) {
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse(text);
  return MakeProgram(model, instructions, memory, false);
}

TEST(BlockProgram, ALoadThatComputesIsALoadAndAnOperation) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("mov rax, qword ptr [rbx]", 5, {{"l0", "l1"}})
      .Add("add rax, qword ptr [rbx]", 1, {{"i0", "i1"}, {"l0", "l1"}})
      .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]");
  for (Latency& pair : machine.last().latency) {
    if (pair.from == "rbx") pair.cycles.value = 6;
  }
  const BlockProgram program =
      ProgramOf(machine, "add rcx, qword ptr [rdx]; mov rdx, qword ptr [rcx]");
  ASSERT_EQ(program.uops.size(), 3u);
  // The sum waits for itself with 1 cycle only in the operation; the chain goes through both loads.
  EXPECT_DOUBLE_EQ(program.chain.cycles, 11);
  const Uop& operation = program.uops[0].ports == 0b11 ? program.uops[0] : program.uops[1];
  EXPECT_EQ(operation.inputs.size(), 2u);
}

TEST(BlockProgram, NamesOfOneRegisterAreOneRegister) {
  SimulatedMachine machine = SmallCore();
  machine.Add("add w0, w1, #5", 1, {{"i0", "i1", "i2"}});
  // x3 is written by its name w3.
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "add w3, w3, #1; add x3, x3, #2").chain.cycles, 2);
}

TEST(BlockProgram, AnEliminatedMoveIsALinkWithoutTime) {
  SimulatedMachine machine = SmallCore();
  const BlockProgram program = ProgramOf(machine, "mul x1, x2, x3; mov x2, x1");
  EXPECT_DOUBLE_EQ(program.chain.cycles, 3);
  EXPECT_EQ(program.uops[1].ports, 0u);
}

TEST(BlockProgram, WhatIsStoredAndReadAgainIsAChain) {
  SimulatedMachine machine = SmallCore();
  const BlockProgram program =
      ProgramOf(machine, "ldr x1, [x0]; add x1, x1, #5; str x1, [x0]", {{2, 0, 1}});
  // Forwarding takes 5, from what is stored to what is loaded, and the addition 1.
  EXPECT_DOUBLE_EQ(program.chain.cycles, 6);
}

TEST(BlockProgram, AZeroingIdiomWaitsForNothing) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("xor eax, ecx", 1, {{"i0", "i1"}}).Add("imul eax, ecx", 3, {{"i0"}});
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "xor eax, eax; imul eax, ecx").chain.cycles, 0);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "xor eax, edx; imul eax, ecx").chain.cycles, 4);
}

TEST(BlockProgram, ACompareAndItsBranchTakeOneSlot) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("dec eax", 1, {{"i0", "i1"}});
  const BlockProgram program = ProgramOf(machine, "begin: dec eax; jne begin");
  ASSERT_EQ(program.instructions.size(), 2u);
  EXPECT_DOUBLE_EQ(program.instructions[0].slots, 1);
  EXPECT_DOUBLE_EQ(program.instructions[1].slots, 0);
  EXPECT_TRUE(program.instructions[1].known);
}

}  // namespace
}  // namespace cyclescope::predict
