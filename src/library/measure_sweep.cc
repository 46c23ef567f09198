// MeasureSweep and ToExegesis.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "arch/architecture.h"
#include "assembler/catalogue.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/request_checks.h"
#include "library/row_journal.h"
#include "library/sweep_run.h"
#include "library/warnings.h"
#include "report/exegesis_yaml.h"

namespace cyclescope {
namespace {

// What a journal must know of the request, since rows of another kind cannot stand beside its own.
std::vector<GivenOption> OptionsOf(const SweepRequest& request) {
  std::vector<GivenOption> options;
  if (!request.throughput) options.push_back({"only", "latency"});
  if (!request.latency) options.push_back({"only", "throughput"});
  options.push_back({"cycles", std::string(library::NameOf(request.code.cycles))});
  return options;
}

}  // namespace

Result<Document> MeasureSweep(const SweepRequest& request, const OnProgress& on_progress) {
  if (auto checked = library::CheckSweepRequest(request); !checked)
    return std::unexpected(checked.error());
  library::Pulse pulse(on_progress, request.budget_s);
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto document = library::StartDocument("sweep");
  if (!document) return document;
  document->config.options = OptionsOf(request);
  auto prepared = library::SweepRun::Prepare(document->host, *settings, request, pulse);
  if (!prepared) return std::unexpected(prepared.error());
  if (!*prepared) {
    document->partial = true;
    return document;
  }
  library::SweepRun& run = **prepared;
  auto journal = library::RowJournal::Open(request.journal, *document);
  if (!journal) return std::unexpected(journal.error());
  run.TakeOver(journal->TakeRows());
  if (auto done = run.Measure(pulse, *journal, *document); !done)
    return std::unexpected(done.error());
  if (request.ports) {
    if (auto done = run.AddPorts(pulse, *journal, *document); !done)
      return std::unexpected(done.error());
  }
  run.Finish(*document);
  library::WarnOfContention(*document);
  return document;
}

Result<std::string> ToExegesis(const Document& document, ExegesisQuantity quantity) {
  auto assembler = library::CodeSettings{}.MakeAssembler(document.host.features);
  if (!assembler) return std::unexpected(assembler.error());
  const std::vector<assembler::CatalogueEntry> catalogue = assembler::Catalogue(*assembler);
  std::unordered_map<std::string_view, const assembler::Instruction*> by_opcode;
  for (const assembler::CatalogueEntry& entry : catalogue) {
    if (entry.instruction && !entry.instruction->RefersToLabel())
      by_opcode.emplace(entry.opcode, &*entry.instruction);
  }
  const auto describe = [&](const InstructionRow& row) -> std::optional<ExegesisInstruction> {
    const auto found = by_opcode.find(row.opcode);
    if (found == by_opcode.end()) return std::nullopt;
    const assembler::Instruction& instruction = *found->second;
    return ExegesisInstruction{
        assembler->MachineText(instruction),
        fmt::format("{:02x}", fmt::join(assembler->Encode(instruction), ""))};
  };
  const ExegesisMode mode = quantity == ExegesisQuantity::kLatency
                                ? ExegesisMode::kLatency
                                : ExegesisMode::kInverseThroughput;
  const ExegesisTarget target = {assembler->target().cpu,
                                 fmt::format("{}-unknown-linux-gnu", arch::Name())};
  return ExegesisYaml(document.instructions, mode, target, describe);
}

}  // namespace cyclescope
