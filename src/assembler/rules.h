// What an architecture supplies to the assembler: data that LLVM's public tables do not hold, and
// the few decisions about operands that need to know the instruction set.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCRegister.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/target.h"

namespace cyclescope::assembler {

class Llvm;

// Opcodes, mnemonics, or how they begin or end.
using Words = std::span<const std::string_view>;

inline bool BeginsWithAny(std::string_view name, Words prefixes) {
  return std::ranges::any_of(prefixes, [name](auto prefix) { return name.starts_with(prefix); });
}

inline bool EndsWithAny(std::string_view name, Words suffixes) {
  return std::ranges::any_of(suffixes, [name](auto suffix) { return name.ends_with(suffix); });
}

// The registers of a class of LLVM's, as a file and a width; of a tuple, its elements'.
struct ClassFile {
  std::string_view register_class;
  RegisterFile file;
  std::uint16_t bits;
  std::uint8_t count = 1;
  std::uint8_t stride = 1;
};

// Registers that stand alone: flags, the stack pointer, the zero register.
struct SingleRegister {
  std::string_view llvm_name;
  Register reg;
  std::string_view name;  // as people say it
};

// Values for the immediates of a form, in the order of their slots; the last one stands for all
// that follow.
using Immediates = llvm::SmallVector<std::int64_t, 6>;

// Registers of a file in the order in which forms take them.
struct RegisterOrder {
  RegisterFile file;
  std::span<const std::uint8_t> indexes;
};

// Takes a register of a class for a form; invalid where the class has none to choose.
using PickRegister = llvm::function_ref<llvm::MCRegister(unsigned register_class)>;

// What an instruction that touches memory does there.
struct MemoryAccess {
  std::uint16_t bits = 0;  // 0 where it is not known
  std::uint8_t times = 1;  // as Operand's
  arch::ElementKind element = arch::ElementKind::kInteger;
  std::optional<std::uint64_t> factor;  // as Operand's
  bool places_differ = false;           // it reads one place and writes another
};

struct Misreading {
  std::string message;
  std::string hint;
};

// Opcodes whose names begin and end so, and what they are.
struct Unreadable {
  std::string_view begin;
  std::string_view end;
  std::string_view reason;
  std::string_view extension = {};  // that they belong to, if to one
};

// Where code goes on behind an instruction.
enum class Flow {
  kOn,           // behind it
  kConditional,  // behind it, or where its last operand says
  kJump,         // where its last operand says
  kIndirect,     // where a register or memory says
  kCall,         // behind it, after other code
  kEnd,          // nowhere: it returns, or stops the program
};

struct Rules {
  std::span<const ClassFile> class_files;  // of two that hold a register, the later one counts
  std::span<const SingleRegister> single_registers;
  std::string_view stack_pointer;  // LLVM's name of it
  // Bytes above the lowest of a register, by LLVM's names: ah.
  std::span<const std::string_view> high_bytes;
  std::size_t least_length;  // bytes of the shortest instruction
  // Registers of the general file that may be chosen, whatever their class holds: without the zero
  // register on AArch64, without those of APX on x86-64.
  std::uint32_t general_registers;

  // ---- Text

  bool has_att_syntax;   // besides the manual's, a second syntax in which registers are %rax
  bool equal_is_pool;    // `ldr x0, =5` puts data behind the code
  bool slash_is_a_part;  // of names, as in p0/z, and no division
  std::string_view comment_sign;  // that begins a comment wherever it stands in a line
  // Where code goes on behind an instruction of a compiler's text.
  Flow (*flow)(std::string_view mnemonic, std::string_view operands);
  std::string_view jump;  // the mnemonic of a plain jump to a label
  // The bytes, as `.byte` has them, with which other tools mark code.
  std::string_view byte_mark;
  // The name of an operand, which LLVM calls `name`, as the text has it.
  std::string (*operand_name)(const Instruction& instruction, const Operand& operand,
                              std::string name);
  // What LLVM's parser takes for something other than the text says.
  std::optional<Misreading> (*misreading)(const Instruction& instruction);
  // Prefixes that may stand before a mnemonic in printed text ("lock").
  std::span<const std::string_view> prefixes;
  // Mnemonics that aliases give and no opcode has by itself, for suggestions.
  std::span<const std::string_view> extra_mnemonics;

