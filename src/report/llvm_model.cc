
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
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

// What is done at rename takes no time, and no part of a cycle can be said.
int WholeLatency(const Latency& latency) {
  const bool at_rename =
      latency.kind == LatencyKind::kExact && latency.cycles.value < kDoneAtRename;
  return at_rename ? 0 : Whole(latency.cycles.value);
}

// From one operand to another; unset where that was not measured, or only bounded.
std::optional<int> LatencyOf(const InstructionRow& row, const std::string& from,
                             const std::string& to) {
  for (const Latency& latency : row.latency) {
    if (latency.from == from && latency.to == to && !IsUpperBound(latency))
      return WholeLatency(latency);
  }
  return std::nullopt;
}

// What else the first write of a form may be: by a predicate on its operands.
using Variant = std::pair<std::string, TableGenWrite>;

// What SchedRW lists for a form: a write for each result, and for each operand that is read how
// much later than the others it may come.
struct Timing {
  std::vector<TableGenWrite> writes;
  std::vector<int> advances;
  std::vector<Variant> variants;

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

// Pushes and pops move the stack pointer at rename (Intel's optimization manual, "Stack Pointer
// Tracker"; AMD's cores do so, too): it is no result that others wait for. `write` is that of all
// else. Unset for other forms.
std::optional<Timing> TimingOfStack(const InstructionRow& row, const TableGenWrite& whole,
                                    int load_cycles) {
  constexpr int kRenamedCycles = 0;
  const bool pops = row.opcode.starts_with("POP64");
  if (!pops && !row.opcode.starts_with("PUSH64")) return std::nullopt;
  Timing timing;
  timing.writes = {whole};
  if (!pops) {
    timing.writes.front().latency = kRenamedCycles;
    return timing;
  }
  // A pop into memory has the stack pointer alone as a result.
  const bool stores = row.text.contains('[');
  timing.writes.front().latency = stores ? kRenamedCycles : load_cycles > 0 ? load_cycles : -1;
  if (!stores) timing.writes.push_back({.slots = 0, .latency = kRenamedCycles});
  return timing;
}

// `load_cycles`: of a load from the first-level cache, as far as is known.
Timing TimingOf(const InstructionRow& row, const TableGenWrite& whole, int load_cycles) {
  if (auto of_stack = TimingOfStack(row, whole, load_cycles)) return *of_stack;
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
      slowest = std::max(slowest.value_or(0), WholeLatency(latency));
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

// x86-64's opcodes that give zero where their two sources are one register, and wait for nothing
// (Intel's optimization manual, "Clearing Registers and Dependency Breaking Idioms").
bool MayBeZeroIdiom(const std::string& opcode) {
  static const std::set<std::string, std::less<>> kIdioms = {
      "XOR32rr",      "XOR64rr",      "SUB32rr",     "SUB64rr",     "XORPSrr",      "XORPDrr",
      "PXORrr",       "PSUBBrr",      "PSUBWrr",     "PSUBDrr",     "PSUBQrr",      "PCMPGTBrr",
      "PCMPGTWrr",    "PCMPGTDrr",    "VXORPSrr",    "VXORPDrr",    "VXORPSYrr",    "VXORPDYrr",
      "VPXORrr",      "VPXORYrr",     "VPSUBBrr",    "VPSUBWrr",    "VPSUBDrr",     "VPSUBQrr",
      "VPSUBBYrr",    "VPSUBWYrr",    "VPSUBDYrr",   "VPSUBQYrr",   "VPCMPGTBrr",   "VPCMPGTWrr",
      "VPCMPGTDrr",   "VPCMPGTBYrr",  "VPCMPGTWYrr", "VPCMPGTDYrr", "VPXORDZ128rr", "VPXORQZ128rr",
      "VPXORDZ256rr", "VPXORQZ256rr", "VPXORDZrr",   "VPXORQZrr"};
  return kIdioms.contains(opcode);
}

constexpr std::string_view kSameSources = "CheckSameRegOperand<1, 2>";

// What tells a computed address of this shape from others: "[rsi + 4*rdi + 64]". Operands of x86's
// lea are its result, base, scale, index and displacement.
std::string PredicateOfAddress(const std::string& text) {
  const std::size_t begin = text.find('[');
  if (begin == std::string::npos) return {};
  const std::string address = text.substr(begin + 1, text.find(']') - begin - 1);
  if (address.contains("rip")) return "CheckRegOperand<1, RIP>";
  bool base = false, index = false, scaled = false, displacement = false;
  std::size_t at = 0;
  while (at < address.size()) {
    const std::size_t end = std::min(address.find(" + ", at), address.size());
    const std::string part = address.substr(at, end - at);
    at = end + 3;
    if (part.contains('*')) {
      scaled = index = true;
    } else if (!part.empty() && part.front() >= '0' && part.front() <= '9') {
      displacement = true;
    } else {
      (base ? index : base) = true;
    }
  }
  const auto check = [](bool is_true, std::string_view predicate) {
    return is_true ? std::string(predicate) : fmt::format("CheckNot<{}>", predicate);
  };
  return fmt::format("CheckAll<[{}, {}, {}, {}]>", check(!base, "CheckInvalidRegOperand<1>"),
                     check(!index, "CheckInvalidRegOperand<3>"),
                     check(!scaled, "CheckImmOperand<2, 1>"),
                     check(!displacement, "CheckAll<[CheckIsImmOperand<4>, CheckZeroOperand<4>]>"));
}

// What tells this form from others of its opcode; empty where nothing does that LLVM can see.
std::string PredicateOf(const InstructionRow& row) {
  if (row.opcode.starts_with("LEA")) return PredicateOfAddress(row.text);
  const bool selects = row.opcode.starts_with("CMOV") && row.opcode.ends_with("rr");
  if (!selects && row.opcode != "SETCCr") return {};
  const int operand = selects ? 3 : 1;
  const bool above = row.mnemonic.ends_with("a"), below_or_equal = row.mnemonic.ends_with("be");
  if (!above && !below_or_equal) return {};
  return fmt::format("CheckImmOperand_s<{}, \"X86::COND_{}\">", operand, above ? "A" : "BE");
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
  int choices = 0;
  std::string text;
  const auto define = [&](const TableGenWrite& write) {
    const auto [place, is_new] =
        writes.try_emplace(write, fmt::format("{}Write{}", name, writes.size()));
    if (is_new) text += '\n' + WriteText(write, place->second);
  };
  for (const auto& [timing, members] : forms) {
    for (const TableGenWrite& write : timing.writes) define(write);
    for (const auto& [predicate, write] : timing.variants) define(write);
    for (const int advance : timing.advances) {
      if (advance != 0 && advances.insert(advance).second)
        text += fmt::format("\ndef {}Read{} : SchedReadAdvance<{}>;\n", name, advance, advance);
    }
    std::vector<std::string> parts;
    for (const TableGenWrite& write : timing.writes) parts.push_back(writes.at(write));
    if (!timing.variants.empty()) {
      const std::string choice = fmt::format("{}Choice{}", name, choices++);
      text += fmt::format("\ndef {} : SchedWriteVariant<[\n", choice);
      for (const auto& [predicate, write] : timing.variants)
        text +=
            fmt::format("  SchedVar<MCSchedPredicate<{}>, [{}]>,\n", predicate, writes.at(write));
      text += fmt::format("  SchedVar<NoSchedPred, [{}]>\n]>;\n", parts.front());
      parts.front() = choice;
    }
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

bool HasFigures(const InstructionRow& row) { return row.throughput || !row.latency.empty(); }

// They wait for none of their sources.
std::string IdiomsText(const std::vector<std::string>& opcodes) {
  if (opcodes.empty()) return "";
  return fmt::format(
      "\n// Of one register twice: not measured; zero by Intel's optimization manual.\n"
      "def : IsZeroIdiomFunction<[\n  DepBreakingClass<[{}], {}>\n]>;\n",
      fmt::join(opcodes, ", "), kSameSources);
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
  std::vector<std::string> idioms;
  // LLVM has one entry for an opcode. The first is what it says where no predicate fits.
  std::map<std::string, std::vector<const InstructionRow*>> by_opcode;
  std::vector<std::string> opcodes;
  for (const InstructionRow& row : document.instructions) {
    if (row.opcode.empty()) continue;
    auto& rows = by_opcode[TableGenName(row.opcode)];
    if (rows.empty()) opcodes.push_back(TableGenName(row.opcode));
    rows.push_back(&row);
  }
  const auto timing_of = [&](const InstructionRow& row) {
    const auto found = ports.find(row.text);
    if (found != ports.end()) {
      used.push_back(*found->second);
      return TimingOf(row, WriteOf(*found->second, name), load_cycles);
    }
    TableGenWrite write;
    write.slots = Whole(row.slots.value_or(1));
    return TimingOf(row, write, load_cycles);
  };
  for (const std::string& opcode : opcodes) {
    const auto& rows = by_opcode.at(opcode);
    const InstructionRow& row = *rows.front();
    if (!HasFigures(row)) {
      // What the CPU does not have is no gap.
      if (row.status != Status::kUnsupported) gaps.push_back(&row);
      continue;
    }
    ModelledForm form = {opcode, ProvenanceOf(row)};
    Timing timing = timing_of(row);
    for (const InstructionRow* other : rows) {
      const std::string predicate = PredicateOf(*other);
      if (other == &row || predicate.empty() || !HasFigures(*other)) continue;
      TableGenWrite write = timing_of(*other).writes.front();
      if (write == timing.writes.front()) continue;
      timing.variants.emplace_back(predicate, std::move(write));
      form.provenance += "; " + ProvenanceOf(*other);
    }
    if (MayBeZeroIdiom(opcode)) {
      idioms.push_back(opcode);
      timing.variants.emplace_back(kSameSources, TableGenWrite{.slots = 1, .latency = 0});
    }
    (ports.contains(row.text) ? forms : without_ports)[timing].push_back(form);
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
  return text + IdiomsText(idioms) + GapsText(gaps, name) +
         fmt::format("\n}}  // SchedModel = {}Model\n", name);
}

}  // namespace cyclescope
