// `cyclescope sweep`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arch/architecture.h"
#include "base/near_names.h"
#include "cli/assembly_options.h"
#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"
#include "cli/sweep_journal.h"
#include "instructions/sweep.h"
#include "os/interrupt.h"
#include "report/exegesis_yaml.h"
#include "report/machine_text.h"
#include "report/sweep_text.h"

namespace cyclescope::cli {
namespace {

using Catalogue = std::vector<assembler::CatalogueEntry>;

struct SweepOptions {
  instructions::SweepSelection selection;
  std::string only;
  std::optional<double> budget_s;
  int jobs = 1;
  std::string model;
  std::string journal;
  std::string resume;
  std::string export_exegesis;
  SweepTextOptions text;
  AssemblyOptions assembly;
  OutputOptions output;
};

// What a sweep works with, once it is known that it can be done.
struct SweepRun {
  Document document;
  assembler::Assembler assembler;
  Catalogue catalogue;
  instructions::SweepPlan plan;
  instructions::SweepSettings settings;
};

Result<void> CheckModel(const std::string& cpu) {
  const auto known = assembler::KnownCpus(*assembler::ParseArchitecture(arch::Name()));
  if (cpu.empty() || std::ranges::binary_search(known, cpu)) return {};
  return BadInput(fmt::format("LLVM knows no CPU '{}'{}", cpu, DidYouMean(NearNames(cpu, known))));
}

Result<instructions::SweepPlan> MakePlan(const Catalogue& catalogue,
                                         const assembler::Target& target, const Host& host,
                                         const SweepOptions& options) {
  return instructions::PlanSweep(
      catalogue, options.selection,
      {.cpu = target.cpu,
       .hidden = assembler::HiddenFeatures(target),
       .virtual_machine = !host.hypervisor.empty() && host.hypervisor != "none"});
}

// The CPU that would measure alone, the ones before it as more are asked for, and the rest to plan
// on.
Result<instructions::SweepSettings> MakeSettings(const Host& host, const SweepOptions& options) {
  const os::CpuList& allowed = host.cpus_allowed;
  if (static_cast<std::size_t>(options.jobs) > allowed.size()) {
    return BadInput(
        fmt::format("--jobs {}: only {} CPUs may be used", options.jobs, allowed.size()));
  }
  const auto first = options.assembly.MeasuringCpu(host);
  if (!first) return std::unexpected(first.error());
  instructions::SweepSettings settings;
  settings.experiments = {.latency = options.only != "throughput",
                          .throughput = options.only != "latency"};
  settings.measuring_cpus.push_back(*first);
  for (auto cpu = allowed.rbegin(); cpu != allowed.rend(); ++cpu) {
    if (*cpu == *first) continue;
    const bool measures = settings.measuring_cpus.size() < static_cast<std::size_t>(options.jobs);
    (measures ? settings.measuring_cpus : settings.planning_cpus).push_back(*cpu);
  }
  std::ranges::sort(settings.planning_cpus);
  return settings;
}

// Rows by the place of their opcode in LLVM's list.
using Rows = std::map<std::size_t, InstructionRow>;

// Moves what the journal holds of the plan from the plan's forms to the rows.
Rows TakeOver(std::vector<InstructionRow> journal, instructions::SweepPlan& plan) {
  std::unordered_map<std::string, InstructionRow*> by_opcode;
  for (InstructionRow& row : journal) by_opcode.emplace(row.opcode, &row);
  Rows rows;
  std::erase_if(plan.forms, [&](const instructions::SweepForm& form) {
    const auto found = by_opcode.find(form.instruction.opcode);
    if (found == by_opcode.end()) return false;
    rows.emplace(form.place, std::move(*found->second));
    return true;
  });
  return rows;
}

// "3 crashed, 9 privileged"
std::string FailureText(const std::map<Status, int>& failures) {
  std::vector<std::string> parts;
  for (const auto& [status, count] : failures)
    parts.push_back(fmt::format("{} {}", count, ToString(status)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Measures the plan's forms until all are done, the user interrupts or the budget is spent.
Result<void> MeasureForms(const SweepRun& run, const SweepOptions& options, SweepJournal& journal,
                          Rows& rows) {
  const auto begin = std::chrono::steady_clock::now();
  Progress progress("sweeping", run.plan.forms.size());
  std::map<Status, int> failures;
  const instructions::SweepObserver observer = {
      .take_row = [&](const instructions::PlacedRow& placed) -> Result<void> {
        if (placed.row.status != Status::kMeasured) ++failures[placed.row.status];
        rows.emplace(placed.place, placed.row);
        progress.Advance(1, FailureText(failures));
        return journal.Append(placed.row);
      },
      .is_over =
          [&] {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
            return os::Interrupted() || (options.budget_s && spent.count() > *options.budget_s);
          },
  };
  const auto make_lab = [&](int cpu, std::mutex& turn) {
    return options.assembly.MakeLab(run.document.host, cpu, &turn);
  };
  return instructions::Sweep(run.plan.forms, run.settings, make_lab, observer);
}

void AddModels(const Catalogue& catalogue, assembler::Assembler& assembler, const std::string& cpu,
               Rows& rows) {
  for (auto& [place, row] : rows) {
    row.model.reset();
    if (!catalogue[place].instruction) continue;
    const assembler::ModelTiming model = assembler.Model(*catalogue[place].instruction, cpu);
    if (!model.latency && !model.reciprocal_throughput) continue;
    row.model = {cpu.empty() ? assembler.target().cpu : cpu, model.latency,
                 model.reciprocal_throughput};
  }
}

Result<void> ExportExegesis(const SweepOptions& options, const Catalogue& catalogue,
                            assembler::Assembler& assembler, const Document& document) {
  std::unordered_map<std::string_view, const assembler::Instruction*> by_opcode;
  for (const assembler::CatalogueEntry& entry : catalogue) {
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

// Everything that can be wrong with what was asked for is found here.
Result<SweepRun> Prepare(const CLI::App& app, const SweepOptions& options) {
  if (auto known = CheckModel(options.model); !known) return std::unexpected(known.error());
  if (!options.export_exegesis.empty()) {
    auto writable = Outputs::CheckWritable(options.export_exegesis);
    if (!writable) return std::unexpected(writable.error());
  }
  auto document = StartDocument(app, {});
  if (!document) return std::unexpected(document.error());
  auto settings = MakeSettings(document->host, options);
  if (!settings) return std::unexpected(settings.error());
  auto assembler = options.assembly.MakeAssembler(document->host);
  if (!assembler) return std::unexpected(assembler.error());
  Catalogue catalogue = assembler::Catalogue(*assembler);
  auto plan = MakePlan(catalogue, assembler->target(), document->host, options);
  if (!plan) return std::unexpected(plan.error());

  // The labs that measure belong to threads of their own.
  auto lab = options.assembly.MakeLab(document->host);
  if (!lab) return std::unexpected(lab.error());
  document->clock = (*lab)->instrument().DescribeClock();
  document->warnings = (*lab)->Warnings();
  return SweepRun{std::move(*document), std::move(*assembler), std::move(catalogue),
                  std::move(*plan), std::move(*settings)};
}

// Puts the rows into the document, in LLVM's order.
void Finish(const std::string& model, Rows rows, SweepRun& run) {
  for (instructions::PlacedRow& settled : run.plan.settled)
    rows.emplace(settled.place, std::move(settled.row));
  AddModels(run.catalogue, run.assembler, model, rows);
  Document& document = run.document;
  document.instructions.clear();
  for (auto& [place, row] : rows) document.instructions.push_back(std::move(row));
  document.sweep = run.plan.summary;
  document.partial = document.sweep->not_reached > 0;
}

Result<ExitCode> RunSweep(const CLI::App& app, const SweepOptions& options) {
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const os::InterruptGuard guard;
  auto run = Prepare(app, options);
  if (!run) return std::unexpected(run.error());
  Document& document = run->document;
  auto journal = options.resume.empty() ? SweepJournal::Start(options.journal, document)
                                        : SweepJournal::Resume(options.resume, document);
  if (!journal) return std::unexpected(journal.error());
  PrintWarnings(document.warnings);

  Rows rows = TakeOver(std::move(document.instructions), run->plan);
  const std::size_t taken_over = rows.size();
  if (auto done = MeasureForms(*run, options, *journal, rows); !done)
    return std::unexpected(done.error());
  run->plan.summary.not_reached =
      static_cast<int>(run->plan.forms.size() + taken_over - rows.size());
  Finish(options.model, std::move(rows), *run);
  if (!options.export_exegesis.empty()) {
    auto written = ExportExegesis(options, run->catalogue, run->assembler, document);
    if (!written) return std::unexpected(written.error());
  }
  const auto written = outputs->Write(document, [&](const TextStyle& style) {
    return MachineText(document, style) + '\n' + SweepText(document, style, options.text);
  });
  if (!written) return std::unexpected(written.error());
  NarrateJournal(options, document.partial, *journal);
  return document.partial ? ExitCode::kPartial : ExitCode::kDone;
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
  app->add_option("--filter", options->selection.filter,
                  "Only what this matches: text, mnemonic or LLVM's opcode")
      ->type_name("REGEX");
  app->add_option("--isa", options->selection.isa, "Only this extension: base, asimd, avx2, ...")
      ->type_name("NAME");
  OneOf(app->add_option("--only", options->only,
                        "What rows hold: latency or throughput; both when left out"),
        {"latency", "throughput"})
      ->type_name("WHAT");
  app->add_option("--budget", options->budget_s, "End after this time with what there is")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app->add_option("--jobs", options->jobs,
                  "CPUs to measure on at once; 1 when left out, as more may disturb each other")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  app->add_option("--model", options->model,
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
