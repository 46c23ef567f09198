// Which extension an x86 instruction belongs to, by its encoding, its mnemonic and the width of its
// registers (Intel SDM vol. 2, the CPUID column of each instruction; AMD APM vol. 3 for AMD's own).

#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "assembler/llvm_target.h"
#include "assembler/roles.h"
#include "assembler/x86/isa_words.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

// `*` stands for any letters, `?` for one.
bool Matches(std::string_view pattern, std::string_view word) {
  if (pattern.empty()) return word.empty();
  if (pattern.front() == '*') {
    return Matches(pattern.substr(1), word) || (!word.empty() && Matches(pattern, word.substr(1)));
  }
  return !word.empty() && (pattern.front() == '?' || pattern.front() == word.front()) &&
         Matches(pattern.substr(1), word.substr(1));
}

// One of several patterns, with blanks between them.
bool MatchesAny(std::string_view patterns, std::string_view word) {
  return std::ranges::any_of(std::views::split(patterns, ' '), [word](auto pattern) {
    return Matches({pattern.begin(), pattern.end()}, word);
  });
}

std::string_view Find(std::span<const IsaWord> table, std::string_view mnemonic) {
  const auto found = std::ranges::find_if(
      table, [mnemonic](const IsaWord& entry) { return MatchesAny(entry.mnemonics, mnemonic); });
  return found == table.end() ? std::string_view() : found->word;
}

enum class Encoding { kLegacy, kVex, kEvex, kXop };

struct Encoded {
  Encoding encoding = Encoding::kLegacy;
  bool apx = false;  // the opcode map that only APX has, or its second REX prefix
};

Encoded EncodingOf(const Llvm& llvm, const Instruction& instruction) {
  llvm::SmallVector<char, 16> chars;
  AppendBytes(llvm, ToMcInst(instruction), chars);
  const auto byte = [&chars](std::size_t i) {
    return i < chars.size() ? static_cast<unsigned char>(chars[i]) : 0;
  };
  constexpr std::array<unsigned char, 11> kPrefixes = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};
  std::size_t first = 0;
  while (first < chars.size() && std::ranges::find(kPrefixes, byte(first)) != kPrefixes.end()) {
    ++first;
  }
  switch (byte(first)) {
    case 0x62:
      return {Encoding::kEvex, (byte(first + 1) & 7) == 4};
    case 0xc4:
    case 0xc5:
      return {Encoding::kVex};
    case 0xd5:
      return {Encoding::kLegacy, true};
    case 0x8f:  // `pop` has this byte too, but never this much in the next one
      return {(byte(first + 1) & 0x1f) >= 8 ? Encoding::kXop : Encoding::kLegacy};
    default:
      return {};
  }
}

int WidestVector(const Instruction& instruction) {
  int bits = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.reg.file == RegisterFile::kVector) bits = std::max<int>(bits, operand.reg.bits);
  }
  // Forms with a mask as their result and memory as a source still say how wide they are.
  for (const Operand& operand : instruction.operands)
    bits = std::max<int>(bits, operand.memory_bits);
  return bits;
}

std::vector<std::string> OfEvex(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.name;
  const int bits = WidestVector(instruction);
  if (bits == 0 && !HasFile(instruction, RegisterFile::kMask)) return {"egpr"};
  std::vector<std::string> words;
  const std::string_view special = Find(kEvexWords, mnemonic);
  const bool needs_foundation = !special.starts_with("avx512");
  if (needs_foundation) words.emplace_back("avx512f");
  if (!special.empty()) words.emplace_back(special);
  if (bits < 512 && !MatchesAny(kScalar, mnemonic)) words.emplace_back("avx512vl");
  return words;
}

std::vector<std::string> OfVex(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.name;
  const bool wide = WidestVector(instruction) == 256;
  if (mnemonic.starts_with("vaes")) {
    return wide ? std::vector<std::string>{"vaes"} : std::vector<std::string>{"aes", "avx"};
  }
  if (mnemonic.starts_with("vpclmul")) {
    return wide ? std::vector<std::string>{"vpclmulqdq"}
                : std::vector<std::string>{"avx", "pclmulqdq"};
  }
  const std::string_view special = Find(kVexWords, mnemonic);
  if (special == "gfni") return {"avx", "gfni"};
  if (!special.empty()) return {std::string(special)};
  if (HasFile(instruction, RegisterFile::kMask)) {
    // kandb, kandw, kandd, kandq: the last letter is the width; kmovb and the shifts likewise.
    switch (mnemonic.back()) {
      case 'b':
        return {"avx512dq"};
      case 'w':
        return {"avx512f"};
      default:
        return {"avx512bw"};
    }
  }
  const bool register_broadcast =
      mnemonic.starts_with("vbroadcasts") && !instruction.flags.may_load;
  const bool integer =
      mnemonic.starts_with("vp") || mnemonic == "vmpsadbw" || mnemonic == "vmovntdqa";
  return {(wide && integer) || register_broadcast ? "avx2" : "avx"};
}

// The part of x86-64's own instructions that it belongs to; empty for the plain ones.
std::string_view BaselineWord(const Instruction& instruction) {
  const std::string_view word = Find(kBaselineWords, instruction.name);
  if (!word.empty()) return word;
  if (HasFile(instruction, RegisterFile::kMmx)) return Find(kMmxWords, instruction.name);
  if (HasFile(instruction, RegisterFile::kVector)) return Find(kVectorWords, instruction.name);
  return {};
}

}  // namespace

std::vector<std::string> Isa(const Llvm& llvm, const Instruction& instruction) {
  if (instruction.RefersToLabel()) return {};
  const Encoded encoded = EncodingOf(llvm, instruction);
  if (encoded.apx) return {"egpr"};
  switch (encoded.encoding) {
    case Encoding::kEvex:
      return OfEvex(instruction);
    case Encoding::kVex:
      return OfVex(instruction);
    case Encoding::kXop:
      if (HasFile(instruction, RegisterFile::kVector)) return {"xop"};
      return {Matches("*lwp*", instruction.name) ? "lwp" : "tbm"};
    case Encoding::kLegacy:
      break;
  }
  std::string_view word = Find(kLegacyWords, instruction.name);
  if (word.empty()) word = BaselineWord(instruction);
  return word.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(word)};
}

}  // namespace cyclescope::assembler::x86
