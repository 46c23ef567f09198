// Text to instructions, instructions to bytes, for one target. LLVM's MC library does the work;
// none of it shows here.
//
//   auto assembler = Assembler::Create(target);
//   auto parsed = assembler->Parse("madd x0, x1, x2, x3");
//   Instruction chained = assembler->Rename(parsed->front(), {{{.operand = 0, .index = 1}}});
//   std::vector<std::uint8_t> bytes = assembler->Encode(chained);
//
// An Assembler is used by one thread at a time; each thread may have its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/target.h"
#include "assembler/text_error.h"
#include "cyclescope/base/error.h"

namespace cyclescope::assembler {

using Bytes = std::vector<std::uint8_t>;

// What is typed may be hostile: more than this is refused, so that it can take neither memory nor
// time.
inline constexpr std::size_t kMaxTextBytes = 256 * 1024;
inline constexpr std::size_t kMaxStatementBytes = 512;

// Which register an operand gets; those of a list follow it.
struct RegisterChoice {
  std::size_t operand = 0;  // position in Instruction::operands
  std::uint8_t index = 0;   // in the operand's register file
};

// Where a jump of the code may lead through a table.
struct JumpTable {
  std::size_t jump = 0;              // the number of the instruction, from 0
  std::vector<std::string> targets;  // a label each; empty where it leads out of the code
};

// The same with its labels resolved.
struct JumpTargets {
  std::size_t jump = 0;
  std::vector<std::optional<std::size_t>> offsets;  // bytes from the start; unset: out of the code
};

// A number in the code that a linker makes of a symbol's address, and that is zero here.
struct SymbolAddress {
  std::size_t at = 0;  // bytes from the start
  std::size_t bytes = 0;
  std::string symbol;
  std::int64_t addend = 0;
};

// A snippet with its labels resolved.
struct Snippet {
  Bytes bytes;
  std::vector<Instruction> instructions;
  std::vector<JumpTargets> tables = {};
  std::vector<SymbolAddress> symbols = {};
};

struct DisassembledLine {
  std::size_t offset = 0;  // bytes from the start
  Bytes bytes;
  std::string text;    // empty where the bytes are no instruction
  std::string opcode;  // LLVM's name; empty likewise
};

// An instruction in machine code.
struct Decoded {
  std::size_t offset = 0;  // bytes from the start
  std::size_t size = 0;
  Instruction instruction;
  // Of a branch or call that says it in a number: bytes from its end to where it leads.
  std::optional<std::int64_t> branch_distance;
  // Where it refers to data by how far they are from itself (x86-64's rip, AArch64's adrp): where
  // in the code that distance stands.
  std::optional<std::size_t> distance_at;
};

// What a CPU's scheduling model says of an instruction, in cycles; unset where it says nothing.
struct ModelTiming {
  std::optional<double> latency;
  std::optional<double> reciprocal_throughput;
  std::optional<int> micro_ops;
};

// Ports, in the model's words, of which one is busy for this number of cycles.
struct ModelPorts {
  std::vector<std::string> ports;
  double cycles = 0;
};

class Llvm;  // the target's LLVM objects

class Assembler {
 public:
  static Result<Assembler> Create(const Target& target);
  Assembler(Assembler&&) noexcept;
  Assembler& operator=(Assembler&&) noexcept;
  ~Assembler();

  const Target& target() const;

  // ---- Text

  // Instructions, labels and comments; `;` and line ends separate. What else LLVM's parser knows
  // (directives, macros, assignments) is refused before it gets to see it. The text of each
  // instruction is the assembler's own print of it.
  TextResult<std::vector<Instruction>> Parse(std::string_view text);

  // The same with labels resolved, branches relaxed and the code laid out; it may be placed
  // anywhere.
  TextResult<Snippet> Assemble(std::string_view text);

