// A kernel: registers set up, then a loop over copies of what is measured.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "instructions/form.h"
#include "sandbox/kernel_code.h"

namespace cyclescope::instructions {

// What is repeated in a kernel's loop, and what it needs around it.
struct Sequence {
  std::vector<assembler::Bytes> code;  // one entry per instruction
  std::vector<std::string> text;       // the same, printed
  double units = 0;                    // what is measured: forms, links
  // The registers it uses, as their operands have them.
  std::vector<assembler::Register> registers;
  // What general and vector registers hold at first, where not the usual value.
  std::map<std::pair<RegisterFile, std::uint8_t>, std::uint64_t> values;
  // General registers that it moves: put right in every loop.
  struct MovingAddress {
    std::uint8_t index = 0;
    int offset = 0;  // from the kernel's address
  };
  std::vector<MovingAddress> moving_addresses;
  bool touches_memory = false;
  std::uint64_t memory = 0;  // what every eight bytes of that memory hold
  bool reads_flags = false;  // that it does not write: they get a known writer in every loop
  bool mixed_flags = false;  // or two, of which each writes some of them
  bool keeps_flags = false;  // a dependence runs through the flags from one loop to the next
  bool moves_stack = false;
  bool branches = false;  // each unit is one
  int lead = 0;           // instructions that do nothing, run once before the loop

  // Where the sequence changes values that its time depends on: what puts them back, but not before
  // the sequence is done. It stands behind every `stretch` sequences of the shorter kernel, and
  // behind twice as many of the longer one, so that it vanishes from the difference.
  std::vector<assembler::Bytes> restart;
  std::vector<std::string> restart_text;
  int stretch = 0;  // unset where nothing has to be put back

  double InstructionsPerUnit() const {
    return units > 0 ? static_cast<double>(code.size()) / units : 0;
  }

  void Append(assembler::Assembler& assembler, const Instruction& instruction);
  void AppendText(const std::string& text, const assembler::Bytes& bytes);
  void AppendRestart(assembler::Assembler& assembler, const Instruction& instruction);

 private:
  void NoteRegisters(const Instruction& instruction);
};

// Assembles the little texts around a sequence, each only once.
class KernelBuilder {
 public:
  KernelBuilder(assembler::Assembler& assembler, std::uint64_t scratch_address)
      : assembler_(assembler), address_(scratch_address) {}

  // The sequence `repeats` times in a loop; a multiple of its stretch.
  Result<sandbox::Kernel> Build(const Sequence& sequence, int repeats);
  // That, and one with twice as many: quicker than one after the other.
  Result<std::array<sandbox::Kernel, 2>> BuildPair(const Sequence& sequence, int repeats);

  // What the address register holds.
  std::uint64_t address() const { return address_; }

  // The bytes of a text of our own; cached.
  Result<assembler::Bytes> Bytes(const std::string& text);

 private:
  // Small texts, so that most are found in the cache.
  std::vector<std::string> SetUpTexts(const Sequence& sequence) const;
  // What stands before the first copy; `loop_begin` is where the loop goes back to.
  struct Start {
    sandbox::Kernel code;
    std::size_t loop_begin = 0;
  };
  Result<Start> BuildStart(const Sequence& sequence);
  // The copies and the end. `times` as many copies, in stretches that are as many times as long.
  Result<sandbox::Kernel> Complete(const Start& start, const Sequence& sequence, int repeats,
                                   int times);
  Result<void> AppendText(const std::string& text, sandbox::Kernel& kernel);

  assembler::Assembler& assembler_;
  std::uint64_t address_;
  std::unordered_map<std::string, assembler::Bytes> cache_;
};

}  // namespace cyclescope::instructions
