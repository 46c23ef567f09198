// `cyclescope predict`

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/snippet_options.h"
#include "cyclescope/measure.h"
#include "report/instruction_text.h"

namespace cyclescope::cli {
namespace {

struct PredictCommandOptions {
  SnippetOptions snippets;
  std::string machine;
  bool att_syntax = false;
  bool timeline = false;
  OutputOptions output;
};

Result<ExitCode> RunPredict(const CLI::App& app, const PredictCommandOptions& options) {
  auto machine = ReadMachine(options.machine);
  if (!machine) {
    Error error = machine.error();
    // Other commands take files that say nothing of a core.
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.machine, ignored))
      error.hint = "--machine takes a result of 'sweep --ports' or 'model' of the machine";
    return std::unexpected(error);
  }
  PredictRequest request;
  request.block.code.att_syntax = options.att_syntax;
  TRY(ReadSnippets(options.snippets, "predict", machine->host.architecture, request.block));
  if (options.snippets.list) return ListLoops(request.block);
  auto outputs = TRY(Outputs::Open(options.output));
  request.machine = std::move(*machine);
  request.iterations = options.timeline ? kTimelineIterations : 0;
  return outputs.Finish(
      app, PredictBlocks(request),
      [](const Document& document, const TextStyle& style) {
        return BlocksText(document.blocks, style, {});
      },
      [](const Document& document) {
        const bool complete = std::ranges::all_of(document.blocks, [](const BlockRow& row) {
          return row.predicted && row.predicted->cycles;
        });
        return complete ? ExitCode::kDone : ExitCode::kPartial;
      });
}

}  // namespace

Command AddPredictCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "predict", "Cycles per iteration of a snippet on a machine that was measured before",
      "  cyclescope model --export-json here.json               all it needs\n" +
          ForThisMachine(
              "  cyclescope predict 'imul rax, rcx; add rax, rdx' --machine here.json\n",
              "  cyclescope predict 'mul x0, x0, x1; add x0, x0, x2' --machine here.json\n") +
          "  gcc -O2 -S -o - sum.c | cyclescope predict - --machine here.json --timeline\n"
          "  cyclescope predict --file blocks.txt --machine here.json --export-csv out.csv\n\n"
          "Nothing is measured, so that the machine may be of another architecture than\n"
          "this one. It assumes that all data are in the first-level cache.");
  auto options = std::make_shared<PredictCommandOptions>();
  options->snippets.AddTo(*app);
  app->add_option("--machine", options->machine,
                  "A machine that 'machines' lists, or a result of 'model'; one of 'sweep --ports' "
                  "has ports and latencies, but no buffers")
      ->required()
      ->type_name("NAME|FILE");
  app->add_flag("--timeline", options->timeline,
                "Show the first iterations: when each instruction is dispatched, ready, issued, "
                "done and retired, and what it waits for");
  AddSyntaxOption(*app, options->att_syntax);
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  return {app, [app, options] { return RunPredict(*app, *options); }};
}

}  // namespace cyclescope::cli
