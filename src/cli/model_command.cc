// `cyclescope model`
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
#include "report/anatomy_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct ModelOptions {
  ModelRequest request;
  std::string export_ports;
  std::string export_llvm;
  OutputOptions output;
};

Result<ExitCode> RunModel(const CLI::App& app, const ModelOptions& options) {
  ModelRequest request = options.request;
  auto outputs = TRY(Outputs::Open(options.output));
  TRY(AddPortExport(outputs, options.export_ports));
  TRY(AddLlvmExport(outputs, options.export_llvm));
  const os::InterruptGuard guard;
  JournalKeeper keeper(app, request);
  auto document = MeasureModel(request, keeper.Counting(Narrate(outputs.style())));
  return keeper.Finish(std::move(document), outputs,
                       [](const Document& model, const TextStyle& style) {
                         return MachineText(model, style) + PartialText(model.partial, style) +
                                '\n' + CoreModelText(model, style);
                       });
}

}  // namespace

Command AddModelCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "model", "Measures all that predictions for this core need, into one file",
      "  cyclescope model --export-json model.json.gz           one to ten minutes\n"
      "  cyclescope model --jobs 8 --export-json model.json.gz  on eight CPUs at once\n"
      "  cyclescope model --quick --isa base --export-json base.json\n"
      "  cyclescope model --resume FILE                         after a kill or Ctrl-C\n"
      "  cyclescope report model.json.gz                        what is in it\n\n"
      "It measures how the core is built, store forwarding, and latencies, throughput\n"
      "and ports of every instruction. Each row goes to a journal at once, so that\n"
      "nothing is measured twice. It is removed when all of them are in a file of\n"
      "--export-json.");
  auto options = std::make_shared<ModelOptions>();
  ModelRequest& request = options->request;
  AddSweepOptions(*app, request.filter, request.isa, request.jobs);
  app->add_flag("--quick", request.quick,
                "Measures how the core is built faster, with wider intervals; instructions take as "
                "long as without");
  AddBudgetOption(*app, request.budget_s, 0.001);
  AddJournalOptions(*app, request.journal);
  AddCodeOptions(*app, request.code, "10 for the core, 45 for forms, 120 for ports");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  AddPairsFlag(*app, options->output.pairs);
  AddPortExportOption(*app, options->export_ports);
  AddLlvmExportOption(*app, options->export_llvm);
  return {app, [app, options] { return RunModel(*app, *options); }};
}

}  // namespace cyclescope::cli
