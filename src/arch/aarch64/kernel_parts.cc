#include "arch/kernel_parts.h"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <limits>

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

std::uint32_t Word(int reg) { return static_cast<std::uint32_t>(reg); }

void AppendWord(std::uint32_t word, std::vector<std::uint8_t>& bytes) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

// Pages between an adrp's page and that of its target: two bits from 29 on, 19 from 5 on (Arm ARM,
// C6.2, ADRP).
constexpr int kAdrpPageBits = 12;
constexpr std::uint32_t kAdrpLow = 0x6000'0000;
constexpr std::uint32_t kAdrpHigh = 0x00ff'ffe0;

std::uint32_t WordOf(std::span<const std::uint8_t> bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof(word));
  return word;
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

std::string CopyVectorText(int to, int from, int /*bits*/, bool /*vex*/) {
  return fmt::format("mov v{}.16b, v{}.16b\n", to, from);
}

std::string SetVectorText(int index, int /*bits*/, int general) {
  return fmt::format("dup v{}.2d, x{}\n", index, general);
}

std::string SetMaskText(int index) { return fmt::format("ptrue p{}.b\n", index); }

std::string SetAllBitsText(int index, int /*bits*/) {
  return fmt::format("movi v{}.2d, #0xffffffffffffffff\n", index);
}

std::string SetX87Text(int /*places*/) { return ""; }
std::string SetTilesText() { return ""; }
std::string ReleaseTilesText() { return ""; }
std::string SetMmxText(int /*index*/, int /*general*/) { return ""; }

std::string SetFlagsText() {
  return fmt::format("cmp x{}, x{}\n", kRegisters.address, kRegisters.zero);
}

std::string SetMixedFlagsText() { return ""; }

std::string SaveStackText() { return fmt::format("mov x{}, sp\n", kRegisters.stack); }
std::string RestoreStackText() { return fmt::format("mov sp, x{}\n", kRegisters.stack); }

std::string RestoreAddressText(int general, int offset) {
  return fmt::format("and x{0}, x{0}, x{1}\nadd x{0}, x{0}, x{2}\nadd x{0}, x{0}, #{3}\n", general,
                     kRegisters.zero, kRegisters.address, offset);
}

std::string SetStackText(int temporary, std::uint64_t value) {
  return SetGeneralText(temporary, value) + fmt::format("mov sp, x{}\n", temporary);
}

std::string TrapText() { return "udf #0\n"; }
std::string JumpOverTrapText() { return "b 1f\nudf #0\n1:\n"; }
std::string JumpOverFillersText(std::size_t fillers) {
  std::string text = "b 1f\n";
  for (std::size_t i = 0; i < fillers; ++i) text += kFillerText;
  return text + "1:\n";
}
std::string BarrierText() { return "dsb sy\nisb\n"; }

std::string FlushDenormalsText(int temporary) {
  // FPCR.FZ (bit 24) and FZ16 (bit 19).
  return fmt::format("movz x{0}, #0x108, lsl #16\nmsr fpcr, x{0}\n", temporary);
}

std::string StoreCountText(int count, int temporary, std::uint64_t address) {
  return SetGeneralText(temporary, address) + fmt::format("str x{}, [x{}]\n", count, temporary);
}

std::string TakeCountText(int count, int temporary, std::uint64_t address) {
  // The store needs a third register; the count is put right again behind it.
  return SetGeneralText(temporary, address) +
         fmt::format("ldr x{0}, [x{1}]\nsub x{0}, x{0}, #1\nstr x{0}, [x{1}]\nadd x{0}, x{0}, #1\n",
                     count, temporary);
}

std::string LoadGeneralText(int index, std::uint64_t address) {
  return SetGeneralText(index, address) + fmt::format("ldr x{0}, [x{0}]\n", index);
}

std::vector<std::uint8_t> Jump(std::int64_t distance) {
  constexpr std::uint32_t kBranch = 0x14000000;  // b, and 26 bits of words from itself
  std::vector<std::uint8_t> bytes;
  AppendWord(kBranch, bytes);
  SetBranchDistance(bytes, distance);
  return bytes;
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

std::size_t SteadyLoopBytes() { return 512; }

std::int64_t BranchOver(std::size_t bytes) {
  return 1 + static_cast<std::int64_t>(bytes / 4);  // in instructions, from its own begin
}
// Displacements are in accesses, but for the few forms that count bytes: those overlap, and that
// does no harm.
std::int64_t DisplacementStep(int /*bytes*/) { return 1; }
bool SetBranchDistance(std::span<std::uint8_t> branch, std::int64_t distance) {
  std::uint32_t word = WordOf(branch);
  // How many bits a branch has for its distance, and from which on (Arm ARM, C4.1.65).
  const bool plain = (word & 0x7c000000) == 0x14000000;  // b
  const bool test = (word & 0x7e000000) == 0x36000000;   // tbz, tbnz
  const int bits = plain ? 26 : (test ? 14 : 19);
  const int from = plain ? 0 : 5;
  const std::int64_t words = BranchOver(0) + distance / 4;
  if (words < -(std::int64_t{1} << (bits - 1)) || words >= std::int64_t{1} << (bits - 1))
    return false;
  const std::uint32_t mask = ((std::uint32_t{1} << bits) - 1) << from;
  word = (word & ~mask) | (static_cast<std::uint32_t>(words) << from & mask);
  std::memcpy(branch.data(), &word, sizeof(word));
  return true;
}

std::int64_t DataDistance(std::span<const std::uint8_t> from_distance) {
  const std::uint32_t word = WordOf(from_distance);
  const std::uint32_t pages = (word & kAdrpHigh) >> 3 | (word & kAdrpLow) >> 29;
  constexpr int kSign = 64 - 21;
  return static_cast<std::int64_t>(std::uint64_t{pages} << kSign) >> (kSign - kAdrpPageBits);
}

void SetDataDistance(std::span<std::uint8_t> from_distance, std::uint64_t instruction_end,
                     std::uint64_t target) {
  std::uint32_t word = WordOf(from_distance);
  const std::uint64_t here = instruction_end - sizeof(word);
  const auto pages =
      static_cast<std::uint32_t>((target >> kAdrpPageBits) - (here >> kAdrpPageBits));
  word = (word & ~(kAdrpLow | kAdrpHigh)) | (pages << 29 & kAdrpLow) | (pages << 3 & kAdrpHigh);
  std::memcpy(from_distance.data(), &word, sizeof(word));
}

std::uint64_t StackOffsetOfFunctions() { return 0; }

std::string_view PaddingText() { return "nop\n"; }

bool SourcesGrowCold() { return true; }
bool LoopsHaveSeveralSpeeds() { return false; }
// Neoverse cores dispatch up to eight instructions in a cycle, as up to 16 µops.
int UopsInSlot() { return 2; }
int BitsThatClosePorts() { return std::numeric_limits<int>::max(); }  // no vectors do

std::uint32_t GeneralRegisters() { return 0x7fff'ffff; }
int GeneralRegisterCount() { return 32; }
int VectorRegisters() { return 32; }

std::span<const Connector> Connectors() { return kConnectors; }

std::string_view AddressConnector(int /*address*/) { return "add x0, x1, x2"; }
std::span<const Pin> Pins() { return kPins; }

}  // namespace cyclescope::arch
