// Every opcode that LLVM lists for a target, each with a form to measure or the reason why there is
// none. Nothing is left out: the entries add up to LLVM's list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "assembler/instruction.h"
#include "base/work.h"

namespace cyclescope::assembler {

enum class CatalogueStatus {
  kForm,          // `instruction` is its canonical form
  kPseudo,        // the compiler's own; no CPU has it
  kNeedsFeature,  // `features` are missing here
  kDuplicate,     // another opcode has its bytes, or its text
  kNoForm,        // no choice of operands gave text that parses back
};

struct CatalogueEntry {
  std::string opcode;    // LLVM's name
  std::string mnemonic;  // empty for pseudos
  CatalogueStatus status = CatalogueStatus::kNoForm;
  std::string reason;                      // unless kForm
  std::vector<std::string> features;       // what it needs of the CPU, in the kernel's words
  std::vector<std::string> missing;        // those of them that the target does not offer
  std::optional<Instruction> instruction;  // kForm, or what it would be with the features
};

// In LLVM's order. Takes up to a second, on all CPUs; `goes_on` is asked many times meanwhile, by
// one thread at a time, and when it says no, the answer is empty.
std::vector<CatalogueEntry> Catalogue(Assembler& assembler, const GoesOn& goes_on = {});

// Every word that `features` of an entry may hold, sorted: known at once.
std::vector<std::string> ExtensionNames(Assembler& assembler);

}  // namespace cyclescope::assembler
