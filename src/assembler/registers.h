// LLVM's register numbers, as files, indexes and widths.
#pragma once

#include <llvm/MC/MCRegister.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"

namespace llvm {
class MCRegisterInfo;
}

namespace cyclescope::assembler {

struct Rules;

// What one of LLVM's registers is: a physical register, or several that an instruction names at
// once.
struct RegisterDescription {
  Register first;
  std::uint8_t count = 1;
  std::uint8_t stride = 1;
};

// Which of LLVM's registers stand for register n of a file in one register class.
struct RegisterChoices {
  static constexpr std::size_t kMaxIndex = 32;
  std::array<llvm::MCRegister, kMaxIndex> by_index{};
  std::uint32_t mask = 0;  // bit n: by_index[n] may be chosen freely
};

class RegisterTable {
 public:
  RegisterTable(const llvm::MCRegisterInfo& registers, const Rules& rules);

  const RegisterDescription& Describe(llvm::MCRegister reg) const {
    return descriptions_[reg.id()];
  }
  const RegisterChoices& Choices(unsigned register_class) const { return choices_[register_class]; }
  bool IsStackPointer(const Register& reg) const { return reg.Overlaps(stack_pointer_); }
  bool HoldsStackPointer(unsigned register_class) const { return with_sp_[register_class]; }

  // LLVM's register; invalid where there is none.
  llvm::MCRegister Find(const Register& reg) const;

  // The register of that name, in capital or small letters; unset where there is none.
  std::optional<Register> Find(std::string_view name) const;

  // "x5", "rax", "st(0)"; a list is "v0-v3".
  std::string Name(llvm::MCRegister reg) const;
  std::string Name(const Register& reg) const;

 private:
  const llvm::MCRegisterInfo& registers_;
  const Rules& rules_;
  std::vector<RegisterDescription> descriptions_;  // by LLVM's register number
  std::vector<RegisterChoices> choices_;           // by LLVM's register class
  std::vector<bool> with_sp_;
  Register stack_pointer_;
};

}  // namespace cyclescope::assembler
