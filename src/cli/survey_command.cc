// `cyclescope survey`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/journal_keeper.h"
#include "cli/known_machines.h"
#include "cli/narration.h"
#include "cli/one_of_many.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/document_text.h"
#include "report/html.h"

namespace cyclescope::cli {
namespace {

struct SurveyOptions {
  SurveyRequest request;
  CpuOption cpus;
  bool quick = false;
  bool full = false;
  std::string folder;  // empty: here, under names that tell runs apart
  bool no_files = false;
  OutputOptions output;
};

// The two files that a survey leaves behind.
struct SurveyFiles {
  std::string json;
  std::string html;
};

// The name, with a number behind it where there is such a result already.
std::string FreeName(const std::string& name) {
  std::string free_name = name;
  for (int number = 2; std::filesystem::exists(free_name + ".json"); ++number)
    free_name = fmt::format("{}-{}", name, number);
  return free_name;
}

// "cyclescope-HOST-2026-11-17T2210", by universal time as `config.started`.
Result<std::string> NameOfRun() {
  const auto run = TRY(DescribeRun("survey"));
  const std::string& started = run.config.started;  // 2026-11-17T22:10:45Z
  std::string host = run.host.name;
  for (char& c : host) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return fmt::format("cyclescope{}{}-{}{}", host.empty() ? "" : "-", host, started.substr(0, 13),
                     started.substr(14, 2));
}

Result<SurveyFiles> AddFiles(const std::string& folder, const std::string& name, Outputs& outputs) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return BadInput(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
  }
  const std::filesystem::path place = folder;
  SurveyFiles files = {(place / (name + ".json")).lexically_normal().string(),
                       (place / (name + ".html")).lexically_normal().string()};
  if (auto added = outputs.AddDocument(files.json); !added) {
    if (folder.empty()) added.error().hint = "--output FOLDER takes another place, --no-files none";
    return std::unexpected(added.error());
  }
  TRY(outputs.AddExport(files.html,
                        [](const Document& result) { return ToHtml(std::span(&result, 1)); }));
  return files;
}

Result<SurveyRequest> RequestOf(const SurveyOptions& options) {
  SurveyRequest request = options.request;
  if (options.quick) request.effort = SurveyEffort::kQuick;
  if (options.full) request.effort = SurveyEffort::kFull;
  request.cpus = TRY(options.cpus.Parse());
  request.gpu_driver = GpuDriver();
  return request;
}

// Where the files go, and whether the run is one of many.
struct SurveyPlace {
  std::optional<OneOfMany> one_of_many;
  SurveyFiles files;        // empty names where none are written
  std::string name_of_run;  // of files that get a name of their own
};

Result<SurveyPlace> FindPlace(const SurveyOptions& options, Outputs& outputs) {
  SurveyPlace place;
  const std::string pattern = options.folder.empty() ? "." : options.folder;
  place.one_of_many = TRY(OneOfMany::Find("survey", options.no_files ? "" : pattern));
  if (options.no_files) return place;
  const std::string& folder = place.one_of_many ? place.one_of_many->folder() : options.folder;
  // Other programs look for the names in a folder that was asked for.
  Result<std::string> name = "cyclescope";
  if (folder.empty()) name = NameOfRun();
  if (!name) return std::unexpected(name.error());
  if (folder.empty()) place.name_of_run = *name;
  place.files = TRY(AddFiles(folder, folder.empty() ? FreeName(*name) : *name, outputs));
  if (!place.one_of_many) return place;
  TRY(place.one_of_many->Begin(place.files.json, place.files.html));
  return place;
}

Result<ExitCode> MeasureAndWrite(const CLI::App& app, const SurveyOptions& options,
                                 SurveyPlace& place, Outputs& outputs) {
  auto request = TRY(RequestOf(options));
  const os::InterruptGuard guard;
  std::optional<JournalKeeper> keeper;
  if (options.full) keeper.emplace(app, request);
  const OnProgress narrate = Narrate(outputs.style());
  auto document = MeasureSurvey(request, keeper ? keeper->Counting(narrate) : narrate);
  if (!document) {
    if (keeper) keeper->Conclude(document, /*is_in_file=*/false);
    return std::unexpected(document.error());
  }
  document->config.options = GivenOptions(app);
  document->published = CompareWithKnown(*document);
  if (document->partial && place.one_of_many)
    place.one_of_many->PutBack(place.files.json, place.files.html);
  // Another survey of this minute may have ended here meanwhile.
  if (!place.name_of_run.empty()) {
    const std::string name = FreeName(place.name_of_run);
    outputs.Rename(place.files.json, name + ".json");
    outputs.Rename(place.files.html, name + ".html");
  }
  Result<void> written;
  if (place.one_of_many) {
    written = outputs.Write(*document, [](const TextStyle&) { return std::string(); });
    if (written) PrintLine(place.one_of_many->Line(*document, place.files.json));
  } else {
    PrintWarnings(document->warnings);
    written = outputs.Write(*document, [&](const TextStyle& style) {
      std::string text = SurveyText(*document, style);
      if (!options.no_files)
        text += fmt::format("\nwritten: {}\n", fmt::join(outputs.paths(), "\n         "));
      return text;
    });
  }
  if (keeper) keeper->Conclude(document, outputs.has_document_file());
  if (!written) return std::unexpected(written.error());
  return document->partial ? ExitCode::kPartial : ExitCode::kDone;
}

Result<ExitCode> RunSurvey(const CLI::App& app, const SurveyOptions& options) {
  auto outputs = TRY(Outputs::Open(options.output));
  auto place = TRY(FindPlace(options, outputs));
  auto code = MeasureAndWrite(app, options, place, outputs);
  if (!code && place.one_of_many) {
    const bool is_back = place.one_of_many->PutBack(place.files.json, place.files.html);
    if (!options.no_files && !is_back) place.one_of_many->Fail(place.files.json, code.error());
    code.error().message = fmt::format("{}: {}", place.one_of_many->name(), code.error().message);
  }
  return code;
}

}  // namespace

