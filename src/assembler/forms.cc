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

// How to choose the operands of one form.
struct Choice {
  Immediates immediates;
  unsigned address_variant = 0;
  // From the top: registers 16 to 31 give the EVEX forms of x86-64 a text of their own.
  bool high_vectors = false;
};

// Registers all different, as far as their classes let them.
class RegisterPicker {
 public:
  RegisterPicker(const Llvm& llvm, bool high_vectors) : llvm_(llvm), high_vectors_(high_vectors) {}

  // Is not chosen where another may be.
  void Avoid(llvm::MCRegister reg) {
    const RegisterDescription& described = llvm_.register_table->Describe(reg);
    used_[static_cast<std::size_t>(described.first.file)] |=
        BitsOf(described, described.first.index);
  }

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
    for (const RegisterOrder& order : llvm_.rules->register_orders) {
      if (order.file != described.first.file) continue;
      for (const std::uint8_t candidate : order.indexes) try_index(candidate);
    }
    const bool from_top = high_vectors_ && described.first.file == RegisterFile::kVector;
    for (std::uint8_t i = 0; i < RegisterChoices::kMaxIndex; ++i) {
      try_index(from_top ? RegisterChoices::kMaxIndex - 1 - i : i);
    }
    if (!index) index = static_cast<std::uint8_t>(first);
    used |= BitsOf(described, *index);
    return choices.by_index[*index];
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

// One instruction of an opcode.
class FormBuilder {
 public:
  FormBuilder(const Llvm& llvm, unsigned opcode, const Choice& choice)
      : llvm_(llvm),
        desc_(llvm.instructions->get(opcode)),
        picker_(llvm, choice.high_vectors),
        choice_(choice) {
    inst_.setOpcode(opcode);
    // `pcmpistrm xmm0, xmm1, 1` would read what the copy before it wrote, and `blendvpd xmm0, xmm1`
    // would write the mask of the copy after it.
    for (const llvm::ArrayRef<llvm::MCPhysReg> fixed :
         {desc_.implicit_defs(), desc_.implicit_uses()}) {
      for (const llvm::MCPhysReg reg : fixed) {
        if (llvm.register_table->Describe(reg).first.file == RegisterFile::kVector)
          picker_.Avoid(reg);
      }
    }
  }

  llvm::MCInst Build() {
    const Immediates& values = choice_.immediates;
    const auto pick = [this](unsigned register_class) { return picker_.Pick(register_class); };
    for (unsigned slot = 0; slot < desc_.getNumOperands(); ++slot) {
      const llvm::MCOperandInfo& info = desc_.operands()[slot];
      const int tied = desc_.getOperandConstraint(slot, llvm::MCOI::TIED_TO);
      if (tied >= 0) {
        inst_.addOperand(inst_.getOperand(static_cast<unsigned>(tied)));
      } else if (const unsigned slots = llvm_.rules->add_address(
                     llvm_, desc_.getOpcode(), slot, choice_.address_variant, pick, inst_)) {
        slot += slots - 1;
      } else if (info.RegClass >= 0) {
        inst_.addOperand(
            llvm::MCOperand::createReg(pick(static_cast<unsigned>(info.RegClass)).id()));
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

 private:
  const Llvm& llvm_;
  const llvm::MCInstrDesc& desc_;
  RegisterPicker picker_;
  const Choice& choice_;
  llvm::MCInst inst_;
  std::size_t immediates_ = 0;
};

// Best first.
std::vector<Choice> ChoicesFor(const Llvm& llvm, unsigned opcode, std::size_t immediates) {
  const std::vector<Immediates> sets = immediates == 0
                                           ? std::vector<Immediates>{{0}}
                                           : llvm.rules->immediates(llvm, opcode, immediates);
  std::vector<Choice> choices = {{.immediates = sets.front()},
                                 {.immediates = sets.front(), .high_vectors = true}};
  for (const Immediates& set : std::span(sets).subspan(1)) choices.push_back({.immediates = set});
  if (llvm.rules->has_variants(llvm, opcode)) {
    for (const Immediates& set : sets) choices.push_back({.immediates = set, .address_variant = 1});
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
  for (const Choice& choice : ChoicesFor(llvm, opcode, first.immediates())) {
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
