// `cyclescope frequency`
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "library/frequency_rows.h"
#include "os/interrupt.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct FrequencyOptions {
  CpuOption cpus;
  CycleChoice cycles = CycleChoice::kAuto;
  TopologyOption topology;
  OutputOptions output;
  bool watch = false;
};

Result<void> MeasureOnce(const os::CpuList& cpus, const FrequencyOptions& options,
                         const measure::TickClock& clock, Document& document) {
  return library::MeasureFrequencies(cpus, options.cycles, clock, {},
                                     NarrateProgress("measuring frequency"), document);
}

// Repeats until interrupted, in place on a terminal; the last round stays for the final output.
Result<void> Watch(const os::CpuList& cpus, const FrequencyOptions& options,
                   const measure::TickClock& clock, const Outputs& outputs, Document& document) {
  std::size_t lines = 0;
  while (!os::Interrupted()) {
    Document round = document;
    if (auto done = MeasureOnce(cpus, options, clock, round); !done) return done;
    if (round.partial && !document.frequency.empty()) break;
    document = std::move(round);
    if (options.output.json) continue;
    const std::string text = FrequencyText(document.frequency, outputs.style());
    const std::string back =
        outputs.is_live() && lines > 0 ? fmt::format("\x1b[{}A\x1b[J", lines) : "";
    if (auto printed = Outputs::Print(back + text); !printed) return printed;
    lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  return {};
}

ExitCode VerdictOnFrequencies(const Document& document) {
  const bool all_measured = std::ranges::all_of(
      document.frequency, [](const FrequencyRow& row) { return row.status == Status::kMeasured; });
  return all_measured && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

Result<ExitCode> RunFrequency(const CLI::App& app, const FrequencyOptions& options) {
  const auto cpus = options.cpus.Select();
  if (!cpus) return std::unexpected(cpus.error());
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  auto document = StartDocument(app, options.topology);
  if (!document) return std::unexpected(document.error());

  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  const os::InterruptGuard guard;
  const auto done = options.watch ? Watch(*cpus, options, clock, *outputs, *document)
                                  : MeasureOnce(*cpus, options, clock, *document);
  if (!done) return std::unexpected(done.error());
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    // While watching, the table stands there already.
    const std::string table = options.watch ? "" : '\n' + FrequencyText(document->frequency, style);
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
  AddCyclesOption(*app, options->cycles);
  app->add_flag("--watch", options->watch, "Repeat until Ctrl-C");
  options->topology.AddTo(*app);
  options->output.AddTo(*app);
  return {app, [app, options] { return RunFrequency(*app, *options); }};
}

}  // namespace cyclescope::cli
