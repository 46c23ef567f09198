// `cyclescope frequency`
#include <chrono>
#include <memory>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/csv.h"
#include "report/frequency_strip.h"
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

// Repeats until interrupted: in place on a terminal, a line for each round elsewhere.
Result<Document> Watch(const FrequencyRequest& request, Outputs& outputs, FrequencyStrip& strip) {
  Result<void> shown;
  const auto begin = std::chrono::steady_clock::now();
  auto document = WatchFrequency(
      request,
      [&](const Document& so_far) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        strip.Add(passed.count(), so_far.frequency);
        shown = outputs.Redraw(outputs.is_live() ? FrequencyText(so_far, outputs.style()) +
                                                       strip.Drawn(outputs.style())
                                                 : strip.LatestLine());
        return shown.has_value() && Outputs::IsRead();
      },
      Narrate(outputs.style()));
  if (shown) shown = outputs.EraseRedrawn();
  if (!shown) return std::unexpected(shown.error());
  return document;
}

Result<ExitCode> RunFrequency(const CLI::App& app, const FrequencyOptions& options) {
  FrequencyRequest request = options.request;
  request.cpus = TRY(options.cpus.Parse());
  auto outputs =
      TRY(Outputs::Open(options.output, {{options.export_csv, [](const Document& document) {
                                            return FrequencyCsv(document.frequency);
                                          }}}));
  const os::InterruptGuard guard;
  FrequencyStrip strip;
  auto measured = options.watch ? Watch(request, outputs, strip)
                                : MeasureFrequency(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured),
      [&strip](const Document& document, const TextStyle& style) {
        return MachineText(document, style) + PartialText(document.partial, style) + '\n' +
               FrequencyText(document, style) +
               (strip.rounds() > 0 ? '\n' + strip.Summary(style) : "");
      },
      [](const Document& document) { return VerdictOn(document.frequency, document); });
}

}  // namespace

Command AddFrequencyCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "frequency", "Base, boost and real core frequency of each CPU",
                    "  cyclescope frequency                every CPU\n"
                    "  cyclescope frequency --cpus 0-3     some of them\n"
                    "  cyclescope frequency --watch        over time, until Ctrl-C\n");
  auto options = std::make_shared<FrequencyOptions>();
  options->cpus.AddTo(*app);
  AddCyclesOption(*app, options->request.cycles);
  AddPatienceOption(*app, options->request.patience_s, "1");
  app->add_flag("--watch", options->watch,
                "Show how the clocks move until Ctrl-C: a strip, or a line for each round");
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  AddCsvOption(*app, options->export_csv, "the rows");
  return {app, [app, options] { return RunFrequency(*app, *options); }};
}

}  // namespace cyclescope::cli
