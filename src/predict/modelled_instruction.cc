#include "predict/modelled_instruction.h"

#include <algorithm>
#include <cstdint>

namespace cyclescope::predict {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;

bool LoadsData(const Instruction& instruction) {
  return instruction.flags.may_load &&
         std::ranges::any_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kMemory && operand.read;
         });
}

bool StoresData(const Instruction& instruction) {
  return instruction.flags.may_store &&
         std::ranges::any_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kMemory && operand.written;
         });
}

}  // namespace

ModelledInstruction::ModelledInstruction(CoreModel& model, const Instruction& instruction,
                                         const UnknownCosts& unknown)
    : instruction_(&instruction), model_(&model), form_(model.FormOf(instruction)) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    roles_.push_back(RoleOf(instruction, i));
  zero_ = (form_ != nullptr && form_->zero_idiom) || instruction.flags.zeroes;
  is_flow_ = instruction.flags.ChangesFlow();
  if (!has_latency() && !is_flow_)
    guess_ = model.GuessLatency(instruction) + (form_ == nullptr ? unknown.more_cycles : 0);
  loads_ = LoadsData(instruction);
  stores_ = StoresData(instruction);
  works_on_vectors_ = HasVectors(instruction);
}

bool ModelledInstruction::Updates(std::size_t operand) const {
  return roles_[operand].is_address() && instruction_->operands[operand].written;
}

std::optional<double> ModelledInstruction::Cycles(std::size_t from, std::size_t to) const {
  if (zero_ || is_flow_) return std::nullopt;
  const bool from_memory = roles_[from].kind == RoleKind::kMemory;
  if (Updates(to)) return UpdateCycles(from, to);
  if (roles_[to].kind == RoleKind::kMemory) {
    if (roles_[from].is_address()) return std::nullopt;
    return ExecuteCycles(to);
  }
  if (from_memory) return ExecuteCycles(to);
  // `pop` has no pair of operands that a chain could go through; LLVM's latency of it has more in
  // it.
  if (!has_latency() && form_ != nullptr && roles_[from].is_address() && IsPlainLoad())
    return LoadCycles();
  if (!has_latency()) return guess_;
  if (const auto known = form_->CyclesBetween(roles_[from], roles_[to])) {
    // A name cannot be given to itself: of moves, only those between two registers are done at
    // rename; `lea rdx, [rdx + 8]` is a sum.
    const bool renames = *known == 0 && from != to && !form_->same_registers;
    const Operand& source = instruction_->operands[from];
    const Operand& result = instruction_->operands[to];
    if (roles_[from].is_address() && IsMeasuredInChain()) return LoadCycles();
    const bool is_itself = source.reg.Overlaps(result.reg) && !HasDisplacement(*instruction_);
    return renames && is_itself ? 1 : *known;
  }
  // What the write keeps of a register is merged with what it changes.
  if (from == to && instruction_->operands[to].partial && !instruction_->operands[to].read)
    return std::max(1.0, works_on_vectors_ ? LongestTo(to) : 0);
  return std::nullopt;
}

double ModelledInstruction::CyclesInChainOfSums(std::size_t from, std::size_t to) const {
  constexpr double kNoiseShare = 0.15;
  if (form_ == nullptr || instruction_->number == 0 || Cycles(from, to) != 0) return 0;
  const double slot_cycles = form_->slots / model_->dispatch();
  for (const FormModel::Pair& pair : form_->pairs) {
    if (pair.from == roles_[from] && pair.to == roles_[to] &&
        pair.in_chain > (1 + kNoiseShare) * slot_cycles)
      return pair.in_chain;
  }
  return 0;
}

double ModelledInstruction::LongestTo(std::size_t to) const {
  double longest = 0;
  for (const FormModel::Pair& pair : form_->pairs) {
    if (pair.to == roles_[to] && !pair.is_bound) longest = std::max(longest, pair.cycles);
  }
  return longest;
}

// Cores keep count of what is pushed and popped where instructions are renamed (Intel's
// optimization manual, "stack pointer tracker"); other addresses are added to.
std::optional<double> ModelledInstruction::UpdateCycles(std::size_t from, std::size_t to) const {
  if (!roles_[from].is_address()) return std::nullopt;
  if (form_ != nullptr) {
    if (const auto known = form_->CyclesBetween(roles_[from], roles_[to])) return known;
  }
  const Operand& operand = instruction_->operands[to];
  return operand.implicit && operand.stack_pointer ? 0 : 1;
}

double ModelledInstruction::ExecuteCycles(std::size_t to) const {
  double longest = 0;
  for (std::size_t from = 0; from < roles_.size() && form_ != nullptr; ++from) {
    const Operand& operand = instruction_->operands[from];
    if (operand.kind != OperandKind::kRegister || !operand.read || roles_[from].is_address())
      continue;
    if (roles_[to].kind == RoleKind::kMemory) continue;
    if (const auto cycles = form_->CyclesBetween(roles_[from], roles_[to]))
      longest = std::max(longest, *cycles);
  }
  if (longest > 0) return longest;
  if (!HasExecuteUops() || ExecutesUpdate()) return 0;
  return std::max(1.0, loads_ && roles_[to].kind == RoleKind::kFlags ? FlagsBehindLoad(to) : 0);
}

