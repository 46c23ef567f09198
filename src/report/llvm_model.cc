
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/row_figures.h"
#include "base/text.h"
#include "base/try.h"
#include "report/port_exports.h"
#include "report/tablegen.h"

namespace cyclescope {
namespace {

// A file may say anything; LLVM's tables hold no more.
int Whole(double cycles) {
  constexpr double kMaxCycles = 65535;
  return static_cast<int>(std::lround(std::clamp(cycles, 0.0, kMaxCycles)));
}

// What stands between the commas of an instruction's text, outside of brackets and braces.
std::vector<std::string> OperandsOf(const std::string& text) {
  std::vector<std::string> operands;
  const std::size_t begin = text.find(' ');
  if (begin == std::string::npos) return operands;
  int depth = 0;
  std::string operand;
  for (const char c : text.substr(begin)) {
    depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      operands.push_back(std::exchange(operand, {}));
    } else if (c != ' ' || !operand.empty()) {
      operand += c;
    }
  }
  operands.push_back(operand);
  return operands;
}

// From one operand to another; unset where that was not measured, or only bounded.
std::optional<int> LatencyOf(const InstructionRow& row, const std::string& from,
                             const std::string& to) {
  for (const Latency& latency : row.latency) {
    if (latency.from == from && latency.to == to && !IsUpperBound(latency))
      return Whole(latency.cycles.value);
  }
  return std::nullopt;
}

// What SchedRW lists for a form: a write for each result, and for each operand that is read how
// much later than the others it may come.
struct Timing {
  std::vector<TableGenWrite> writes;
  std::vector<int> advances;

  auto operator<=>(const Timing&) const = default;
};

bool IsMemory(const std::string& operand) { return operand.contains('['); }

// How much later than the slowest operand each may come, in the order of LLVM's operands: results
// come first in a text, then what is read, and a result that is read, too, is the first of these.
// Empty where all are alike, or where the text does not tell the order.
std::vector<int> AdvancesOf(const InstructionRow& row, const std::vector<std::string>& operands,
                            const std::string& result, int slowest) {
  // Base, scale, index, displacement and segment: x86-64's. On AArch64 what loads does nothing
  // else.
  constexpr std::size_t kOperandsOfMemory = 5;
  const auto advance = [&](const std::string& read) {
    return slowest - LatencyOf(row, read, result).value_or(slowest);
  };
  std::vector<int> advances;
  const bool is_read = std::ranges::any_of(row.latency, [&result](const Latency& latency) {
    return latency.from == result && latency.to == result;
  });
  if (is_read) advances.push_back(advance(result));
  for (const std::string& operand : operands) {
    if (operand == result) continue;
    if (IsMemory(operand)) {
      advances.insert(advances.end(), kOperandsOfMemory, 0);
    } else if (operand.find_first_of("{(") != std::string::npos) {
      return {};
    } else {
      advances.push_back(advance(operand));
    }
  }
  while (!advances.empty() && advances.back() == 0) advances.pop_back();
  return advances;
}

// True if it loads what it works with, and it is not known how long it takes from the address: then
// pairs of registers say nothing of the load.
bool LoadsUnseen(const InstructionRow& row, const std::vector<std::string>& operands) {
  const bool loads = std::ranges::any_of(operands, IsMemory);
  return loads && std::ranges::none_of(row.latency, [&operands](const Latency& latency) {
           return !IsUpperBound(latency) && latency.from != kMemory &&
                  std::ranges::find(operands, latency.from) == operands.end();
         });
}

// `load_cycles`: of a load from the first-level cache, as far as is known.
Timing TimingOf(const InstructionRow& row, const TableGenWrite& whole, int load_cycles) {
  const std::vector<std::string> operands = OperandsOf(row.text);
  const int unseen = LoadsUnseen(row, operands) ? load_cycles : 0;
  std::vector<std::pair<std::string, int>> results;  // and after how many cycles they are there
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& operand = operands[i];
    if (std::ranges::find(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(i),
                          operand) != operands.begin() + static_cast<std::ptrdiff_t>(i))
      continue;  // `xor rax, rax` has one result
    std::optional<int> slowest;
    for (const Latency& latency : row.latency) {
      if (latency.to != operand || latency.from == kMemory || IsUpperBound(latency)) continue;
      slowest = std::max(slowest.value_or(0), Whole(latency.cycles.value));
    }
    if (slowest) results.emplace_back(operand, *slowest + unseen);
  }
  Timing timing;
  if (results.size() == 1) {
    const auto& [result, slowest] = results.front();
    timing.writes = {whole};
    timing.writes.front().latency = slowest;
    timing.advances = AdvancesOf(row, operands, result, slowest);
    return timing;
  }
  // The first has the resources; the others only say when they are there.
  timing.writes = {whole};
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i > 0) timing.writes.push_back({.slots = 0});
    timing.writes.back().latency = results[i].second;
  }
  return timing;
}

