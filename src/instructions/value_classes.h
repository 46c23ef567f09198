// The values with which an instruction whose time depends on them is measured, for people to read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assembler/instruction.h"

namespace cyclescope::instructions {

struct ValueClass {
  std::string name;                                             // "fast", "slow"
  std::vector<std::pair<std::string, std::uint64_t>> operands;  // what each of its sources holds
};

// Empty where values make no difference.
std::vector<ValueClass> ValueClassesOf(const assembler::Instruction& instruction);

}  // namespace cyclescope::instructions
