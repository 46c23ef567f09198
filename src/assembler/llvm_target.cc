#include "assembler/llvm_target.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>

#include "assembler/needed_features.h"

namespace cyclescope::assembler {
namespace {

void RegisterTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmParser();
    LLVMInitializeAArch64Disassembler();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86Disassembler();
  });
}

// Intel syntax is LLVM's dialect 1 of x86; everything else its 0.
unsigned ManualDialect(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return 0;
    case Architecture::kX86_64:
      return 1;
  }
  std::unreachable();
}

}  // namespace

// Linux on every system: code is encoded the same way everywhere, and an ELF object is only how
// LLVM hands the bytes over.
llvm::Triple TripleOf(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return llvm::Triple("aarch64-unknown-linux-gnu");
    case Architecture::kX86_64:
      return llvm::Triple("x86_64-unknown-linux-gnu");
  }
  std::unreachable();
}

const llvm::Target& LlvmTargetOf(Architecture architecture) {
  RegisterTargets();
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(TripleOf(architecture).str(), error);
  assert(target != nullptr && "both targets are linked in");
  return *target;
}

std::unique_ptr<llvm::MCSubtargetInfo> Llvm::Subtarget(std::string_view cpu,
                                                       std::string_view features) const {
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple.str(), cpu, features));
}

unsigned Llvm::Dialect() const {
  return description.syntax == Syntax::kIntel ? ManualDialect(description.architecture) : 0;
}

std::string_view Llvm::OpcodeName(unsigned opcode) const { return instructions->getName(opcode); }

std::optional<unsigned> Llvm::FindOpcode(std::string_view name) const {
  if (opcode_numbers.empty()) {
    for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); ++opcode) {
      opcode_numbers.emplace(OpcodeName(opcode), opcode);
    }
  }
  const auto found = opcode_numbers.find(name);
  return found == opcode_numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string Llvm::ManualName(unsigned opcode) const {
  llvm::MCInst inst;
  inst.setOpcode(opcode);
  const char* printed = manual_printer->getMnemonic(&inst).first;
  if (printed == nullptr) return {};
  const std::string_view words = printed;
  return std::string(words.substr(0, words.find_first_of("\t ")));
}

llvm::MCRegister Llvm::RegisterFor(const llvm::MCInstrDesc& desc, const Operand& operand,
                                   std::uint8_t index) const {
  const llvm::MCOperandInfo& info = desc.operands()[operand.slot];
  // The width of an address is not the opcode's but the text's: [rbx] or [ebx].
  const bool by_width = info.RegClass < 0 || info.isLookupPtrRegClass();
  if (by_width) return register_table->Find({operand.reg.file, index, operand.reg.bits});
  return register_table->Choices(static_cast<unsigned>(info.RegClass)).by_index[index];
}

Result<std::unique_ptr<Llvm>> Llvm::Create(const Target& description) {
  auto made = std::make_unique<Llvm>();
  made->description = description;
  made->triple = TripleOf(description.architecture);
  made->target = &LlvmTargetOf(description.architecture);
  made->rules = &RulesOf(description.architecture);

  const auto known = KnownCpus(description.architecture);
  if (!description.cpu.empty() && !std::ranges::binary_search(known, description.cpu)) {
    return BadInput(fmt::format("LLVM {} knows no {} CPU '{}'", LlvmVersion(),
                                ToString(description.architecture), description.cpu));
  }
  const llvm::MCTargetOptions options;
  made->registers.reset(made->target->createMCRegInfo(made->triple.str()));
  made->asm_info.reset(
      made->target->createMCAsmInfo(*made->registers, made->triple.str(), options));
  made->instructions.reset(made->target->createMCInstrInfo());
  made->subtarget =
      made->Subtarget(description.cpu, fmt::format("{}", fmt::join(description.features, ",")));
  made->printer.reset(made->target->createMCInstPrinter(
      made->triple, made->Dialect(), *made->asm_info, *made->instructions, *made->registers));
  made->manual_printer.reset(
      made->target->createMCInstPrinter(made->triple, ManualDialect(description.architecture),
                                        *made->asm_info, *made->instructions, *made->registers));
  made->context = std::make_unique<llvm::MCContext>(made->triple, made->asm_info.get(),
                                                    made->registers.get(), made->subtarget.get());
  made->emitter.reset(made->target->createMCCodeEmitter(*made->instructions, *made->context));
  made->disassembler.reset(made->target->createMCDisassembler(*made->subtarget, *made->context));
  made->register_table = std::make_unique<RegisterTable>(*made->registers, *made->rules);
  made->extensions = FindExtensions(*made);
  return made;
}

}  // namespace cyclescope::assembler
