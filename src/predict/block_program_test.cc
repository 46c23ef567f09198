#include "predict/block_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/row_figures.h"
#include "predict/bounds.h"
#include "predict/pipeline.h"
#include "predict/testing/simulated_machine.h"

namespace cyclescope::predict {
namespace {

using testing::SimulatedMachine;
using testing::SmallCore;

BlockProgram ProgramOf(SimulatedMachine& machine, std::string_view text,
                       std::vector<MemoryLink> memory = {}) {
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse(text);
  return MakeProgram(model, {.instructions = instructions, .memory = memory});
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

// So do Intel's cores until Skylake: a cycle less from a loaded value to the next address.
TEST(BlockProgram, ALoadWhoseAddressWasLoadedMayBeFaster) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("add rax, rcx", 1, {{"i0", "i1"}})
      .Add("mov rax, qword ptr [rbx]", 4, {{"l0", "l1"}})
      .Add("movzx eax, byte ptr [rbx]", 5, {{"l0", "l1"}})
      .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]");
  for (Latency& pair : machine.last().latency) pair.kind = LatencyKind::kConnected;
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "mov rdx, qword ptr [rdx]").chain.cycles, 4);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "mov rdx, qword ptr [rdx + 4096]").chain.cycles, 5);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "mov rdx, qword ptr [rdx]; add rdx, rbx").chain.cycles, 6);
}

TEST(BlockProgram, OfAStoreTheAddressIsAUopOfItsOwn) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("mov qword ptr [rbx], rax", 5, {{"s0"}})
      .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]")
      .ClassOf({"s0"}, "mov qword ptr [rbx], rax");
  machine.last().port_finding->model = {{.uops = 1, .ports = {"p4"}},
                                        {.uops = 1, .ports = {"l0", "l1", "p7"}}};
  CoreModel model = machine.Model();
  EXPECT_EQ(model.ports().back(), "p7") << "which no mix shows";
  const auto ports_of_address = [&](std::string_view text) {
    const auto instructions = machine.Parse(text);
    const BlockProgram program = MakeProgram(model, {.instructions = instructions});
    EXPECT_EQ(program.uops.size(), 2u);
    return program.uops.back().ports;
  };
  const PortSet p7 = PortSet{1} << (model.ports().size() - 1);
  EXPECT_EQ(ports_of_address("mov qword ptr [rdx], rcx"), model.load_ports() | p7);
  EXPECT_EQ(ports_of_address("mov qword ptr [rdx + 8*rsi], rcx"), model.load_ports());
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

// A core whose stores of integers reach a load in a cycle.
SimulatedMachine RenamingCore() {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("mov rax, qword ptr [rbx]", 5, {{"l0", "l1"}})
      .Add("mov qword ptr [rbx], rax", 1, {{"s0"}})
      .Add("mov word ptr [rbx], ax", 6, {{"s0"}})
      .Add("imul rax, rcx", 3, {{"i1"}})
      .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]")
      .ClassOf({"s0"}, "mov qword ptr [rbx], rax");
  return machine;
}

TEST(BlockProgram, AStoreThatReachesALoadFasterThanItLoadsIsRenamed) {
  SimulatedMachine machine = RenamingCore();
  const std::vector<MemoryLink> link = {{0, 1, 0}};
  constexpr auto kPlain = "mov qword ptr [rsi], rax; mov rax, qword ptr [rsi]; imul rax, rcx";
  const BlockProgram renamed = ProgramOf(machine, kPlain, link);
  EXPECT_DOUBLE_EQ(renamed.chain.cycles, 3);
  EXPECT_DOUBLE_EQ(RunPipeline(CoreOf(machine.Model()), renamed).cycles, 3);
  // With an index in the address it goes through the load, as two bytes do that were measured so.
  constexpr auto kIndexed =
      "mov qword ptr [rsi + rdi], rax; mov rax, qword ptr [rsi + rdi]; imul rax, rcx";
  const BlockProgram loaded = ProgramOf(machine, kIndexed, link);
  EXPECT_DOUBLE_EQ(loaded.chain.cycles, 6 + 3);
  EXPECT_DOUBLE_EQ(RunPipeline(CoreOf(machine.Model()), loaded).cycles, 6 + 3);
}

