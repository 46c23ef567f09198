#include "assembler/forms.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "assembler/roles.h"

namespace cyclescope::assembler {
namespace {

using Values = llvm::SmallVector<std::int64_t, 6>;

constexpr std::size_t kAddressSlots = 5;  // base, scale, index, displacement, segment on x86-64

// How to choose the operands of one form.
struct Choice {
  Values immediates;  // in their order
  bool strings_swapped = false;
  // From the top: registers 16 to 31 give the EVEX forms of x86-64 a text of their own.
  bool high_vectors = false;
};

// Registers all different, as far as their classes let them.
class RegisterPicker {
 public:
  RegisterPicker(const Llvm& llvm, bool high_vectors) : llvm_(llvm), high_vectors_(high_vectors) {}

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
    const bool from_top = high_vectors_ && described.first.file == RegisterFile::kVector;
    for (std::uint8_t i = 0; i < RegisterChoices::kMaxIndex; ++i) {
      try_index(from_top ? RegisterChoices::kMaxIndex - 1 - i : i);
    }
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
  bool high_vectors_;
  std::array<std::uint32_t, 16> used_{};  // by RegisterFile
};

llvm::MCRegister RegisterNamed(const Llvm& llvm, std::string_view name) {
  for (unsigned number = 1; number < llvm.registers->getNumRegs(); ++number) {
    if (name == llvm.registers->getName(number)) return number;
  }
  return {};
}

// One instruction of an opcode.
class FormBuilder {
 public:
  FormBuilder(const Llvm& llvm, unsigned opcode, const Choice& choice)
      : llvm_(llvm),
        desc_(llvm.instructions->get(opcode)),
        picker_(llvm, choice.high_vectors),
        choice_(choice) {
    inst_.setOpcode(opcode);
  }

  llvm::MCInst Build() {
    const Values& values = choice_.immediates;
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
    const std::size_t which = (strings_ + (choice_.strings_swapped ? 1 : 0)) % names.size();
    ++strings_;
    AddRegister(RegisterNamed(llvm_, names[which]));
  }

  const Llvm& llvm_;
  const llvm::MCInstrDesc& desc_;
  RegisterPicker picker_;
  const Choice& choice_;
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

// Best first.
std::vector<Choice> ChoicesFor(const Llvm& llvm, const llvm::MCInstrDesc& desc,
                               const FormBuilder& built) {
  const std::vector<Values> sets = ImmediateSets(llvm, desc, built.immediates());
  std::vector<Choice> choices = {{.immediates = sets.front()},
                                 {.immediates = sets.front(), .high_vectors = true}};
  for (const Values& set : std::span(sets).subspan(1)) choices.push_back({.immediates = set});
  if (built.strings() > 0) {
    for (const Values& set : sets) {
      choices.push_back({.immediates = set, .strings_swapped = true});
    }
  }
  return choices;
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
  const Choice zeros{.immediates = {0}};
  FormBuilder first(llvm, opcode, zeros);
  llvm::SmallVector<char, 16> bytes;
  AppendBytes(llvm, first.Build(), bytes);
  if (bytes.empty()) return found;
  found.has_bytes = true;

  std::vector<llvm::SmallVector<char, 16>> seen;
  for (const Choice& choice : ChoicesFor(llvm, llvm.instructions->get(opcode), first)) {
    if (found.forms.size() == most) break;
    const llvm::MCInst inst = FormBuilder(llvm, opcode, choice).Build();
    bytes.clear();
    AppendBytes(llvm, inst, bytes);
    if (std::ranges::find(seen, bytes) != seen.end()) continue;
    seen.push_back(bytes);
    const auto read_back = ReadBack(disassembler, bytes);
    if (read_back && read_back->getOpcode() == opcode) {
      found.forms.push_back(*read_back);
    } else if (!read_back || read_back->getFlags() != 0) {
      if (!found.unread) found.unread = inst;
    } else if (found.reads_as.empty()) {
      found.reads_as = llvm.OpcodeName(read_back->getOpcode());
    }
  }
  return found;
}

}  // namespace cyclescope::assembler
