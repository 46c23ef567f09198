#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/printable.h"
#include "report/port_exports.h"

namespace cyclescope {
namespace {

// What is a name in TableGen, too: a port of a model may be called anything.
std::string Identifier(const std::string& name) {
  std::string identifier;
  for (const char c : name) {
    const bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    identifier += fits ? c : '_';
  }
  return identifier;
}

std::string PortName(const std::string& port) {
  return "MeasuredPort" + Identifier(BarePortName(port));
}

std::string SetName(const std::vector<std::string>& ports) {
  std::string name = "MeasuredPort";
  for (const std::string& port : ports)
    name += (&port == ports.data() ? "" : "_") + Identifier(BarePortName(port));
  return name;
}

// What SchedWriteRes says; forms that are alike share one.
struct Write {
  std::vector<std::pair<std::string, int>> resources;  // and for how many cycles
  int slots = 1;
  int latency = -1;  // not known

  auto operator<=>(const Write&) const = default;
};

Write WriteOf(const PortForm& form) {
  Write write;
  for (const PortUse& use : form.uops) write.resources.emplace_back(SetName(use.ports), use.uops);
  if (form.own_cycles) {
    write.resources.emplace_back("Measured" + Identifier(LimitName(form)),
                                 std::max(1, static_cast<int>(std::lround(*form.own_cycles))));
  }
  std::ranges::sort(write.resources);
  write.slots = std::max(0, static_cast<int>(std::lround(form.slots)));
  if (form.latency) write.latency = std::max(0, static_cast<int>(std::lround(*form.latency)));
  return write;
}

std::string WriteText(const Write& write, const std::string& name) {
  std::vector<std::string> resources;
  std::vector<int> cycles;
  for (const auto& [resource, busy] : write.resources) {
    resources.push_back(resource);
    cycles.push_back(busy);
  }
  std::string text =
      fmt::format("def {} : SchedWriteRes<[{}]> {{\n", name, fmt::join(resources, ", "));
  if (!cycles.empty())
    text += fmt::format("  let ReleaseAtCycles = [{}];\n", fmt::join(cycles, ", "));
  text += fmt::format("  let NumMicroOps = {};\n", write.slots);
  if (write.latency >= 0) text += fmt::format("  let Latency = {};\n", write.latency);
  return text + "}\n";
}

// Ports, groups of them, and what is busy beside them. LLVM wants a group that has all ports of
// any two groups that overlap: one of all ports will do.
std::string ResourcesText(const std::vector<std::string>& ports,
                          const std::vector<PortForm>& forms) {
  std::string text;
  for (const std::string& port : ports)
    text += fmt::format("def {} : ProcResource<1>;\n", PortName(port));
  std::set<std::vector<std::string>> groups;
  std::set<std::string> limits;
  for (const PortForm& form : forms) {
    for (const PortUse& use : form.uops) {
      if (use.ports.size() > 1) groups.insert(use.ports);
    }
    if (form.own_cycles) limits.insert(LimitName(form));
  }
  const auto group = [](const std::string& name, const std::vector<std::string>& members) {
    std::vector<std::string> names;
    for (const std::string& port : members) names.push_back(PortName(port));
    return fmt::format("def {} : ProcResGroup<[{}]>;\n", name, fmt::join(names, ", "));
  };
  for (const auto& members : groups) text += group(SetName(members), members);
  if (!groups.contains(ports) && ports.size() > 1) text += group("MeasuredAnyPort", ports);
  for (const std::string& limit : limits)
    text += fmt::format("def Measured{} : ProcResource<1>;\n", Identifier(limit));
  return text;
}

}  // namespace

Result<std::string> PortsTableGen(const Document& document) {
  auto known = PortForms(document);
  if (!known) return std::unexpected(known.error());
  // LLVM has one entry for an opcode; forms of the map without a row have none.
  std::vector<PortForm> forms;
  std::set<std::string> opcodes;
  for (PortForm& form : *known) {
    if (!form.opcode.empty() && opcodes.insert(form.opcode).second)
      forms.push_back(std::move(form));
  }
  if (forms.empty()) {
    return BadInput("no instruction of the result has both ports and an opcode",
                    "name instructions: cyclescope ports 'TEXT' ...");
  }
  std::map<Write, std::vector<std::string>> writes;
  for (const PortForm& form : forms) writes[WriteOf(form)].push_back(Identifier(form.opcode));

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
  text += ResourcesText(document.port_map->ports, forms);
  int number = 0;
  for (const auto& [write, names] : writes) {
    const std::string name = fmt::format("MeasuredWrite{}", number++);
    text += '\n' + WriteText(write, name) +
            fmt::format("def : InstRW<[{}], (instrs {})>;\n", name, fmt::join(names, ",\n    "));
  }
  return text + "\n}  // SchedModel = MeasuredModel\n";
}

}  // namespace cyclescope