// As on a Golden Cove, where it takes 0.5, 5 and 20 cycles.
TEST(BlockProgram, ALoadOfAPartOfAStoreOrOfMoreTakesWhatWasMeasured) {
  SimulatedMachine machine = RenamingCore();
  machine.Add("mov eax, dword ptr [rbx]", 5, {{"l0", "l1"}})
      .Add("mov dword ptr [rbx], eax", 1, {{"s0"}})
      .Forwards(8, 8, 0, 0.5)
      .Forwards(8, 4, 0, 0.5)
      .Forwards(8, 4, 4, 5)
      .Forwards(8, 2, 0, 5)
      .Forwards(4, 8, 0, 20);
  const auto chain = [&](std::string_view text, std::int64_t offset) {
    return ProgramOf(machine, text, {{0, 1, 0, offset}}).chain.cycles;
  };
  constexpr auto kLow = "mov qword ptr [rsi], rax; mov eax, dword ptr [rsi]; imul rax, rcx";
  constexpr auto kHigh = "mov qword ptr [rsi], rax; mov eax, dword ptr [rsi + 4]; imul rax, rcx";
  constexpr auto kMore = "mov dword ptr [rsi + 4], eax; mov rax, qword ptr [rsi]; imul rax, rcx";
  EXPECT_DOUBLE_EQ(chain(kLow, 0), 3);
  EXPECT_DOUBLE_EQ(chain(kHigh, 4), 5 + 3);
  EXPECT_DOUBLE_EQ(chain(kMore, -4), 20 + 3);
  // Where nothing of the kind was measured, nothing is said.
  machine.document().memory.clear();
  EXPECT_DOUBLE_EQ(chain(kMore, -4), 0);
}

// Nothing waits for the value: but the load retires behind the store, and the next store behind it.
TEST(BlockProgram, ALoadOfMoreThanWasStoredWaitsUntilTheStoreHasRetired) {
  SimulatedMachine machine = RenamingCore();
  machine.Add("mov dword ptr [rbx], eax", 1, {{"s0"}}).Forwards(4, 8, 0, 20);
  const BlockProgram program =
      ProgramOf(machine, "mov dword ptr [rsi + 4], eax; mov rdx, qword ptr [rsi]", {{0, 1, 0, -4}});
  EXPECT_DOUBLE_EQ(program.chain.cycles, 0);
  EXPECT_DOUBLE_EQ(RunPipeline(CoreOf(machine.Model()), program).cycles, 15);
}

TEST(BlockProgram, OfSeveralStoresTheLastReachesTheLoad) {
  SimulatedMachine machine = RenamingCore();
  const BlockProgram program = ProgramOf(machine,
                                         "mov qword ptr [rsi], rdx; mov qword ptr [rsi], rax; "
                                         "mov rax, qword ptr [rsi]; imul rax, rcx",
                                         {{0, 2, 0}, {1, 2, 0}});
  EXPECT_DOUBLE_EQ(program.chain.cycles, 3);
}

TEST(BlockProgram, TheStackPointerIsCountedAtRename) {
  SimulatedMachine machine = RenamingCore();
  machine.Add("push rax", 5, {{"s0"}});
  machine.last().latency.clear();
  machine.Add("pop rax", 5, {{"l0", "l1"}});
  machine.last().latency.clear();
  const BlockProgram program = ProgramOf(machine, "push rdx; pop rcx; pop rbx; push rdx");
  EXPECT_DOUBLE_EQ(program.chain.cycles, 0);
  EXPECT_DOUBLE_EQ(RunPipeline(CoreOf(machine.Model()), program).cycles, 2);
}

