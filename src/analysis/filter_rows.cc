#include "analysis/filter_rows.h"

#include <vector>

namespace cyclescope {

std::size_t KeepInstructions(const FormFilter& filter, Document& document) {
  int left_out = 0;
  std::erase_if(document.instructions, [&](const InstructionRow& row) {
    if (filter.Selects(row.text, row.mnemonic, row.opcode)) return false;
    // Those that a survey chose are in no sweep's count; version 0.1 gave them a heading alone.
    left_out += row.origin != "headline" && row.heading.empty() ? 1 : 0;
    return true;
  });
  if (document.sweep) document.sweep->left_out += left_out;
  return document.instructions.size();
}

}  // namespace cyclescope
