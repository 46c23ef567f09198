#include "instructions/value_classes.h"

#include "arch/kernel_parts.h"
#include "instructions/copies.h"
#include "instructions/form.h"

namespace cyclescope::instructions {

std::vector<ValueClass> ValueClassesOf(const assembler::Instruction& instruction) {
  const Form form = MakeForm(instruction);
  std::vector<ValueClass> classes;
  for (const arch::ValueSet& set : instruction.value_sets) {
    if (set.name.empty()) continue;
    const Copies copies(form, &set, /*address=*/0);
    ValueClass named{.name = std::string(set.name), .operands = {}};
    for (std::size_t g = 0; g < form.groups.size(); ++g) {
      const Group& group = form.groups[g];
      if (!group.read || group.is_address()) continue;
      if (const auto value = copies.ValueOf(g)) named.operands.emplace_back(group.name, *value);
    }
    if (form.reads_memory) named.operands.emplace_back("memory", set.memory);
    classes.push_back(std::move(named));
  }
  return classes;
}

}  // namespace cyclescope::instructions
