// What a sweep has to do: every opcode that LLVM lists, as a form to measure, a row that says why
// there is none, or one of those that are only counted.
//
//   const std::vector<CatalogueEntry> catalogue = Catalogue(assembler);  // must outlive the plan
//   SweepPlan plan = PlanSweep(catalogue, {.filter = "^fadd"}, target);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assembler/catalogue.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/instruction.h"
#include "cyclescope/result/sweep.h"

namespace cyclescope::sweep {

// Which opcodes are asked for. Empty texts leave none out.
struct SweepSelection {
  std::string filter;  // a regular expression, looked for in the text, the mnemonic and the opcode
  std::string isa;     // an extension, in the words of InstructionRow::isa
};

// Why a feature may be missing.
struct TargetFacts {
  std::string cpu;                  // LLVM's name of it
  std::vector<std::string> hidden;  // features that it has, and programs may not use here
  bool virtual_machine = false;
};

struct SweepForm {
  std::size_t place = 0;  // in LLVM's list
  std::string isa;
  const assembler::Instruction* instruction = nullptr;  // the catalogue's
};

// A row and where its opcode stands in LLVM's list.
struct PlacedRow {
  std::size_t place = 0;
  InstructionRow row;
};

struct SweepPlan {
  std::vector<SweepForm> forms;    // to be measured
  std::vector<PlacedRow> settled;  // not to be measured, and why
  SweepSummary summary;
};

// Checks the names of the selection: `extensions` are all that instructions may belong to.
Result<void> CheckSelection(const SweepSelection& selection,
                            const std::vector<std::string>& extensions);

// For a selection that was checked. The plan's forms point into the catalogue.
SweepPlan PlanSweep(const std::vector<assembler::CatalogueEntry>& catalogue,
                    const SweepSelection& selection, const TargetFacts& target);

// "asimd+asimdhp"; "base" for what every CPU of the architecture has.
std::string IsaName(const std::vector<std::string>& features);

}  // namespace cyclescope::sweep
