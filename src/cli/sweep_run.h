// A sweep from what was asked for to rows, for every command that sweeps.
//
//   Result<SweepRun> sweep = SweepRun::Prepare(host, assembly, {.selection = {.isa = "asimd"}});
//   Result<void> done = sweep->Measure([&](const InstructionRow& row) { return Keep(row); });
//   sweep->Finish(document);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assembler/catalogue.h"
#include "base/error.h"
#include "cli/assembly_options.h"
#include "instructions/sweep.h"
#include "result/document.h"

namespace cyclescope::cli {

struct SweepRequest {
  instructions::SweepSelection selection;
  instructions::Experiments experiments;
  std::optional<double> budget_s;  // ends after this time with what there is
  int jobs = 1;                    // CPUs to measure on at once
  std::string model;  // LLVM's name of the CPU whose model rows are held against; empty:
                      // this machine's
};

class SweepRun {
 public:
  using OnRow = std::function<Result<void>(const InstructionRow& row)>;

  // Everything that can be wrong with what was asked for is found here. Takes about a second.
  static Result<SweepRun> Prepare(const Host& host, const AssemblyOptions& assembly,
                                  SweepRequest request);

  const std::vector<assembler::CatalogueEntry>& catalogue() const { return catalogue_; }
  assembler::Assembler& assembler() { return assembler_; }

  // Counts these rows as measured: their forms are not measured again.
  void TakeOver(std::vector<InstructionRow> rows);

  // Measures until all is done, the user interrupts or the budget is spent. `on_row` sees each row
  // as it comes; an error of it ends the sweep.
  Result<void> Measure(const OnRow& on_row);

  // Adds the rows to the document, in LLVM's order and with LLVM's model, and what became of the
  // rest.
  void Finish(Document& document);

 private:
  SweepRun(Host host, const AssemblyOptions& assembly, SweepRequest request,
           assembler::Assembler assembler)
      : host_(std::move(host)),
        assembly_(assembly),
        request_(std::move(request)),
        assembler_(std::move(assembler)) {}

  Result<instructions::SweepSettings> MakeSettings() const;
  void AddModels();

  Host host_;
  AssemblyOptions assembly_;
  SweepRequest request_;
  assembler::Assembler assembler_;
  std::vector<assembler::CatalogueEntry> catalogue_;
  instructions::SweepPlan plan_;
  instructions::SweepSettings settings_;
  std::map<std::size_t, InstructionRow> rows_;  // by the place of their opcode in LLVM's list
};

}  // namespace cyclescope::cli