TEST(BlockProgram, TheNextAddressDoesNotWaitForTheLoad) {
  SimulatedMachine machine = SmallCore();
  machine.Add("ldr x0, [x1], #8", 4, {{"l0", "l1"}, {"i0", "i1", "i2"}});
  for (Latency& pair : machine.last().latency) {
    if (pair.to == "x1") pair.cycles.value = 1;
  }
  const BlockProgram program = ProgramOf(machine, "ldr x5, [x9], #8");
  EXPECT_DOUBLE_EQ(program.chain.cycles, 1);
  EXPECT_DOUBLE_EQ(RunPipeline(CoreOf(machine.Model()), program).cycles, 1);
}

TEST(BlockProgram, WhatAWriteKeepsOfARegisterIsWaitedFor) {
  SimulatedMachine machine = RenamingCore();
  machine.Add("setne al", 1, {{"i0", "i1"}}).Add("and al, cl", 1, {{"i0", "i1"}});
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "setne r9b; and r9b, cl").chain.cycles, 2);
}

// As on a Golden Cove, where `mov ah, bl` takes three cycles to the next, and nothing is busy.
TEST(BlockProgram, ThroughputOfWhatKeepsAPartOfARegisterIsAChain) {
  SimulatedMachine machine = RenamingCore();
  machine.Add("mov bh, cl", 3);
  machine.last().throughput->cycles.value = 3;
  const BlockProgram chain = ProgramOf(machine, "mov dh, al");
  EXPECT_DOUBLE_EQ(chain.chain.cycles, 3);
  EXPECT_TRUE(chain.units.empty());
  machine.Add("mov ecx, ebx", 0.2);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "mov edx, ebx; mov dh, al").chain.cycles, 0);
}

// What asks for flags was measured beside what sets them, and the other way round.
TEST(BlockProgram, OfFlagsABoundIsACycleMoreThanTheirLatency) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  const auto bound = [&](std::string_view text, double cycles) {
    machine.Add(text, 1, {{"i0", "i1"}});
    for (Latency& pair : machine.last().latency) {
      if (pair.from != "flags" && pair.to != "flags") continue;
      pair.kind = LatencyKind::kUpperBound;
      pair.cycles.value = cycles;
      pair.model = 1;
    }
  };
  bound("cmp rax, rcx", 2);
  bound("and rax, rcx", 2.67);
  bound("cmovbe rax, rcx", 3);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "cmp rax, rcx; cmovbe rax, rdx").chain.cycles, 1 + 2);
  EXPECT_NEAR(ProgramOf(machine, "and rax, rcx; cmovbe rax, rdx").chain.cycles, 1.67 + 2, 1e-9);
}

TEST(BlockProgram, JumpsThatLieCloseTakeLonger) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("nop", 1).Jumps(8, 2).Jumps(32, 1.25);
  CoreModel model = machine.Model();
  EXPECT_DOUBLE_EQ(model.JumpCycles(4), 2);
  EXPECT_DOUBLE_EQ(model.JumpCycles(20), 1.625);
  EXPECT_DOUBLE_EQ(model.JumpCycles(64), 1);
  EXPECT_DOUBLE_EQ(model.JumpCycles(0), 1) << "it is not known";
}

// Stores to seven lines, one of which is read again: the value need not wait for the others.
TEST(BlockProgram, WhatIsStoredIsReadAgainBeforeItHasLeft) {
  SimulatedMachine machine = RenamingCore();
  machine.Pipeline("stores 8 bytes apart", 0.5).Pipeline("stores 64 bytes apart", 1);
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse(
      "mov qword ptr [rsi + 64], rax; mov qword ptr [rsi + 128], rax; mov qword ptr [rsi + 192], "
      "rax; mov qword ptr [rsi + 256], rax; mov qword ptr [rsi + 320], rax; mov qword ptr [rsi + "
      "384], rax; mov qword ptr [rdi + 8*rbx], rax; mov rax, qword ptr [rdi + 8*rbx]; imul rax, "
      "rcx");
  std::vector<MemoryPlace> places;
  for (std::size_t i = 0; i < 6; ++i)
    places.push_back({i, 0, 64 * (static_cast<std::int64_t>(i) + 1), 0});
  places.push_back({6, 1, 0, 0});
  places.push_back({7, 1, 0, 0});
  const std::vector<MemoryLink> links = {{6, 7, 0}};
  const BlockProgram program =
      MakeProgram(model, {.instructions = instructions, .memory = links, .places = places});
  EXPECT_DOUBLE_EQ(BoundsOf(model, program).unit, 7);
  EXPECT_DOUBLE_EQ(program.chain.cycles, 6 + 3);
  EXPECT_NEAR(RunPipeline(CoreOf(model), program).cycles, 6 + 3, 0.1);
}

