#include "predict/form_rows.h"

#include <string>
#include <utility>

#include "predict/operand_roles.h"

namespace cyclescope::predict {

using assembler::Instruction;

bool WasMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured && (row.throughput || !row.latency.empty());
}

void FormRows::Add(const InstructionRow& row) {
  auto& rows = by_opcode_[row.opcode];
  if (rows.empty()) opcodes_by_mnemonic_[row.mnemonic].push_back(row.opcode);
  rows.push_back({.row = &row});
}

const Instruction* FormRows::Parsed(FormRow& row) {
  if (!row.instruction) {
    const std::string& text = row.row->text;
    auto parsed = assembler_->Parse(text);
    // Rows of branches have a distance, and text a label: "je 0".
    if (!parsed) parsed = assembler_->Parse(text.substr(0, text.rfind(' ')) + " next\nnext:");
    if (!parsed || parsed->size() != 1) return nullptr;
    row.instruction = std::move(parsed->front());
  }
  return &*row.instruction;
}

FormRow* FormRows::Find(const Instruction& instruction) {
  FormRow* best = nullptr;
  Likeness likeness;
  const auto consider = [&](std::vector<FormRow>& rows, bool same_opcode) {
    for (FormRow& row : rows) {
      const Instruction* form = Parsed(row);
      if (form == nullptr || !StandsFor(*form, instruction)) continue;
      if (!same_opcode && !HaveSameClasses(*form, instruction)) continue;
      const Likeness own = LikenessOf(*form, instruction);
      if (own <= likeness) continue;
      likeness = own;
      best = &row;
    }
  };
  if (const auto own = by_opcode_.find(instruction.opcode); own != by_opcode_.end())
    consider(own->second, true);
  if (best != nullptr) return best;
  // Another encoding of the same: `add rax, 5` has one for small numbers and one for large.
  const auto others = opcodes_by_mnemonic_.find(instruction.name);
  if (others == opcodes_by_mnemonic_.end()) return nullptr;
  for (const std::string& opcode : others->second) consider(by_opcode_.find(opcode)->second, false);
  return best;
}

}  // namespace cyclescope::predict
