// The program: parse, run the command that was asked for, turn its end into an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/near_names.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"
#include "cli/self_description.h"
#include "cyclescope/measure.h"
#include "os/terminal.h"

namespace cyclescope::cli {
namespace {

constexpr char kDescription[] =
    "Measures instruction timings, ports, caches and core-to-core latency.";

constexpr char kExamples[] =
    "  cyclescope survey                the machine on one page, and as JSON and HTML\n"
    "  cyclescope doctor                what on this machine disturbs measuring\n"
    "  cyclescope frequency             base, boost and real frequency of each CPU\n"
    "  cyclescope instruction 'TEXT'    latency and throughput of an instruction\n"
    "  cyclescope block 'TEXT; TEXT'    cycles per iteration of a snippet\n"
    "  cyclescope predict 'TEXT'        the same on a machine measured before\n"
    "  cyclescope sweep                 every instruction that this CPU has\n"
    "  cyclescope ports                 the ports of the core, and what uses them\n"
    "  cyclescope anatomy               buffers and widths of the core\n"
    "  cyclescope model                 all that predictions for this core rest on\n"
    "  cyclescope cores                 latency between every pair of CPUs\n"
    "  cyclescope memory                latency and size of caches and memory\n"
    "  cyclescope gpu                   the same questions on an NVIDIA GPU\n"
    "  cyclescope report RESULT         a saved result as text, or as one HTML file\n"
    "  cyclescope compare A B           what differs between two results\n"
    "  cyclescope merge A B             several runs of one machine as one result\n"
    "  cyclescope machines              machines whose results are known by name\n"
    "  cyclescope fleet FOLDER          which of many machines is not like the others\n"
    "  cyclescope serve                 type code, see what the machine does\n"
    "  cyclescope help COMMAND          examples and options of a command\n";

int ToInt(ExitCode code) { return static_cast<int>(code); }

Result<ExitCode> Shown(const std::string& text) {
  TRY(Outputs::Print(text));
  return ExitCode::kDone;
}

// `cyclescope help COMMAND`, which is `cyclescope COMMAND --help`.
Command AddHelpCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(root, "help", "Examples and options of a command",
                                "  cyclescope help            all commands\n"
                                "  cyclescope help sweep      one of them\n");
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const CLI::App* each : root.get_subcommands({})) names.push_back(each->get_name());
  Offer(app->add_option("command", *name, "The command (default: all)"), names)
      ->type_name("COMMAND");
  return {app, [&root, name]() -> Result<ExitCode> {
            root.clear();  // or the help would be that of `help`
            if (name->empty()) return Shown(root.help());
            std::vector<std::string> known;
            for (const CLI::App* each : root.get_subcommands({})) {
              if (each->get_name() == *name) return Shown(each->help(root.get_name()));
              known.push_back(each->get_name());
            }
            const std::string meant = DidYouMean(NearNames(*name, known));
            return BadInput(fmt::format("no such command: '{}'{}", *name, meant),
                            meant.empty() ? "try 'cyclescope --help'" : "");
          }};
}

int Main(int argument_count, const char* const* arguments) {
  os::PrepareProgram();
  CLI::App app(kDescription, "cyclescope");
  app.set_version_flag("-V,--version", VersionText());
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // "/tmp/x" is a file everywhere
  app.footer(ForThisShell(kExamples));
  app.formatter(std::make_shared<HelpFormatter>());
  const std::vector<Command> commands = {
      AddSurveyCommand(app),  AddDoctorCommand(app),   AddFrequencyCommand(app),
      AddCoresCommand(app),   AddMemoryCommand(app),   AddInstructionCommand(app),
      AddBlockCommand(app),   AddSweepCommand(app),    AddPortsCommand(app),
      AddAnatomyCommand(app), AddModelCommand(app),    AddPredictCommand(app),
      AddGpuCommand(app),     AddReportCommand(app),   AddCompareCommand(app),
      AddMergeCommand(app),   AddMachinesCommand(app), AddFleetCommand(app),
      AddServeCommand(app),   AddHelpCommand(app)};
  AddSelfDescription(app);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return ToInt(ExplainParseEnd(app, error));
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
