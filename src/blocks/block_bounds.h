// What a snippet cannot be faster than: its longest chain of dependences, the slots that its
// instructions take, and the instruction that its resource lets through most slowly. Pure: the
// figures of the parts are given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assembler/instruction.h"
#include "blocks/trip_values.h"
#include "cyclescope/result/instruction.h"
#include "predict/dependence.h"

namespace cyclescope::blocks {

// Finds them among accesses whose addresses are sums of the same registers, in the order of the
// instructions. A load may read only a part of what was stored, and more than that.
std::vector<predict::MemoryLink> FindMemoryLinks(const TripValues& values);
// Where the accesses lie whose steps are seen, as `block` lays memory out: registers that addresses
// start from hold the beginning of a line, and the stack pointer is `stack_offset` bytes behind
// one.
std::vector<predict::MemoryPlace> FindMemoryPlaces(const TripValues& values,
                                                   GeneralNumber stack_pointer = -1,
                                                   std::int64_t stack_offset = 0);

// `parts` are the rows of the instructions; `width` is how many start in a cycle, 0 where that is
// not known. Of a part counts the least that it may take: its fastest state and values, and the
// lower end of an interval that is wide. Through registers in `set_before` (bits of general
// registers) nothing goes from one iteration to the next: they get other values between them.
BlockBounds BoundsOf(std::span<const assembler::Instruction> instructions,
                     std::span<const InstructionRow> parts, double width,
                     std::span<const predict::MemoryLink> memory = {},
                     std::uint32_t set_before = 0);

// The largest of them.
double LargestOf(const BlockBounds& bounds);

// Drops bounds that a measured value is below, and says so: they did not hold.
void DropFailedBounds(const Estimate& cycles, BlockRow& row);

// Which bound explains the time, and which comes next; and in words: "bound by the chain rax → rax:
// imul 3 + add 1".
void FindWhatBinds(const Estimate& cycles, BlockBounds& bounds);

}  // namespace cyclescope::blocks
