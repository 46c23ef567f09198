// A snippet's machine code, and what can be seen from it without running it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "blocks/data_layout.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/claim.h"

namespace cyclescope::blocks {

// Of memory, by the widest of its operands; 0: none, or it is not known.
std::int64_t AccessedBytes(const assembler::Instruction& instruction);

// A distance from an instruction to data (x86-64's rip, AArch64's adrp): every copy of the snippet
// needs its own.
struct DataDistance {
  std::size_t at = 0;         // where it stands in the snippet
  std::size_t from = 0;       // the end of the instruction
  std::int64_t distance = 0;  // as written
  std::int64_t bytes = 0;     // as DataPlace has them

  DataPlace place() const { return {static_cast<std::int64_t>(from) + distance, bytes}; }
};

// A jump through a table: the instructions that its entries lead to, or how many instructions
// there are for an entry that leads out of the code.
struct TableJump {
  std::size_t instruction = 0;
  std::vector<std::size_t> targets;
};

// A number of an instruction that is the address of a symbol: each has a place in memory of its
// own, which is no part of the code.
struct SymbolUse {
  std::size_t instruction = 0;
  std::size_t at = 0;  // from the instruction's beginning
  std::size_t bytes = 0;
  int number = 0;           // of the symbol, from kFirstSymbol on
  std::int64_t addend = 0;  // that the number has more
  bool in_address = false;  // of an access; else it is an immediate
};

// Symbols are counted as registers are that nothing changes, behind those of every architecture.
inline constexpr int kFirstSymbol = 64;

struct BlockCode {
  assembler::Bytes bytes;
  // Unset where some bytes are no instruction: then nothing is known of it.
  std::optional<std::vector<assembler::Decoded>> decoded;
  std::vector<DataDistance> data;
  std::vector<TableJump> tables;
  std::vector<SymbolUse> symbols;
  std::vector<Claim> claims;          // what was changed, for the reader of the result
  std::vector<std::string> left_out;  // instructions that lead out of the snippet

  // Bits of general registers.
  std::uint32_t used = 0;
  std::uint32_t written = 0;
  std::uint32_t bases = 0;    // that addresses start from
  std::uint32_t indexes = 0;  // that are added to addresses
  int widest_vector = 128;
  bool masks = false;
  bool x87 = false;
  bool tiles = false;
  int stack_pointer = -1;  // its number, where the snippet names it
  bool uses_stack = false;
  bool moves_stack = false;
  bool branches = false;
  bool loads_floats = false;
  bool touches_memory = false;
  // What general registers must hold for instructions that fault, or take for ever, with most
  // values: divisions, repeated string instructions.
  std::map<int, std::uint64_t> needed_values;
};

// Reads the code. Branches that lead out of it go to its end, and what would leave it for good
// (calls, returns, jumps to an address in a register) is taken out, which a note says. Calls that
// lead into it stay, if each return in it follows one of them; so do jumps through `tables`.
// `written` are the instructions as the user wrote them, where that is known: bytes have lost the
// names of labels.
Result<BlockCode> ReadBlockCode(assembler::Assembler& assembler, const assembler::Bytes& bytes,
                                std::span<const assembler::Instruction> written = {},
                                std::span<const assembler::JumpTargets> tables = {},
                                std::span<const assembler::SymbolAddress> symbols = {});

// The symbol whose address an instruction has; null where it has none.
const SymbolUse* SymbolOf(const BlockCode& code, std::size_t instruction);

inline bool IsGeneralRegister(const assembler::Operand& operand) {
  return operand.kind == assembler::OperandKind::kRegister &&
         operand.reg.file == assembler::RegisterFile::kGeneral;
}

// The number of the instruction that a branch or a call leads to, or how many there are for the
// end; unset where it leads elsewhere.
std::optional<std::size_t> TargetOf(const assembler::Decoded& branch,
                                    const std::vector<assembler::Decoded>& decoded);

// Lets all branches to the instruction `header` lead to what comes behind the code.
Result<void> LinkCopies(assembler::Assembler& assembler, std::size_t header, BlockCode& code);

}  // namespace cyclescope::blocks
