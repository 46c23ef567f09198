// A machine whose model is known: forms with the latency of all their pairs and their ports.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/result/document.h"
#include "predict/core_model.h"

namespace cyclescope::predict::testing {

class SimulatedMachine {
 public:
  explicit SimulatedMachine(assembler::Architecture architecture,
                            std::vector<std::string> ports = {"i0", "i1", "i2", "l0", "l1", "s0"},
                            double dispatch = 4)
      : assembler_(assembler::Assembler::Create(
                       {.architecture = architecture, .features = FeaturesOf(architecture)})
                       .value()) {
    document_.source = "made";
    document_.host.architecture = ToString(architecture);
    document_.port_map.emplace();
    document_.port_map->dispatch = dispatch;
    document_.port_map->ports = std::move(ports);
  }

  // A form that was measured: cycles between any two of its operands, and its µops, each with the
  // ports that it can go to.
  SimulatedMachine& Add(std::string_view text, double cycles,
                        std::vector<std::vector<std::string>> uops = {}) {
    const assembler::Instruction instruction = Parse(text).front();
    InstructionRow& row = document_.instructions.emplace_back();
    row.text = text;
    row.opcode = instruction.opcode;
    row.mnemonic = instruction.mnemonic;
    row.slots = 1;
    row.throughput.emplace();
    row.throughput->cycles.value = 0.25;
    row.port_finding.emplace();
    for (auto& ports : uops) row.ports.push_back({.uops = 1, .ports = std::move(ports)});
    for (const assembler::Operand& from : instruction.operands) {
      for (const assembler::Operand& to : instruction.operands) {
        if (!from.read || !to.written || from.kind == assembler::OperandKind::kMemory) continue;
        Latency& pair = row.latency.emplace_back();
        pair.from = from.name;
        pair.to = to.name;
        pair.cycles.value = cycles;
      }
    }
    return *this;
  }

  InstructionRow& last() { return document_.instructions.back(); }
  Document& document() { return document_; }
  assembler::Assembler& assembler() { return assembler_; }

  // The first of the forms are those that loads and stores are known by.
  SimulatedMachine& ClassOf(std::vector<std::string> ports, std::string form) {
    document_.port_map->classes.push_back({.ports = std::move(ports), .forms = {std::move(form)}});
    return *this;
  }

  SimulatedMachine& Window(std::string name, double entries) {
    if (!document_.anatomy) document_.anatomy.emplace();
    AnatomyRow& row = document_.anatomy->rows.emplace_back();
    row.name = std::move(name);
    row.value = AnatomyValue{entries, entries, entries};
    return *this;
  }

  // Cycles that loads or stores take beside each other, as `anatomy` names it.
  SimulatedMachine& Pipeline(std::string name, double cycles) {
    Window(std::move(name), cycles);
    document_.anatomy->rows.back().part = AnatomyPart::kMemoryPipeline;
    return *this;
  }

  // What a jump takes where jumps lie `bytes_apart`, as `anatomy` measures few and many of them.
  SimulatedMachine& Jumps(int bytes_apart, double cycles) {
    Window("branch targets", 4096);
    AnatomyRow& row = document_.anatomy->rows.back();
    row.filler = "taken jumps " + std::to_string(bytes_apart) + " bytes apart, step 1";
    row.curve.emplace();
    for (const double jumps : {8, 16, 32}) row.curve->points.push_back({jumps, cycles});
    row.curve->points.push_back({8192, 10 * cycles});
    return *this;
  }

  // Cycles of a load and of a store of this many bytes across the end of a line; behind it, a half.
  SimulatedMachine& Splits(int bytes, double load, double store) {
    if (document_.memory.empty()) document_.memory.emplace_back();
    const auto add = [&](bool stores, int distance, double cycles) {
      MemoryAccess& access = document_.memory.front().accesses.emplace_back();
      access.kind = AccessKind::kLineSplit;
      (stores ? access.store_bytes : access.load_bytes) = bytes;
      access.distance = distance;
      access.cycles.emplace();
      access.cycles->value = cycles;
    };
    for (const bool stores : {false, true}) {
      add(stores, 0, 0.5);
      add(stores, bytes / 2, stores ? store : load);
    }
    return *this;
  }

  // Cycles of a load behind a store of integers, as `memory` measures it.
  SimulatedMachine& Forwards(int store_bytes, int load_bytes, int distance, double cycles) {
    if (document_.memory.empty()) document_.memory.emplace_back();
    MemoryAccess& access = document_.memory.front().accesses.emplace_back();
    access.kind = AccessKind::kForwarding;
    access.store_bytes = store_bytes;
    access.load_bytes = load_bytes;
    access.distance = distance;
    access.cycles.emplace();
    access.cycles->value = cycles;
    return *this;
  }

  std::vector<assembler::Instruction> Parse(std::string_view text) {
    auto parsed = assembler_.Parse(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed.value_or(std::vector<assembler::Instruction>());
  }

  CoreModel Model() {
    auto model = CoreModel::From(document_, assembler_);
    EXPECT_TRUE(model.has_value());
    return std::move(*model);
  }

 private:
  // Vectors of 512 bits, too.
  static std::vector<std::string> FeaturesOf(assembler::Architecture architecture) {
    if (architecture == assembler::Architecture::kAArch64) return {};
    return {"+avx2", "+avx512f", "+avx512vl"};
  }

  assembler::Assembler assembler_;
  Document document_;
};

// A small AArch64 core: three integer ports, of which one multiplies, two for loads, one for
// stores.
inline SimulatedMachine SmallCore() {
  SimulatedMachine machine(assembler::Architecture::kAArch64);
  const std::vector<std::string> any = {"i0", "i1", "i2"};
  machine.Add("add x0, x1, x2", 1, {any})
      .Add("add x0, x1, #5", 1, {any})
      .Add("sub x0, x1, x2", 1, {any})
      .Add("sub x0, x1, #5", 1, {any})
      .Add("subs x0, x1, #5", 1, {any})
      .Add("mul x0, x1, x2", 3, {{"i2"}})
      .Add("mov x0, x1", 0.25)
      .Add("ldr x0, [x1]", 4, {{"l0", "l1"}})
      .Add("str x0, [x1]", 5, {{"s0"}})
      .ClassOf({"l0", "l1"}, "ldr x0, [x1]")
      .ClassOf({"s0"}, "str x0, [x1]")
      .Window("reorder buffer", 128)
      .Window("scheduler", 60);
  return machine;
}

}  // namespace cyclescope::predict::testing