// From what it loads to its flags: what it takes more than a load.
double ModelledInstruction::FlagsBehindLoad(std::size_t to) const {
  double longest = 0;
  for (std::size_t from = 0; from < roles_.size(); ++from) {
    if (roles_[from].kind != RoleKind::kBase) continue;
    if (const auto cycles = form_->CyclesBetween(roles_[from], roles_[to]))
      longest = std::max(longest, *cycles - model_->memory().LoadCycles(works_on_vectors_));
  }
  return longest;
}

// What comes in between was measured with a connector, and has its noise: parts of a cycle more
// than the same load takes elsewhere are none.
double ModelledInstruction::LoadCyclesIn(double measured, double usual) const {
  const bool is_noise = !works_on_vectors_ && measured > usual && measured < usual + 1;
  return std::max(1.0, is_noise ? usual : measured);
}

bool ModelledInstruction::IsPlainLoad() const {
  if (!loads_ || stores_ || HasExecuteUops()) return false;
  for (std::size_t from = 0; from < roles_.size(); ++from) {
    if (roles_[from].kind == RoleKind::kRegister && instruction_->operands[from].read) return false;
  }
  return true;
}

// A load that was measured with addresses that it loaded itself.
bool ModelledInstruction::IsMeasuredInChain() const {
  if (form_ == nullptr || !IsPlainLoad() || works_on_vectors_) return false;
  return std::ranges::any_of(form_->pairs, [](const FormModel::Pair& pair) {
    return pair.from.kind == RoleKind::kBase && pair.to.kind == RoleKind::kRegister &&
           pair.is_direct;
  });
}

double ModelledInstruction::SavedByLoadedAddress() const {
  // Intel's optimization manual: a base, and a displacement of less than this.
  constexpr std::int64_t kDisplacements = 2048;
  if (form_ == nullptr || !IsPlainLoad() || works_on_vectors_ || HasIndex() || IsRelative())
    return 0;
  for (const Operand& operand : instruction_->operands) {
    if (operand.address == assembler::AddressPart::kDisplacement &&
        (operand.bytes < 0 || operand.bytes >= kDisplacements))
      return 0;
  }
  return model_->memory().saved_by_loaded_address();
}

double ModelledInstruction::LoadCycles() const {
  const double usual = model_->memory().LoadCycles(works_on_vectors_);
  if (form_ == nullptr) return usual;
  const double saved = IsMeasuredInChain() ? model_->memory().saved_by_loaded_address() : 0;
  for (const FormModel::Pair& pair : form_->pairs) {
    if (pair.from.kind != RoleKind::kBase || pair.to.kind != RoleKind::kRegister || pair.is_bound)
      continue;
    for (std::size_t to = 0; to < roles_.size(); ++to) {
      if (roles_[to] == pair.to && instruction_->operands[to].written)
        return LoadCyclesIn(pair.cycles - ExecuteCycles(to), usual) + saved;
    }
  }
  return usual;
}

std::optional<double> ModelledInstruction::ForwardingCycles() const {
  if (form_ == nullptr) return std::nullopt;
  if (ChangesByNumber(*instruction_) && model_->memory().RenamesChanged(MemoryBits())) return 0;
  std::optional<double> longest;
  for (const FormModel::Pair& pair : form_->pairs) {
    if (pair.to.kind != RoleKind::kMemory || pair.from.is_address()) continue;
    // What is loaded, changed and stored again has the change in it.
    const bool has_change = HasExecuteUops() && !ExecutesUpdate();
    const double changed = pair.from.kind == RoleKind::kMemory && has_change ? 1 : 0;
    longest = std::max(longest.value_or(0), pair.cycles - changed);
  }
  return longest;
}

bool ModelledInstruction::HasExecuteUops() const {
  if (form_ == nullptr) return false;
  return std::ranges::any_of(form_->uops, [this](const UopUse& use) {
    return !use.is_store_address && use.ports != model_->load_ports() &&
           use.ports != model_->store_ports();
  });
}

bool ModelledInstruction::ExecutesUpdate() const {
  if (loads_ == stores_ || (loads_ && !instruction_->flags.plain_load)) return false;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (Updates(i) && !instruction_->operands[i].implicit) return true;
  }
  return false;
}

bool ModelledInstruction::HasIndex() const {
  return std::ranges::any_of(roles_,
                             [](const OperandRole& role) { return role.kind == RoleKind::kIndex; });
}

bool ModelledInstruction::IsRelative() const {
  return std::ranges::any_of(instruction_->operands, [](const Operand& operand) {
    return operand.address == assembler::AddressPart::kBase &&
           !arch::CarriesValues(operand.reg.file);
  });
}

int ModelledInstruction::MemoryBits() const {
  for (const Operand& operand : instruction_->operands) {
    if (operand.kind == OperandKind::kMemory) return operand.memory_bits;
  }
  return 0;
}

}  // namespace cyclescope::predict
