// The kernels of a snippet: registers and memory set up, then copies of it in a loop.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "assembler/assembler.h"
#include "blocks/block_code.h"
#include "blocks/jump_tables.h"
#include "blocks/loop_exits.h"
#include "cyclescope/base/error.h"
#include "cyclescope/choices.h"
#include "instructions/planner.h"
#include "sandbox/kernel_code.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::blocks {

// What a vector register holds at first, in every eight bytes.
struct VectorValue {
  int index = 0;
  std::uint64_t pattern = 0;
};

// Everything that decides what the kernels are.
struct BlockKernelSpec {
  const BlockCode* code = nullptr;
  const assembler::Bytes* init = nullptr;  // runs once before, or before each pass
  std::map<int, std::uint64_t> registers;  // general ones, by number
  // General registers whose values differ in the longer kernel.
  std::map<int, std::uint64_t> longer_registers;
  // Both lengths run the same instructions at the same place, as a program's calls of a function
  // do; passes follow each other without a barrier. The longer kernel is a beginning of its own,
  // which jumps into the shorter one.
  bool one_code = false;
  std::uint64_t stack = 0;           // where the stack pointer begins
  std::vector<VectorValue> vectors;  // where not the usual value
  bool flush_denormals = true;
  bool move_data = true;  // distances to data lead to the window
  BlockLoop loop = BlockLoop::kUnrolled;
  bool keep_flags = true;            // over the end of the loop
  bool passes = false;               // each starts anew, and the count is in memory
  bool sets_stack = false;           // before each copy
  std::uint32_t sets_registers = 0;  // likewise: bits of general registers
  std::optional<int> counter;        // the register that counts loops, if not
  std::array<int, 2> copies{};
  // A loop with exits that lead to a trap.
  const ExitPlan* trapped_exits = nullptr;
  // Where in its line of code the first copy begins; anywhere where it is unset.
  std::optional<std::size_t> place_in_line;
  // Tables that the code jumps through; only with `one_code`. Those that a register points to stand
  // in the kernel, before its code; the others at kLowTables.
  std::span<const TableUse> tables;
};

// So low that a displacement of 32 bits is an address there, and away from all other memory.
inline constexpr std::uint64_t kLowTables = 0x2000'0000;

// Bytes from the beginning of the tables to each of them, and what they all take.
std::vector<std::size_t> OffsetsOfTables(std::span<const TableUse> tables);

struct BlockKernels {
  std::array<sandbox::Kernel, 2> kernels;
  std::size_t prologue_bytes = 0;                   // before the first copy
  std::array<std::optional<std::size_t>, 2> traps;  // where each kernel has one
  std::vector<std::uint8_t> low_tables;             // what memory at kLowTables has to hold
};

Result<BlockKernels> BuildBlockKernels(instructions::KernelBuilder& builder,
                                       const BlockKernelSpec& spec,
                                       const sandbox::KernelPlaces& places);

}  // namespace cyclescope::blocks
