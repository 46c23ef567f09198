// `cyclescope sweep`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "arch/architecture.h"
#include "cli/assembly_options.h"
#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"
#include "cli/sweep_journal.h"
#include "cli/sweep_run.h"
#include "os/interrupt.h"
#include "report/exegesis_yaml.h"
#include "report/machine_text.h"
#include "report/sweep_text.h"

namespace cyclescope::cli {
namespace {

struct SweepOptions {
  SweepRequest request;
  std::string only;
  std::string journal;
  std::string resume;
  std::string export_exegesis;
  SweepTextOptions text;
  AssemblyOptions assembly;
  OutputOptions output;
};

Result<void> ExportExegesis(const SweepOptions& options, SweepRun& run, const Document& document) {
  assembler::Assembler& assembler = run.assembler();
  std::unordered_map<std::string_view, const assembler::Instruction*> by_opcode;
  for (const assembler::CatalogueEntry& entry : run.catalogue()) {
    if (entry.instruction && !entry.instruction->RefersToLabel())
      by_opcode.emplace(entry.opcode, &*entry.instruction);
  }
  const auto describe = [&](const InstructionRow& row) -> std::optional<ExegesisInstruction> {
    const auto found = by_opcode.find(row.opcode);
    if (found == by_opcode.end()) return std::nullopt;
    const assembler::Instruction& instruction = *found->second;
    return ExegesisInstruction{assembler.MachineText(instruction),
                               fmt::format("{:02x}", fmt::join(assembler.Encode(instruction), ""))};
  };
  const ExegesisMode mode =
      options.only == "throughput" ? ExegesisMode::kInverseThroughput : ExegesisMode::kLatency;
  const ExegesisTarget target = {assembler.target().cpu,
                                 fmt::format("{}-unknown-linux-gnu", arch::Name())};
  return Outputs::WriteFile(options.export_exegesis,
                            ExegesisYaml(document.instructions, mode, target, describe));
}

// What remains of the journal's use when the sweep is over.
void NarrateJournal(const SweepOptions& options, bool partial, SweepJournal& journal) {
  const bool has_all_rows = options.output.json || !options.output.export_json.empty();
  if (!partial && has_all_rows) return journal.DropIfUnnamed();
  const std::string text =
      partial ? fmt::format("not all was measured; continue with: cyclescope sweep --resume {}",
                            journal.path())
              : fmt::format("all rows are in {}; --resume it to export them", journal.path());
  fmt::print(stderr, "cyclescope: {}\n", text);
}

// The clock and warnings of the result: the labs that measure belong to threads of their own.
Result<void> DescribeInstrument(const AssemblyOptions& assembly, Document& document) {
  const auto lab = assembly.OpenLab(document);
  if (!lab) return std::unexpected(lab.error());
  return {};
}

SweepRequest RequestOf(const SweepOptions& options) {
  SweepRequest request = options.request;
  request.experiments = {.latency = options.only != "throughput",
                         .throughput = options.only != "latency"};
  return request;
}

Result<ExitCode> RunSweep(const CLI::App& app, const SweepOptions& options) {
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  if (!options.export_exegesis.empty()) {
    auto writable = Outputs::CheckWritable(options.export_exegesis);
    if (!writable) return std::unexpected(writable.error());
  }
  const os::InterruptGuard guard;
  auto document = StartDocument(app, {});
  if (!document) return std::unexpected(document.error());
  auto run = SweepRun::Prepare(document->host, options.assembly, RequestOf(options));
  if (!run) return std::unexpected(run.error());
  if (auto described = DescribeInstrument(options.assembly, *document); !described)
    return std::unexpected(described.error());
  auto journal = options.resume.empty() ? SweepJournal::Start(options.journal, *document)
                                        : SweepJournal::Resume(options.resume, *document);
  if (!journal) return std::unexpected(journal.error());
  PrintWarnings(document->warnings);

  run->TakeOver(std::exchange(document->instructions, {}));
  const auto done =
      run->Measure([&journal](const InstructionRow& row) { return journal->Append(row); });
  if (!done) return std::unexpected(done.error());
  run->Finish(*document);
  if (!options.export_exegesis.empty()) {
    auto written = ExportExegesis(options, *run, *document);
    if (!written) return std::unexpected(written.error());
  }
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + '\n' + SweepText(*document, style, options.text);
  });
  if (!written) return std::unexpected(written.error());
  NarrateJournal(options, document->partial, *journal);
  return document->partial ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace

Command AddSweepCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "sweep", "Latency and throughput of every instruction that this CPU has",
      "  cyclescope sweep --export-json sweep.json --export-csv sweep.csv\n"
      "  cyclescope sweep --filter '^f(add|mul)' --isa asimd\n"
      "  cyclescope sweep --resume sweep-host-20261115T020000Z.journal   after a kill or Ctrl-C\n"
      "  cyclescope sweep --model cortex-a76 --differences 200           against another CPU's "
      "model\n\n"
      "Rows go to a journal as they come, so that nothing is measured twice.");
  auto options = std::make_shared<SweepOptions>();
  app->add_option("--filter", options->request.selection.filter,
                  "Only what this matches: text, mnemonic or LLVM's opcode")
      ->type_name("REGEX");
  app->add_option("--isa", options->request.selection.isa,
                  "Only this extension: base, asimd, avx2, ...")
      ->type_name("NAME");
  OneOf(app->add_option("--only", options->only,
                        "What rows hold: latency or throughput; both when left out"),
        {"latency", "throughput"})
      ->type_name("WHAT");
  app->add_option("--budget", options->request.budget_s, "End after this time with what there is")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app->add_option("--jobs", options->request.jobs,
                  "CPUs to measure on at once; 1 when left out, as more may disturb each other")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  app->add_option("--model", options->request.model,
                  "Compare with LLVM's model of this CPU, not this machine's")
      ->type_name("CPU");
  app->add_option("--differences", options->text.most_differences,
                  "Rows listed that differ from the model")
      ->type_name("N");
  auto* journal = app->add_option("--journal", options->journal, "Where rows go as they come")
                      ->type_name("FILE");
  app->add_option("--resume", options->resume,
                  "Continue this journal: what it holds is not measured again")
      ->type_name("FILE")
      ->excludes(journal);
  options->assembly.AddTo(*app);
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  app->add_option("--export-exegesis", options->export_exegesis,
                  "Write latencies as records that llvm-exegesis -mode=analysis reads; "
                  "throughputs with --only throughput")
      ->type_name("FILE");
  return {app, [app, options] { return RunSweep(*app, *options); }};
}

}  // namespace cyclescope::cli
