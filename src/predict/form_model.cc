#include "predict/form_model.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/row_figures.h"
#include "predict/whole_numbers.h"

namespace cyclescope::predict {
namespace {

constexpr std::string_view kFlags = "flags";

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;

// The best guess of a pair's latency: what is done at rename takes no time, and of an upper bound,
// which has a connector in it, LLVM's figure is taken where the bound allows it.
double CyclesOf(const Latency& latency) {
  constexpr double kWholeShare = 0.06, kForwardedShare = 0.03;
  const double measured = latency.cycles.value;
  // What is read again is all of it.
  if (latency.to == kMemory) return WholeIfNear(measured, kForwardedShare);
  if (latency.kind != LatencyKind::kUpperBound)
    return measured < kDoneAtRename ? 0 : WholeIfNear(measured, kWholeShare);
  // What sets flags, or asks for them, is measured with one that asks or sets, in a cycle.
  if (latency.from == kFlags || latency.to == kFlags)
    return std::max(1.0, WholeIfNear(measured - 1, kWholeShare));
  if (latency.model && *latency.model > 0 && *latency.model <= measured) return *latency.model;
  // A connector takes a cycle at least.
  return std::max(1.0, std::floor(measured - 1 + kWholeShare));
}

// Operands that a name in a row means: the row names a register once, in whatever width.
std::vector<OperandRole> RolesNamed(const Instruction& instruction, std::string_view name) {
  std::vector<OperandRole> roles;
  const auto named = std::ranges::find(instruction.operands, name, &Operand::name);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kMemory) continue;
    const bool overlaps =
        named != instruction.operands.end() && named->kind == OperandKind::kRegister &&
        operand.kind == OperandKind::kRegister && operand.reg.Overlaps(named->reg) &&
        (operand.address == assembler::AddressPart::kNone) ==
            (named->address == assembler::AddressPart::kNone);
    if (operand.name == name || overlaps) roles.push_back(RoleOf(instruction, i));
  }
  return roles;
}

// What keeps a part of a register waits for it: alone, an instruction that reads nothing else takes
// that long from one to the next.
void AddMerge(const InstructionRow& row, const Instruction& instruction, FormModel& form) {
  constexpr double kWholeShare = 0.03, kLeastCycles = 2;
  if (!row.throughput || row.throughput->cycles.value < kLeastCycles * (1 - kWholeShare)) return;
  const double cycles = WholeIfNear(row.throughput->cycles.value, kWholeShare);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const OperandRole role = RoleOf(instruction, i);
    if (operand.kind != OperandKind::kRegister || !operand.written || !operand.partial ||
        operand.read || operand.reg.file != assembler::RegisterFile::kGeneral)
      continue;
    const bool is_chain = std::ranges::any_of(form.pairs, [&](const FormModel::Pair& pair) {
      return pair.to == role && pair.cycles == cycles;
    });
    if (!is_chain || form.CyclesBetween(role, role)) continue;
    form.pairs.push_back({role, role, cycles});
    form.merges = true;
  }
}

}  // namespace

std::optional<double> FormModel::CyclesBetween(const OperandRole& from,
                                               const OperandRole& to) const {
  if (zero_idiom) return std::nullopt;
  const Pair* best = nullptr;
  for (const Pair& pair : pairs) {
    if (pair.to == to && pair.from == from) best = &pair;
  }
  if (best == nullptr && from.kind == RoleKind::kIndex)
    return CyclesBetween({RoleKind::kBase, 0}, to);
  if (best == nullptr) return std::nullopt;
  return best->cycles;
}

FormModel FormOfRow(const InstructionRow& row, const Instruction& instruction) {
  constexpr double kSlotShare = 0.15;
  FormModel form;
  form.text = row.text;
  form.zero_idiom = row.zero_idiom;
  form.same_registers = RepeatsRegister(instruction);
  form.slots = WholeIfNear(row.slots.value_or(1), kSlotShare);
  for (const Latency& latency : row.latency) {
    // The least of several classes of values: data are not known here.
    const double cycles = CyclesOf(latency);
    for (const OperandRole& from : RolesNamed(instruction, latency.from)) {
      for (const OperandRole& to : RolesNamed(instruction, latency.to)) {
        const auto known = std::ranges::find_if(form.pairs, [&](const FormModel::Pair& pair) {
          return pair.from == from && pair.to == to;
        });
        const bool is_direct = latency.kind == LatencyKind::kExact;
        const double in_chain = is_direct && cycles == 0 ? latency.cycles.value : 0;
        if (known == form.pairs.end())
          form.pairs.push_back(
              {from, to, cycles, latency.kind == LatencyKind::kUpperBound, is_direct, in_chain});
        else
          known->cycles = std::min(known->cycles, cycles);
      }
    }
  }
  AddMerge(row, instruction, form);
  return form;
}

}  // namespace cyclescope::predict
