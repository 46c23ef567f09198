// The program: parse, run the command that was asked for, turn its end into an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/near_names.h"
#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/narration.h"
#include "os/interrupt.h"

namespace cyclescope::cli {
namespace {

constexpr char kDescription[] =
    "Measures the smallest times in a computer: cycles of instructions, nanoseconds between "
    "cores.\n\n"
    "Examples:\n"
    "  cyclescope doctor                what on this machine disturbs measuring\n"
    "  cyclescope frequency             base, boost and real frequency of each CPU\n";

int ToInt(ExitCode code) { return static_cast<int>(code); }

// CLI11's messages, in our form and with near names for what was mistyped.
int ExplainParseError(const CLI::App& app, const CLI::ParseError& error,
                      std::vector<std::string> arguments) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
  std::string hint = "try 'cyclescope --help'";
  const auto parsed = app.get_subcommands();
  if (!parsed.empty()) {
    hint = fmt::format("try 'cyclescope {} --help'", parsed.front()->get_name());
  } else if (!arguments.empty() && !arguments.front().starts_with('-')) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    const std::vector<std::string> near = NearNames(arguments.front(), names);
    PrintError({ErrorKind::kBadInput,
                fmt::format("no such command: '{}'{}", arguments.front(), DidYouMean(near)),
                near.empty() ? hint : ""});
    return ToInt(ExitCode::kBadInput);
  }
  PrintError({ErrorKind::kBadInput, error.what(), hint});
  return ToInt(ExitCode::kBadInput);
}

int Main(int argument_count, const char* const* arguments) {
  os::IgnoreBrokenPipes();
  CLI::App app(kDescription, "cyclescope");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  const std::vector<Command> commands = {AddDoctorCommand(app), AddFrequencyCommand(app),
                                         AddInstructionCommand(app), AddBlockCommand(app),
                                         AddSweepCommand(app)};
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return ExplainParseError(app, error, {arguments + 1, arguments + argument_count});
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const Result<ExitCode> code = command.run();
    if (code) return ToInt(*code);
    PrintError(code.error());
    return ToInt(code.error().kind == ErrorKind::kBadInput ? ExitCode::kBadInput
                                                           : ExitCode::kFailed);
  }
  return ToInt(ExitCode::kBadInput);
}

}  // namespace
}  // namespace cyclescope::cli

int main(int argc, char** argv) { return cyclescope::cli::Main(argc, argv); }
