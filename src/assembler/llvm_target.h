// The LLVM objects that one Assembler works with. Only files of this folder include this.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembler/registers.h"
#include "assembler/rules.h"
#include "assembler/target.h"
#include "cyclescope/base/error.h"

namespace cyclescope::assembler {

// A feature that changes what is an instruction, with the features that it implies.
struct Extension {
  std::string_view name;
  unsigned number;
  llvm::FeatureBitset with_implied;
};

class Llvm {
 public:
  static Result<std::unique_ptr<Llvm>> Create(const Target& description);

  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget(std::string_view cpu,
                                                   std::string_view features) const;

  // LLVM's number for the syntax of the text.
  unsigned Dialect() const;

  std::string_view OpcodeName(unsigned opcode) const;
  // The number of LLVM's opcode of that name; unset where it has none.
  std::optional<unsigned> FindOpcode(std::string_view name) const;

  // The manual's word for an opcode, which no syntax changes: "div", "fadd".
  std::string ManualName(unsigned opcode) const;

  // LLVM's register for register `index` of the operand's file, in the operand's class and width.
  llvm::MCRegister RegisterFor(const llvm::MCInstrDesc& desc, const Operand& operand,
                               std::uint8_t index) const;

  Target description;
  llvm::Triple triple;
  const llvm::Target* target = nullptr;
  const Rules* rules = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unique_ptr<llvm::MCInstPrinter> manual_printer;  // in the syntax of the vendor's manual
  std::unique_ptr<llvm::MCContext> context;  // of the emitter and the disassembler; parsing makes
                                             // its own, as labels live there
  std::unique_ptr<llvm::MCCodeEmitter> emitter;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<RegisterTable> register_table;
  std::map<std::string, std::unique_ptr<llvm::MCSubtargetInfo>, std::less<>> model_subtargets;
  std::vector<std::string> mnemonics;                                     // made on first use
  std::map<Architecture, std::unique_ptr<Llvm>> others;                   // made on first use
  mutable std::unordered_map<std::string_view, unsigned> opcode_numbers;  // made on first use
  std::vector<Extension> extensions;  // those that imply the most first
};

// The LLVM target of an architecture, its code registered by name (so that the other
// architecture's build links it too).
const llvm::Target& LlvmTargetOf(Architecture architecture);
llvm::Triple TripleOf(Architecture architecture);

}  // namespace cyclescope::assembler
