#include "predict/core_ports.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/row_figures.h"
#include "predict/operand_roles.h"

namespace cyclescope::predict {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;

void CorePorts::Read(Document& document, double dispatch, assembler::Assembler& assembler,
                     FormRows& rows) {
  dispatch_ = dispatch;
  is_intel_ = document.host.cpu_vendor == "Intel";
  if (document.port_map) names_ = document.port_map->ports;
  ReadMap(document, assembler, rows);
  ReadHidden(rows);
}

PortSet CorePorts::SetOf(const std::vector<std::string>& ports) const {
  PortSet set = 0;
  for (const std::string& port : ports) {
    const auto place = std::ranges::find(names_, port);
    if (place != names_.end()) set |= PortSet{1} << (place - names_.begin());
  }
  return set;
}

void CorePorts::ReadMap(Document& document, assembler::Assembler& assembler, FormRows& rows) {
  if (!document.port_map) return;
  std::map<std::string_view, InstructionRow*> known;
  for (InstructionRow& row : document.instructions) {
    if (WasMeasured(row)) known.emplace(row.text, &row);
  }
  for (const PortClassRow& each : document.port_map->classes) {
    for (const std::string& text : each.forms) {
      const auto parsed = assembler.Parse(text);
      if (!parsed || parsed->size() != 1) continue;
      const Instruction& form = parsed->front();
      if (IsPureLoad(form) && loads_ == 0) loads_ = SetOf(each.ports);
      if (IsPureStore(form) && stores_ == 0) stores_ = SetOf(each.ports);
      if (&text == &each.forms.front() && !form.flags.may_load && !form.flags.may_store)
        classes_.push_back({SetOf(each.ports), HasVectors(form), WorksOnIntegers(form), {}});
      if (HasVectors(form) && !form.flags.may_load && !form.flags.may_store)
        (HasWideVectors(form) ? wide_ : narrow_) |= SetOf(each.ports);
      if (!classes_.empty() && classes_.back().ports == SetOf(each.ports))
        classes_.back().mnemonics.insert(form.mnemonic);
      const std::vector<PortUse> uses = {{.uops = 1, .ports = each.ports}};
      if (const auto row = known.find(text); row != known.end()) {
        if (row->second->port_finding) continue;
        row->second->slots = 1;
        row->second->ports = uses;
        row->second->port_finding.emplace();
        continue;
      }
      InstructionRow& row = class_rows_.emplace_back();
      row.text = text;
      row.opcode = form.opcode;
      row.mnemonic = form.mnemonic;
      row.slots = 1;
      row.ports = uses;
      row.port_finding.emplace();
    }
  }
  for (const InstructionRow& row : class_rows_) rows.Add(row);
  if (loads_ != 0 && stores_ != 0) return;
  // A map without them: any row of a plain access tells.
  rows.ForEach([&](FormRow& row) {
    if (row.row->ports.size() != 1 || !row.row->text.contains('[')) return;
    const Instruction* form = rows.Parsed(row);
    if (form == nullptr) return;
    const PortSet ports = SetOf(row.row->ports.front().ports);
    if (loads_ == 0 && IsPureLoad(*form)) loads_ = ports;
    if (stores_ == 0 && IsPureStore(*form)) stores_ = ports;
  });
}

// Mixes show ports that are fewer than the slots that are dispatched. Of what they do not show,
// LLVM's word is taken: ports of most integer instructions, and those that tell where to store.
void CorePorts::ReadHidden(FormRows& rows) {
  std::map<PortSet, int> hidden;
  rows.ForEach([&](const FormRow& row) {
    if (!row.row->port_finding) return;
    const std::vector<PortUse>& llvm = row.row->port_finding->model;
    for (const PortUse& use : llvm) {
      const PortSet set = SetOf(use.ports);
      if (std::popcount(set) == static_cast<int>(use.ports.size()) &&
          std::popcount(set) >= dispatch_)
        ++hidden[set];
    }
    // A store: one part of it was seen, and the other is done where loads are, or beside.
    if (stores_ == 0 || row.row->ports.size() != 1 || llvm.size() != 2 ||
        SetOf(row.row->ports.front().ports) != stores_)
      return;
    for (const PortUse& use : llvm) {
      const PortSet set = SetOf(use.ports);
      if ((set & loads_) == 0 || std::popcount(set) == static_cast<int>(use.ports.size())) continue;
      for (const std::string& port : use.ports) {
        if (std::ranges::find(names_, port) == names_.end() &&
            names_.size() < static_cast<std::size_t>(kMostPorts))
          names_.push_back(port);
      }
    }
  });
  const auto most = std::ranges::max_element(hidden, {}, &std::pair<const PortSet, int>::second);
  if (most != hidden.end()) hidden_ = most->first;
}

// Reading all texts of a sweep would take a second: with ports, few rows can be plain accesses.
bool CorePorts::MayBePlainAccess(const InstructionRow& row) const {
  if (loads_ == 0 || stores_ == 0) return row.text.contains('[');
  if (row.ports.size() != 1) return false;
  const PortSet set = SetOf(row.ports.front().ports);
  return set == loads_ || set == stores_;
}

void CorePorts::AddUops(const FormRow& row, FormModel& form) const {
  const InstructionRow& measured = *row.row;
  const bool explained = measured.port_finding && measured.port_finding->reason.empty();
  form.knows_ports = explained;
  if (explained) {
    for (const PortUse& use : measured.ports) {
      const PortSet set = SetOf(use.ports);
      if (set == 0) continue;
      form.uops.push_back({set, use.uops});
      form.own_kind += fmt::format("{:x},", set);
    }
    form.own_cycles = measured.port_finding->own_cycles.value_or(0);
    AddHiddenUops(row, form);
  } else if (form.merges) {
    // Its throughput is that of a chain, and says nothing of ports.
    if (hidden_ != 0) form.uops.push_back({hidden_, 1});
  } else if (measured.throughput && !IsUpperBound(*measured.throughput)) {
    GuessUops(row, form);
  }
  ReadMove(row, form);
  // As many as are dispatched: nothing of its own was seen.
  constexpr double kDispatched = 1.1;
  if (form.own_cycles * dispatch_ < kDispatched * form.slots) form.own_cycles = 0;
}

// A chain of moves that takes longer than their slots: only some are done at rename.
void CorePorts::ReadMove(const FormRow& row, FormModel& form) const {
  constexpr double kNoiseShare = 0.15;
  if (!is_intel_ || !IsMoveOfRegister(*row.instruction) || !row.row->port_finding) return;
  const bool is_limited = std::ranges::any_of(form.pairs, [&](const FormModel::Pair& pair) {
    return pair.in_chain * dispatch_ > (1 + kNoiseShare) * form.slots;
  });
  const std::vector<PortUse>& llvm = row.row->port_finding->model;
  if (!is_limited || !form.uops.empty() || llvm.size() != 1) return;
  const PortSet set = SetOf(llvm.front().ports);
  if (std::popcount(set) == static_cast<int>(llvm.front().ports.size())) form.move_ports = set;
}

// Of a form whose other µops were found.
void CorePorts::AddHiddenUops(const FormRow& row, FormModel& form) const {
  const Instruction& instruction = *row.instruction;
  if (form.zero_idiom || !row.row->port_finding) return;
  const bool is_done_at_rename = std::ranges::any_of(form.pairs, [](const FormModel::Pair& pair) {
    return pair.cycles == 0 && pair.to.kind == RoleKind::kRegister;
  });
  // What is pushed and popped is counted at rename, which LLVM's models do not know.
  const bool moves_stack = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.implicit && operand.stack_pointer && operand.written;
  });
  int on_load_ports = 0;
  for (const UopUse& use : form.uops) on_load_ports += use.ports == loads_ ? use.uops : 0;
  const std::vector<UopUse> found = form.uops;
  for (const PortUse& use : row.row->port_finding->model) {
    const PortSet set = SetOf(use.ports);
    if (std::popcount(set) != static_cast<int>(use.ports.size())) continue;
    const bool is_found =
        std::ranges::any_of(found, [&](const UopUse& each) { return each.ports == set; });
    if (std::popcount(set) >= dispatch_ && !is_found && !is_done_at_rename && !moves_stack)
      form.uops.push_back({set, use.uops});
    const bool is_address = (set & loads_) != 0 && set != loads_ && (set & loads_) == loads_;
    if (is_address && instruction.flags.may_store &&
        on_load_ports <= (instruction.flags.may_load ? 1 : 0))
      form.uops.push_back({set, use.uops, true});
  }
}

