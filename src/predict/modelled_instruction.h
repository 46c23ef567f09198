// One instruction of a loop with what the model of a core says of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "assembler/instruction.h"
#include "predict/core_model.h"
#include "predict/operand_roles.h"

namespace cyclescope::predict {

// What instructions of which nothing is known are taken for: latencies are LLVM's and so much more.
struct UnknownCosts {
  double more_cycles = 0;
  double own_cycles = 0;
};

class ModelledInstruction {
 public:
  // All of them must outlive it.
  ModelledInstruction(CoreModel& model, const assembler::Instruction& instruction,
                      const UnknownCosts& unknown);

  const assembler::Instruction& instruction() const { return *instruction_; }
  const FormModel* form() const { return form_; }
  bool loads() const { return loads_; }
  bool stores() const { return stores_; }
  bool is_zero() const { return zero_; }
  bool works_on_vectors() const { return works_on_vectors_; }
  // Branches have no form of their own; what they cost is known.
  bool is_known() const { return form_ != nullptr || is_flow_ || zero_; }
  bool has_latency() const { return zero_ || (form_ != nullptr && !form_->pairs.empty()); }
  const OperandRole& RoleAt(std::size_t operand) const { return roles_[operand]; }
  // True if the operand is an address that the instruction also changes.
  bool Updates(std::size_t operand) const;

  // Cycles from one operand to another, through all of the instruction. What is stored counts from
  // when it is computed, and what is loaded from when it is there.
  std::optional<double> Cycles(std::size_t from, std::size_t to) const;
  // The same of a sum that is done at rename, where each of a chain of nothing else takes longer
  // than its slot; 0 of all else.
  double CyclesInChainOfSums(std::size_t from, std::size_t to) const;
  // From when the loaded value is there to a result: of a plain load none.
  double ExecuteCycles(std::size_t to) const;
  // From the address to the loaded value.
  double LoadCycles() const;
  // Cycles that it takes less where its address was loaded.
  double SavedByLoadedAddress() const;
  // True if what it writes is what it loads, as it is.
  bool IsPlainLoad() const;
  // From a value that it stores to a load of it, as it was measured.
  std::optional<double> ForwardingCycles() const;

  // µops that neither load nor store: they compute a result, or the next address.
  bool HasExecuteUops() const;
  // Its µops that neither load nor store compute the next address: `ldr x0, [x1], #8`.
  bool ExecutesUpdate() const;
  bool HasIndex() const;
  // Its address is relative to the instruction.
  bool IsRelative() const;
  // Of the place that it reads or writes; 0 where that is not known.
  int MemoryBits() const;

 private:
  std::optional<double> UpdateCycles(std::size_t from, std::size_t to) const;
  double FlagsBehindLoad(std::size_t to) const;
  bool IsMeasuredInChain() const;
  double LoadCyclesIn(double measured, double usual) const;
  // The longest latency to the operand that was measured.
  double LongestTo(std::size_t to) const;

  const assembler::Instruction* instruction_;
  const CoreModel* model_;
  const FormModel* form_;
  std::vector<OperandRole> roles_;
  double guess_ = 1;  // of its latency
  bool zero_ = false;
  bool is_flow_ = false;
  bool loads_ = false;
  bool stores_ = false;
  bool works_on_vectors_ = false;
};

}  // namespace cyclescope::predict
