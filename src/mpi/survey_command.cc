// `cyclescope-mpi survey`
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/narration.h"
#include "cli/one_of_many.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/fleet.h"
#include "cyclescope/json.h"
#include "cyclescope/measure.h"
#include "mpi/commands.h"
#include "mpi/watcher.h"
#include "os/interrupt.h"
#include "report/fleet_text.h"
#include "result/node_name.h"

namespace cyclescope::mpi {
namespace {

struct GatherOptions {
  SurveyRequest request;
  bool quick = false;
  std::string folder;
  double patience_s = 600;
  cli::OutputOptions output;
};

// Where the result of each rank goes, on rank 0's file system.
Result<std::vector<std::string>> FilesOf(const std::string& pattern,
                                         const std::vector<Document>& runs) {
  std::vector<std::string> files;
  for (const Document& run : runs) {
    auto folder = cli::FillPlaceholders(pattern, run);
    if (!folder) return std::unexpected(folder.error());
    std::error_code error;
    std::filesystem::create_directories(*folder, error);
    if (error) {
      return BadInput(fmt::format("cannot make the folder '{}': {}", *folder, error.message()));
    }
    files.push_back((std::filesystem::path(*folder) / "cyclescope.json").string());
    if (std::ranges::count(files, files.back()) > 1) {
      return BadInput(fmt::format("two ranks would write to '{}'", files.back()),
                      "start one on each host, or add the rank, as in --output 'out/%h-%r'");
    }
  }
  return files;
}

Result<void> WriteDocument(const std::string& file, const Document& document) {
  return cli::Outputs::WriteFile(file, ToJson(document));
}

// The survey of this rank. What fails is a document, too.
Document SurveyHere(const Document& run, const SurveyRequest& request, const OnProgress& progress) {
  auto document = MeasureSurvey(request, progress);
  if (document) return std::move(*document);
  Document failed = run;
  failed.failure = document.error().ToString();
  return failed;
}

Result<cli::ExitCode> Judge(const GatherOptions& options, const std::vector<std::string>& files,
                            const std::string& failure, cli::Outputs& outputs) {
  auto judged = JudgeFleet({.results = files});
  if (!judged) return std::unexpected(judged.error());
  judged->failure = failure;
  const auto written = outputs.Write(*judged, [&](const TextStyle& style) {
    return FleetText(*judged->fleet, style) + fmt::format("\nwritten: {}\n", options.folder);
  });
  if (!written) return std::unexpected(written.error());
  return failure.empty() ? cli::ExitCode::kDone : cli::ExitCode::kFailed;
}

Result<cli::ExitCode> RunOnRoot(const GatherOptions& options, const Communicator& ranks,
                                const std::vector<Document>& runs, const OnProgress& progress) {
  auto outputs = cli::Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const auto files = FilesOf(options.folder, runs);
  if (!files) return std::unexpected(files.error());
  for (std::size_t rank = 0; rank < runs.size(); ++rank) {
    Document begun = runs[rank];
    begun.failure = "it began and did not end: it was killed, or runs still";
    if (auto written = WriteDocument((*files)[rank], begun); !written)
      return std::unexpected(written.error());
  }
  Watcher watcher(std::chrono::seconds(static_cast<std::int64_t>(options.patience_s)),
                  [&](std::string_view reason) {
                    cli::PrintError({ErrorKind::kFailed, std::string(reason),
                                     "the results of the other ranks follow"});
                    const auto judged = Judge(options, *files, std::string(reason), *outputs);
                    if (!judged) cli::PrintError(judged.error());
                    return static_cast<int>(cli::ExitCode::kFailed);
                  });
  ranks.Barrier();  // so that a limit of power that nodes share shows
  const Document own = SurveyHere(runs[0], options.request, progress);
  watcher.SignOfLife();
  Result<void> written = WriteDocument(files->front(), own);
  for (std::size_t received = 1; received < runs.size(); ++received) {
    const auto [rank, text] = ranks.ReceiveAny();
    watcher.SignOfLife();
    if (auto done = cli::Outputs::WriteFile((*files)[static_cast<std::size_t>(rank)], text); !done)
      written = done;
  }
  if (!written) return std::unexpected(written.error());
  return Judge(options, *files, "", *outputs);
}

Result<cli::ExitCode> RunSurvey(const CLI::App& app, GatherOptions options,
                                const Communicator& ranks) {
  if (options.quick) options.request.effort = SurveyEffort::kQuick;
  auto run = DescribeRun("survey");
  if (!run) return std::unexpected(run.error());
  run->config.options = cli::GivenOptions(app);
  std::vector<Document> runs;
  for (const std::string& text : ranks.Gather(ToJson(*run))) {
    auto parsed = ParseJson(text, "the run of a rank");
    if (!parsed) return std::unexpected(parsed.error());
    parsed->source.clear();
    runs.push_back(std::move(*parsed));
  }
  const os::InterruptGuard guard;
  const OnProgress progress = [](const Progress&) { return !os::Interrupted(); };
  if (ranks.is_root()) return RunOnRoot(options, ranks, runs, progress);
  ranks.Barrier();
  ranks.SendToRoot(ToJson(SurveyHere(*run, options.request, progress)));
  return cli::ExitCode::kDone;
}

}  // namespace

RankCommand AddSurveyCommand(CLI::App& root) {
  CLI::App* app = cli::AddSubcommand(
      root, "survey", "A survey of every host, all at once, gathered and judged",
      "  mpirun --map-by ppr:1:node --bind-to none cyclescope-mpi survey --output 'out/%h'\n");
  auto options = std::make_shared<GatherOptions>();
  app->add_flag("--quick", options->quick, "Less time, less precise");
  cli::AddCyclesOption(*app, options->request.cycles);
  app->add_option("--output", options->folder,
                  "Folder on rank 0's host for the result of each rank; %h in it stands for the "
                  "node's name, %r for the rank, %j for the job")
      ->type_name("DIR")
      ->required();
  cli::AsSeconds(app->add_option("--patience", options->patience_s,
                                 "End when no rank answers for so long; 600 when left out"),
                 1);
  options->output.AddTo(*app);
  return {app,
          [app, options](const Communicator& ranks) { return RunSurvey(*app, *options, ranks); }};
}

}  // namespace cyclescope::mpi