TEST(BlockProgram, StoresToOtherLinesTakeTheirTime) {
  SimulatedMachine machine = RenamingCore();
  machine.Pipeline("stores 8 bytes apart", 0.5).Pipeline("stores 64 bytes apart", 1);
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse("mov qword ptr [rsi], rax; mov qword ptr [rsi + 8], rax");
  std::vector<MemoryPlace> places = {{0, 0, 0, 0}, {1, 0, 8, 0}};
  const BlockIteration iteration = {.instructions = instructions, .places = places};
  EXPECT_DOUBLE_EQ(BoundsOf(model, MakeProgram(model, iteration)).unit, 1);
  places[1].offset = 64;
  EXPECT_DOUBLE_EQ(BoundsOf(model, MakeProgram(model, iteration)).unit, 2);
  // One after the other through an array: a line is full when it is left.
  places = {{0, 0, 0, 16}, {1, 0, 8, 16}};
  EXPECT_DOUBLE_EQ(BoundsOf(model, MakeProgram(model, iteration)).unit, 1);
  // Every other one to a place of its own.
  places = {{0, 0, 0, 8}, {1, 1, 0, 8}};
  EXPECT_DOUBLE_EQ(BoundsOf(model, MakeProgram(model, iteration)).unit, 2);
  // Pushes with a gap behind every second one: where they go on in the next line, they need not
  // begin anew.
  const auto pushes = machine.Parse("push rax; push rax; sub rsp, 8");
  places = {{0, 0, -8, -24}, {1, 0, -16, -24}};
  EXPECT_DOUBLE_EQ(
      BoundsOf(model, MakeProgram(model, {.instructions = pushes, .places = places})).unit, 1);
  const auto stores =
      machine.Parse("mov qword ptr [rsi + 16], rax; mov qword ptr [rsi + 8], rax; sub rsi, 24");
  places = {{0, 0, -8, -24}, {1, 0, -16, -24}};
  EXPECT_DOUBLE_EQ(
      BoundsOf(model, MakeProgram(model, {.instructions = stores, .places = places})).unit, 1.125);
  // Three of a line between others take as long as four.
  const auto four = machine.Parse(
      "mov qword ptr [rsi], rax; mov qword ptr [rsi + 16], rax; mov qword ptr [rsi + 32], rax; "
      "mov qword ptr [rdi], rax");
  places = {{0, 0, 0, 0}, {1, 0, 16, 0}, {2, 0, 32, 0}, {3, 1, 0, 0}};
  EXPECT_DOUBLE_EQ(
      BoundsOf(model, MakeProgram(model, {.instructions = four, .places = places})).unit, 3);
}

