// `cyclescope merge`
#include <fmt/core.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/outputs.h"
#include "cyclescope/json.h"
#include "merge/anonymous.h"
#include "merge/merge.h"
#include "report/machine_text.h"
#include "report/part_texts.h"

namespace cyclescope::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> results;
  bool anonymous = false;
  OutputOptions output;
};

// One run that is given twice, under whatever names, would count twice.
Result<void> CheckAreDifferent(const std::vector<Document>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (runs[i].config.started == runs[j].config.started && ToJson(runs[i]) == ToJson(runs[j])) {
        return BadInput(
            fmt::format("'{}' and '{}' are the same run", runs[j].source, runs[i].source),
            "leave one of them out: its values would count twice");
      }
    }
  }
  return {};
}

Result<ExitCode> RunMerge(const MergeOptions& options) {
  if (options.results.size() < 2) return BadInput("merging takes two results or more");
  auto outputs = TRY(Outputs::Open(options.output));
  auto runs = TRY(ReadResults(options.results));
  TRY(CheckAreDifferent(runs));
  if (options.anonymous) {
    for (Document& run : runs) run = merge::WithoutNames(std::move(run));
  }
  const auto whole = TRY(merge::MergeRuns(runs));
  TRY(outputs.Write(whole, [&](const TextStyle& style) {
    return MachineText(whole, style) + PartialText(whole.partial, style) + '\n' +
           MergeText(*whole.merged, style,
                     options.output.verbose ? TextSize::kFull : TextSize::kPage);
  }));
  return whole.partial ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace

Command AddMergeCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "merge", "Several runs of one machine as one result",
                    "  cyclescope merge monday.json tuesday.json --export-json both.json.gz\n"
                    "  cyclescope merge survey.json model.json.gz --export-json machine.json.gz\n"
                    "  cyclescope merge *.json --anonymous --export-json published.json.gz\n\n"
                    "Values are combined by their intervals, quiet ones replace those of a shared\n"
                    "core, and what runs disagree about is listed. Parts that cannot be combined,\n"
                    "such as the port map, come from the best run: --verbose says from which.");
  auto options = std::make_shared<MergeOptions>();
  app->add_option("result", options->results,
                  "Result documents of one kind of CPU, or names that 'machines' lists")
      ->type_name("NAME|FILE")
      ->required();
  app->add_flag(
      "--anonymous", options->anonymous,
      "Leave out names of hosts, jobs, files and devices, and the options that were given");
  options->output.AddTo(*app);
  return {app, [options] { return RunMerge(*options); }};
}

}  // namespace cyclescope::cli
