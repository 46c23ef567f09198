// The rows of a document that were measured, and which of them stands for an instruction.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/result/instruction.h"
#include "predict/form_model.h"

namespace cyclescope::predict {

// True if it tells anything of its form.
bool WasMeasured(const InstructionRow& row);

struct FormRow {
  const InstructionRow* row = nullptr;
  std::optional<assembler::Instruction> instruction;  // when it was parsed
  std::unique_ptr<FormModel> form;                    // when it was asked for
};

class FormRows {
 public:
  // Reads the texts of rows; it must outlive them.
  explicit FormRows(assembler::Assembler& assembler) : assembler_(&assembler) {}

  // The row must stay where it is.
  void Add(const InstructionRow& row);
  // Null where none stands for it.
  FormRow* Find(const assembler::Instruction& instruction);
  // What the row's text means; null where it is not understood.
  const assembler::Instruction* Parsed(FormRow& row);
  void ForEach(auto&& visit) {
    for (auto& [opcode, rows] : by_opcode_) {
      for (FormRow& row : rows) visit(row);
    }
  }

 private:
  assembler::Assembler* assembler_;
  std::map<std::string, std::vector<FormRow>, std::less<>> by_opcode_;
  std::map<std::string, std::vector<std::string>, std::less<>> opcodes_by_mnemonic_;
};

}  // namespace cyclescope::predict
