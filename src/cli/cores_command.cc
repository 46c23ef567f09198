// `cyclescope cores`
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <random>

#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/live_matrix.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cores/one_per_core.h"
#include "cores/test_choice.h"
#include "library/cores_run.h"
#include "library/frequency_rows.h"
#include "os/interrupt.h"
#include "report/cores_csv.h"
#include "report/cores_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct CoresOptions {
  CpuOption cpus;
  bool one_per_core = false;
  std::string tests = "cas";
  std::string instruction;
  std::string home = "first";
  double precision_percent = 2;
  double budget_ms = 100;
  std::optional<int> rounds;
  std::optional<double> duration_s;
  std::optional<int> lines;
  std::optional<int> samples;
  std::optional<int> iterations;
  bool parallel = false;
  std::optional<std::uint64_t> seed;
  CycleChoice cycles = CycleChoice::kAuto;
  TopologyOption topology;
  std::string unit = "ns";
  bool full = false;
  std::string export_csv;
  bool csv_long = false;
  OutputOptions output;

  bool HasFixedCounts() const { return lines || samples || iterations; }
};

// ---- What the options mean

Result<void> CheckRange(std::string_view option, double value, double least, double most) {
  if (value >= least && value <= most) return {};
  return BadInput(fmt::format("{} {} is out of range", option, value),
                  fmt::format("it can be {} to {}", least, most));
}

