// `cyclescope cores`
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/cores_csv.h"
#include "report/cores_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct CoresOptions {
  CoresRequest request;
  CpuOption cpus;
  double precision_percent = 2;
  double budget_ms = 100;
  std::string unit = "ns";
  bool full = false;
  std::string export_csv;
  bool csv_long = false;
  OutputOptions output;
};

// ---- What the options mean

Result<CoresRequest> RequestOf(const CoresOptions& options, CoreUnit unit) {
  CoresRequest request = options.request;
  request.cpus = TRY(options.cpus.Parse());
  request.precision = options.precision_percent / 100;
  request.budget_s = options.budget_ms / 1e3;
  request.frequencies = unit == CoreUnit::kCycles;
  return request;
}

ExitCode VerdictOnCores(const Document& document) {
  const bool complete = std::ranges::all_of(document.cores, [](const CoreMatrix& matrix) {
    return matrix.disturbed.empty() && matrix.timed_out.empty();
  });
  return complete && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

Result<ExitCode> RunCores(const CLI::App& app, const CoresOptions& options) {
  const CoreUnit unit = ParseCoreUnit(options.unit).value_or(CoreUnit::kNanoseconds);
  const auto request = TRY(RequestOf(options, unit));
  const auto csv = options.csv_long ? CoresLongCsv : CoresCsv;
  auto outputs = TRY(Outputs::Open(
      options.output, {{options.export_csv,
                        [csv, unit](const Document& document) { return csv(document, unit); }}}));
  const os::InterruptGuard guard;
  auto measured = MeasureCores(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured),
      [&](const Document& document, const TextStyle& style) {
        const CoresTextOptions text_options = {
            .unit = unit, .full = options.full, .histogram = true};
        // Fails where the core was too busy to say how fast it runs, which the unit may need.
        const auto text = CoresText(document, text_options, style);
        return MachineText(document, style) + '\n' +
               (text ? *text : text.error().ToString() + '\n');
      },
      VerdictOnCores);
}

void AddMethodOptions(CLI::App& app, CoresOptions& options) {
  Offer(app.add_option(
            "--test", options.request.tests,
            "Tests, with commas: cas (default), exchange, add, store, two-lines, message; all"),
        {"cas", "exchange", "add", "store", "two-lines", "message", "all"})
      ->type_name("NAMES");
  app.add_option("--instruction", options.request.instruction,
                 "The instruction that moves the line, by its name in results")
      ->type_name("NAME");
  Offer(
      app.add_option("--home", options.request.home,
                     "CPU that touches a pair's lines first: first (default), second, or a number"),
      {"first", "second"})
      ->type_name("CPU");
  app.add_flag("--parallel", options.request.parallel,
               "Measure disjoint pairs at once, and check a sample of them alone");
  app.add_option("--seed", options.request.seed,
                 "Seed of the random order of pairs and lines (default: another one each time)")
      ->type_name("N");

  CLI::Option* rounds = app.add_option("--rounds", options.request.rounds,
                                       "Visits to each pair (default 8, more on a virtual machine)")
                            ->type_name("N");
  InRange(rounds, 1, 10'000);
  CLI::Option* duration =
      app.add_option("--duration", options.request.duration_s,
                     "Repeat rounds for this long, to detect virtual CPUs that the host moves")
          ->type_name("SECONDS");
  InRange(duration, 0.01, 86'400);
  duration->excludes(rounds);
  CLI::Option* precision =
      app.add_option("--precision", options.precision_percent,
                     "Width of the interval to reach, in percent of the value (default 2)")
          ->type_name("PERCENT");
  InRange(precision, 0.1, 50);
  CLI::Option* budget =
      app.add_option("--budget", options.budget_ms,
                     "Time limit for each pair and direction, in ms (default 100)")
          ->type_name("MS");
  InRange(budget, 1, 600'000);
  CLI::Option* lines =
      app.add_option("--lines", options.request.lines, "A fixed number of cache lines per pair");
  CLI::Option* samples =
      app.add_option("--samples", options.request.samples, "A fixed number of batches per line");
  CLI::Option* iterations = app.add_option("--iterations", options.request.iterations,
                                           "A fixed number of round trips per batch");
  for (CLI::Option* fixed : {lines, samples, iterations}) {
    fixed->type_name("N")->excludes(precision)->excludes(budget);
  }
}

}  // namespace

Command AddCoresCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "cores", "Latency between every pair of CPUs",
                    "  cyclescope cores                          compare-and-swap, all CPUs\n"
                    "  cyclescope cores --test all --cpus 0-3    every test on some of them\n"
                    "  cyclescope cores --one-per-core --unit cycles\n"
                    "  cyclescope cores --duration 60            watch whether CPUs move\n"
                    "  cyclescope cores --parallel --export-csv matrix.csv\n");
  auto options = std::make_shared<CoresOptions>();
  options->cpus.AddTo(*app);
  app->add_flag("--one-per-core", options->request.one_per_core, "Only the first CPU of each core");
  AddMethodOptions(*app, *options);
  OneOf(
      app->add_option("--unit", options->unit, "Unit of text and CSV: ns (default), cycles, ticks"),
      {"ns", "cycles", "ticks"})
      ->type_name("UNIT");
  AddCyclesOption(*app, options->request.cycles);
  app->add_flag("--full", options->full,
                fmt::format("The whole matrix, also above {} CPUs", kMostCpusInGrid));
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  CLI::Option* csv = AddCsvOption(*app, options->export_csv, "the matrix");
  app->add_flag("--csv-long", options->csv_long,
                "In the CSV file: a line for each pair, not a matrix")
      ->needs(csv);
  return {app, [app, options] { return RunCores(*app, *options); }};
}

}  // namespace cyclescope::cli