  // ---- Operands

  // Corrects and completes what LLVM's tables say: parts of addresses, flags, registers that must
  // differ, operands LLVM knows less about than the manual. Called when all operands are there,
  // before the memory operand is added.
  void (*refine)(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction);

  // Called for what loads or stores, when all other operands are there.
  MemoryAccess (*memory_access)(const Llvm& llvm, const llvm::MCInst& inst,
                                const Instruction& instruction);

  // Bits of an element of the vectors that it computes with; 0 where it only moves bits, or is
  // scalar.
  int (*element_bits)(const Instruction& instruction);

  // Fills in the bytes and multipliers of its address, when its memory operand is there.
  void (*scale_address)(Instruction& instruction);

  // With what values it is measured; empty where values make no difference.
  std::vector<arch::ValueSet> (*value_sets)(const Instruction& instruction);

  // A load of what the store's operand left in memory, into register 0 of the operand's file; unset
  // where there is none.
  std::optional<llvm::MCInst> (*reload)(const Llvm& llvm, const Instruction& store,
                                        const Operand& operand);

  // What the registers of `original` said of its encoding, and those of `renamed` no longer say;
  // null where registers say nothing.
  void (*keep_encoding)(const Instruction& original, Instruction& renamed);

  // The kernel's words for the features an instruction needs; null where LLVM's parser checks them.
  std::vector<std::string> (*isa)(const Llvm& llvm, const Instruction& instruction);

  // ---- The model

  // An opcode that LLVM's models only have a stand-in for. They give what they do not model one and
  // the same latency: whatever has that of this opcode has none. Empty where there is no such
  // thing.
  std::string_view unmodelled;

  // ---- Features

  // True if one of LLVM's features changes what is an instruction.
  bool (*is_extension)(std::string_view feature);
  // LLVM's features that its least CPU has and that are extensions nevertheless.
  std::string_view without_extensions;
  // Extensions that every CPU of the architecture has, whatever LLVM's CPU names leave out.
  std::span<const std::string_view> baseline;
  // Extensions that `isa` names and that are neither of those nor features of LLVM's.
  std::span<const std::string_view> other_extensions;

  // Opcodes that are the compiler's own though LLVM does not call them pseudos; its encoder crashes
  // on them.
  std::span<const std::string_view> compilers_own;
  // Why the text that LLVM prints for an opcode is not read back as it.
  std::span<const Unreadable> unreadable;

  // ---- For the forms of the catalogue

  // Values to try for the `count` immediates of an opcode, the likeliest first: what a person would
  // write, neither 0 nor 1 unless the opcode means that.
  std::vector<Immediates> (*immediates)(const Llvm& llvm, unsigned opcode, std::size_t count);
  // What makes a branch go to the instruction after it.
  std::int64_t next_instruction;
  // The best first: on x86-64 not those that give some opcodes a form of their own.
  std::span<const RegisterOrder> register_orders;
  // Adds the operands of an address that starts in that slot, and says how many they are; 0 where
  // none starts there. Addresses in fixed registers come in two variants, 0 and 1: which of them is
  // in which register.
  unsigned (*add_address)(const Llvm& llvm, unsigned opcode, unsigned slot, unsigned variant,
                          PickRegister pick, llvm::MCInst& inst);
  bool (*has_variants)(const Llvm& llvm, unsigned opcode);
};

const Rules& RulesOf(Architecture architecture);

namespace aarch64 {
const Rules& GetRules();
}
namespace x86 {
const Rules& GetRules();
}

}  // namespace cyclescope::assembler
