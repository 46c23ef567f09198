// A sweep from what was asked for to rows: for `sweep`, `model` and `survey`.
//
//   auto prepared = SweepRun::Prepare(host, settings, {.isa = "asimd"}, pulse);
//   SweepRun& sweep = **prepared;
//   sweep.TakeOver(journal.TakeRows());
//   Result<void> done = sweep.Measure(pulse, journal, document);
//   sweep.Finish(document);
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "assembler/catalogue.h"
#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/document.h"
#include "library/code_session.h"
#include "library/measuring_cpus.h"
#include "library/port_rows.h"
#include "library/pulse.h"
#include "library/row_journal.h"
#include "sweep/sweep.h"

namespace cyclescope::library {

// What can be said without the list of opcodes: numbers out of range, models that LLVM lacks.
Result<void> CheckSweepRequest(const SweepRequest& request);

class SweepRun {
 public:
  // For a request that was checked. What else can be wrong with it is found here: an extension or a
  // CPU that is not there, a filter that selects nothing. Takes about a second.
  // Unset when the pulse's caller ended it.
  static Result<std::optional<SweepRun>> Prepare(const Host& host, const CodeSettings& settings,
                                                 const SweepRequest& request, Pulse& pulse);

  // Counts these rows as measured: their forms are not measured again.
  void TakeOver(std::vector<InstructionRow> rows);

  // Measures until all is done or the pulse ends. The journal gets each row as it comes; an error
  // of it ends the sweep. The document gets the clock and the warnings.
  Result<void> Measure(Pulse& pulse, RowJournal& journal, Document& document);

  // Finds the ports of all rows that were measured and have none yet, with the journal's map where
  // it has one, on as many CPUs as the request has jobs. The journal gets rows again when they have
  // their ports, and the document gets the map.
  Result<void> AddPorts(Pulse& pulse, RowJournal& journal, Document& document);

  // Adds the rows to the document, in LLVM's order and with LLVM's model, and what became of the
  // rest.
  void Finish(Document& document);

 private:
  SweepRun(Host host, CodeSettings settings, SweepRequest request, assembler::Assembler assembler)
      : host_(std::move(host)),
        settings_(std::move(settings)),
        request_(std::move(request)),
        assembler_(std::move(assembler)) {}

  Result<SweepCpus> ChooseCpus() const;
  std::vector<PortTarget> RowsWithoutPorts();
  void AddModels();

  Host host_;
  CodeSettings settings_;
  SweepRequest request_;
  assembler::Assembler assembler_;
  std::vector<assembler::CatalogueEntry> catalogue_;
  sweep::SweepPlan plan_;
  SweepCpus cpus_;
  std::map<std::size_t, InstructionRow> rows_;  // by the place of their opcode in LLVM's list
};

// A sweep with its journal: what `sweep` does, and `model` after its other parts.
class JournaledSweep {
 public:
  // As SweepRun::Prepare. `head` says what the journal's rows belong to.
  static Result<std::optional<JournaledSweep>> Prepare(const Document& head,
                                                       const CodeSettings& settings,
                                                       const SweepRequest& request, Pulse& pulse);

  RowJournal& journal() { return journal_; }

  // Measures what the journal does not hold yet, and fills the document. What was measured before
  // an error stays, and a warning says what ended it; an error where nothing was.
  Result<void> Measure(Pulse& pulse, Document& document);

 private:
  JournaledSweep(SweepRun run, RowJournal journal, bool ports)
      : run_(std::move(run)), journal_(std::move(journal)), ports_(ports) {}

  SweepRun run_;
  RowJournal journal_;
  bool ports_ = false;
};

}  // namespace cyclescope::library