TEST(BlockProgram, AccessesAcrossTheEndOfALineTakeWhatWasMeasured) {
  SimulatedMachine machine = RenamingCore();
  machine.Pipeline("stores 8 bytes apart", 0.5).Pipeline("stores 64 bytes apart", 1);
  machine.Splits(8, 1, 3).Splits(32, 2, 0.5);
  CoreModel model = machine.Model();
  EXPECT_EQ(model.memory().SplitCycles(/*stores=*/false, 2), 1);
  EXPECT_EQ(model.memory().SplitCycles(/*stores=*/false, 16), 2);
  EXPECT_EQ(model.memory().SplitCycles(/*stores=*/false, 64), 2);
  EXPECT_EQ(model.memory().SplitCycles(/*stores=*/true, 32), std::nullopt)
      << "no longer than behind it";
  const auto busy = [&](std::string_view text, const MemoryPlace& place) {
    const auto instructions = machine.Parse(text);
    return BoundsOf(model,
                    MakeProgram(model, {.instructions = instructions, .places = {&place, 1}}))
        .unit;
  };
  constexpr auto kLoad = "mov rax, qword ptr [rsi]", kStore = "mov qword ptr [rsi], rax";
  EXPECT_DOUBLE_EQ(busy(kLoad, {0, 0, 56, 0}), 0);
  EXPECT_DOUBLE_EQ(busy(kLoad, {0, 0, 57, 0}), 1);
  EXPECT_DOUBLE_EQ(busy(kLoad, {0, 0, -4, 0}), 1);
  EXPECT_DOUBLE_EQ(busy(kLoad, {0, 0, 4, 8}), 0.125) << "an eighth of a walk";
  EXPECT_DOUBLE_EQ(busy(kStore, {0, 0, 57, 0}), 3);
}

TEST(BlockProgram, AMoveToItsOwnRegisterIsNotDoneAtRename) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("mov eax, ebx", 0.2).Add("imul eax, ecx", 3, {{"i0"}});
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "mov eax, ebx; mov ebx, eax").chain.cycles, 0);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "imul eax, ecx; mov eax, eax").chain.cycles, 4);
}

TEST(BlockProgram, ASumToItsOwnRegisterMayBeDoneAtRename) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("lea rax, [rbx]", 0.2);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "lea rdx, [rdx + 8]").chain.cycles, 0);
  EXPECT_DOUBLE_EQ(ProgramOf(machine, "lea rdx, [rdx]").chain.cycles, 1);
}

// As on a Golden Cove, whose renamer adds up to 1,023: of `add rax, 300` one in four is computed.
TEST(BlockProgram, AChainOfSumsAtRenameTakesWhatWasMeasured) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("add rax, 5", 0.25)
      .Add("add rax, 300", 0.44)
      .Add("add rax, 1024", 1, {{"i0", "i1"}})
      .Add("imul rax, rcx", 3, {{"i0"}});
  for (InstructionRow& row : machine.document().instructions) {
    for (Latency& pair : row.latency) pair.kind = LatencyKind::kExact;
  }
  CoreModel model = machine.Model();
  const auto predict = [&](std::string_view text) {
    const auto instructions = machine.Parse(text);
    const BlockProgram program = MakeProgram(model, {.instructions = instructions});
    EXPECT_NEAR(RunPipeline(CoreOf(model), program).cycles,
                std::max(program.chain.cycles, BoundsOf(model, program).dispatch), 0.01);
    return program.chain.cycles;
  };
  EXPECT_DOUBLE_EQ(predict("add rbx, 5"), 0) << "no more than its slot";
  EXPECT_DOUBLE_EQ(predict("add rbx, 600"), 0.44);
  EXPECT_DOUBLE_EQ(predict("add rbx, 600; add rbx, 300"), 0.88);
  EXPECT_DOUBLE_EQ(predict("add rbx, 600; add rbx, -600"), 0);
  EXPECT_DOUBLE_EQ(predict("add rbx, 600; imul rbx, rcx"), 3) << "a new value each time";
  EXPECT_DOUBLE_EQ(predict("add rbx, 2000"), 1);
}

