// `cyclescope instruction`
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/assembly_options.h"
#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/input_text.h"
#include "cli/narration.h"
#include "cli/outputs.h"
#include "instructions/measure_form.h"
#include "instructions/minima.h"
#include "instructions/value_classes.h"
#include "library/instruction_jobs.h"
#include "os/interrupt.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct InstructionOptions {
  std::vector<std::string> texts;
  std::string file;
  bool watch = false;
  bool show_asm = false;
  bool dry_run = false;
  bool values = false;
  AssemblyOptions assembly;
  OutputOptions output;
};

// A `#` begins a comment unless something follows it at once: `#5` is an immediate on AArch64.
std::string WithoutComment(const std::string& line) {
  for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1)) {
    const bool is_comment =
        line.find_first_not_of(" \t") == at || at + 1 == line.size() || line[at + 1] == ' ';
    if (is_comment) return line.substr(0, at);
  }
  return line;
}

Result<std::vector<std::string>> ReadTexts(const InstructionOptions& options) {
  std::vector<std::string> texts = options.texts;
  if (!options.file.empty()) {
    const auto listed = ReadInput(options.file);
    if (!listed) return std::unexpected(listed.error());
    std::istringstream lines(*listed);
    for (std::string line; std::getline(lines, line);) {
      line = WithoutComment(line);
      if (line.find_first_not_of(" \t\r") != std::string::npos) texts.push_back(line);
    }
  }
  if (texts.empty()) return BadInput("no instruction given", "try: cyclescope instruction 'TEXT'");
  return texts;
}

std::vector<InstructionRow> MeasureRound(instructions::Lab& lab,
                                         const library::InstructionJobs& jobs) {
  return library::MeasureInstructions(lab, jobs, NarrateProgress("measuring instructions"));
}

// Repeats until interrupted and keeps each minimum.
Result<void> Watch(instructions::Lab& lab, const library::InstructionJobs& jobs,
                   const InstructionOptions& options, const Outputs& outputs, Document& document) {
  std::size_t lines = 0;
  while (!os::Interrupted()) {
    std::vector<InstructionRow> round = MeasureRound(lab, jobs);
    if (round.size() < jobs.size()) break;
    document.instructions = document.instructions.empty()
                                ? std::move(round)
                                : instructions::KeepMinima(document.instructions, round);
    if (!outputs.is_live()) continue;
    const std::string text =
        InstructionsText(document.instructions, outputs.style(), {options.show_asm});
    const std::string back = lines > 0 ? fmt::format("\x1b[{}A\x1b[J", lines) : "";
    if (auto printed = Outputs::Print(back + text); !printed) return printed;
    lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  if (lines > 0) return Outputs::Print(fmt::format("\x1b[{}A\x1b[J", lines));
  return {};
}

ExitCode VerdictOnInstructions(const Document& document) {
  const bool all_measured = std::ranges::all_of(
      document.instructions,
      [](const InstructionRow& row) { return row.status == Status::kMeasured; });
  return all_measured && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

Result<ExitCode> ShowPlan(const library::InstructionJobs& jobs, const InstructionOptions& options,
                          const Outputs& outputs, Document& document) {
  auto lab = options.assembly.MakePlanningLab(document.host);
  if (!lab) return std::unexpected(lab.error());
  for (const library::InstructionJob& job : jobs) {
    document.instructions.push_back(
        job.instruction ? instructions::PlanForm(**lab, *job.instruction) : job.row);
  }
  const auto written = outputs.Write(document, [&document](const TextStyle& style) {
    return PlanText(document.instructions, style);
  });
  if (!written) return std::unexpected(written.error());
  return ExitCode::kDone;
}

// The values of each class, or that there are none.
Result<ExitCode> ShowValues(const library::InstructionJobs& jobs) {
  std::string text;
  for (const library::InstructionJob& job : jobs) {
    if (!job.instruction) {
      text += fmt::format("{}\n  {}\n", job.row.text, job.row.reason);
      continue;
    }
    text += job.instruction->text + '\n';
    const auto classes = instructions::ValueClassesOf(*job.instruction);
    if (classes.empty())
      text += "  one class: its time does not depend on values, as far as is known\n";
    for (const instructions::ValueClass& each : classes) {
      text += fmt::format("  {:<7}", each.name);
      for (const auto& [name, value] : each.operands)
        text += fmt::format(" {} = {:#x}", name, value);
      text += '\n';
    }
  }
  if (auto printed = Outputs::Print(text); !printed) return std::unexpected(printed.error());
  return ExitCode::kDone;
}

Result<ExitCode> RunInstruction(const CLI::App& app, const InstructionOptions& options) {
  const auto texts = ReadTexts(options);
  if (!texts) return std::unexpected(texts.error());
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  auto document = StartDocument(app, {});
  if (!document) return std::unexpected(document.error());
  auto assembler = options.assembly.MakeAssembler(document->host);
  if (!assembler) return std::unexpected(assembler.error());
  const auto jobs = library::ParseInstructions(*assembler, *texts);
  if (!jobs) {
    for (const assembler::TextError& error : jobs.error()) PrintTextError(error);
    return ExitCode::kBadInput;
  }
  if (options.values) return ShowValues(*jobs);
  if (options.dry_run) return ShowPlan(*jobs, options, *outputs, *document);

  auto lab = options.assembly.OpenLab(*document);
  if (!lab) return std::unexpected(lab.error());
  PrintWarnings(document->warnings);
  const os::InterruptGuard guard;
  if (options.watch) {
    if (auto done = Watch(**lab, *jobs, options, *outputs, *document); !done)
      return std::unexpected(done.error());
  } else {
    document->instructions = MeasureRound(**lab, *jobs);
    document->partial = document->instructions.size() < jobs->size();
  }
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + '\n' +
           InstructionsText(document->instructions, style, {options.show_asm});
  });
  if (!written) return std::unexpected(written.error());
  return VerdictOnInstructions(*document);
}

}  // namespace

Command AddInstructionCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "instruction", "Latency of every operand pair, and throughput, of an instruction",
      "  cyclescope instruction 'madd x0, x1, x2, x3'        (AArch64)\n"
      "  cyclescope instruction 'vmpsadbw ymm0, ymm1, ymm2, 0' 'imul r10, r11'   (x86-64)\n"
      "  cyclescope instruction -f forms.txt --export-json forms.json\n"
      "  cyclescope instruction --show-asm 'sdiv x0, x1, x2'   with the exact code measured\n");
  auto options = std::make_shared<InstructionOptions>();
  app->add_option("text", options->texts, "Instructions, each an argument of its own")
      ->type_name("TEXT");
  app->add_option("-f,--file", options->file,
                  "Read instructions from a file, one a line; - is standard input")
      ->type_name("FILE");
  options->assembly.AddTo(*app);
  app->add_flag("--watch", options->watch, "Repeat until Ctrl-C and keep each minimum");
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  app->add_flag("--dry-run", options->dry_run, "Show what would be measured, and measure nothing");
  app->add_flag("--values", options->values,
                "List the classes of values that are measured apart, and measure nothing");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  return {app, [app, options] { return RunInstruction(*app, *options); }};
}

}  // namespace cyclescope::cli
