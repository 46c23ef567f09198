// What a snippet cannot be faster than: its longest chain of dependences, the slots that its
// instructions take, and the instruction that its resource lets through most slowly. Pure: the
// figures of the parts are given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/instruction.h"
#include "blocks/trip_values.h"
#include "cyclescope/result/instruction.h"

namespace cyclescope::blocks {

// Cycles from one operand of an instruction to another; unset where nothing waits, or where they
// are not known.
using LatencyOf = std::function<std::optional<double>(
    std::size_t instruction, const assembler::Operand& from, const assembler::Operand& to)>;

// What one instruction stores another loads, some iterations later.
struct MemoryLink {
  std::size_t store = 0;
  std::size_t load = 0;
  int iterations = 0;
};
// Of accesses whose addresses are sums of the same registers, in the order of the instructions.
std::vector<MemoryLink> FindMemoryLinks(const TripValues& values);

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
// Through registers in `set_before` (bits of general registers) nothing goes from one iteration to
// the next: they get other values between them.
DependenceChain LongestChain(std::span<const assembler::Instruction> instructions,
                             const LatencyOf& latency, std::span<const MemoryLink> memory = {},
                             std::uint32_t set_before = 0);

// "rax → rax: imul 3 + 2 × add 1"
std::string ToString(const DependenceChain& chain,
                     std::span<const assembler::Instruction> instructions);

// How many slots the instructions take at least: a compare and the branch behind it take one.
int SlotsOf(std::span<const assembler::Instruction> instructions);

// `parts` are the rows of the instructions; `width` is how many start in a cycle, 0 where that is
// not known. Of a part counts the least that it may take: its fastest state and values, and the
// lower end of an interval that is wide.
BlockBounds BoundsOf(std::span<const assembler::Instruction> instructions,
                     std::span<const InstructionRow> parts, double width,
                     std::span<const MemoryLink> memory = {}, std::uint32_t set_before = 0);

// The largest of them.
double LargestOf(const BlockBounds& bounds);

// Drops bounds that a measured value is below, and says so: they did not hold.
void DropFailedBounds(const Estimate& cycles, BlockRow& row);

// Which bound explains the time, and which comes next; and in words: "bound by the chain rax → rax:
// imul 3 + add 1".
void FindWhatBinds(const Estimate& cycles, BlockBounds& bounds);

}  // namespace cyclescope::blocks
