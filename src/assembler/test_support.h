// For the tests of this folder: assemblers of both architectures, and operands as one short line.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assembler/assembler.h"

namespace cyclescope::assembler {

inline Assembler Make(Architecture architecture, std::string_view cpu,
                      std::vector<std::string> features = {}, Syntax syntax = Syntax::kIntel) {
  auto made = Assembler::Create({architecture, std::string(cpu), std::move(features), syntax});
  if (!made) ADD_FAILURE() << made.error().ToString();
  return std::move(*made);
}

// This machine's CPU as its hypervisor offers it.
inline Assembler MakeAArch64() {
  return Make(Architecture::kAArch64, "neoverse-v1", {"-sve", "-ssbs", "-sb", "-pauth"});
}

inline Assembler MakeX86(Syntax syntax = Syntax::kIntel) {
  return Make(Architecture::kX86_64, "skylake-avx512", {}, syntax);
}

inline Instruction ParseOne(Assembler& assembler, std::string_view text) {
  auto parsed = assembler.Parse(text);
  if (!parsed) {
    ADD_FAILURE() << text << ": " << parsed.error().ToError().ToString();
    return {};
  }
  EXPECT_EQ(parsed->size(), 1u) << text;
  return parsed->empty() ? Instruction{} : parsed->front();
}

// "x0:w x1:r@base flags:rw! memory:r!": name, access, part of an address, `!` where it is implicit,
// `~` where the write is partial. Registers and memory only.
inline std::string Roles(const Instruction& instruction) {
  std::string roles;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kMemory) continue;
    if (operand.reg.file == RegisterFile::kControl) continue;
    if (!roles.empty()) roles += ' ';
    roles +=
        fmt::format("{}:{}{}", operand.name, operand.read ? "r" : "", operand.written ? "w" : "");
    switch (operand.address) {
      case AddressPart::kBase:
        roles += "@base";
        break;
      case AddressPart::kIndex:
        roles += "@index";
        break;
      case AddressPart::kIncrement:
        roles += "@increment";
        break;
      case AddressPart::kSegment:
        roles += "@segment";
        break;
      default:
        break;
    }
    if (operand.implicit) roles += '!';
    if (operand.partial) roles += '~';
  }
  return roles;
}

}  // namespace cyclescope::assembler