// "imul rax, rbx: rbx to rax 3.00 (2.98 to 3.02), throughput 1.00 (0.99 to 1.01)"
std::string ProvenanceOf(const InstructionRow& row) {
  std::vector<std::string> figures;
  for (const Latency& latency : row.latency) {
    figures.push_back(fmt::format("{} to {} {}{:.2f} ({:.2f} to {:.2f})", latency.from, latency.to,
                                  IsUpperBound(latency) ? "at most " : "", latency.cycles.value,
                                  latency.cycles.low, latency.cycles.high));
  }
  if (row.throughput) {
    const Estimate& cycles = row.throughput->cycles;
    figures.push_back(fmt::format("throughput {}{:.2f} ({:.2f} to {:.2f})",
                                  IsUpperBound(*row.throughput) ? "at most " : "", cycles.value,
                                  cycles.low, cycles.high));
  }
  return Printable(fmt::format("{}: {}", row.text, fmt::join(figures, ", ")));
}

struct ModelledForm {
  std::string opcode;
  std::string provenance;
};

using Forms = std::map<Timing, std::vector<ModelledForm>>;

// The definitions that timings name, and the forms that have them.
std::string FormsText(const Forms& forms, const std::string& name) {
  std::map<TableGenWrite, std::string> writes;
  std::set<int> advances;
  std::string text;
  for (const auto& [timing, members] : forms) {
    for (const TableGenWrite& write : timing.writes) {
      const auto [place, is_new] =
          writes.try_emplace(write, fmt::format("{}Write{}", name, writes.size()));
      if (is_new) text += '\n' + WriteText(write, place->second);
    }
    for (const int advance : timing.advances) {
      if (advance != 0 && advances.insert(advance).second)
        text += fmt::format("\ndef {}Read{} : SchedReadAdvance<{}>;\n", name, advance, advance);
    }
    std::vector<std::string> parts;
    for (const TableGenWrite& write : timing.writes) parts.push_back(writes.at(write));
    for (const int advance : timing.advances)
      parts.push_back(advance == 0 ? "ReadDefault" : fmt::format("{}Read{}", name, advance));
    text += fmt::format("\ndef : InstRW<[{}], (instrs\n", fmt::join(parts, ", "));
    for (const ModelledForm& member : members) {
      text += fmt::format("  {}{}  // {}\n", member.opcode, &member == &members.back() ? "" : ",",
                          member.provenance);
    }
    text += ")>;\n";
  }
  return text;
}

// The largest that a filler showed; unset where none did.
std::optional<double> LargestOf(const Document& document, std::string_view name) {
  std::optional<double> largest;
  if (!document.anatomy) return largest;
  for (const AnatomyRow& row : document.anatomy->rows) {
    // A shared core shows a part of it, and what ended first hides it.
    if (row.name == name && TellsSize(row))
      largest = std::max(largest.value_or(0), row.value->value);
  }
  return largest;
}

std::string FigureText(std::string_view field, const std::optional<double>& figure,
                       std::string_view source) {
  if (!figure) return fmt::format("  // {}: {} was not measured\n", field, source);
  return fmt::format("  let {} = {};  // {}: {:.4g}\n", field, Whole(*figure), source, *figure);
}

// Without one, LLVM takes the core for one that executes in order.
std::string BufferText(const std::optional<double>& entries) {
  constexpr int kAssumedEntries = 256;
  if (entries) return FigureText("MicroOpBufferSize", entries, "reorder buffer");
  return fmt::format("  let MicroOpBufferSize = {};  // not measured: large cores have more\n",
                     kAssumedEntries);
}

// From the first-level cache.
std::optional<double> LoadCycles(const Document& document) {
  if (document.memory.empty() || document.memory.front().levels.empty()) return std::nullopt;
  return document.memory.front().levels.front().cycles.value;
}

std::string MachineModelText(const Document& document, const std::string& name) {
  return fmt::format("def {}Model : SchedMachineModel {{\n", name) +
         FigureText("IssueWidth", document.port_map->dispatch, "slots dispatched in a cycle") +
         BufferText(LargestOf(document, "reorder buffer")) +
         FigureText("LoadLatency", LoadCycles(document), "a load from the first-level cache") +
         FigureText("MispredictPenalty", LargestOf(document, "mispredicted branch"),
                    "a mispredicted branch") +
         "  let CompleteModel = 0;\n}\n";
}

