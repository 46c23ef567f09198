// `cyclescope fleet`
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/fleet.h"
#include "os/interrupt.h"
#include "report/csv.h"
#include "report/fleet_hosts.h"
#include "report/fleet_text.h"
#include "report/html.h"

namespace cyclescope::cli {
namespace {

struct FleetCommandOptions {
  FleetRequest request;
  std::optional<double> threshold_percent;
  std::optional<double> false_alarms_percent;
  std::string fail_on;
  std::string html;
  std::string export_csv;
  std::string good_hosts;
  std::string bad_hosts;
  std::string nhc;
  bool all = false;
  OutputOptions output;
};

// A survey leaves its page beside its document: the fleet's page leads there.
void FindPages(const std::filesystem::path& html, Fleet& fleet) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(html, error).parent_path();
  for (FleetNode& node : fleet.nodes) {
    if (node.sources.empty()) continue;
    fs::path page = node.sources.back();
    page.replace_extension(".html");
    if (!fs::exists(page, error)) continue;
    node.page = fs::weakly_canonical(page, error).lexically_relative(folder).generic_string();
  }
}

Result<void> AddFiles(const FleetCommandOptions& options, Outputs& outputs) {
  const auto of_fleet = [](auto render) {
    return [render](const Document& document) -> Result<std::string> {
      return render(*document.fleet);
    };
  };
  TRY(outputs.AddExport(options.export_csv, of_fleet(FleetCsv)));
  TRY(outputs.AddExport(options.good_hosts, of_fleet(GoodHosts)));
  TRY(outputs.AddExport(options.bad_hosts, of_fleet(BadHosts)));
  TRY(outputs.AddExport(options.nhc, of_fleet(NhcLines)));
  return outputs.AddExport(
      options.html, [](const Document& document) { return ToHtml(std::span(&document, 1)); });
}

bool Fails(std::string_view fail_on, const Fleet& fleet) {
  if (fail_on.empty()) return false;
  const bool is_slow = fleet.slow > 0;
  if (fail_on == "slow") return is_slow;
  const bool is_outlier = is_slow || fleet.different > 0;
  if (fail_on == "outlier") return is_outlier;
  return is_outlier || fleet.not_enough_data > 0;
}

Result<ExitCode> RunFleet(const CLI::App& app, FleetCommandOptions options) {
  if (options.threshold_percent) options.request.threshold = *options.threshold_percent / 100;
  if (options.false_alarms_percent)
    options.request.false_alarms = *options.false_alarms_percent / 100;
  auto outputs = TRY(Outputs::Open(options.output));
  TRY(AddFiles(options, outputs));

  const os::InterruptGuard guard;
  auto document = TRY(JudgeFleet(options.request, Narrate(outputs.style())));
  document.config.options = GivenOptions(app);
  if (!options.html.empty()) FindPages(options.html, *document.fleet);
  TRY(outputs.Write(document, [&](const TextStyle& style) {
    return FleetText(*document.fleet, style, {.all = options.all});
  }));
  if (document.partial) return ExitCode::kPartial;
  return Fails(options.fail_on, *document.fleet) ? ExitCode::kRegression : ExitCode::kDone;
}

}  // namespace

Command AddFleetCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "fleet", "Which of many machines is not like the others, and why",
      "  srun -N500 --ntasks-per-node=1 --exclusive --cpu-bind=none \\\n"
      "      cyclescope survey --output 'out/%h'\n"
      "  cyclescope fleet out                          the nodes that are not normal\n"
      "  cyclescope fleet out --html fleet.html        all of them as a page\n"
      "  cyclescope fleet out --bad-hosts bad --fail-on slow\n"
      "                                                exit code 4 when one is slow\n"
      "  cyclescope fleet monday friday                two passes of each node\n");
  auto options = std::make_shared<FleetCommandOptions>();
  app->add_option("result", options->request.results,
                  "Results of 'cyclescope survey', or folders with some, at any depth")
      ->type_name("FILE|FOLDER")
      ->required();
  InRange(
      app->add_option(
             "--threshold", options->threshold_percent,
             "Smallest difference of interest in percent (default: 2 for clock and instructions, "
             "5 to 10 for caches, memory and between cores)")
          ->type_name("PERCENT"),
      0, 1000);
  InRange(
      app->add_option("--false-alarms", options->false_alarms_percent,
                      "Largest share of false alarms among the nodes called slow or different, in "
                      "percent (default 1)")
          ->type_name("PERCENT"),
      0.0001, 50);
  OneOf(app->add_option("--fail-on", options->fail_on,
                        "Exit code 4 on: slow, a slow node; outlier, one that is slow or "
                        "different; incomplete, any that is not normal"),
        {"slow", "outlier", "incomplete"})
      ->type_name("WHAT");
  app->add_flag("--all", options->all, "List every node, normal ones too");
  app->add_option("--html", options->html, "Write one self-contained HTML file, too")
      ->type_name("FILE");
  AddCsvOption(*app, options->export_csv, "the nodes");
  app->add_option("--good-hosts", options->good_hosts,
                  "Write the names of the normal nodes to a file, one a line, as Slurm and MPI "
                  "read them; - is standard output")
      ->type_name("FILE");
  app->add_option("--bad-hosts", options->bad_hosts,
                  "The same for nodes that are slow or different, or that left no result")
      ->type_name("FILE");
  app->add_option("--nhc", options->nhc,
                  "Write a line of nhc.conf (Node Health Check) for each node of --bad-hosts")
      ->type_name("FILE");
  options->output.AddTo(*app);
  return {app, [app, options] { return RunFleet(*app, *options); }};
}

}  // namespace cyclescope::cli
