// What a snippet cannot be faster than: its longest chain of dependences, the slots that its
// instructions take, and the instruction that its resource lets through most slowly. Pure: the
// figures of the parts are given.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/instruction.h"
#include "cyclescope/result/instruction.h"

namespace cyclescope::blocks {

// Cycles from one operand of an instruction to another; unset where nobody waits, or where they are
// not known.
using LatencyOf = std::function<std::optional<double>(
    std::size_t instruction, const assembler::Operand& from, const assembler::Operand& to)>;

struct ChainLink {
  std::size_t instruction = 0;
  std::string to;  // what it writes
  double cycles = 0;
};

// The cycle of dependences, through one iteration or several, that takes longest for each
// iteration.
struct DependenceChain {
  double cycles = 0;             // per iteration
  std::vector<ChainLink> links;  // once round
};
DependenceChain LongestChain(std::span<const assembler::Instruction> instructions,
                             const LatencyOf& latency);

// "rax → rax: imul 3 + 2 × add 1"
std::string ToString(const DependenceChain& chain,
                     std::span<const assembler::Instruction> instructions);

// How many slots the instructions take at least: a compare and the branch behind it take one.
int SlotsOf(std::span<const assembler::Instruction> instructions);

// `parts` are the rows of the instructions, and `nop` that of one that does nothing.
BlockBounds BoundsOf(std::span<const assembler::Instruction> instructions,
                     std::span<const InstructionRow> parts, const InstructionRow& nop);

// "bound by the chain rax → rax: imul 3 + add 1"
std::string WhatBinds(double cycles, const BlockBounds& bounds);

}  // namespace cyclescope::blocks