Result<cores::MatrixPlan> MakePlan(const CoresOptions& options) {
  cores::MatrixPlan plan;
  plan.parallel = options.parallel;
  plan.seed = options.seed ? *options.seed : std::random_device()();
  for (const auto& checked :
       {CheckRange("--rounds", options.rounds.value_or(1), 1, 10'000),
        CheckRange("--duration", options.duration_s.value_or(1), 0.01, 86'400)}) {
    if (!checked) return std::unexpected(checked.error());
  }
  plan.rounds = options.rounds;
  if (options.duration_s) plan.duration_ns = static_cast<std::int64_t>(*options.duration_s * 1e9);
  if (!options.HasFixedCounts()) {
    for (const auto& checked : {CheckRange("--precision", options.precision_percent, 0.1, 50),
                                CheckRange("--budget", options.budget_ms, 1, 600'000)}) {
      if (!checked) return std::unexpected(checked.error());
    }
    plan.precision = options.precision_percent / 100;
    plan.budget_ns = static_cast<std::int64_t>(options.budget_ms * 1e6);
    return plan;
  }

  // Below eight lines the interval between them says nothing.
  plan.line.lines = options.lines.value_or(plan.line.lines);
  plan.line.batches = options.samples.value_or(plan.line.batches);
  plan.line.round_trips = options.iterations.value_or(plan.line.round_trips);
  plan.precision.reset();
  plan.budget_ns = 0;
  const double round_trips = 1.0 * plan.line.lines * plan.line.batches * plan.line.round_trips;
  for (const auto& checked :
       {CheckRange("--lines", plan.line.lines, 8, 65'536),
        CheckRange("--samples", plan.line.batches, 1, 10'000),
        CheckRange("--iterations", plan.line.round_trips, 1, 1'000'000),
        CheckRange("--lines x --samples x --iterations =", round_trips, 1, 1'000'000'000)}) {
    if (!checked) return std::unexpected(checked.error());
  }
  return plan;
}

Result<cores::Home> ParseHome(const std::string& text, const os::CpuList& allowed) {
  using Kind = cores::Home::Kind;
  if (text == "first") return cores::Home{Kind::kFirst};
  if (text == "second") return cores::Home{Kind::kSecond};
  const auto cpu = os::SelectCpus(text, allowed);
  if (!cpu) return BadInput("--home: " + cpu.error().message, cpu.error().hint);
  if (cpu->size() != 1) {
    return BadInput(fmt::format("--home '{}' is not one CPU", text),
                    "it can be first, second or the number of a CPU");
  }
  return cores::Home{Kind::kCpu, cpu->front()};
}

Result<os::CpuList> SelectCpus(const CoresOptions& options, const Host& host) {
  auto cpus = options.cpus.Select();
  if (!cpus) return cpus;
  if (options.one_per_core) *cpus = cores::OnePerCore(*cpus, host.topology);
  if (cpus->size() < 2) {
    return BadInput(fmt::format("CPU {} alone has no other to answer it", os::FormatCpuList(*cpus)),
                    host.cpus_allowed.size() < 2 ? "this process may use one CPU only"
                                                 : "give at least two with --cpus");
  }
  return cpus;
}

Result<library::CoresRun> PrepareRun(const CoresOptions& options, const Host& host) {
  auto cpus = SelectCpus(options, host);
  if (!cpus) return std::unexpected(cpus.error());
  auto tests = cores::ChooseTests(options.tests, options.instruction, host.features);
  if (!tests) return std::unexpected(tests.error());
  const auto home = ParseHome(options.home, host.cpus_allowed);
  if (!home) return std::unexpected(home.error());
  const auto plan = MakePlan(options);
  if (!plan) return std::unexpected(plan.error());
  return library::CoresRun{std::move(*cpus), std::move(*tests), *home, *plan};
}

// Frequencies first where cycles are asked for, since they need threads of their own on the CPUs.
Result<void> Measure(const library::CoresRun& run, CoreUnit unit, const CoresOptions& options,
                     const TextStyle& style, Document& document) {
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  document.clock = measure::DescribeTicks(clock);
  if (unit == CoreUnit::kCycles) {
    const auto done = library::MeasureFrequencies(run.cpus, options.cycles, clock, {},
                                                  NarrateProgress("measuring frequency"), document);
    if (!done) return done;
    if (document.partial) return {};
    if (auto unpinned = os::Unpin(document.host.cpus_allowed); !unpinned) return unpinned;
  }
  return library::MeasureCores(run, clock, NarrateTests(style), document);
}

ExitCode VerdictOnCores(const Document& document) {
  const bool complete = std::ranges::all_of(document.cores, [](const CoreMatrix& matrix) {
    return matrix.disturbed.empty() && matrix.timed_out.empty();
  });
  return complete && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

Result<ExitCode> RunCores(const CLI::App& app, const CoresOptions& options) {
  auto document = StartDocument(app, options.topology);
  if (!document) return std::unexpected(document.error());
  const auto run = PrepareRun(options, document->host);
  if (!run) return std::unexpected(run.error());
  const CoreUnit unit = ParseCoreUnit(options.unit).value_or(CoreUnit::kNanoseconds);
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const auto csv = options.csv_long ? CoresLongCsv : CoresCsv;
  if (auto added = outputs->AddExport(
          options.export_csv, [csv, unit](const Document& result) { return csv(result, unit); });
      !added) {
    return std::unexpected(added.error());
  }

  const os::InterruptGuard guard;
  if (auto done = Measure(*run, unit, options, outputs->style(), *document); !done) {
    return std::unexpected(done.error());
  }
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    // The unit's clock rate was measured above, so that this cannot fail.
    const CoresTextOptions text_options = {.unit = unit, .full = options.full, .histogram = true};
    return MachineText(*document, style) + '\n' +
           CoresText(*document, text_options, style).value_or("");
  });
  if (!written) return std::unexpected(written.error());
  return VerdictOnCores(*document);
}

void AddMethodOptions(CLI::App& app, CoresOptions& options) {
  Offer(app.add_option(
            "--test", options.tests,
            "Tests, with commas: cas (default), exchange, add, store, two-lines, message; all"),
        {"cas", "exchange", "add", "store", "two-lines", "message", "all"})
      ->type_name("NAMES");
  app.add_option("--instruction", options.instruction,
                 "The instruction that moves the line, as the result names it")
      ->type_name("NAME");
  Offer(
      app.add_option("--home", options.home,
                     "CPU that touches a pair's lines first: first (default), second, or a number"),
      {"first", "second"})
      ->type_name("CPU");
  app.add_flag("--parallel", options.parallel,
               "Measure disjoint pairs at once, and check a sample of them alone");
  app.add_option("--seed", options.seed, "Of the pair order and the lines; drawn when left out")
      ->type_name("N");

  CLI::Option* rounds = app.add_option("--rounds", options.rounds,
                                       "Visits to each pair (default 8, more on a virtual machine)")
                            ->type_name("N");
  app.add_option("--duration", options.duration_s,
                 "Go on with rounds for so long, to see CPUs that move")
      ->type_name("SECONDS")
      ->excludes(rounds);
  CLI::Option* precision =
      app.add_option("--precision", options.precision_percent,
                     "Width of the interval to reach, in percent of the value (default 2)")
          ->type_name("PERCENT");
  CLI::Option* budget = app.add_option("--budget", options.budget_ms,
                                       "Most time per pair and direction, in ms (default 100)")
                            ->type_name("MS");
  CLI::Option* lines =
      app.add_option("--lines", options.lines, "A fixed number of cache lines per pair");
  CLI::Option* samples =
      app.add_option("--samples", options.samples, "A fixed number of batches per line");
  CLI::Option* iterations =
      app.add_option("--iterations", options.iterations, "A fixed number of round trips per batch");
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
  app->add_flag("--one-per-core", options->one_per_core, "Only the first CPU of each core");
  AddMethodOptions(*app, *options);
  OneOf(
      app->add_option("--unit", options->unit, "Unit of text and CSV: ns (default), cycles, ticks"),
      {"ns", "cycles", "ticks"})
      ->type_name("UNIT");
  AddCyclesOption(*app, options->cycles);
  app->add_flag("--full", options->full,
                fmt::format("The whole matrix, also above {} CPUs", kMostCpusInGrid));
  options->topology.AddTo(*app);
  options->output.AddTo(*app);
  app->add_option("--export-csv", options->export_csv, "Write the matrix to a CSV file")
      ->type_name("FILE");
  app->add_flag("--csv-long", options->csv_long, "In that file, a line for each pair");
  return {app, [app, options] { return RunCores(*app, *options); }};
}

}  // namespace cyclescope::cli
