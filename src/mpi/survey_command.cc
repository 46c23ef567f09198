// `cyclescope-mpi survey`
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/try.h"
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
    auto folder = TRY(cli::FillPlaceholders(pattern, run));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return BadInput(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
    }
    files.push_back((std::filesystem::path(folder) / "cyclescope.json").string());
    if (std::ranges::count(files, files.back()) > 1) {
      return BadInput(fmt::format("two ranks would write to '{}'", files.back()),
                      "start one on each host, or add the rank, as in --output 'out/%h-%r'");
    }
  }
  return files;
}

// The survey of this rank, as far as it comes. What fails is a document, too.
Document SurveyHere(const Document& run, const SurveyRequest& request) {
  auto document = MeasureSurvey(request, [](const Progress&) { return !os::Interrupted(); });
  if (document) return std::move(*document);
  Document failed = run;
  failed.failure = document.error().ToString();
  return failed;
}

// The files of the ranks' results: the thread that measures writes them, the watcher may want to
// read them at any time.
class ResultFiles {
 public:
  // The files are there, and say that no rank has ended.
  Result<void> Begin(std::vector<std::string> files, std::vector<Document> runs) {
    const std::lock_guard lock(mutex_);
    files_ = std::move(files);
    for (std::size_t rank = 0; rank < runs.size(); ++rank) {
      runs[rank].failure = "it began and did not end: it was killed, or runs still";
      TRY(cli::Outputs::WriteFile(files_[rank], ToJson(runs[rank])));
    }
    return {};
  }

  Result<void> Write(int rank, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return {};
    return cli::Outputs::WriteFile(files_[static_cast<std::size_t>(rank)], text);
  }

  // Nothing is written after it. Empty before they begin.
  std::vector<std::string> Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    return files_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> files_;
  bool is_closed_ = false;
};

// Judges what is in the files, and writes that.
Result<void> Conclude(const GatherOptions& options, const Document& run,
                      const std::vector<std::string>& files, std::string_view failure,
                      cli::Outputs& outputs) {
  Result<Document> result = run;
  if (!files.empty()) result = JudgeFleet({.results = files});
  if (!result) return std::unexpected(result.error());
  result->failure = failure;
  return outputs.Write(*result, [&](const TextStyle& style) {
    if (!result->fleet) return std::string();
    return FleetText(*result->fleet, style) + fmt::format("\nwritten: {}\n", options.folder);
  });
}

// What every rank tells before anything is measured.
Result<std::vector<Document>> GatherRuns(const Communicator& ranks, const Document& run) {
  std::vector<Document> runs;
  for (const std::string& text : ranks.Gather(ToJson(run))) {
    auto parsed = TRY(ParseJson(text, "the run of a rank"));
    parsed.source.clear();
    runs.push_back(std::move(parsed));
  }
  return runs;
}

// Until the results of all ranks are in their files.
Result<void> GatherSurveys(const GatherOptions& options, const Communicator& ranks,
                           const Document& run, ResultFiles& files, Watcher& watcher) {
  auto runs = TRY(GatherRuns(ranks, run));
  auto paths = TRY(FilesOf(options.folder, runs));
  TRY(files.Begin(std::move(paths), std::move(runs)));
  ranks.Barrier();  // so that a limit of power that nodes share shows
  const Document own = SurveyHere(run, options.request);
  watcher.SignOfLife();
  Result<void> written = files.Write(0, ToJson(own));
  for (int received = 1; received < ranks.size(); ++received) {
    const auto [rank, text] = ranks.ReceiveAny();
    watcher.SignOfLife();
    if (auto done = files.Write(rank, text); !done) written = done;
  }
  return written;
}

Result<cli::ExitCode> RunOnRoot(const GatherOptions& options, const Communicator& ranks,
                                const Document& run) {
  auto outputs = TRY(cli::Outputs::Open(options.output));
  ResultFiles files;
  {
    // The signal ends the surveys of all ranks, and what they have until then still arrives.
    Watcher watcher(
        {std::chrono::seconds(static_cast<std::int64_t>(options.patience_s)), HandOverTime()},
        [&](std::string_view reason) {
          cli::PrintError(
              {ErrorKind::kFailed, std::string(reason), "the results of the other ranks follow"});
          const auto done = Conclude(options, run, files.Close(), reason, outputs);
          if (!done) cli::PrintError(done.error());
          return static_cast<int>(cli::ExitCode::kFailed);
        });
    TRY(GatherSurveys(options, ranks, run, files, watcher));
  }
  const bool ended = os::Interrupted();
  TRY(Conclude(options, run, files.Close(), ended ? kEndedFromOutside : "", outputs));
  return ended ? cli::ExitCode::kPartial : cli::ExitCode::kDone;
}

Result<cli::ExitCode> RunSurvey(const CLI::App& app, GatherOptions options,
                                const Communicator& ranks) {
  if (options.quick) options.request.effort = SurveyEffort::kQuick;
  auto run = TRY(DescribeRun("survey"));
  run.config.options = cli::GivenOptions(app);
  const os::InterruptGuard guard;
  if (ranks.is_root()) return RunOnRoot(options, ranks, run);
  ranks.Gather(ToJson(run));
  ranks.Barrier();
  ranks.SendToRoot(ToJson(SurveyHere(run, options.request)));
  return cli::ExitCode::kDone;
}

}  // namespace

RankCommand AddSurveyCommand(CLI::App& root) {
  CLI::App* app =
      cli::AddSubcommand(root, "survey", "A survey of every host, all at once, gathered and judged",
                         "  mpirun --map-by ppr:1:node --bind-to none \\\n"
                         "      cyclescope-mpi survey --output 'out/%h'\n");
  auto options = std::make_shared<GatherOptions>();
  app->add_flag("--quick", options->quick, "Faster, with wider intervals");
  cli::AddCyclesOption(*app, options->request.cycles);
  app->add_option("--output", options->folder,
                  "Folder on rank 0's host for the result of each rank; %h in it stands for the "
                  "node's name, %r for the rank, %j for the job")
      ->type_name("DIR")
      ->required();
  cli::AsSeconds(app->add_option("--patience", options->patience_s,
                                 "Stop when no rank answers for this long (default 600)"),
                 1);
  options->output.AddTo(*app);
  return {app,
          [app, options](const Communicator& ranks) { return RunSurvey(*app, *options, ranks); }};
}

}  // namespace cyclescope::mpi
