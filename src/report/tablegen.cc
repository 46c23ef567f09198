#include "report/tablegen.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace cyclescope {

std::string TableGenName(const std::string& name) {
  std::string identifier;
  for (const char c : name) {
    const bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    identifier += fits ? c : '_';
  }
  return identifier;
}

namespace {

std::string SetName(std::string_view prefix, const std::vector<std::string>& ports) {
  std::string name = fmt::format("{}Port", prefix);
  for (const std::string& port : ports)
    name += (&port == ports.data() ? "" : "_") + TableGenName(BarePortName(port));
  return name;
}

std::string NameOfLimit(std::string_view prefix, const std::string& limit) {
  return std::string(prefix) + TableGenName(limit);
}

}  // namespace

TableGenWrite WriteOf(const PortForm& form, std::string_view prefix) {
  TableGenWrite write;
  for (const PortUse& use : form.uops)
    write.resources.emplace_back(SetName(prefix, use.ports), use.uops);
  if (form.own_cycles) {
    write.resources.emplace_back(NameOfLimit(prefix, LimitName(form)),
                                 std::max(1, static_cast<int>(std::lround(*form.own_cycles))));
  }
  std::ranges::sort(write.resources);
  write.slots = std::max(0, static_cast<int>(std::lround(form.slots)));
  if (form.latency) write.latency = std::max(0, static_cast<int>(std::lround(*form.latency)));
  return write;
}

std::string WriteText(const TableGenWrite& write, const std::string& name) {
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

// LLVM wants a group that has all ports of any two groups that overlap: one of all ports will do.
std::string ResourcesText(const std::vector<std::string>& ports, const std::vector<PortForm>& forms,
                          std::string_view prefix) {
  const auto port_name = [prefix](const std::string& port) { return SetName(prefix, {port}); };
  std::string text;
  for (const std::string& port : ports)
    text += fmt::format("def {} : ProcResource<1>;\n", port_name(port));
  std::set<std::vector<std::string>> groups;
  std::set<std::string> limits;
  for (const PortForm& form : forms) {
    for (const PortUse& use : form.uops) {
      if (use.ports.size() > 1) groups.insert(use.ports);
    }
    if (form.own_cycles) limits.insert(LimitName(form));
  }
  const auto group = [&port_name](const std::string& name,
                                  const std::vector<std::string>& members) {
    std::vector<std::string> names;
    for (const std::string& port : members) names.push_back(port_name(port));
    return fmt::format("def {} : ProcResGroup<[{}]>;\n", name, fmt::join(names, ", "));
  };
  for (const auto& members : groups) text += group(SetName(prefix, members), members);
  if (!groups.contains(ports) && ports.size() > 1)
    text += group(fmt::format("{}AnyPort", prefix), ports);
  for (const std::string& limit : limits)
    text += fmt::format("def {} : ProcResource<1>;\n", NameOfLimit(prefix, limit));
  return text;
}

}  // namespace cyclescope
