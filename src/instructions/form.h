// A form: an instruction whose registers can be chosen anew. Operands that have the same register
// in the text keep sharing one (`xor rax, rax` stays a zeroing idiom); each such group of operands
// is one place where an experiment puts a register. Parts of an address share with nothing else:
// `mov rax, [rax]` destroys its address, so only with another destination can copies of it be
// independent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/value_patterns.h"
#include "assembler/assembler.h"
#include "assembler/instruction.h"

namespace cyclescope::instructions {

using assembler::AddressPart;
using assembler::Instruction;
using assembler::RegisterFile;

struct Group {
  std::string name;  // as the text has it: "x1", "flags"
  RegisterFile file = RegisterFile::kNone;
  std::uint8_t index = 0;  // in the text
  std::uint8_t count = 1;  // registers in a list
  std::uint8_t stride = 1;
  std::uint16_t bits = 0;
  bool read = false;
  bool written = false;
  bool fixed = false;      // the register cannot be chosen: rax of `mul`, the flags
  bool partial = false;    // a write keeps a part of the register
  bool spent = false;      // the form clears it: set again before every copy
  bool undefined = false;  // what it holds then is not known, and nothing waits for it
  bool stack_pointer = false;
  AddressPart address = AddressPart::kNone;  // base, index, or what is added to a base
  std::uint32_t allowed = 0;                 // bit n: register n may stand here
  std::vector<std::size_t> operands;         // positions in Instruction::operands

  bool is_address() const { return address != AddressPart::kNone; }
};

struct Form {
  Instruction instruction;
  std::vector<Group> groups;
  bool reads_memory = false;
  bool writes_memory = false;
  bool updates_memory = false;               // writes the place that it reads
  std::uint64_t memory = arch::kUsualValue;  // what every eight bytes of it hold
};

Form MakeForm(const Instruction& instruction);

// True if some register may stand in either of the two groups: what one copy writes, another reads.
bool CanShare(const Group& first, const Group& second);
// True if one register may stand in both of them at once. Some architectures forbid it (`ldp x0,
// x0`; the tiles of `tdpbf16ps`).
bool CanBeEqual(const Form& form, std::size_t first, std::size_t second);

// One register per group.
using Assignment = std::vector<std::uint8_t>;

// The registers that the text has.
Assignment TextAssignment(const Form& form);

Instruction Rename(assembler::Assembler& assembler, const Form& form, const Assignment& assignment);

}  // namespace cyclescope::instructions
