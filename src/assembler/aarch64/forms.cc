// The operands that a person would write, for the catalogue's forms of AArch64.
#include <llvm/MC/MCInstrDesc.h>

#include <array>

#include "assembler/aarch64/aarch64.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler::aarch64 {
namespace {

// Small numbers fit most fields, powers of two most scaled and encoded ones; 4096 and up are bit
// masks.
constexpr auto kCandidates = std::to_array<std::int64_t>(
    {3, 2, 4, 8, 16, 32, 64, 7, 15, 31, 63, 127, 255, 4096, 4097, 1, 0});

// System registers and operations that programs may use, by how opcodes begin.
struct Preferred {
  std::string_view opcode;
  std::array<std::int64_t, 5> values;
};
constexpr auto kPreferred = std::to_array<Preferred>({
    {"MSRpstateImm4", {26, 0}},  // dit
    {"MRS", {0xde82}},           // tpidr_el0
    {"MSR", {0xda21}},           // fpsr
    {"SYSxt", {3, 7, 4, 1}},     // dc zva
    {"SYSLxt", {3, 7, 4, 1}},    //
    {"DSB", {11}},               // ish
    {"DMB", {11}},               //
    {"FMOV", {0x70}},            // 1.0
});

// Their immediate says how the register before it is shifted or extended.
constexpr auto kShifted = std::to_array<std::string_view>({"rs", "rx", "rx64"});

}  // namespace

std::vector<Immediates> ImmediatesFor(const Llvm& llvm, unsigned opcode, std::size_t count) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(opcode);
  const std::string_view name = llvm.OpcodeName(opcode);
  std::vector<Immediates> sets;
  for (const Preferred& preferred : kPreferred) {
    if (name.starts_with(preferred.opcode)) {
      sets.emplace_back(preferred.values.begin(), preferred.values.end());
    }
  }
  // Addresses and shifts look best without offset and amount.
  if (desc.mayLoad() || desc.mayStore() || EndsWithAny(name, kShifted)) sets.push_back({0});
  for (const std::int64_t value : {3, 2, 1}) sets.push_back({value, 0});
  for (const std::int64_t value : kCandidates) sets.push_back({value});
  if (count == 1) return sets;
  for (const std::int64_t first : kCandidates) {
    for (const std::int64_t second : kCandidates) sets.push_back({first, second});
  }
  return sets;
}

// The parts of an address are operands like others.
unsigned AddAddress(const Llvm& /*llvm*/, unsigned /*opcode*/, unsigned /*slot*/,
                    unsigned /*variant*/, PickRegister /*pick*/, llvm::MCInst& /*inst*/) {
  return 0;
}

bool HasVariants(const Llvm& /*llvm*/, unsigned /*opcode*/) { return false; }

}  // namespace cyclescope::assembler::aarch64
