// cyclescope-mpi: what takes several hosts at once.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/narration.h"
#include "cli/self_description.h"
#include "cyclescope/measure.h"
#include "mpi/commands.h"
#include "mpi/communicator.h"
#include "os/engine.h"
#include "os/terminal.h"

namespace cyclescope::mpi {
namespace {

constexpr char kDescription[] =
    "The smallest times between hosts, and on all of them at once: for mpirun.";

constexpr char kExamples[] =
    "  mpirun -np 16 --map-by ppr:1:node cyclescope-mpi hosts\n"
    "  mpirun --map-by ppr:1:node --bind-to none \\\n"
    "      cyclescope-mpi survey --output 'out/%h'\n";

int ToInt(cli::ExitCode code) { return static_cast<int>(code); }

// All ranks have the same arguments, and one of them says what is wrong.
int ExplainParseError(const CLI::App& app, const CLI::ParseError& error) {
  const std::optional<Engine> engine = os::FindEngine();
  const bool speaks = !engine || engine->rank.value_or(0) == 0;
  if (speaks) return ToInt(cli::ExplainParseEnd(app, error));
  return ToInt(error.get_exit_code() == 0 ? cli::ExitCode::kDone : cli::ExitCode::kBadInput);
}

int Run(const RankCommand& command) {
  const Result<Communicator> ranks = Communicator::Open();
  if (!ranks) {
    cli::PrintError(ranks.error());
    return ToInt(cli::ExitCode::kFailed);
  }
  const Result<cli::ExitCode> code = command.run(*ranks);
  if (code) return ToInt(*code);
  // Where every rank comes to the same error, rank 0 tells it; MPI ends the slower ones.
  if (!ranks->is_root()) std::this_thread::sleep_for(std::chrono::seconds(2));
  cli::PrintError(code.error());
  const bool is_bad = code.error().kind == ErrorKind::kBadInput;
  ranks->Abort(ToInt(is_bad ? cli::ExitCode::kBadInput : cli::ExitCode::kFailed));
}

int Main(int argument_count, const char* const* arguments) {
  os::PrepareProgram();
  CLI::App app(kDescription, "cyclescope-mpi");
  app.set_version_flag("-V,--version", VersionText());
  app.require_subcommand(1);
  app.footer(kExamples);
  app.formatter(std::make_shared<cli::HelpFormatter>());
  const std::vector<RankCommand> commands = {AddHostsCommand(app), AddSurveyCommand(app)};
  cli::AddSelfDescription(app);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return ExplainParseError(app, error);
  }
  for (const RankCommand& command : commands) {
    if (command.app->parsed()) return Run(command);
  }
  return ToInt(cli::ExitCode::kBadInput);
}

}  // namespace
}  // namespace cyclescope::mpi

int main(int argc, char** argv) { return cyclescope::mpi::Main(argc, argv); }
