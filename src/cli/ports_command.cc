// `cyclescope ports`
#include <memory>

#include "cli/command.h"
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
  OutputOptions output;
};

Result<ExitCode> RunPorts(const CLI::App& app, const PortsOptions& options) {
  const auto problems = CheckTexts({.texts = options.request.texts, .code = options.request.code});
  if (!problems) return std::unexpected(problems.error());
  if (!problems->empty()) {
    for (const TextProblem& problem : *problems) PrintProblem(problem);
    return ExitCode::kBadInput;
  }
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const os::InterruptGuard guard;
  auto document = MeasurePorts(options.request, Narrate(outputs->style()));
  if (!document) return std::unexpected(document.error());
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    std::string text = MachineText(*document, style) + '\n';
    if (!options.request.texts.empty()) return text + PortRowsText(document->instructions, style);
    return document->port_map ? text + PortMapText(*document->port_map, style) : text;
  });
  if (!written) return std::unexpected(written.error());
  return document->partial ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace

Command AddPortsCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "ports", "Which ports of the core an instruction uses, from time alone",
                    "  cyclescope ports                       the ports of this core\n"
                    "  cyclescope ports 'bswap rax'           one instruction (x86-64)\n"
                    "  cyclescope ports 'smull x0, w1, w2'    one instruction (AArch64)\n"
                    "  cyclescope ports --explain 'TEXT'      and the mixes that show it\n");
  auto options = std::make_shared<PortsOptions>();
  app->add_option("instruction", options->request.texts, "Assembly, one instruction each")
      ->type_name("TEXT");
  app->add_flag("--explain", options->request.explain, "Show the mixes behind each result");
  AddCodeOptions(*app, options->request.code);
  options->output.AddTo(*app);
  return {app, [app, options] { return RunPorts(*app, *options); }};
}

}  // namespace cyclescope::cli
