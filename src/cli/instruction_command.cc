// `cyclescope instruction`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/host_words.h"
#include "base/input_text.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct InstructionOptions {
  InstructionRequest request;
  std::string file;
  bool watch = false;
  bool show_asm = false;
  bool dry_run = false;
  bool values = false;
  OutputOptions output;
};

// ---- What is asked for

// A `#` begins a comment unless something follows it at once: `#5` is an immediate on AArch64.
std::string WithoutComment(const std::string& line) {
  for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1)) {
    const bool is_comment =
        line.find_first_not_of(" \t") == at || at + 1 == line.size() || line[at + 1] == ' ';
    if (is_comment) return line.substr(0, at);
  }
  return line;
}

// Texts of arguments and of a file, and where the latter stand in it.
struct Texts {
  std::vector<std::string> texts;
  std::vector<std::size_t> lines;  // for each text, from 1; 0 for an argument
};

Result<Texts> ReadTexts(const InstructionOptions& options) {
  Texts read = {options.request.texts, std::vector<std::size_t>(options.request.texts.size())};
  if (!options.file.empty()) {
    const auto listed = TRY(ReadSource(options.file));
    std::istringstream lines(listed);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      line = WithoutComment(line);
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      read.texts.push_back(line);
      read.lines.push_back(number);
    }
  }
  if (read.texts.empty()) {
    return options.file.empty()
               ? BadInput("no instruction given",
                          ForThisShell("try: cyclescope instruction 'TEXT'"))
               : BadInput(fmt::format("there is no instruction in '{}'", options.file));
  }
  return read;
}

// Says what is wrong with which text, and leaves the good lines of the file, unless an argument is
// wrong: the user sees it at once. Returns whether anything was wrong.
Result<bool> DropBadTexts(InstructionRequest& request, const std::vector<std::size_t>& lines) {
  auto problems = TRY(CheckTexts(request));
  bool measure_the_rest = true;
  for (TextProblem& problem : problems) {
    const std::size_t line = lines[problem.index];
    measure_the_rest = measure_the_rest && line > 0;
    if (line > 0) {
      if (problem.line == 0) problem.column = 1;
      problem.line = line;
    }
    PrintProblem(problem);
  }
  for (const TextProblem& problem : problems | std::views::reverse)
    request.texts.erase(request.texts.begin() + static_cast<std::ptrdiff_t>(problem.index));
  if (!measure_the_rest) request.texts.clear();
  return !problems.empty();
}

// ---- What is done

// The values of each class, or that there are none.
Result<void> ShowValues(const InstructionRequest& request) {
  const auto listed = TRY(ListValueClasses(request));
  std::string text;
  for (const ValueClasses& values : listed) {
    text += values.text + '\n';
    if (!values.reason.empty()) {
      text += fmt::format("  {}\n", values.reason);
    } else if (values.classes.empty()) {
      text += "  one class: its time does not depend on values, as far as is known\n";
    }
    for (const ValueClass& each : values.classes) {
      text += fmt::format("  {:<7}", each.name);
      for (const auto& [name, value] : each.operands)
        text += fmt::format(" {} = {:#x}", name, value);
      text += '\n';
    }
  }
  return Outputs::Print(text);
}

Result<void> ShowPlan(const CLI::App& app, const InstructionRequest& request, Outputs& outputs) {
  auto document = TRY(PlanInstructions(request));
  document.config.options = GivenOptions(app);
  return outputs.Write(document, [&document](const TextStyle& style) {
    return PlanText(document.instructions, style);
  });
}

