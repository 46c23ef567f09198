// `cyclescope frequency`
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/frequency_csv.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct FrequencyOptions {
  CpuOption cpus;
  FrequencyRequest request;
  OutputOptions output;
  std::string export_csv;
  bool watch = false;
};

// Repeats until interrupted, in place on a terminal.
Result<Document> Watch(const FrequencyRequest& request, Outputs& outputs) {
  Result<void> shown;
  auto document = WatchFrequency(
      request,
      [&](const Document& so_far) {
        shown = outputs.Redraw(FrequencyText(so_far, outputs.style()));
        return shown.has_value();
      },
      Narrate(outputs.style()));
  if (!shown) return std::unexpected(shown.error());
  return document;
}

ExitCode VerdictOnFrequencies(const Document& document) {
  const bool all_measured = std::ranges::all_of(
      document.frequency, [](const FrequencyRow& row) { return row.status == Status::kMeasured; });
  return all_measured && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

Result<ExitCode> RunFrequency(const CLI::App& app, const FrequencyOptions& options) {
  FrequencyRequest request = options.request;
  auto cpus = options.cpus.Parse();
  if (!cpus) return std::unexpected(cpus.error());
  request.cpus = std::move(*cpus);
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  if (auto added =
          outputs->AddExport(options.export_csv,
                             [](const Document& result) { return FrequencyCsv(result.frequency); });
      !added) {
    return std::unexpected(added.error());
  }

  const os::InterruptGuard guard;
  auto document = options.watch ? Watch(request, *outputs)
                                : MeasureFrequency(request, Narrate(outputs->style()));
  if (!document) return std::unexpected(document.error());
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    // While watching, the table stands there already.
    const std::string table = outputs->has_redrawn() ? "" : '\n' + FrequencyText(*document, style);
    return MachineText(*document, style) + table;
  });
  if (!written) return std::unexpected(written.error());
  return VerdictOnFrequencies(*document);
}

}  // namespace

Command AddFrequencyCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "frequency", "Base, boost and real core frequency of each CPU",
                    "  cyclescope frequency                every CPU\n"
                    "  cyclescope frequency --cpus 0-3     some of them\n"
                    "  cyclescope frequency --watch        again and again until Ctrl-C\n");
  auto options = std::make_shared<FrequencyOptions>();
  options->cpus.AddTo(*app);
  AddCyclesOption(*app, options->request.cycles);
  AddPatienceOption(*app, options->request.patience_s);
  app->add_flag("--watch", options->watch, "Repeat until Ctrl-C");
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  app->add_option("--export-csv", options->export_csv,
                  "Write the rows to a CSV file; - is standard output")
      ->type_name("FILE");
  return {app, [app, options] { return RunFrequency(*app, *options); }};
}

}  // namespace cyclescope::cli
