#include "assembler/suggest.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

#include "base/near_names.h"

namespace cyclescope::assembler {
namespace {

constexpr int kMaxNames = 5;

std::vector<std::string> AllMnemonics(const Llvm& llvm) {
  std::vector<std::string> mnemonics;
  for (const std::string_view extra : llvm.rules->extra_mnemonics) mnemonics.emplace_back(extra);
  for (unsigned opcode = 0; opcode < llvm.instructions->getNumOpcodes(); ++opcode) {
    if (llvm.instructions->get(opcode).isPseudo()) continue;
    llvm::MCInst inst;
    inst.setOpcode(opcode);
    const char* printed = llvm.printer->getMnemonic(&inst).first;
    if (printed == nullptr) continue;
    const llvm::StringRef word = llvm::StringRef(printed).split('\t').first.split(' ').first;
    const bool whole = !word.empty() && !word.ends_with(".") && llvm::isAlpha(word.front());
    if (whole) mnemonics.push_back(word.str());
  }
  std::ranges::sort(mnemonics);
  mnemonics.erase(std::ranges::unique(mnemonics).begin(), mnemonics.end());
  return mnemonics;
}

const std::vector<std::string>& Mnemonics(Llvm& llvm) {
  if (llvm.mnemonics.empty()) llvm.mnemonics = AllMnemonics(llvm);
  return llvm.mnemonics;
}

}  // namespace

bool HasMnemonic(Llvm& llvm, std::string_view word) {
  return std::ranges::binary_search(Mnemonics(llvm), llvm::StringRef(word).lower());
}

std::vector<std::string> NearMnemonics(Llvm& llvm, std::string_view word) {
  return NearNames(llvm::StringRef(word).lower(), Mnemonics(llvm), kMaxNames);
}

std::vector<std::string> NearRegisters(const Llvm& llvm, std::string_view word) {
  std::vector<std::string> names;
  for (unsigned reg = 1; reg < llvm.registers->getNumRegs(); ++reg) {
    std::string name = llvm::StringRef(llvm.registers->getName(reg)).lower();
    // Lists and flags have names that users do not write.
    if (llvm.register_table->Find(name)) names.push_back(std::move(name));
  }
  return NearNames(llvm::StringRef(word).lower(), names, kMaxNames);
}

}  // namespace cyclescope::assembler
