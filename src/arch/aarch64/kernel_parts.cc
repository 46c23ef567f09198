#include "arch/kernel_parts.h"

#include <fmt/core.h>

#include "arch/value_patterns.h"

namespace cyclescope::arch {
namespace {

constexpr KernelRegisters kRegisters = {
    .loops_argument = 0, .counter = 28, .address = 27, .zero = 26, .temporary = 25, .stack = 24};

constexpr auto kConnectors = std::to_array<Connector>({
    {RegisterFile::kGeneral, RegisterFile::kGeneral, "eor x0, x1, x2"},
    {RegisterFile::kVector, RegisterFile::kVector, "eor v0.16b, v1.16b, v2.16b"},
    {RegisterFile::kGeneral, RegisterFile::kVector, "fmov d0, x1"},
    {RegisterFile::kVector, RegisterFile::kGeneral, "fmov x0, d1"},
    {RegisterFile::kGeneral, RegisterFile::kFlags, "cmp x1, x2"},
    {RegisterFile::kFlags, RegisterFile::kGeneral, "csel x0, x2, x3, eq"},
    {RegisterFile::kVector, RegisterFile::kFlags, "fcmp d1, d2"},
    {RegisterFile::kFlags, RegisterFile::kVector, "fcsel d0, d2, d3, eq"},
    {RegisterFile::kMask, RegisterFile::kMask, "and p0.b, p2/z, p1.b, p1.b"},
    {RegisterFile::kMask, RegisterFile::kGeneral, "cntp x0, p2, p1.b"},
    {RegisterFile::kGeneral, RegisterFile::kMask, "whilelo p0.b, x2, x1"},
    {RegisterFile::kMask, RegisterFile::kVector, "mov z0.b, p1/z, #1"},
    {RegisterFile::kVector, RegisterFile::kMask, "cmpne p0.b, p2/z, z1.b, #0"},
});

constexpr auto kLoadConnectors = std::to_array<LoadConnector>({
    {RegisterFile::kGeneral, 64, "ldr x0, [x1]"},
    {RegisterFile::kGeneral, 32, "ldr w0, [x1]"},
    {RegisterFile::kVector, 128, "ldr q0, [x1]"},
    {RegisterFile::kVector, 64, "ldr d0, [x1]"},
    {RegisterFile::kVector, 32, "ldr s0, [x1]"},
    {RegisterFile::kVector, 16, "ldr h0, [x1]"},
    {RegisterFile::kVector, 8, "ldr b0, [x1]"},
});

constexpr auto kPins = std::to_array<Pin>({
    {RegisterFile::kGeneral, "and x0, x0, x1", "orr x0, x0, x2"},
    {RegisterFile::kVector, "and v0.16b, v0.16b, v1.16b", "orr v0.16b, v0.16b, v2.16b"},
});

const FloatPatterns& PatternsFor(std::string_view text) {
  const std::string_view operands = text.substr(text.find(' ') + 1);
  const auto has = [operands](std::string_view part) {
    return operands.find(part) != std::string_view::npos;
  };
  if (has(".4h") || has(".8h") || has(".h") || operands.starts_with('h')) return kHalfPatterns;
  if (has(".2s") || has(".4s") || has(".s") || operands.starts_with('s')) return kSinglePatterns;
  return kDoublePatterns;
}

std::uint32_t Word(int reg) { return static_cast<std::uint32_t>(reg); }

void AppendWord(std::uint32_t word, std::vector<std::uint8_t>& bytes) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

}  // namespace

const KernelRegisters& ReservedRegisters() { return kRegisters; }

std::string SetGeneralText(int index, std::uint64_t value) {
  std::string text = fmt::format("movz x{}, #{}\n", index, value & 0xffff);
  for (int shift = 16; shift < 64; shift += 16) {
    const std::uint64_t part = value >> shift & 0xffff;
    if (part != 0) text += fmt::format("movk x{}, #{}, lsl #{}\n", index, part, shift);
  }
  return text;
}

std::string CopyGeneralText(int to, int from) { return fmt::format("mov x{}, x{}\n", to, from); }

std::string SetVectorText(int index, int /*bits*/, int general) {
  return fmt::format("dup v{}.2d, x{}\n", index, general);
}

std::string SetMaskText(int index) { return fmt::format("ptrue p{}.b\n", index); }

std::string SetX87Text() { return ""; }
std::string SetMmxText(int /*index*/, int /*general*/) { return ""; }

std::string SetFlagsText() {
  return fmt::format("cmp x{}, x{}\n", kRegisters.address, kRegisters.zero);
}

std::string SaveStackText() { return fmt::format("mov x{}, sp\n", kRegisters.stack); }
std::string RestoreStackText() { return fmt::format("mov sp, x{}\n", kRegisters.stack); }

std::string RestoreAddressText(int general) {
  return fmt::format("and x{0}, x{0}, x{1}\nadd x{0}, x{0}, x{2}\n", general, kRegisters.zero,
                     kRegisters.address);
}

std::vector<std::uint8_t> LoopEnd(int counter, std::size_t distance, bool /*keep_flags*/) {
  constexpr std::uint32_t kSubImmediateOne = 0xd1000400;  // sub xd, xn, #1
  constexpr std::uint32_t kCbnz = 0xb5000000;
  std::vector<std::uint8_t> bytes;
  AppendWord(kSubImmediateOne | Word(counter) << 5 | Word(counter), bytes);
  const auto words_back =
      static_cast<std::uint32_t>(-static_cast<std::int64_t>((distance + bytes.size()) / 4));
  AppendWord(kCbnz | (words_back & 0x7ffff) << 5 | Word(counter), bytes);
  return bytes;
}

std::int64_t BranchToTheNext() { return 1; }  // in instructions

std::uint32_t GeneralRegisters() { return 0x7fff'ffff; }
int VectorRegisters() { return 32; }

std::span<const Connector> Connectors() { return kConnectors; }
std::span<const LoadConnector> LoadConnectors() { return kLoadConnectors; }
std::string_view AddressConnector() { return "add x0, x1, x2"; }
std::span<const Pin> Pins() { return kPins; }

std::vector<ValueSet> ValueSetsFor(std::string_view mnemonic, std::string_view text) {
  if (mnemonic == "sdiv" || mnemonic == "udiv" || mnemonic == "sdivr" || mnemonic == "udivr") {
    // Dividers take their time from the length of the quotient; a power of two as divisor is a case
    // of its own.
    return {{"cheap", {1, 0x7fff'ffff, 0}}, {"dear", {0x7fff'ffff'7fff'ffff, 3, 0}}};
  }
  if (mnemonic == "fdiv" || mnemonic == "fsqrt" || mnemonic == "fdivr") {
    const FloatPatterns& patterns = PatternsFor(text);
    return {{"cheap", {patterns.cheap, patterns.cheap, patterns.cheap}},
            {"dear", {patterns.dear_first, patterns.dear_second, patterns.dear_second}}};
  }
  return {};
}

}  // namespace cyclescope::arch
