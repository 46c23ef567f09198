#include "library/osaca_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cyclescope::library {
namespace {

using assembler::AddressPart;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

// Places of memory differ in more ways than we measured: any address of the form is meant.
constexpr std::string_view kX86Memory =
    "class: memory, base: '*', offset: '*', index: '*', scale: '*'";
constexpr std::string_view kArmMemory =
    "class: memory, base: '*', offset: '*', index: '*', scale: '*', pre-indexed: '*', "
    "post-indexed: '*'";

std::optional<std::string> X86Register(const assembler::Register& reg) {
  switch (reg.file) {
    case RegisterFile::kGeneral:
      return "gpr";
    case RegisterFile::kVector:
      return reg.bits >= 512 ? "zmm" : reg.bits >= 256 ? "ymm" : "xmm";
    case RegisterFile::kMask:
      return "k";
    case RegisterFile::kMmx:
      return "mm";
    case RegisterFile::kX87:
    case RegisterFile::kNone:
    case RegisterFile::kFlags:
    case RegisterFile::kTile:
    case RegisterFile::kZero:
    case RegisterFile::kControl:
    case RegisterFile::kSystem:
      break;
  }
  return std::nullopt;
}

// The letter of its name says what OSACA wants to know: x, w, q, d, s, v, z, p. How a vector is
// divided is not part of our operands.
std::optional<std::string> ArmRegister(const Operand& operand) {
  switch (operand.reg.file) {
    case RegisterFile::kGeneral:
    case RegisterFile::kZero:
      return fmt::format("class: register, prefix: {}", operand.reg.bits == 32 ? 'w' : 'x');
    case RegisterFile::kVector:
    case RegisterFile::kMask:
      if (operand.name.empty()) break;
      return operand.name.front() == 'v' || operand.name.front() == 'z'
                 ? fmt::format("class: register, prefix: {}, shape: '*'", operand.name.front())
                 : fmt::format("class: register, prefix: {}", operand.name.front());
    case RegisterFile::kNone:
    case RegisterFile::kFlags:
    case RegisterFile::kX87:
    case RegisterFile::kMmx:
    case RegisterFile::kTile:
    case RegisterFile::kControl:
    case RegisterFile::kSystem:
      break;
  }
  return std::nullopt;
}

// Another architecture needs words of its own.
bool IsX86(assembler::Architecture architecture) {
  switch (architecture) {
    case assembler::Architecture::kX86_64:
      return true;
    case assembler::Architecture::kAArch64:
      return false;
  }
  std::unreachable();
}

}  // namespace

std::optional<OsacaForm> DescribeForOsaca(assembler::Assembler& assembler,
                                          const std::string& text) {
  const auto parsed = assembler.Parse(text);
  if (!parsed || parsed->size() != 1) return std::nullopt;
  const assembler::Instruction& instruction = parsed->front();
  const bool x86 = IsX86(assembler.target().architecture);
  OsacaForm form;
  form.name = instruction.name;
  bool in_address = false;
  for (const Operand& operand : instruction.operands) {
    if (operand.implicit) continue;
    if (operand.address != AddressPart::kNone) {
      if (!in_address) form.operands.emplace_back(x86 ? kX86Memory : kArmMemory);
      in_address = true;
      continue;
    }
    in_address = false;
    switch (operand.kind) {
      case OperandKind::kRegister: {
        const auto name = x86 ? X86Register(operand.reg) : ArmRegister(operand);
        if (!name) return std::nullopt;
        form.operands.push_back(x86 ? "class: register, name: " + *name : *name);
        break;
      }
      case OperandKind::kImmediate:
        form.operands.emplace_back("class: immediate, imd: int");
        break;
      case OperandKind::kLabel:
        form.operands.emplace_back("class: identifier");
        break;
      case OperandKind::kModifier:
        if (operand.value == 0) break;  // a shift by nothing, which is not written
        return std::nullopt;
      case OperandKind::kCondition:
        return std::nullopt;
      case OperandKind::kMemory:
        break;
    }
  }
  // OSACA has x86-64 in AT&T's order.
  if (x86) std::ranges::reverse(form.operands);
  return form;
}

}  // namespace cyclescope::library
