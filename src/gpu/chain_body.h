// The body of a kernel that repeats a form: registers and their first values, copies, and how a
// result becomes the next copy's source.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "gpu/chain_link.h"
#include "gpu/module_text.h"
#include "gpu/ptx_text.h"

namespace cyclescope::gpu {

// The text of a body while it is being made: declarations, then lines.
class ChainBody {
 public:
  ChainBody(ModuleText& module, const ChainSpec& spec, int chains, unsigned threads)
      : module_(module), spec_(spec), form_(*spec.form), chains_(chains), threads_(threads) {}

  void Line(std::string_view text);

  // Declares all registers and gives them their first values.
  void SetUp();
  // The form once, in that chain, and what leads to the next copy.
  void Copy(int copy, int chain);
  // Jumps to `label` if the chain's value is one that it never has: the clock waits for it.
  void WaitFor(int chain, std::string_view label);
  // Uses all results, so that none of them is in vain.
  void Sink();

  std::string Text() const { return declarations_ + lines_; }

 private:
  static constexpr int kRotations = 4;

  const PtxOperand* source() const {
    return spec_.source ? &form_.sources[*spec_.source] : nullptr;
  }
  const PtxOperand* result() const {
    return spec_.result ? &form_.results[*spec_.result] : nullptr;
  }
  RegisterKind KindOf(std::size_t reg) const { return form_.registers[reg].kind; }

  void Declare(RegisterKind kind, std::string_view name);
  std::string Temporary(RegisterKind kind);
  // The value in a register of 32 bits: its own, or another.
  std::string In32Bits(RegisterKind kind, const std::string& name);
  // A new register of 32 bits that depends on the value; of a predicate one of two values, of which
  // `if_true` is one.
  std::string Digest(RegisterKind kind, const std::string& name, const std::string& if_true);

  bool IsLinked(std::size_t reg) const;
  // The register whose value the linked source takes.
  std::size_t LinkedTo(std::size_t reg) const;
  bool IsSameRegister(std::size_t reg) const;
  bool IsAddress(std::size_t reg) const { return AddressOf(reg) != nullptr; }
  const PtxOperand* AddressOf(std::size_t reg) const;
  bool Rotates() const { return form_.registers.size() <= 5; }
  bool IsMask(std::size_t reg) const;

  std::string NameIn(const PtxPiece& piece, int copy, int chain) const;

  // A register that holds the value, which the compiler does not know.
  std::string Load(std::uint32_t value);
  void SetInput(std::size_t reg, const std::string& name);
  void SetAddress(const PtxOperand& operand, std::size_t reg, const std::string& name, int chain);
  void Convert(RegisterKind from_kind, const std::string& from, RegisterKind to_kind,
               const std::string& to);
  void LinkAddress(const std::string& from32, std::size_t reg, int chain);
  void Alternate(int copy, int chain);

  ModuleText& module_;
  const ChainSpec& spec_;
  const PtxForm& form_;
  int chains_;
  unsigned threads_;
  std::string declarations_;
  std::string lines_;
  std::set<std::string> declared_;
  int temporaries_ = 0;
  std::array<std::string, kRotations> guards_;
  std::array<std::string, kRotations> ones_;
  std::array<std::string, kRotations> zeros_;
  std::string zero_;
  std::string magic_;
  std::string high_;
  std::string low_half_;
};

}  // namespace cyclescope::gpu
