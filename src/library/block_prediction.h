// Predictions of snippets by the model of a core.
#pragma once

#include <memory>

#include "assembler/assembler.h"
#include "blocks/block.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "predict/core_model.h"

namespace cyclescope::library {

// The model of a core, with the assembler that reads its code.
class ModelledMachine {
 public:
  static Result<std::unique_ptr<ModelledMachine>> Make(const Document& machine);

  // An assembler of the machine's architecture, in the manual's syntax.
  assembler::Assembler& assembler() { return assembler_; }
  // An assembler for what the user writes.
  Result<assembler::Assembler> MakeAssembler(assembler::Syntax syntax) const;

  // What the document says of an instruction; null where it has no row of its form.
  const InstructionRow* RowOf(const assembler::Instruction& instruction) {
    return model_->RowOf(instruction);
  }

  // Fills the row's `predicted`.
  void Predict(const blocks::BlockSubject& subject, int timeline_iterations, BlockRow& row);

 private:
  ModelledMachine(std::string name, assembler::Assembler assembler)
      : name_(std::move(name)), assembler_(std::move(assembler)) {}

  std::string name_;
  assembler::Assembler assembler_;
  std::optional<predict::CoreModel> model_;
};

}  // namespace cyclescope::library
