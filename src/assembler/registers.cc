#include "assembler/registers.h"

#include <fmt/core.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/MC/MCRegisterInfo.h>

#include <algorithm>

#include "assembler/rules.h"

namespace cyclescope::assembler {
namespace {

// The high bytes are numbered behind the first four low ones in the encoding (Intel SDM vol. 2,
// 2.1.5), but belong to the same registers.
constexpr std::uint8_t kFirstHighByte = 4;

std::uint8_t IndexOf(const llvm::MCRegisterInfo& registers, llvm::MCRegister reg, bool high_byte) {
  const auto encoding = static_cast<std::uint8_t>(registers.getEncodingValue(reg));
  return high_byte ? encoding - kFirstHighByte : encoding;
}

}  // namespace

RegisterTable::RegisterTable(const llvm::MCRegisterInfo& registers, const Rules& rules)
    : registers_(registers),
      rules_(rules),
      descriptions_(registers.getNumRegs()),
      choices_(registers.getNumRegClasses()),
      with_sp_(registers.getNumRegClasses()) {
  for (const ClassFile& entry : rules.class_files) {
    for (const llvm::MCRegisterClass& register_class : registers.regclasses()) {
      if (entry.register_class != registers.getRegClassName(&register_class)) continue;
      for (const llvm::MCPhysReg number : register_class) {
        const llvm::MCRegister reg(number);
        const bool high_byte =
            std::ranges::find(rules.high_bytes, std::string_view(registers.getName(reg))) !=
            rules.high_bytes.end();
        descriptions_[number] = {.first = {.file = entry.file,
                                           .index = IndexOf(registers, reg, high_byte),
                                           .bits = entry.bits,
                                           .high_byte = high_byte},
                                 .count = entry.count,
                                 .stride = entry.stride};
      }
    }
  }
  llvm::MCRegister stack_pointer;
  for (unsigned number = 1; number < registers.getNumRegs(); ++number) {
    const std::string_view name = registers.getName(number);
    const auto single = std::ranges::find(rules.single_registers, name, &SingleRegister::llvm_name);
    if (single != rules.single_registers.end()) descriptions_[number] = {.first = single->reg};
    if (name == rules.stack_pointer) stack_pointer = number;
  }
  stack_pointer_ = Describe(stack_pointer).first;
  for (const llvm::MCRegisterClass& register_class : registers.regclasses()) {
    RegisterChoices& choices = choices_[register_class.getID()];
    for (const llvm::MCPhysReg number : register_class) {
      const RegisterDescription& described = descriptions_[number];
      const bool is_sp = IsStackPointer(described.first);
      if (is_sp) with_sp_[register_class.getID()] = true;
      const bool fixed = described.first.file == RegisterFile::kNone ||
                         described.first.file == RegisterFile::kZero || described.first.high_byte ||
                         is_sp;
      if (fixed || described.first.index >= RegisterChoices::kMaxIndex) continue;
      if (described.first.file == RegisterFile::kGeneral) {
        const unsigned last = described.first.index + (described.count - 1) * described.stride;
        if ((rules.general_registers >> last & 1) == 0) continue;
      }
      choices.by_index[described.first.index] = number;
      choices.mask |= 1U << described.first.index;
    }
  }
}

std::optional<Register> RegisterTable::Find(std::string_view name) const {
  const std::string wanted = llvm::StringRef(name).lower();
  for (unsigned i = 1; i < registers_.getNumRegs(); ++i) {
    const RegisterDescription& described = Describe(i);
    if (described.first.file == RegisterFile::kNone || described.count != 1) continue;
    if (Name(llvm::MCRegister(i)) == wanted ||
        llvm::StringRef(registers_.getName(i)).equals_insensitive(wanted))
      return described.first;
  }
  return std::nullopt;
}

std::string RegisterTable::Name(llvm::MCRegister reg) const {
  const auto simple_name = [this](std::string_view llvm_name) {
    const auto single =
        std::ranges::find(rules_.single_registers, llvm_name, &SingleRegister::llvm_name);
    if (single != rules_.single_registers.end()) return std::string(single->name);
    return llvm::StringRef(llvm_name).lower();
  };
  // LLVM names a list after its registers: "Q0_Q1_Q2".
  const std::string_view llvm_name = registers_.getName(reg);
  if (Describe(reg).count == 1) return simple_name(llvm_name);
  return fmt::format("{}-{}", simple_name(llvm_name.substr(0, llvm_name.find('_'))),
                     simple_name(llvm_name.substr(llvm_name.rfind('_') + 1)));
}

llvm::MCRegister RegisterTable::Find(const Register& reg) const {
  for (unsigned number = 1; number < descriptions_.size(); ++number) {
    const RegisterDescription& described = descriptions_[number];
    if (described.count == 1 && described.first == reg) return number;
  }
  return {};
}

std::string RegisterTable::Name(const Register& reg) const {
  const llvm::MCRegister found = Find(reg);
  return found.isValid() ? Name(found) : std::string();
}

}  // namespace cyclescope::assembler
