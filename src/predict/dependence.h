// Which instructions of a loop wait for which, and the longest chain of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/instruction.h"

namespace cyclescope::predict {

// What one instruction stores another loads, some iterations later.
struct MemoryLink {
  std::size_t store = 0;
  std::size_t load = 0;
  int iterations = 0;
  std::int64_t offset = 0;  // bytes from where is stored to where is loaded
};

// Where an instruction reads or writes memory, as far as that is seen.
struct MemoryPlace {
  std::size_t instruction = 0;
  int origin = 0;           // the offsets of those with the same number begin at the same address
  std::int64_t offset = 0;  // in the first iteration
  std::int64_t step = 0;    // what it goes on by in each
  bool loads = true;
  bool stores = true;
};

// An operand of an instruction, both by number.
struct OperandPlace {
  std::size_t instruction = 0;
  std::size_t operand = 0;

  auto operator<=>(const OperandPlace&) const = default;
};

// A value goes from the operand that is written to one that is read.
struct ValueFlow {
  OperandPlace written;
  OperandPlace read;
  int iterations = 0;  // 0: in the same one; 1: from the one before
};

// All flows of code that is repeated for ever, in the order of what is read. Registers are the same
// ones whatever names and widths they have. What a write keeps of a register is read, too. Through
// registers in `set_before` (bits of general registers) nothing goes from one iteration to the
// next: they get other values between them.
std::vector<ValueFlow> FindFlows(std::span<const assembler::Instruction> instructions,
                                 std::span<const MemoryLink> memory = {},
                                 std::uint32_t set_before = 0);

// Cycles from one operand of an instruction to another; unset where nothing waits, or where they
// are not known.
using LatencyOf = std::function<std::optional<double>(
    std::size_t instruction, const assembler::Operand& from, const assembler::Operand& to)>;

struct ChainLink {
  std::size_t instruction = 0;
  std::string to;  // what it writes
  double cycles = 0;
};

// The cycle of dependences, through one iteration or several, that takes longest for each
// iteration: exact.
struct DependenceChain {
  double cycles = 0;             // per iteration
  std::vector<ChainLink> links;  // once round
};
DependenceChain LongestChain(std::span<const assembler::Instruction> instructions,
                             const LatencyOf& latency, std::span<const ValueFlow> flows);

// "rax → rax: imul 3 + 2 × add 1"
std::string ToString(const DependenceChain& chain,
                     std::span<const assembler::Instruction> instructions);

// How many slots the instructions take at least: a compare and the branch behind it take one.
int SlotsOf(std::span<const assembler::Instruction> instructions);

}  // namespace cyclescope::predict