Command AddSurveyCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "survey", "The machine, its clocks, cores, memory and main instructions, on one page",
      "  cyclescope survey                    5 s to a minute; leaves JSON and HTML\n"
      "  cyclescope survey --quick            five seconds where the machine is quiet\n"
      "  cyclescope survey --full             with a sweep over every instruction\n"
      "  cyclescope survey --output results   files into another folder\n"
      "  srun -N500 --ntasks-per-node=1 --exclusive --cpu-bind=none \\\n"
      "      cyclescope survey --output 'out/%h'   for 'cyclescope fleet out'\n");
  auto options = std::make_shared<SurveyOptions>();
  options->cpus.AddTo(*app);
  AddCyclesOption(*app, options->request.cycles);
  AddPatienceOption(*app, options->request.patience_s);
  CLI::Option* quick = app->add_flag("--quick", options->quick, "Faster, with wider intervals");
  CLI::Option* full =
      app->add_flag("--full", options->full, "Also sweep over every instruction")->excludes(quick);
  AddJournalOptions(*app, options->request.journal);
  for (const char* name : {"--journal", "--resume"}) app->get_option(name)->needs(full);
  CLI::Option* folder =
      app->add_option(
             "--output", options->folder,
             "Folder for cyclescope.json and cyclescope.html, made where there is none; when left "
             "out, cyclescope-HOST-TIME.json and .html here. %h in it stands for the node's name, "
             "%r for the rank, %j for the job")
          ->type_name("DIR")
          ->check([](const std::string& text) { return text.empty() ? "no folder given" : ""; });
  app->add_flag("--no-files", options->no_files, "Write no files")->excludes(folder);
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  AddPairsFlag(*app, options->output.pairs);
  return {app, [app, options] { return RunSurvey(*app, *options); }};
}

}  // namespace cyclescope::cli
