// `cyclescope machines`
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/host_words.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/outputs.h"
#include "report/table.h"

namespace cyclescope::cli {
namespace {

Result<ExitCode> PrintNames(const std::vector<KnownMachine>& machines) {
  std::string names;
  for (const KnownMachine& machine : machines) names += Printable(machine.name) + '\n';
  TRY(Outputs::Print(names));
  return ExitCode::kDone;
}

Result<ExitCode> RunMachines(bool only_names) {
  const std::vector<KnownMachine> machines = KnownMachines();
  if (only_names) return PrintNames(machines);
  if (machines.empty()) {
    const auto folder = MachineFolder();
    TRY(Outputs::Print(fmt::format(
        "No machine is known by name: none is part of this program, and no result is in {}.\n",
        folder ? Printable(folder->string()) : "a folder of yours")));
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
  TRY(Outputs::Print(table.ToString()));
  return ExitCode::kDone;
}

}  // namespace

Command AddMachinesCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "machines", "Machines whose results are known by name",
      "  cyclescope machines                                  their names\n"
      "  cyclescope predict loop.s --machine emerald-rapids   one of them\n"
      "  cyclescope report emerald-rapids                     all that is known of it\n"
      "  cyclescope compare emerald-rapids here.json          how this one differs\n\n"
      "Some are part of the program. More are found in the folder that the variable\n"
      "CYCLESCOPE_MACHINES names, or in cyclescope/machines below XDG_DATA_HOME\n"
      "(~/.local/share): NAME.json or NAME.json.gz, as 'cyclescope model' writes them.");
  auto only_names = std::make_shared<bool>(false);
  app->add_flag("--names", *only_names, "Their names alone, a line each");
  return {app, [only_names] { return RunMachines(*only_names); }};
}

}  // namespace cyclescope::cli
