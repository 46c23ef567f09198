// A loop as a core sees it: µops with the ports that they may go to, and for what each of them
// waits. Made of the loop's instructions and a model; bounds and the simulated pipeline read it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/instruction.h"
#include "predict/core_model.h"
#include "predict/dependence.h"
#include "predict/modelled_instruction.h"
#include "predict/moves_at_rename.h"

namespace cyclescope::predict {

// The result of another µop that one waits for.
struct UopInput {
  std::size_t uop = 0;  // in the program
  int iterations = 0;   // 0: of the same one; 1: of the one before
  // From that one's start until this one may start. Less than none where this one needs it late.
  double cycles = 0;
  // It waits until that one has retired, and so has all before it: these cycles later.
  bool behind_retirement = false;
};

// Of the first cache.
inline constexpr std::int64_t kLineBytes = 64;

// Where a load reads in the first iteration, and what it goes on by in each.
struct LoadPlace {
  std::int64_t offset = 0;
  std::int64_t step = 0;
  std::int64_t bytes = 8;
};

// A move between two registers of a file, and where it goes if it is not done at rename.
struct MovedValue {
  std::size_t file = 0;
  int from = 0;
  int to = 0;
  PortSet ports = 0;
};

struct Uop {
  std::size_t instruction = 0;
  PortSet ports = 0;  // none: it is done at rename, and needs no port
  int unit = -1;      // what else it keeps busy; -1: nothing
  double unit_cycles = 0;
  std::vector<UopInput> inputs;
  double done_cycles = 1;  // from its start until all of its results are there
  std::optional<LoadPlace> reads;
  std::optional<MovedValue> moves;
};

struct ProgramInstruction {
  double slots = 1;  // of dispatch; 0: it is fused with the one before it
  std::size_t first_uop = 0;
  std::size_t uops = 0;
  std::array<std::uint8_t, kWindows> holds{};        // entries; the scheduler's are its µops' own
  bool known = true;                                 // the model has its form
  bool has_ports = true;                             // and its ports
  bool has_latency = true;                           // and its latencies
  std::array<RegisterMask, kFilesOfMoves> writes{};  // registers, by file
  bool jumps = false;                                // what is behind it is fetched from its target
};

struct BlockProgram {
  std::vector<ProgramInstruction> instructions;
  std::vector<Uop> uops;
  std::vector<std::string> units;  // the instruction that each was seen with
  DependenceChain chain;           // the longest
  double next_chain = 0;           // where the longest is one link: the longest without it
  bool reads_stores = false;       // some of it loads what it stored
  double branch_cycles = 1;        // of each taken branch
};

// One iteration, its instructions in their order.
struct BlockIteration {
  std::span<const assembler::Instruction> instructions;
  std::span<const MemoryLink> memory;   // which of them load what others stored
  std::span<const MemoryPlace> places;  // of those that are known, in the same order
  bool takes_branch = false;            // at its end
  std::int64_t bytes_to_jump = 0;       // from a taken branch to the next one; 0: not known
};

BlockProgram MakeProgram(CoreModel& model, const BlockIteration& iteration,
                         const UnknownCosts& unknown = {});

}  // namespace cyclescope::predict