// What LLVM has no place for, or what cannot be assigned to its ports.
std::string WindowsText(const Document& document) {
  std::string text;
  if (!document.anatomy) return text;
  for (const AnatomyRow& row : document.anatomy->rows) {
    if (row.part != AnatomyPart::kWindows || !row.value || row.name == "reorder buffer") continue;
    text += Printable(fmt::format("// {}, filled with {}: {}{:.0f} entries", row.name, row.filler,
                                  row.at_least ? "at least " : "", row.value->value)) +
            '\n';
  }
  return text;
}

// Forms without values, with LLVM's latency where it has one.
std::string GapsText(const std::vector<const InstructionRow*>& gaps, const std::string& name) {
  if (gaps.empty()) return "";
  std::map<int, std::vector<const InstructionRow*>> by_latency;
  std::string unknown;
  for (const InstructionRow* row : gaps) {
    if (row->model && row->model->latency) {
      by_latency[Whole(*row->model->latency)].push_back(row);
    } else {
      unknown += Printable(fmt::format("// {}: {}", row->opcode, row->reason)) + '\n';
    }
  }
  std::string text =
      "\n// Not measured. Latencies are those of LLVM's model; ports are not known.\n";
  for (const auto& [latency, rows] : by_latency) {
    const std::string write = fmt::format("{}Unmeasured{}", name, latency);
    text +=
        fmt::format("\ndef {} : SchedWriteRes<[]> {{\n  let Latency = {};\n}}\n", write, latency) +
        fmt::format("def : InstRW<[{}], (instrs\n", write);
    for (const InstructionRow* row : rows) {
      text +=
          fmt::format("  {}{}  // {}\n", TableGenName(row->opcode), row == rows.back() ? "" : ",",
                      Printable(fmt::format("{}: {}", row->model->cpu, row->reason)));
    }
    text += ")>;\n";
  }
  if (!unknown.empty()) text += "\n// Neither measured nor in LLVM's model:\n" + unknown;
  return text;
}

}  // namespace

std::string LlvmModelName(const std::string& path) {
  std::string name = TableGenName(std::filesystem::path(path).stem().string());
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "Core");
  return name;
}

Result<std::string> LlvmModel(const Document& document, const std::string& name) {
  const auto known = TRY(PortForms(document));
  std::map<std::string, const PortForm*> ports;  // by the text of the form
  for (const PortForm& form : known) ports.emplace(form.text, &form);
  const int load_cycles = Whole(LoadCycles(document).value_or(0));
  Forms forms;
  Forms without_ports;
  std::vector<PortForm> used;
  std::vector<const InstructionRow*> gaps;
  std::set<std::string> opcodes;
  for (const InstructionRow& row : document.instructions) {
    const std::string opcode = TableGenName(row.opcode);
    // LLVM has one entry for an opcode.
    if (opcode.empty() || !opcodes.insert(opcode).second) continue;
    if (!row.throughput && row.latency.empty()) {
      // What the CPU does not have is no gap.
      if (row.status != Status::kUnsupported) gaps.push_back(&row);
      continue;
    }
    const auto found = ports.find(row.text);
    const ModelledForm form = {opcode, ProvenanceOf(row)};
    if (found == ports.end()) {
      TableGenWrite write;
      write.slots = Whole(row.slots.value_or(1));
      without_ports[TimingOf(row, write, load_cycles)].push_back(form);
      continue;
    }
    used.push_back(*found->second);
    forms[TimingOf(row, WriteOf(*found->second, name), load_cycles)].push_back(form);
  }
  std::string text = Printable(fmt::format(
      "// A scheduling model of {} ({}, microcode {}), measured by cyclescope {} on {}.",
      document.host.cpu_model, document.host.architecture,
      document.host.microcode.empty() ? "not known" : document.host.microcode,
      document.tool.version, document.config.started));
  text += fmt::format(
      "\n// Behind each opcode stand its text and what was measured, with the {:.0f} % interval. "
      "LLVM takes whole\n// cycles. A pair that is an upper bound counts for nothing.\n",
      100 * document.config.confidence);
  for (const Warning& warning : document.warnings)
    text += Printable("// warning: " + warning.message) + '\n';
  text += '\n' + MachineModelText(document, name) + '\n' + WindowsText(document) +
          fmt::format("\nlet SchedModel = {}Model in {{\n\n", name) +
          ResourcesText(document.port_map->ports, used, name) + FormsText(forms, name);
  if (!without_ports.empty()) {
    text += "\n// Forms whose ports were not explained: only their latencies are known.\n" +
            FormsText(without_ports, name + "NoPorts");
  }
  return text + GapsText(gaps, name) + fmt::format("\n}}  // SchedModel = {}Model\n", name);
}

}  // namespace cyclescope
