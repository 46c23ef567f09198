// Assembler::Model: latency and throughput by the compiler's tables.
#include <llvm/MC/MCSchedule.h>

#include <algorithm>
#include <cctype>

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

const llvm::MCSubtargetInfo& SubtargetFor(Llvm& llvm, std::string_view cpu) {
  if (cpu.empty() || cpu == llvm.description.cpu) return *llvm.subtarget;
  auto& cached = llvm.model_subtargets[std::string(cpu)];
  if (cached == nullptr) cached = llvm.Subtarget(cpu, "");
  return *cached;
}

// True if the class is no prediction, but what the model has for all that it does not model.
bool IsStandIn(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
               const llvm::MCSchedClassDesc& desc) {
  if (llvm.rules->unmodelled.empty()) return false;
  llvm::MCInst inst;
  inst.setOpcode(llvm.FindOpcode(llvm.rules->unmodelled).value());
  const llvm::MCSchedClassDesc* stand_in = ResolveClass(llvm, subtarget, inst);
  return stand_in != nullptr && llvm::MCSchedModel::computeInstrLatency(subtarget, desc) ==
                                    llvm::MCSchedModel::computeInstrLatency(subtarget, *stand_in);
}

// Null where the CPU has no model, or its model does not know the instruction.
const llvm::MCSchedClassDesc* ClassOf(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
                                      const Instruction& instruction) {
  if (!subtarget.getSchedModel().hasInstrSchedModel()) return nullptr;
  const llvm::MCSchedClassDesc* desc = ResolveClass(llvm, subtarget, ToMcInst(instruction));
  return desc != nullptr && IsStandIn(llvm, subtarget, *desc) ? nullptr : desc;
}

// The model numbers reads and writes: first the explicit ones by their slots, then the implicit
// ones in the order of LLVM's table (llvm-mca, InstrBuilder.cpp).
std::optional<unsigned> NumberOf(const Llvm& llvm, llvm::ArrayRef<llvm::MCPhysReg> implicit,
                                 const Operand& operand) {
  for (unsigned i = 0; i < implicit.size(); ++i) {
    if (llvm.register_table->Describe(implicit[i]).first.Overlaps(operand.reg)) return i;
  }
  return std::nullopt;
}

std::optional<unsigned> ReadNumber(const Llvm& llvm, const llvm::MCInstrDesc& desc,
                                   const Operand& operand) {
  if (!operand.implicit) {
    const std::int8_t slot = operand.tied_slot != kNoSlot ? operand.tied_slot : operand.slot;
    return static_cast<unsigned>(slot) - desc.getNumDefs();
  }
  const auto number = NumberOf(llvm, desc.implicit_uses(), operand);
  if (!number) return std::nullopt;
  return desc.getNumOperands() - desc.getNumDefs() + *number;
}

std::optional<unsigned> WriteNumber(const Llvm& llvm, const llvm::MCInstrDesc& desc,
                                    const Operand& operand) {
  if (!operand.implicit) return static_cast<unsigned>(operand.slot);
  const auto number = NumberOf(llvm, desc.implicit_defs(), operand);
  if (!number) return std::nullopt;
  return desc.getNumDefs() + *number;
}

}  // namespace

std::optional<double> Assembler::ModelLatency(const Instruction& instruction, std::string_view from,
                                              std::string_view to, std::string_view cpu) {
  const llvm::MCSubtargetInfo& subtarget = SubtargetFor(*llvm_, cpu);
  const llvm::MCSchedClassDesc* scheduling = ClassOf(*llvm_, subtarget, instruction);
  if (scheduling == nullptr) return std::nullopt;
  const llvm::MCInstrDesc& desc = llvm_->instructions->get(instruction.opcode_number);
  const int whole = llvm::MCSchedModel::computeInstrLatency(subtarget, *scheduling);
  if (whole < 0) return std::nullopt;
  std::optional<double> longest;
  for (const Operand& source : instruction.operands) {
    if (source.kind != OperandKind::kRegister || !source.read || source.name != from) continue;
    for (const Operand& destination : instruction.operands) {
      if (destination.kind != OperandKind::kRegister || !destination.written ||
          destination.name != to) {
        continue;
      }
      const auto read = ReadNumber(*llvm_, desc, source);
      const auto write = WriteNumber(*llvm_, desc, destination);
      int cycles = whole;
      if (read && write && *write < scheduling->NumWriteLatencyEntries) {
        const auto* entry = subtarget.getWriteLatencyEntry(scheduling, *write);
        // Forwarding between two copies may make it shorter still: the model's advance of what the
        // same kind of write gives.
        const int advance =
            subtarget.getReadAdvanceCycles(scheduling, *read, entry->WriteResourceID);
        cycles = std::max(0, entry->Cycles - advance);
      }
      longest = std::max(longest.value_or(0), static_cast<double>(cycles));
    }
  }
  return longest;
}

