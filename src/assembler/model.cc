// Assembler::Model: latency and throughput as the compiler believes them.
#include <llvm/MC/MCSchedule.h>

#include "assembler/assembler.h"
#include "assembler/llvm_target.h"
#include "assembler/roles.h"

namespace cyclescope::assembler {
namespace {

// The scheduling class may depend on the operands (a shift amount, two equal registers); null where
// the model does not say which.
const llvm::MCSchedClassDesc* ResolveClass(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
                                           const llvm::MCInst& inst) {
  const llvm::MCSchedModel& model = subtarget.getSchedModel();
  unsigned scheduling_class = llvm.instructions->get(inst.getOpcode()).getSchedClass();
  const llvm::MCSchedClassDesc* desc = model.getSchedClassDesc(scheduling_class);
  while (desc->isValid() && desc->isVariant()) {
    scheduling_class = subtarget.resolveVariantSchedClass(
        scheduling_class, &inst, llvm.instructions.get(), model.getProcessorID());
    if (scheduling_class == 0) return nullptr;
    desc = model.getSchedClassDesc(scheduling_class);
  }
  return desc->isValid() ? desc : nullptr;
}

}  // namespace

ModelTiming Assembler::Model(const Instruction& instruction, std::string_view cpu) {
  Llvm& llvm = *llvm_;
  const llvm::MCSubtargetInfo* subtarget = llvm.subtarget.get();
  if (!cpu.empty() && cpu != llvm.description.cpu) {
    auto& cached = llvm.model_subtargets[std::string(cpu)];
    if (cached == nullptr) cached = llvm.Subtarget(cpu, "");
    subtarget = cached.get();
  }
  if (!subtarget->getSchedModel().hasInstrSchedModel()) return {};
  const llvm::MCSchedClassDesc* desc = ResolveClass(llvm, *subtarget, ToMcInst(instruction));
  if (desc == nullptr) return {};

  ModelTiming timing;
  const int latency = llvm::MCSchedModel::computeInstrLatency(*subtarget, *desc);
  if (latency >= 0) timing.latency = latency;
  if (desc->NumWriteProcResEntries > 0) {
    timing.reciprocal_throughput = llvm::MCSchedModel::getReciprocalThroughput(*subtarget, *desc);
  }
  return timing;
}

}  // namespace cyclescope::assembler
