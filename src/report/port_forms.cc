
#include <algorithm>
#include <set>

#include "analysis/row_figures.h"
#include "report/port_exports.h"

namespace cyclescope {
namespace {

PortForm FormOfRow(const InstructionRow& row) {
  PortForm form;
  form.text = row.text;
  form.opcode = row.opcode;
  form.uops = row.ports;
  form.slots = row.slots.value_or(1);
  form.own_cycles = row.port_finding->own_cycles;
  const Latency* latency = LongestLatency(row);
  if (latency != nullptr && !IsUpperBound(*latency)) form.latency = latency->cycles.value;
  if (row.throughput && !IsUpperBound(*row.throughput))
    form.throughput = row.throughput->cycles.value;
  return form;
}

PortForm FormOfClass(const PortClassRow& row, const std::string& text) {
  PortForm form;
  form.text = text;
  form.uops = {{1, row.ports, row.ambiguous}};
  form.throughput = 1.0 / row.per_cycle;
  if (static_cast<int>(row.ports.size()) > row.per_cycle) form.own_cycles = form.throughput;
  return form;
}

}  // namespace

Result<std::vector<PortForm>> PortForms(const Document& document) {
  std::vector<PortForm> forms;
  std::set<std::string> texts;
  for (const InstructionRow& row : document.instructions) {
    if (row.port_finding && row.port_finding->reason.empty() && texts.insert(row.text).second)
      forms.push_back(FormOfRow(row));
  }
  if (document.port_map) {
    for (const PortClassRow& row : document.port_map->classes) {
      for (const std::string& text : row.forms) {
        if (texts.insert(text).second) forms.push_back(FormOfClass(row, text));
      }
    }
  }
  if (forms.empty() || !document.port_map) {
    return BadInput("there are no ports in the result",
                    "measure them with 'cyclescope ports' or 'cyclescope sweep --ports'");
  }
  return forms;
}

std::string BarePortName(const std::string& port) {
  const bool numbered = port.size() > 1 && port[0] == 'p' &&
                        port.find_first_not_of("0123456789", 1) == std::string::npos;
  return numbered ? port.substr(1) : port;
}

std::string LimitName(const PortForm& form) {
  if (!form.own_cycles) return {};
  const auto narrowest =
      std::ranges::min_element(form.uops, {}, [](const PortUse& use) { return use.ports.size(); });
  std::string name;
  if (narrowest != form.uops.end()) {
    for (const std::string& port : narrowest->ports)
      name += (name.empty() ? "" : "_") + BarePortName(port);
  }
  return name + "DV";
}

}  // namespace cyclescope
