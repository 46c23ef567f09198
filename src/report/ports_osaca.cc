#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "base/try.h"
#include "report/port_exports.h"

namespace cyclescope {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '\'';
}

std::string PortList(const std::vector<std::string>& ports) {
  std::vector<std::string> names;
  for (const std::string& port : ports) names.push_back(Quoted(BarePortName(port)));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string Pressure(const PortForm& form) {
  std::vector<std::string> entries;
  for (const PortUse& use : form.uops)
    entries.push_back(fmt::format("[{}, {}]", use.uops, PortList(use.ports)));
  if (form.own_cycles)
    entries.push_back(fmt::format("[{:.4g}, {}]", *form.own_cycles, PortList({LimitName(form)})));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string NumberOrNothing(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "~";
}

std::string Entry(const PortForm& form, const OsacaForm& described) {
  int uops = 0;
  for (const PortUse& use : form.uops) uops += use.uops;
  std::string text = fmt::format("- name: {}\n  operands:{}\n", Quoted(described.name),
                                 described.operands.empty() ? " []" : "");
  for (const std::string& operand : described.operands)
    text += fmt::format("  - {{{}}}\n", operand);
  return text + fmt::format("  throughput: {}\n  latency: {}\n  port_pressure: {}\n  uops: {}\n",
                            NumberOrNothing(form.throughput), NumberOrNothing(form.latency),
                            Pressure(form), uops);
}

}  // namespace

Result<std::string> PortsOsaca(const Document& document, const DescribeForOsaca& describe) {
  const auto forms = TRY(PortForms(document));
  std::vector<std::string> ports = document.port_map->ports;
  std::set<std::string> limits;
  std::set<std::pair<std::string, std::vector<std::string>>> seen;
  std::string entries;
  for (const PortForm& form : forms) {
    const auto described = describe(form.text);
    // OSACA tells fewer forms apart than there are opcodes: the first of those that look alike.
    if (!described || !seen.insert({described->name, described->operands}).second) continue;
    entries += Entry(form, *described);
    if (form.own_cycles) limits.insert(LimitName(form));
  }
  ports.insert(ports.end(), limits.begin(), limits.end());
  const std::string& cpu = document.host.microarchitecture.empty()
                               ? document.host.cpu_model
                               : document.host.microarchitecture;
  return fmt::format(
             "# Measured by cyclescope {}. What is ~ or empty was not measured.\n"
             "osaca_version: 0.5.0\n"
             "micro_architecture: {}\n"
             "arch_code: {}\n"
             "isa: {}\n"
             "ROB_size: ~\n"
             "retired_uOps_per_cycle: ~\n"
             "scheduler_size: ~\n"
             "hidden_loads: false\n"
             "load_latency: {{}}\n"
             "load_throughput: []\n"
             "load_throughput_default: []\n"
             "store_throughput: []\n"
             "store_throughput_default: []\n"
             "ports: {}\n"
             "port_model_scheme: ~\n"
             "instruction_forms:\n",
             document.tool.version, Quoted(cpu), Quoted(document.host.llvm_cpu),
             document.host.architecture == "aarch64" ? "AArch64" : "x86", PortList(ports)) +
         entries;
}

}  // namespace cyclescope
