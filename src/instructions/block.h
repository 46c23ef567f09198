// A snippet exactly as written: cycles per iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/block_loop.h"
#include "instructions/lab.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

struct Block {
  std::string text;  // for the row
  assembler::Bytes bytes;
  std::vector<assembler::Instruction> instructions;  // empty for raw bytes
  bool raw = false;                                  // given as bytes: nobody knows what it does
  std::string init_text;
  assembler::Bytes init;  // runs once before
  std::vector<assembler::Instruction> init_instructions;
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies; as many as make a good sample when unset
};

// At its begin every general register holds the address of 64 KiB of memory (its middle, with room
// on both sides), every eight bytes of which hold that address again, so that loads, stores and
// pointer chases work; one register that the snippet does not name counts its loops. Vector
// registers hold numbers between 1 and 2.
BlockRow MeasureBlock(Lab& lab, const Block& block);

}  // namespace cyclescope::instructions
