#include "assembler/suggest.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <utility>

namespace cyclescope::assembler {
namespace {

constexpr unsigned kMaxDistance = 2;
constexpr std::size_t kMaxNames = 5;

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

}  // namespace

std::vector<std::string> NearMnemonics(Llvm& llvm, std::string_view word) {
  if (llvm.mnemonics.empty()) llvm.mnemonics = AllMnemonics(llvm);
  const std::string lower = llvm::StringRef(word).lower();
  // Of a short word, two other letters leave nothing in common.
  const unsigned most = lower.size() <= 3 ? 1 : kMaxDistance;
  std::vector<std::pair<unsigned, std::string>> near;
  for (const std::string& mnemonic : llvm.mnemonics) {
    const unsigned distance =
        llvm::StringRef(lower).edit_distance(mnemonic, /*AllowReplacements=*/true, most);
    if (distance <= most && distance > 0) near.emplace_back(distance, mnemonic);
  }
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& [distance, name] : near) {
    if (names.size() < kMaxNames) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace cyclescope::assembler