// Repeats until interrupted: what there is in place on a terminal, lines for each round elsewhere.
Result<Document> Watch(const InstructionRequest& request, const InstructionOptions& options,
                       Outputs& outputs) {
  Result<void> shown;
  const auto begin = std::chrono::steady_clock::now();
  int rounds = 0;
  // The first round may take long; from then on the rounds themselves are the progress.
  OnProgress narrate = Narrate(outputs.style());
  auto document = WatchInstructions(
      request,
      [&](const Document& so_far) {
        narrate = {};
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        ++rounds;
        shown = outputs.Redraw(
            outputs.is_live()
                ? InstructionsText(so_far.instructions, outputs.style(),
                                   {options.show_asm, TicksAtBaseClock(so_far.host)}) +
                      fmt::format("round {}, {:.1f} s; Ctrl-C ends it\n", rounds, passed.count())
                : RoundLines(so_far.instructions, passed.count()));
        return shown.has_value() && Outputs::IsRead();
      },
      [&narrate](const Progress& progress) {
        return narrate ? narrate(progress) : !os::Interrupted();
      });
  if (shown) shown = outputs.EraseRedrawn();
  if (!shown) return std::unexpected(shown.error());
  return document;
}

Result<ExitCode> Measure(const CLI::App& app, const InstructionRequest& request,
                         const InstructionOptions& options, Outputs& outputs) {
  const os::InterruptGuard guard;
  auto measured = options.watch ? Watch(request, options, outputs)
                                : MeasureInstructions(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured),
      [&options](const Document& document, const TextStyle& style) {
        const std::string machine = MachineText(document, style) + '\n';
        if (document.instructions.empty()) return machine + "nothing was measured\n";
        return machine + InstructionsText(document.instructions, style,
                                          {options.show_asm, TicksAtBaseClock(document.host)});
      },
      [](const Document& document) { return VerdictOn(document.instructions, document); });
}

Result<ExitCode> RunInstruction(const CLI::App& app, const InstructionOptions& options) {
  InstructionRequest request = options.request;
  auto read = TRY(ReadTexts(options));
  request.texts = std::move(read.texts);
  if (options.file.empty()) TRY(CheckQuotes(app, request));
  const auto some_were_bad = TRY(DropBadTexts(request, read.lines));
  if (request.texts.empty()) return ExitCode::kBadInput;
  auto outputs = TRY(Outputs::Open(options.output));

  Result<ExitCode> done = ExitCode::kDone;
  if (options.values || options.dry_run) {
    TRY(options.values ? ShowValues(request) : ShowPlan(app, request, outputs));
  } else {
    done = Measure(app, request, options, outputs);
  }
  return done && some_were_bad ? ExitCode::kBadInput : done;
}

}  // namespace

Command AddInstructionCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "instruction", "Latency of every operand pair, and throughput, of an instruction",
      ForThisMachine(
          "  cyclescope instruction 'imul r10, r11' 'vmpsadbw ymm0, ymm1, ymm2, 0'\n"
          "  cyclescope instruction --show-asm 'div rcx'     with the code measured\n",
          "  cyclescope instruction 'madd x0, x1, x2, x3' 'fadd d0, d1, d2'\n"
          "  cyclescope instruction --show-asm 'sdiv x0, x1, x2'   with the code measured\n") +
          "  cyclescope instruction -f forms.txt --export-json forms.json\n");
  auto options = std::make_shared<InstructionOptions>();
  app->add_option("text", options->request.texts, "Instructions, each an argument of its own")
      ->type_name("TEXT");
  app->add_option("-f,--file", options->file,
                  "Read instructions from a file, one a line; - is standard input")
      ->type_name("FILE");
  AddCodeOptions(*app, options->request.code, "5");
  app->add_flag(
      "--watch", options->watch,
      "Repeat until Ctrl-C: lower rounds count, equal ones are pooled. In a pipe there are "
      "lines for each round");
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  app->add_flag("--dry-run", options->dry_run, "Show what would be measured, and measure nothing");
  app->add_flag("--values", options->values,
                "List the classes of values that are measured apart, and measure nothing");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  AddPairsFlag(*app, options->output.pairs);
  return {app, [app, options] { return RunInstruction(*app, *options); }};
}

}  // namespace cyclescope::cli
