#include <fmt/core.h>

#include <algorithm>

#include "analysis/port_differences.h"
#include "base/try.h"
#include "report/csv.h"
#include "report/port_exports.h"
#include "report/ports_text.h"

namespace cyclescope {
namespace {

std::string CountText(const std::vector<PortUse>& uops) {
  int count = 0;
  for (const PortUse& use : uops) count += use.uops;
  return fmt::format("{}", count);
}

std::string PortsLine(const InstructionRow& row) {
  const PortFinding& finding = *row.port_finding;
  const bool known = finding.reason.empty();
  const std::string fields[] = {
      row.text,
      row.opcode,
      known ? PortUseText(row.ports) : "",
      row.slots ? fmt::format("{:.2f}", *row.slots) : "",
      known ? CountText(row.ports) : "",
      finding.own_cycles ? fmt::format("{:.4g}", *finding.own_cycles) : "",
      finding.binds,
      finding.model.empty() ? "" : PortUseText(finding.model),
      known && !finding.model.empty() ? (SamePorts(row.ports, finding.model) ? "no" : "yes") : "",
      finding.reason,
  };
  return CsvLine(fields);
}

// A form of the map that has no row.
std::string FormLine(const PortForm& form) {
  const std::string fields[] = {
      form.text,
      form.opcode,
      PortUseText(form.uops),
      fmt::format("{:.2f}", form.slots),
      CountText(form.uops),
      form.own_cycles ? fmt::format("{:.4g}", *form.own_cycles) : "",
      "",
      "",
      "",
      "",
  };
  return CsvLine(fields);
}

}  // namespace

Result<std::string> PortsCsv(const Document& document) {
  const auto forms = TRY(PortForms(document));
  std::string text = "text,opcode,ports,slots,uops,own_cycles,binds,model_ports,differs,reason\n";
  for (const InstructionRow& row : document.instructions) {
    if (row.port_finding) text += PortsLine(row);
  }
  for (const PortForm& form : forms) {
    const auto row = std::ranges::find_if(document.instructions, [&form](const auto& each) {
      return each.port_finding && each.text == form.text;
    });
    if (row == document.instructions.end()) text += FormLine(form);
  }
  return text;
}

}  // namespace cyclescope
