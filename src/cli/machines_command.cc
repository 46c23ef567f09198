// `cyclescope machines`
#include <fmt/core.h>

#include <string>
#include <vector>

#include "analysis/host_words.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/outputs.h"
#include "report/table.h"

namespace cyclescope::cli {
namespace {

Result<ExitCode> RunMachines() {
  const std::vector<KnownMachine> machines = KnownMachines();
  if (machines.empty()) {
    const auto folder = MachineFolder();
    const auto printed = Outputs::Print(fmt::format(
        "No machine is known by name: none is part of this program, and no result is in {}.\n",
        folder ? Printable(folder->string()) : "a folder of yours"));
    if (!printed) return std::unexpected(printed.error());
    return ExitCode::kDone;
  }
  Table table({{"name"}, {"CPU"}, {"forms", Align::kRight}, {"measured"}, {"commit"}, {"from"}});
  for (const KnownMachine& machine : machines) {
    const std::string place = machine.path.empty() ? "this program" : Printable(machine.path);
    const auto document = ReadFigures(machine);
    if (!document) {
      table.AddRow({Printable(machine.name), "", "", "", "", document.error().message});
      continue;
    }
    table.AddRow({Printable(machine.name), Printable(CpuName(document->host)),
                  fmt::format("{}", document->instructions.size()),
                  Printable(document->config.started.substr(0, 10)),
                  Printable(document->tool.commit), place});
  }
  const auto printed = Outputs::Print(table.ToString());
  if (!printed) return std::unexpected(printed.error());
  return ExitCode::kDone;
}

}  // namespace

Command AddMachinesCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "machines", "Machines whose results are known by name",
      "  cyclescope machines                               their names\n"
      "  cyclescope predict loop.s --machine neoverse-v1   one of them\n\n"
      "Some are part of the program. More are found in the folder that the variable\n"
      "CYCLESCOPE_MACHINES names, or in cyclescope/machines below XDG_DATA_HOME\n"
      "(~/.local/share): NAME.json or NAME.json.gz, as 'cyclescope model' writes them.");
  return {app, [] { return RunMachines(); }};
}

}  // namespace cyclescope::cli
