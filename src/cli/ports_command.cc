// `cyclescope ports`
#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/model_exports.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/machine_text.h"
#include "report/ports_text.h"

namespace cyclescope::cli {
namespace {

struct PortsOptions {
  PortsRequest request;
  bool against = false;
  std::string export_ports;
  OutputOptions output;
};

std::string TextOf(const Document& document, const PortsOptions& options, const TextStyle& style) {
  std::string text = MachineText(document, style) + PartialText(document.partial, style) + '\n';
  if (options.against) return text + PortDifferencesText(document.instructions, style);
  if (!options.request.texts.empty()) return text + PortRowsText(document.instructions, style);
  return document.port_map ? text + PortMapText(*document.port_map, style) : text;
}

ExitCode VerdictOnPorts(const Document& document) {
  const bool all_explained =
      std::ranges::all_of(document.instructions, [](const InstructionRow& row) {
        return row.port_finding && row.port_finding->reason.empty();
      });
  return document.port_map && all_explained && !document.partial ? ExitCode::kDone
                                                                 : ExitCode::kPartial;
}

Result<ExitCode> RunPorts(const CLI::App& app, const PortsOptions& options) {
  const InstructionRequest texts = {.texts = options.request.texts, .code = options.request.code};
  TRY(CheckQuotes(app, texts));
  const auto problems = TRY(CheckTexts(texts));
  if (!problems.empty()) {
    for (const TextProblem& problem : problems) PrintProblem(problem);
    return ExitCode::kBadInput;
  }
  auto outputs = TRY(Outputs::Open(options.output));
  TRY(AddPortExport(outputs, options.export_ports));
  PortsRequest request = options.request;
  request.rows_of_map = request.texts.empty() && (options.against || !options.export_ports.empty());
  const os::InterruptGuard guard;
  auto measured = MeasurePorts(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured),
      [&options](const Document& document, const TextStyle& style) {
        return TextOf(document, options, style);
      },
      VerdictOnPorts);
}

}  // namespace

Command AddPortsCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "ports", "Which ports of the core an instruction uses, from time alone",
      "  cyclescope ports                       the ports of this core\n" +
          ForThisMachine("  cyclescope ports 'bswap rax'           one instruction\n",
                         "  cyclescope ports 'smull x0, w1, w2'    one instruction\n") +
          "  cyclescope ports --explain 'TEXT'      and the mixes that show it\n"
          "  cyclescope ports --against             where LLVM's model says otherwise\n"
          "  cyclescope ports --export-ports m.td   as LLVM's tables\n\n"
          "The map of the core comes first, from hundreds of mixes: a few seconds, half a\n"
          "minute where the machine is shared.");
  auto options = std::make_shared<PortsOptions>();
  app->add_option("instruction", options->request.texts, "Assembly, one instruction each")
      ->type_name("TEXT");
  app->add_flag("--explain", options->request.explain, "Show the mixes behind each result");
  app->add_flag("--against", options->against,
                "List what differs from LLVM's model: of the instructions named, or of those that "
                "the map is made of");
  app->add_option("--model", options->request.model,
                  "Compare with LLVM's model of this CPU, not this machine's")
      ->type_name("CPU");
  AddPortExportOption(*app, options->export_ports);
  AddCodeOptions(*app, options->request.code, "30");
  options->output.AddTo(*app);
  return {app, [app, options] { return RunPorts(*app, *options); }};
}

}  // namespace cyclescope::cli
