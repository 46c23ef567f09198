#include "instructions/form.h"

#include <algorithm>

namespace cyclescope::instructions {
namespace {

using assembler::Operand;
using assembler::OperandKind;

Group NewGroup(const Operand& operand) {
  Group group;
  group.name = operand.name;
  group.file = operand.reg.file;
  group.index = operand.reg.index;
  group.count = operand.count;
  group.stride = operand.stride;
  group.allowed = operand.allowed;
  group.stack_pointer = operand.stack_pointer;
  return group;
}

bool ShareOneRegister(const Form& form, const Group& group, const Operand& operand) {
  if (group.file != operand.reg.file || group.index != operand.reg.index ||
      group.count != operand.count) {
    return false;
  }
  const bool touches_memory = form.reads_memory || form.writes_memory;
  return !touches_memory || group.address == operand.address;
}

void Join(const Operand& operand, std::size_t position, Group& group) {
  group.bits = std::max(group.bits, operand.reg.bits);
  group.read |= operand.read;
  group.written |= operand.written;
  group.partial |= operand.partial;
  group.spent |= operand.spent;
  group.undefined |= operand.undefined;
  group.allowed &= operand.allowed;
  group.fixed |= operand.allowed == 0;
  if (operand.address != AddressPart::kNone) group.address = operand.address;
  group.operands.push_back(position);
}

}  // namespace

Form MakeForm(const Instruction& instruction) {
  Form form;
  form.instruction = instruction;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::kMemory) continue;
    form.reads_memory |= operand.read;
    form.writes_memory |= operand.written;
    form.updates_memory |= operand.read && operand.written;
    if (operand.read) form.memory = operand.factor.value_or(arch::OrdinaryPattern(operand.element));
  }
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind != OperandKind::kRegister || !arch::CarriesValues(operand.reg.file)) continue;
    auto group = std::ranges::find_if(
        form.groups, [&](const Group& known) { return ShareOneRegister(form, known, operand); });
    if (group == form.groups.end())
      group = form.groups.insert(form.groups.end(), NewGroup(operand));
    Join(operand, i, *group);
  }
  return form;
}

bool CanShare(const Group& first, const Group& second) {
  return first.file == second.file && !first.fixed && !second.fixed &&
         (first.allowed & second.allowed) != 0;
}

bool CanBeEqual(const Form& form, std::size_t first, std::size_t second) {
  const auto differ = [&form](const Group& from, const Group& to) {
    return std::ranges::any_of(from.operands, [&](std::size_t operand) {
      const std::uint32_t others = form.instruction.operands[operand].differs_from;
      return std::ranges::any_of(to.operands,
                                 [others](std::size_t each) { return (others >> each & 1) != 0; });
    });
  };
  const Group& one = form.groups[first];
  const Group& other = form.groups[second];
  return CanShare(one, other) && (first == second || (!differ(one, other) && !differ(other, one)));
}

Assignment TextAssignment(const Form& form) {
  Assignment assignment;
  for (const Group& group : form.groups) assignment.push_back(group.index);
  return assignment;
}

Instruction Rename(assembler::Assembler& assembler, const Form& form,
                   const Assignment& assignment) {
  std::vector<assembler::RegisterChoice> choices;
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    if (form.groups[g].fixed) continue;
    for (const std::size_t operand : form.groups[g].operands)
      choices.push_back({operand, assignment[g]});
  }
  return assembler.Rename(form.instruction, choices);
}

}  // namespace cyclescope::instructions