// LLVM's, where they have names that were found, and take the time that was measured.
bool CorePorts::TakeLlvmPorts(const FormRow& row, FormModel& form) const {
  constexpr double kNoiseShare = 0.05;
  if (!row.row->port_finding) return false;
  std::map<PortSet, double> uops;
  for (const PortUse& use : row.row->port_finding->model) {
    const PortSet set = SetOf(use.ports);
    if (std::popcount(set) != static_cast<int>(use.ports.size())) return false;
    uops[set] += use.uops;
  }
  const double cycles = row.row->throughput->cycles.value;
  if (uops.empty() || std::abs(PortTime(uops) - cycles) > kNoiseShare * cycles) return false;
  for (const auto& [set, count] : uops) form.uops.push_back({set, static_cast<int>(count)});
  return true;
}

// Of a form whose ports were not found: it loads and stores where all do. Else it has LLVM's; or,
// where it takes as long as a µop of one class of ports alone, it is one. Else it keeps something
// busy that is not known, for as long as it takes.
void CorePorts::GuessUops(const FormRow& row, FormModel& form) const {
  constexpr double kHiddenNoise = 0.2;
  const double cycles = row.row->throughput->cycles.value;
  const bool loads = row.instruction->flags.may_load, stores = row.instruction->flags.may_store;
  if (loads && loads_ != 0) form.uops.push_back({loads_, 1});
  // What it does with what it loads took no time that was seen.
  const bool works_on_loaded =
      loads && !HasVectors(*row.instruction) && !IsPureLoad(*row.instruction);
  constexpr double kLoadBoundRatio = 1.1;
  if (works_on_loaded && hidden_ != 0 && cycles * std::popcount(loads_) < kLoadBoundRatio)
    form.uops.push_back({hidden_, 1});
  if (stores && stores_ != 0) form.uops.push_back({stores_, 1});
  constexpr double kExplained = 1.05;
  // A branch may be measured taken, which takes longer than its port.
  if (row.instruction->flags.ChangesFlow()) {
    if (row.instruction->flags.branch && !loads && !stores && row.row->port_finding) {
      for (const PortUse& use : row.row->port_finding->model) {
        const PortSet set = SetOf(use.ports);
        if (std::popcount(set) == static_cast<int>(use.ports.size()))
          form.uops.push_back({set, use.uops});
      }
    }
    return;
  }
  if (!loads && !stores && TakeLlvmPorts(row, form)) {
    return;
  }
  // It takes no longer than its slot.
  const bool computes =
      !form.zero_idiom && std::ranges::any_of(form.pairs, [](const FormModel::Pair& pair) {
        return pair.to.kind != RoleKind::kMemory && pair.cycles >= 1;
      });
  if (!loads && !stores && computes && hidden_ != 0 && !HasVectors(*row.instruction) &&
      cycles * dispatch_ < (1 + kHiddenNoise) * form.slots) {
    form.uops.push_back({hidden_, 1});
    return;
  }
  const bool gives = std::ranges::any_of(row.instruction->operands,
                                         [](const Operand& operand) { return operand.written; });
  if (!loads && !stores && gives && form.uops.empty()) {
    std::vector<PortSet> fitting;
    std::vector<PortSet> of_its_name;  // with a form of the same mnemonic: `lea rbx, [rsi + rdi]`
    for (const PortClass& each : classes_) {
      const double uops = cycles * std::popcount(each.ports);
      if (each.of_vectors != HasVectors(*row.instruction) ||
          each.of_integers != WorksOnIntegers(*row.instruction) || uops >= kExplained ||
          uops * kExplained <= 1)
        continue;
      fitting.push_back(each.ports);
      if (each.mnemonics.contains(row.row->mnemonic)) of_its_name.push_back(each.ports);
    }
    if (of_its_name.size() == 1) fitting = of_its_name;
    if (fitting.size() == 1) form.uops.push_back({fitting.front(), 1});
  }
  for (const UopUse& use : form.uops) {
    if (cycles * std::popcount(use.ports) <= kExplained) return;
  }
  form.own_cycles = cycles;
  form.own_kind = row.row->opcode;
}

}  // namespace cyclescope::predict