  // A part of a longer text. What it refers to and does not define lies behind it: branches there
  // lead out of it, and data are somewhere. Addresses that only a linker knows are zero, and
  // x86-64's are listed. The targets of `tables` are labels of the text.
  TextResult<Snippet> AssemblePart(std::string_view text, std::span<const JumpTable> tables = {});

  // Text that we wrote ourselves (prologues, connectors): the bytes alone, without explaining
  // errors. Empty text is empty code.
  Result<Bytes> AssembleText(std::string_view text);

  // ---- Instructions

  // The instruction with other registers; tied operands follow. Each index must be in the operand's
  // `allowed`.
  Instruction Rename(const Instruction& instruction, std::span<const RegisterChoice> choices);

  // The instruction with another immediate, displacement or distance of a branch (an operand of
  // kind kImmediate, or kLabel with a number); fails where the field does not hold it.
  Result<Instruction> SetValue(const Instruction& instruction, std::size_t operand,
                               std::int64_t value);

  // The branch or call so that it leads over this number of bytes behind it. Fails where it cannot
  // go so far, or says in no number where it goes.
  Result<Bytes> LeadOver(const Instruction& branch, std::int64_t bytes);

  // Where the whole address is a number in the instruction (`movabs rax, [5]`): that at `address`.
  // Others are as they were.
  Instruction AtAddress(const Instruction& instruction, std::uint64_t address);

  // Without its length-changing prefix: the same operation with an immediate of 8 bits. Unset where
  // it has no such prefix, or no such form.
  std::optional<Instruction> WithShortImmediate(const Instruction& instruction);

  // A load of what `store` has just written from its operand, into register 0 of that operand's
  // file: it closes a loop through memory. Unset where there is none.
  std::optional<Instruction> Reload(const Instruction& store, std::size_t operand);

  // Neither may refer to a label: only Assemble knows where those are.
  Bytes Encode(const Instruction& instruction);
  Bytes Encode(std::span<const Instruction> instructions);

  std::string Print(const Instruction& instruction);

  // Opcode and machine operands in LLVM's own words, as its tools write them: "ADDXri X0 X1 i_0x1
  // i_0x0".
  std::string MachineText(const Instruction& instruction) const;

  // The name of a register in its widest or a given width: "x5"; "rax".
  std::string RegisterName(const Register& reg) const;

  // The register of that name: "rax", "xmm3", "x5", "v0"; unset where there is none.
  std::optional<Register> FindRegister(std::string_view name) const;

  // What it needs of the CPU beyond the least of its architecture, in the kernel's words. Takes a
  // few milliseconds where it needs something.
  std::vector<std::string> Features(const Instruction& instruction) const;

  // ---- Bytes

  // One line per instruction; bytes that are none go into lines of their own.
  std::vector<DisassembledLine> Disassemble(std::span<const std::uint8_t> bytes);

  // The same as values; nothing where some of the bytes are no instruction.
  std::optional<std::vector<Decoded>> Decode(std::span<const std::uint8_t> bytes);

  // True if the last of the bytes are the beginning of an instruction, and no whole one.
  bool EndsWithin(std::span<const std::uint8_t> bytes);

  // ---- The model

  // What the model of the target's CPU says, or that of another CPU that LLVM knows.
  ModelTiming Model(const Instruction& instruction, std::string_view cpu = {});

  // The ports that the model says it uses; groups of ports without those of which they consist.
  std::vector<ModelPorts> PortsOfModel(const Instruction& instruction, std::string_view cpu = {});

  // From one operand to another, both by name: LLVM's models let some operands be read later than
  // others. The register that is combined with a loaded value has the operation's latency, the
  // address that of load and operation. Unset where the model says nothing, and through memory.
  std::optional<double> ModelLatency(const Instruction& instruction, std::string_view from,
                                     std::string_view to, std::string_view cpu = {});

  // For the other files of this folder.
  Llvm& llvm() { return *llvm_; }

 private:
  explicit Assembler(std::unique_ptr<Llvm> llvm);
  std::unique_ptr<Llvm> llvm_;
};

}  // namespace cyclescope::assembler