ModelTiming Assembler::Model(const Instruction& instruction, std::string_view cpu) {
  const llvm::MCSubtargetInfo& subtarget = SubtargetFor(*llvm_, cpu);
  const llvm::MCSchedClassDesc* desc = ClassOf(*llvm_, subtarget, instruction);
  if (desc == nullptr) return {};

  ModelTiming timing;
  const int latency = llvm::MCSchedModel::computeInstrLatency(subtarget, *desc);
  if (latency >= 0) timing.latency = latency;
  if (desc->NumWriteProcResEntries > 0) {
    timing.reciprocal_throughput = llvm::MCSchedModel::getReciprocalThroughput(subtarget, *desc);
  }
  timing.micro_ops = desc->NumMicroOps;
  return timing;
}

namespace {

// The next unit of a resource, where those before it are taken. Units that have no names of their
// own are numbered.
std::string UnitName(const llvm::MCProcResourceDesc& resource,
                     const std::vector<std::string>& taken) {
  std::string name = resource.Name;
  if (resource.NumUnits == 1) return name;
  if (std::isdigit(static_cast<unsigned char>(name.back())) != 0) name += '.';
  int number = 0;
  while (std::ranges::find(taken, name + std::to_string(number)) != taken.end()) ++number;
  return name + std::to_string(number);
}

}  // namespace

std::vector<ModelPorts> Assembler::PortsOfModel(const Instruction& instruction,
                                                std::string_view cpu) {
  const llvm::MCSubtargetInfo& subtarget = SubtargetFor(*llvm_, cpu);
  const llvm::MCSchedClassDesc* desc = ClassOf(*llvm_, subtarget, instruction);
  if (desc == nullptr) return {};
  const llvm::MCSchedModel& model = subtarget.getSchedModel();
  struct Use {
    std::vector<std::string> ports;  // sorted
    double cycles = 0;
  };
  std::vector<Use> uses;
  for (const llvm::MCWriteProcResEntry& entry :
       llvm::make_range(subtarget.getWriteProcResBegin(desc), subtarget.getWriteProcResEnd(desc))) {
    const llvm::MCProcResourceDesc* resource = model.getProcResource(entry.ProcResourceIdx);
    const double cycles = entry.ReleaseAtCycle - entry.AcquireAtCycle;
    Use use{{}, cycles};
    for (unsigned unit = 0; unit < resource->NumUnits; ++unit) {
      const bool is_group = resource->SubUnitsIdxBegin != nullptr;
      const llvm::MCProcResourceDesc* part =
          is_group ? model.getProcResource(resource->SubUnitsIdxBegin[unit]) : resource;
      use.ports.push_back(UnitName(*part, use.ports));
    }
    std::ranges::sort(use.ports);
    uses.push_back(std::move(use));
  }
  // What a port or a small group takes is counted again in each group that has it.
  std::vector<ModelPorts> ports;
  std::ranges::sort(uses, {}, [](const Use& use) { return use.ports.size(); });
  for (std::size_t i = 0; i < uses.size(); ++i) {
    double own = uses[i].cycles;
    for (std::size_t k = 0; k < i; ++k) {
      if (std::ranges::includes(uses[i].ports, uses[k].ports)) own -= uses[k].cycles;
    }
    uses[i].cycles = std::max(own, 0.0);
    if (uses[i].cycles > 0) ports.push_back({uses[i].ports, uses[i].cycles});
  }
  return ports;
}

}  // namespace cyclescope::assembler
