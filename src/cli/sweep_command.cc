// `cyclescope sweep`
#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/journal_keeper.h"
#include "cli/model_exports.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/machine_text.h"
#include "report/sweep_text.h"

namespace cyclescope::cli {
namespace {

struct SweepOptions {
  SweepRequest request;
  std::string only;
  std::string export_exegesis;
  std::string export_ports;
  SweepTextOptions text;
  OutputOptions output;
};

// Where rows are that were too many for the text.
std::string WhereRowsAre(const Document& document, const SweepOptions& options) {
  if (CountMeasured(document) <= options.text.most_rows) return "";
  const std::string& file = options.output.export_json;
  return file.empty() ? "--export-json FILE keeps every row for: cyclescope report FILE --full\n"
                      : fmt::format("every row: cyclescope report {} --full\n", file);
}

Result<ExitCode> RunSweep(const CLI::App& app, const SweepOptions& options) {
  SweepRequest request = options.request;
  request.latency = options.only != "throughput";
  request.throughput = options.only != "latency";
  auto outputs = TRY(Outputs::Open(options.output));
  const ExegesisQuantity quantity =
      request.latency ? ExegesisQuantity::kLatency : ExegesisQuantity::kThroughput;
  TRY(outputs.AddExport(options.export_exegesis, [quantity](const Document& document) {
    return ToExegesis(document, quantity);
  }));
  request.ports = request.ports || !options.export_ports.empty();
  TRY(AddPortExport(outputs, options.export_ports));

  const os::InterruptGuard guard;
  JournalKeeper keeper(app, request);
  auto document = MeasureSweep(request, keeper.Counting(Narrate(outputs.style())));
  return keeper.Finish(
      std::move(document), outputs, [&](const Document& swept, const TextStyle& style) {
        const std::string machine = MachineText(swept, style) + '\n';
        if (!swept.sweep) return machine + "nothing was measured\n";
        return machine + SweepText(swept, style, options.text) + WhereRowsAre(swept, options);
      });
}

}  // namespace

Command AddSweepCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "sweep", "Latency and throughput of every instruction that this CPU has",
      "  cyclescope sweep --export-json sweep.json --export-csv sweep.csv\n" +
          ForThisMachine("  cyclescope sweep --filter '^vp(add|mul)' --isa avx2\n",
                         "  cyclescope sweep --filter '^f(add|mul)' --isa asimd\n") +
          "  cyclescope sweep --ports --export-ports ports.csv  and the ports of each\n"
          "  cyclescope sweep --resume FILE                     after a kill or Ctrl-C\n" +
          ForThisMachine(
              "  cyclescope sweep --model znver4 --differences 200  another CPU's model\n\n",
              "  cyclescope sweep --model cortex-a76 --differences 200    another CPU's "
              "model\n\n") +
          "Each row goes to a journal at once, so that nothing is measured twice. It is\n"
          "removed when all of them are in a file of --export-json.");
  auto options = std::make_shared<SweepOptions>();
  SweepRequest& request = options->request;
  AddSweepOptions(*app, request.filter, request.isa, request.jobs);
  OneOf(app->add_option("--only", options->only,
                        "Measure only this: latency or throughput (default: both)"),
        {"latency", "throughput"})
      ->type_name("WHAT");
  app->add_flag("--ports", request.ports,
                "Also find the ports of each row, after everything else is measured");
  AddBudgetOption(*app, request.budget_s, 0.001);
  app->add_option("--model", request.model,
                  "Compare with LLVM's model of this CPU, not this machine's")
      ->type_name("CPU");
  app->add_option("--differences", options->text.most_differences,
                  "How many rows that differ from the model are listed")
      ->type_name("N");
  AddJournalOptions(*app, request.journal);
  AddCodeOptions(*app, request.code, "45");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  AddPairsFlag(*app, options->output.pairs);
  app->add_option("--export-exegesis", options->export_exegesis,
                  "Write latencies as records that llvm-exegesis -mode=analysis reads; "
                  "throughputs with --only throughput")
      ->type_name("FILE");
  AddPortExportOption(*app, options->export_ports);
  return {app, [app, options] { return RunSweep(*app, *options); }};
}

}  // namespace cyclescope::cli
