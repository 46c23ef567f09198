// A command of the command line: its options, and what runs when the user asks for it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"

namespace cyclescope::cli {

// What the shell sees. An Error becomes 1 or 2, by its kind.
enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kBadInput = 2,
  kPartial = 3,     // some rows could not be measured
  kRegression = 4,  // `compare` or `fleet` found what --fail-on asked for
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};
// Every code, for the manual.
std::span<const ExitCodeMeaning> ExitCodeMeanings();

struct Command {
  CLI::App* app = nullptr;
  std::function<Result<ExitCode>()> run;
};

// Adds the subcommand `name` to `root`; its help leads with `examples`.
CLI::App* AddSubcommand(CLI::App& root, std::string_view name, std::string_view summary,
                        std::string_view examples);

// The text that means something on the architecture at hand: examples must work where they are
// read.
std::string ForThisMachine(std::string_view x86, std::string_view aarch64);

// The text with quotes that the system's shells understand, for the single ones that it has.
std::string ForThisShell(std::string_view text);

// One function per command, each in a file of its own.
Command AddAnatomyCommand(CLI::App& root);
Command AddBlockCommand(CLI::App& root);
Command AddCoresCommand(CLI::App& root);
Command AddCompareCommand(CLI::App& root);
Command AddDoctorCommand(CLI::App& root);
Command AddFleetCommand(CLI::App& root);
Command AddFrequencyCommand(CLI::App& root);
Command AddGpuCommand(CLI::App& root);
Command AddInstructionCommand(CLI::App& root);
Command AddMachinesCommand(CLI::App& root);
Command AddMemoryCommand(CLI::App& root);
Command AddMergeCommand(CLI::App& root);
Command AddModelCommand(CLI::App& root);
Command AddPortsCommand(CLI::App& root);
Command AddPredictCommand(CLI::App& root);
Command AddReportCommand(CLI::App& root);
Command AddServeCommand(CLI::App& root);
Command AddSurveyCommand(CLI::App& root);
Command AddSweepCommand(CLI::App& root);

// What ends a program before it does anything: a mistake on its command line, or a wish for help.
// Prints the help or version that was asked for, or what is wrong, with near names for what was
// mistyped.
ExitCode ExplainParseEnd(const CLI::App& root, const CLI::ParseError& error);

}  // namespace cyclescope::cli