// As on a Golden Cove, where `add [m], r` takes 7.3 cycles to the next, and `add [m], 5` one.
TEST(BlockProgram, WhatIsChangedInMemoryAndNotRenamedTakesAsLongAsOthers) {
  SimulatedMachine machine = RenamingCore();
  const auto changed_in_memory = [&](double cycles) {
    machine.last().latency.clear();
    Latency& pair = machine.last().latency.emplace_back();
    pair.from = pair.to = kMemory;
    pair.cycles.value = cycles;
  };
  const std::vector<std::vector<std::string>> uops = {{"l0", "l1"}, {"i0", "i1"}, {"s0"}};
  machine.Add("add qword ptr [rbx], rsi", 1, uops);
  changed_in_memory(7.3);
  machine.Add("add qword ptr [rbx], 5", 1, uops);
  changed_in_memory(1);
  const auto chain = [&](std::string_view text) {
    return ProgramOf(machine, text, {{0, 0, 1}}).chain.cycles;
  };
  EXPECT_NEAR(chain("add qword ptr [rcx], rdx"), 7.3, 1e-9);
  EXPECT_NEAR(chain("add qword ptr [rcx], 1"), 1, 1e-9);
  EXPECT_NEAR(chain("add qword ptr [rip + 64], 1"), 7.3, 1e-9);
}

// As on Intel's cores: beside 512 bits, port 1 has no vector unit.
TEST(BlockProgram, BesideWideVectorsAPortIsClosedToOthers) {
  SimulatedMachine machine(assembler::Architecture::kX86_64, {"p0", "p1", "p5"});
  machine.Add("vpaddd ymm0, ymm1, ymm2", 1, {{"p0", "p1", "p5"}})
      .Add("vpaddd zmm0, zmm1, zmm2", 1, {{"p0", "p5"}})
      .ClassOf({"p0", "p1", "p5"}, "vpaddd ymm0, ymm1, ymm2")
      .ClassOf({"p0", "p5"}, "vpaddd zmm0, zmm1, zmm2");
  CoreModel model = machine.Model();
  const auto ports = [&](std::string_view text) {
    const auto instructions = machine.Parse(text);
    return BoundsOf(model, MakeProgram(model, {.instructions = instructions})).ports;
  };
  EXPECT_DOUBLE_EQ(ports("vpaddd ymm0, ymm8, ymm9; vpaddd ymm1, ymm8, ymm9; "
                         "vpaddd ymm2, ymm8, ymm9; vpaddd ymm3, ymm8, ymm9"),
                   4.0 / 3);
  EXPECT_DOUBLE_EQ(ports("vpaddd zmm0, zmm8, zmm9; vpaddd ymm1, ymm8, ymm9; "
                         "vpaddd ymm2, ymm8, ymm9; vpaddd ymm3, ymm8, ymm9"),
                   2);
}

// It clears upper halves. That it takes as long as a multiplication says nothing of its ports.
TEST(BlockProgram, ClearingUpperHalvesBreaksNoChain) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("vaddps xmm0, xmm1, xmm2", 4, {{"i0", "i1"}})
      .Add("imul rax, rcx", 3, {{"i1"}})
      .ClassOf({"i1"}, "imul rax, rcx")
      .Add("vzeroupper", 0);
  machine.last().slots = 3;
  machine.last().throughput->cycles.value = 1;
  machine.last().port_finding.reset();
  CoreModel model = machine.Model();
  const auto program = [&](std::string_view text) {
    const auto instructions = machine.Parse(text);
    return MakeProgram(model, {.instructions = instructions});
  };
  EXPECT_DOUBLE_EQ(program("vaddps xmm0, xmm0, xmm2; vzeroupper").chain.cycles, 4);
  const BlockProgram busy = program("vzeroupper; imul rax, rcx; imul rdx, rcx; vzeroupper");
  EXPECT_DOUBLE_EQ(BoundsOf(model, busy).ports, 2) << "of the multiplications alone";
  EXPECT_DOUBLE_EQ(BoundsOf(model, busy).unit, 2);
  EXPECT_DOUBLE_EQ(BoundsOf(model, busy).dispatch, 2);
}

