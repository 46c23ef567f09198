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

constexpr auto kPins = std::to_array<Pin>({
    {RegisterFile::kGeneral, 64, "and x0, x0, x1", "orr x0, x0, x2"},
    {RegisterFile::kVector, 128, "and v0.16b, v0.16b, v1.16b", "orr v0.16b, v0.16b, v2.16b"},
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

// The address that a store went to, as a load behind it must write it: the store may have moved its
// base register.
std::optional<std::string> StoredAddress(std::string_view store) {
  const std::size_t open = store.rfind('[');
  const std::size_t close = store.rfind(']');
  if (open == std::string_view::npos || close < open || store[open - 1] == '}') return std::nullopt;
  const std::string_view inside = store.substr(open + 1, close - open - 1);
  const std::string_view behind = store.substr(close + 1);
  const std::string base(inside.substr(0, inside.find(',')));
  if (behind.empty()) return fmt::format("[{}]", inside);
  if (behind == "!") return fmt::format("[{}]", base);
  if (!behind.starts_with(", #")) return fmt::format("[{}]", base);  // by a register, which holds 0
  const std::string_view step = behind.substr(3);
  if (step == "0") return fmt::format("[{}]", base);
  return step.starts_with('-') ? fmt::format("[{}, #{}]", base, step.substr(1))
                               : fmt::format("[{}, #-{}]", base, step);
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

std::string SetAllBitsText(int index, int /*bits*/) {
  return fmt::format("movi v{}.2d, #0xffffffffffffffff\n", index);
}

std::string SetX87Text() { return ""; }
std::string SetMmxText(int /*index*/, int /*general*/) { return ""; }

std::string SetFlagsText() {
  return fmt::format("cmp x{}, x{}\n", kRegisters.address, kRegisters.zero);
}

std::string SaveStackText() { return fmt::format("mov x{}, sp\n", kRegisters.stack); }
std::string RestoreStackText() { return fmt::format("mov sp, x{}\n", kRegisters.stack); }

std::string RestoreAddressText(int general, int offset) {
  return fmt::format("and x{0}, x{0}, x{1}\nadd x{0}, x{0}, x{2}\nadd x{0}, x{0}, #{3}\n", general,
                     kRegisters.zero, kRegisters.address, offset);
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

std::int64_t BranchOver(std::size_t bytes) {
  return 1 + static_cast<std::int64_t>(bytes / 4);  // in instructions, from its own begin
}
std::string_view PaddingText() { return "nop\n"; }

std::uint32_t GeneralRegisters() { return 0x7fff'ffff; }
int VectorRegisters() { return 32; }

std::span<const Connector> Connectors() { return kConnectors; }

std::optional<std::string> ReloadText(std::string_view store, RegisterFile file, int bits) {
  const auto address = StoredAddress(store);
  if (!address) return std::nullopt;
  // A lane keeps its name: `st1 { v3.h }[2], [x1]` is read back by `ld1 { v0.h }[2], [x1]`.
  if (const std::size_t lane = store.find(" }["); lane != std::string_view::npos) {
    if (address->find(',') != std::string::npos) return std::nullopt;
    const std::size_t element = store.rfind('.', lane);
    const std::size_t end = store.find(']', lane);
    return fmt::format("ld1 {{ v0{}, {}", store.substr(element, end + 1 - element), *address);
  }
  if (file == RegisterFile::kVector) {
    switch (bits) {
      case 8:
        return "ldr b0, " + *address;
      case 16:
        return "ldr h0, " + *address;
      case 32:
        return "ldr s0, " + *address;
      case 64:
        return "ldr d0, " + *address;
      case 128:
        return "ldr q0, " + *address;
      default:
        return std::nullopt;
    }
  }
  if (file != RegisterFile::kGeneral) return std::nullopt;
  const std::string_view mnemonic = store.substr(0, store.find(' '));
  if (mnemonic.ends_with('b')) return "ldrb w0, " + *address;
  if (mnemonic.ends_with('h')) return "ldrh w0, " + *address;
  return fmt::format("ldr {}0, {}", bits == 64 ? 'x' : 'w', *address);
}

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
