#include "assembler/forms.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "assembler/roles.h"

namespace cyclescope::assembler {
namespace {

using Values = llvm::SmallVector<std::int64_t, 6>;

constexpr std::size_t kAddressSlots = 5;  // base, scale, index, displacement, segment on x86-64

// Registers all different, as far as their classes let them.
class RegisterPicker {
 public:
  explicit RegisterPicker(const Llvm& llvm) : llvm_(llvm) {}

  // Invalid where the class has no register that may be chosen.
  llvm::MCRegister Pick(unsigned register_class) {
    const RegisterChoices& choices = llvm_.register_table->Choices(register_class);
    if (choices.mask == 0) return FirstOf(register_class);
    const int first = std::countr_zero(choices.mask);
    const RegisterDescription& described = llvm_.register_table->Describe(choices.by_index[first]);
    std::uint32_t& used = used_[static_cast<std::size_t>(described.first.file)];
    std::optional<std::uint8_t> index;
    const auto try_index = [&](std::uint8_t candidate) {
      const std::uint32_t bits = BitsOf(described, candidate);
      if (!index && (choices.mask >> candidate & 1) != 0 && (used & bits) == 0) index = candidate;
    };
    if (described.first.file == RegisterFile::kGeneral) {
      for (const std::uint8_t candidate : llvm_.rules->general_order) try_index(candidate);
    }
    for (std::uint8_t i = 0; i < RegisterChoices::kMaxIndex; ++i) try_index(i);
    if (!index) index = static_cast<std::uint8_t>(first);
    used |= BitsOf(described, *index);
    return choices.by_index[*index];
  }

  llvm::MCRegister PickAddress() {
    for (const llvm::MCRegisterClass& register_class : llvm_.registers->regclasses()) {
      if (std::string_view(llvm_.registers->getRegClassName(&register_class)) == "GR64_NOSP") {
        return Pick(register_class.getID());
      }
    }
    return {};
  }

 private:
  static std::uint32_t BitsOf(const RegisterDescription& described, std::uint8_t index) {
    std::uint32_t bits = 0;
    for (int i = 0; i < described.count; ++i) {
      bits |= 1U << ((index + i * described.stride) % RegisterChoices::kMaxIndex);
    }
    return bits;
  }

  llvm::MCRegister FirstOf(unsigned register_class) const {
    const llvm::MCRegisterClass& members = llvm_.registers->getRegClass(register_class);
    return members.getNumRegs() == 0 ? llvm::MCRegister()
                                     : llvm::MCRegister(members.getRegister(0));
  }

  const Llvm& llvm_;
  std::array<std::uint32_t, 16> used_{};  // by RegisterFile
};

llvm::MCRegister RegisterNamed(const Llvm& llvm, std::string_view name) {
  for (unsigned number = 1; number < llvm.registers->getNumRegs(); ++number) {
    if (name == llvm.registers->getName(number)) return number;
  }
  return {};
}

// One instruction of an opcode, its immediates taken from `values` in their order.
class FormBuilder {
 public:
  FormBuilder(const Llvm& llvm, unsigned opcode, bool strings_swapped)
      : llvm_(llvm),
        desc_(llvm.instructions->get(opcode)),
        picker_(llvm),
        strings_swapped_(strings_swapped) {
    inst_.setOpcode(opcode);
  }

  llvm::MCInst Build(const Values& values) {
    for (unsigned slot = 0; slot < desc_.getNumOperands(); ++slot) {
      const llvm::MCOperandInfo& info = desc_.operands()[slot];
      const int tied = desc_.getOperandConstraint(slot, llvm::MCOI::TIED_TO);
      if (tied >= 0) {
        inst_.addOperand(inst_.getOperand(static_cast<unsigned>(tied)));
      } else if (IsAddress(slot)) {
        AddAddress(slot);
        slot += kAddressSlots - 1;
      } else if (info.OperandType == llvm::MCOI::OPERAND_MEMORY && info.RegClass >= 0) {
        AddStringAddress(info);
      } else if (info.RegClass >= 0) {
        AddRegister(picker_.Pick(static_cast<unsigned>(info.RegClass)));
      } else if (info.OperandType == llvm::MCOI::OPERAND_PCREL) {
        inst_.addOperand(llvm::MCOperand::createImm(llvm_.rules->next_instruction));
      } else {
        inst_.addOperand(llvm::MCOperand::createImm(
            immediates_ < values.size() ? values[immediates_] : values.back()));
        ++immediates_;
      }
    }
    return inst_;
  }

  // How many it has; known once it is built.
  std::size_t immediates() const { return immediates_; }
  std::size_t strings() const { return strings_; }

 private:
  bool IsAddress(unsigned slot) const {
    const auto operands = desc_.operands();
    if (slot + kAddressSlots > operands.size()) return false;
    const llvm::MCOperandInfo& segment = operands[slot + kAddressSlots - 1];
    if (segment.RegClass < 0 || operands[slot].RegClass < 0) return false;
    const std::string_view segment_class = llvm_.registers->getRegClassName(
        &llvm_.registers->getRegClass(static_cast<unsigned>(segment.RegClass)));
    return segment_class == "SEGMENT_REG" && operands[slot + 1].RegClass < 0 &&
           operands[slot + 3].RegClass < 0;
  }