TEST(BlockProgram, AnAddressRelativeToTheInstructionIsNotRenamed) {
  SimulatedMachine machine = RenamingCore();
  const BlockProgram program = ProgramOf(
      machine, "mov qword ptr [rip + 64], rax; mov rax, qword ptr [rip + 57]; imul rax, rcx",
      {{0, 1, 0}});
  EXPECT_DOUBLE_EQ(program.chain.cycles, 6 + 3);
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

// Port 6 of Intel's has taken branches, and port 0 only those that fall through.
TEST(BlockProgram, ATakenBranchHasTheSecondOfItsPorts) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("dec rax", 1, {{"i0", "i1", "i2"}}).Add("je next; next:", 1);
  machine.last().text = "je 0";
  machine.last().port_finding->reason = "it is a branch";
  machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i2"}}};
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse("begin: dec rax; jne begin");
  const auto ports_of = [&](bool takes_branch) {
    const BlockProgram program =
        MakeProgram(model, {.instructions = instructions, .takes_branch = takes_branch});
    return program.uops.back().ports;
  };
  EXPECT_EQ(ports_of(true), 0b100u);
  EXPECT_EQ(ports_of(false), 0b101u);
}

// As on a Skylake, where a move takes 0.25 cycles and a chain of them 0.5 each: of eight, four are
// done at rename and four take a cycle.
TEST(BlockProgram, AFewMovesAreDoneAtRenameAtOnce) {
  const auto cycles_of = [](double in_chain, std::string_view text) {
    SimulatedMachine machine(assembler::Architecture::kX86_64);
    machine.Add("add rax, rcx", 1, {{"i0", "i1", "i2"}}).Add("mov rbx, rsi", in_chain);
    machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i1", "i2"}}};
    machine.document().host.cpu_vendor = "Intel";
    return RunPipeline(CoreOf(machine.Model()), ProgramOf(machine, text)).cycles;
  };
  EXPECT_DOUBLE_EQ(cycles_of(0.5, "mov rbx, rsi; mov rsi, rbx"), 1);
  EXPECT_DOUBLE_EQ(cycles_of(0.25, "mov rbx, rsi; mov rsi, rbx"), 0.5) << "all are";
}

// Intel's optimization manual, "Macro-Fusion".
TEST(BlockProgram, WhatDoesNotFuseTakesTwoSlots) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("mov rax, rcx", 1);
  const auto slots_of = [&machine](std::string_view text) {
    return ProgramOf(machine, text).instructions[1].slots;
  };
  EXPECT_DOUBLE_EQ(slots_of("test eax, eax; js next; next:"), 0);
  EXPECT_DOUBLE_EQ(slots_of("cmp eax, dword ptr [rbx]; ja next; next:"), 0);
  EXPECT_DOUBLE_EQ(slots_of("inc eax; jle next; next:"), 0);
  EXPECT_DOUBLE_EQ(slots_of("cmp eax, ecx; js next; next:"), 1);
  EXPECT_DOUBLE_EQ(slots_of("inc eax; ja next; next:"), 1);
  EXPECT_DOUBLE_EQ(slots_of("shl eax, 1; je next; next:"), 1);
  EXPECT_DOUBLE_EQ(slots_of("cmp dword ptr [rbx], 5; je next; next:"), 1);
  EXPECT_DOUBLE_EQ(slots_of("add dword ptr [rbx], ecx; je next; next:"), 1);
}

// Its row was measured taken, and says nothing of its ports but LLVM's.
TEST(BlockProgram, ABranchGoesWhereLlvmSaysAndTheCompareWithIt) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("test rax, rcx", 1, {{"i0", "i1", "i2"}}).Add("je next; next:", 1);
  machine.last().text = "je 0";
  machine.last().throughput->cycles.value = 1;
  machine.last().port_finding->reason = "it is a branch";
  machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i2"}}};
  const BlockProgram program = ProgramOf(machine, "test rax, rax; jne next; next:");
  std::vector<PortSet> ports;
  for (const Uop& uop : program.uops) {
    if (uop.ports != 0) ports.push_back(uop.ports);
  }
  EXPECT_THAT(ports, ::testing::ElementsAre(0b101u));
  EXPECT_TRUE(program.units.empty());
}

}  // namespace
}  // namespace cyclescope::predict
