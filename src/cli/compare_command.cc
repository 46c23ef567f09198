// `cyclescope compare`
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"
#include "report/compare_output.h"

namespace cyclescope::cli {
namespace {

struct CompareCommandOptions {
  std::vector<std::string> results;
  std::optional<double> threshold_percent;
  std::string fail_on;
  std::string export_csv;
  bool json = false;
  bool all = false;
};

Result<ExitCode> RunCompare(const CompareCommandOptions& options) {
  if (options.results.size() == 1) return BadInput("comparing takes two results or more");
  if (options.export_csv == "-" && options.json)
    return BadInput("standard output can hold one result only", "give the CSV a file");
  if (!options.export_csv.empty()) TRY(Outputs::CheckExport(options.export_csv));
  std::vector<std::string> results = options.results;
  if (results.empty()) {
    results = TRY(FindLastTwoResults("."));
    PrintLine(fmt::format("comparing {} with {}", results[0], results[1]));
  }
  const auto documents = TRY(ReadResults(results));
  CompareOptions compare;
  if (options.threshold_percent) compare.threshold = *options.threshold_percent / 100;
  const Comparison comparison = Compare(documents, compare);
  if (!options.export_csv.empty()) TRY(Outputs::WriteFile(options.export_csv, ToCsv(comparison)));
  if (options.export_csv != "-")
    TRY(Outputs::Print(options.json ? ToJson(comparison)
                                    : ToText(comparison, {.all = options.all})));
  const bool regressed = options.fail_on == "regression" && comparison.HasRegression();
  return regressed ? ExitCode::kRegression : ExitCode::kDone;
}

}  // namespace

Command AddCompareCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "compare", "What differs between results, judged by their intervals",
      "  cyclescope compare                           the last two results here\n"
      "  cyclescope compare before.json after.json\n"
      "  cyclescope compare before.json after.json --fail-on regression\n"
      "                                               exit code 4 when one got worse\n"
      "  cyclescope compare emerald-rapids mine.json  with a machine that is known\n"
      "  cyclescope compare mine.json published.csv   a published core-to-core matrix\n\n"
      "A lower core frequency is shown but is no regression: it is the machine's\n"
      "state, not what was built.");
  auto options = std::make_shared<CompareCommandOptions>();
  app->add_option("result", options->results,
                  "Result documents, names that 'machines' lists, or bare CSV matrices of "
                  "core-to-core-latency; default: the last two of one command in this folder")
      ->type_name("NAME|FILE");
  InRange(app->add_option("--threshold", options->threshold_percent,
                          "Smallest change of interest in percent (default 2, 5 for cores "
                          "and memory, 25 for caches)")
              ->type_name("PERCENT"),
          0, 1000);
  OneOf(app->add_option("--fail-on", options->fail_on,
                        "Exit code 4 on: regression, a longer time or a smaller cache"),
        {"regression"})
      ->type_name("WHAT");
  app->add_flag("--all", options->all, "List what is the same, too");
  app->add_flag("--json", options->json, "Print the comparison as JSON");
  AddCsvOption(*app, options->export_csv, "the comparison");
  return {app, [options] { return RunCompare(*options); }};
}

}  // namespace cyclescope::cli