  void AddRegister(llvm::MCRegister reg) { inst_.addOperand(llvm::MCOperand::createReg(reg.id())); }

  void AddAddress(unsigned slot) {
    const llvm::MCOperandInfo& index = desc_.operands()[slot + 2];
    const bool vector_index = index.RegClass >= 0 && !index.isLookupPtrRegClass() &&
                              desc_.operands()[slot].OperandType == llvm::MCOI::OPERAND_MEMORY;
    AddRegister(picker_.PickAddress());
    inst_.addOperand(llvm::MCOperand::createImm(1));
    AddRegister(vector_index ? picker_.Pick(static_cast<unsigned>(index.RegClass))
                             : llvm::MCRegister());
    inst_.addOperand(llvm::MCOperand::createImm(0));
    AddRegister({});
  }

  void AddStringAddress(const llvm::MCOperandInfo& info) {
    if (!info.isLookupPtrRegClass()) return AddRegister({});  // the segment
    const auto& names = llvm_.rules->string_addresses;
    const std::size_t which = (strings_ + (strings_swapped_ ? 1 : 0)) % names.size();
    ++strings_;
    AddRegister(RegisterNamed(llvm_, names[which]));
  }

  const Llvm& llvm_;
  const llvm::MCInstrDesc& desc_;
  RegisterPicker picker_;
  bool strings_swapped_;
  llvm::MCInst inst_;
  std::size_t immediates_ = 0;
  std::size_t strings_ = 0;
};

// Sets of immediates, best first. Addresses and shifts look best without offset and amount, and
// rounding to nearest is the usual one.
std::vector<Values> ImmediateSets(const Llvm& llvm, const llvm::MCInstrDesc& desc,
                                  std::size_t immediates) {
  if (immediates == 0) return {{0}};
  std::vector<Values> sets;
  const std::string_view name = llvm.OpcodeName(desc.getOpcode());
  for (const PreferredImmediates& preferred : llvm.rules->preferred_immediates) {
    if (name.starts_with(preferred.opcode_prefix)) {
      sets.emplace_back(preferred.values.begin(), preferred.values.end());
    }
  }
  const bool rounds = std::ranges::any_of(desc.operands(), [](const llvm::MCOperandInfo& info) {
    return info.OperandType == llvm::MCOI::OPERAND_FIRST_TARGET;
  });
  const bool plain = desc.mayLoad() || desc.mayStore() || rounds || name.ends_with("rs") ||
                     name.ends_with("rx") || name.ends_with("rx64");
  if (plain) sets.push_back({0});
  sets.push_back({1, 0});
  for (const std::int64_t value : llvm.rules->immediate_candidates) sets.push_back({value});
  if (immediates == 1) return sets;
  for (const std::int64_t first : llvm.rules->immediate_candidates) {
    for (const std::int64_t second : llvm.rules->immediate_candidates) {
      sets.push_back({first, second});
    }
  }
  return sets;
}

bool IsEmpty(const Llvm& llvm, const llvm::MCInst& inst) {
  llvm::SmallVector<char, 16> bytes;
  AppendBytes(llvm, inst, bytes);
  return bytes.empty();
}

std::optional<llvm::MCInst> ReadBack(const llvm::MCDisassembler& disassembler,
                                     const llvm::SmallVectorImpl<char>& bytes) {
  const llvm::ArrayRef<std::uint8_t> view(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                          bytes.size());
  llvm::MCInst inst;
  std::uint64_t size = 0;
  const auto status = disassembler.getInstruction(inst, size, view, 0, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || size != bytes.size()) return std::nullopt;
  return inst;
}

}  // namespace

FormCandidates CandidatesFor(const Llvm& llvm, const llvm::MCDisassembler& disassembler,
                             unsigned opcode, std::size_t most) {
  FormCandidates found;
  FormBuilder first(llvm, opcode, /*strings_swapped=*/false);
  if (IsEmpty(llvm, first.Build({0}))) return found;
  found.has_bytes = true;

  const auto sets = ImmediateSets(llvm, llvm.instructions->get(opcode), first.immediates());
  std::vector<llvm::SmallVector<char, 16>> seen;
  for (const bool strings_swapped : {false, true}) {
    if (strings_swapped && first.strings() == 0) break;
    for (const Values& values : sets) {
      if (found.forms.size() == most) return found;
      llvm::SmallVector<char, 16> bytes;
      AppendBytes(llvm, FormBuilder(llvm, opcode, strings_swapped).Build(values), bytes);
      if (std::ranges::find(seen, bytes) != seen.end()) continue;
      seen.push_back(bytes);
      const auto read_back = ReadBack(disassembler, bytes);
      if (!read_back) continue;
      if (read_back->getOpcode() == opcode) {
        found.forms.push_back(*read_back);
      } else if (found.reads_as.empty()) {
        found.reads_as = llvm.OpcodeName(read_back->getOpcode());
      }
    }
  }
  return found;
}

}  // namespace cyclescope::assembler
