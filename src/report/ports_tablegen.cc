#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "base/try.h"
#include "report/port_exports.h"
#include "report/tablegen.h"

namespace cyclescope {

Result<std::string> PortsTableGen(const Document& document) {
  constexpr std::string_view kPrefix = "Measured";
  auto known = TRY(PortForms(document));
  // LLVM has one entry for an opcode; forms of the map without a row have none.
  std::vector<PortForm> forms;
  std::set<std::string> opcodes;
  for (PortForm& form : known) {
    if (!form.opcode.empty() && opcodes.insert(form.opcode).second)
      forms.push_back(std::move(form));
  }
  if (forms.empty()) {
    return BadInput("no instruction of the result has both ports and an opcode",
                    "name instructions: cyclescope ports 'TEXT' ...");
  }
  std::map<TableGenWrite, std::vector<std::string>> writes;
  for (const PortForm& form : forms)
    writes[WriteOf(form, kPrefix)].push_back(TableGenName(form.opcode));

  std::string text = fmt::format(
      "// Ports of {}, measured by cyclescope {}.\n"
      "// Sizes of buffers and queues are not known, and latencies only where they were measured.\n"
      "\n"
      "def MeasuredModel : SchedMachineModel {{\n"
      "  let IssueWidth = {};\n"
      "  let CompleteModel = 0;\n"
      "}}\n"
      "\n"
      "let SchedModel = MeasuredModel in {{\n"
      "\n",
      Printable(document.host.cpu_model), Printable(document.tool.version),
      std::lround(document.port_map->dispatch));
  text += ResourcesText(document.port_map->ports, forms, kPrefix);
  int number = 0;
  for (const auto& [write, names] : writes) {
    const std::string name = fmt::format("MeasuredWrite{}", number++);
    text += '\n' + WriteText(write, name) +
            fmt::format("def : InstRW<[{}], (instrs {})>;\n", name, fmt::join(names, ",\n    "));
  }
  return text + "\n}  // SchedModel = MeasuredModel\n";
}

}  // namespace cyclescope
