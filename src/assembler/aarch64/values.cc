// Which values AArch64 instructions want, and how much memory they touch.
#include <array>

#include "assembler/aarch64/aarch64.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler::aarch64 {
namespace {

using arch::ValueSet;

constexpr auto kIntegerDivisions = std::to_array<std::string_view>({"SDIV", "UDIV"});
constexpr auto kFloatDivisions = std::to_array<std::string_view>({"FDIV", "FSQRT"});
constexpr auto kHalfEndings = std::to_array<std::string_view>({"Hrr", "Hr", "f16", "_H"});
constexpr auto kSingleEndings = std::to_array<std::string_view>({"Srr", "Sr", "f32", "_S"});

const arch::FloatPatterns& PatternsFor(std::string_view opcode) {
  if (EndsWithAny(opcode, kHalfEndings)) return arch::kHalfPatterns;
  if (EndsWithAny(opcode, kSingleEndings)) return arch::kSinglePatterns;
  return arch::kDoublePatterns;
}

arch::SteadyValues SteadyFor(std::string_view opcode) {
  const bool half = EndsWithAny(opcode, kHalfEndings);
  const bool single = EndsWithAny(opcode, kSingleEndings);
  const arch::SteadyPatterns& steady = half     ? arch::kHalfSteady
                                       : single ? arch::kSingleSteady
                                                : arch::kDoubleSteady;
  const std::uint64_t large = steady.large, divisor = steady.divisor;
  arch::SteadyValues values = {.values = {large, divisor, divisor}, .on_chain = large};
  values.drifts = half;
  if (opcode.starts_with("FSQRT")) {
    values.values = {large, large, large};
    values.drifts = true;
  } else if (opcode.starts_with("FDIVR")) {  // its dividend comes second
    values.values = {divisor, large, large};
  }
  return values;
}

// By opcode: loads and stores of bytes and halfwords have wider registers than memory.
constexpr auto kBytes = std::to_array<std::string_view>(
    {"STRBB",  "STURBB",  "LDRBB",  "LDURBB", "STLRB",  "STXRB",  "STLXRB",
     "STTRB",  "STLURB",  "STLLRB", "LDARB",  "LDXRB",  "LDAXRB", "LDTRB",
     "LDAPRB", "LDAPURB", "LDLARB", "LDRSB",  "LDURSB", "LDTRSB", "LDAPURSB"});
constexpr auto kHalfwords = std::to_array<std::string_view>(
    {"STRHH",  "STURHH",  "LDRHH",  "LDURHH", "STLRH",  "STXRH",  "STLXRH",
     "STTRH",  "STLURH",  "STLLRH", "LDARH",  "LDXRH",  "LDAXRH", "LDTRH",
     "LDAPRH", "LDAPURH", "LDLARH", "LDRSH",  "LDURSH", "LDTRSH", "LDAPURSH"});
constexpr auto kWords =
    std::to_array<std::string_view>({"LDRSW", "LDURSW", "LDTRSW", "LDAPURSW", "LDPSW"});

bool IsExclusiveStore(std::string_view opcode) {
  return opcode.starts_with("STX") || opcode.starts_with("STLX");
}

bool IsData(const Instruction& instruction, const Operand& operand) {
  const bool status = IsExclusiveStore(instruction.opcode) && operand.written;
  return operand.kind == OperandKind::kRegister && !operand.implicit && !status &&
         operand.address == AddressPart::kNone && operand.reg.file != RegisterFile::kMask;
}

}  // namespace

int StoredBits(const Instruction& instruction, const Operand& operand) {
  const std::string_view opcode = instruction.opcode;
  if (operand.reg.file == RegisterFile::kGeneral || operand.reg.file == RegisterFile::kZero) {
    if (BeginsWithAny(opcode, kBytes)) return 8;
    if (BeginsWithAny(opcode, kHalfwords)) return 16;
    if (BeginsWithAny(opcode, kWords)) return 32;
  }
  // Single lanes: ST1i16, LD2i32_POST.
  const bool lanes = opcode.starts_with("ST") || opcode.starts_with("LD");
  if (lanes && opcode.size() > 4 && opcode[3] == 'i') {
    for (const int bits : {8, 16, 32, 64}) {
      if (opcode.substr(4).starts_with(std::to_string(bits))) return bits;
    }
  }
  return operand.reg.bits;
}

MemoryAccess AccessOf(const Llvm& /*llvm*/, const llvm::MCInst& /*inst*/,
                      const Instruction& instruction) {
  MemoryAccess access;
  // Compare-and-swap and its like name a register for each value that one place has.
  const bool updates = instruction.flags.may_load && instruction.flags.may_store;
  for (const Operand& operand : instruction.operands) {
    if (!IsData(instruction, operand)) continue;
    const auto bits = static_cast<std::uint16_t>(StoredBits(instruction, operand) * operand.count);
    access.bits =
        updates ? std::max(access.bits, bits) : static_cast<std::uint16_t>(access.bits + bits);
  }
  access.places_differ = instruction.opcode.starts_with("CPY");  // memory to memory
  return access;
}

std::vector<ValueSet> ValueSets(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (BeginsWithAny(opcode, kIntegerDivisions)) {
    // Dividers take their time from the length of the quotient; a power of two as divisor is a case
    // of its own.
    return {{"fast", {1, 0x7fff'ffff, 0}}, {"slow", {0x7fff'ffff'7fff'ffff, 3, 0}}};
  }
  if (!BeginsWithAny(opcode, kFloatDivisions)) return {};
  const arch::FloatPatterns& patterns = PatternsFor(opcode);
  const std::array<std::uint64_t, 3> fast = {patterns.fast, patterns.fast, patterns.fast};
  return {{.name = "fast",
           .values = fast,
           .steady = arch::SteadyValues{.values = fast, .on_chain = patterns.fast}},
          {.name = "slow",
           .values = {patterns.slow_first, patterns.slow_second, patterns.slow_second},
           .steady = SteadyFor(opcode)}};
}

}  // namespace cyclescope::assembler::aarch64
