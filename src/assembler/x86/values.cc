// Which values x86-64 instructions want: those whose time depends on them, those that fault on
// others, and what kind of number their memory holds.
#include <llvm/ADT/SmallString.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <charconv>
#include <optional>

#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

using arch::ElementKind;
using arch::ValueSet;

// The kind of number that a name ends in: addps, vsqrtsd, vaddph.
ElementKind LastElement(std::string_view name) {
  if (name.ends_with("ps") || name.ends_with("ss")) return ElementKind::kSingle;
  if (name.ends_with("pd") || name.ends_with("sd")) return ElementKind::kDouble;
  if (name.ends_with("ph") || name.ends_with("sh")) return ElementKind::kHalf;
  return ElementKind::kInteger;
}

// What a conversion reads: the part of its name before the 2, as in vcvtneebf162ps.
ElementKind ConvertedElement(std::string_view name) {
  const std::string_view from = name.substr(0, name.rfind('2'));
  if (from.ends_with("bf16")) return ElementKind::kBfloat16;
  return from.ends_with("phx") || from.ends_with("psx")
             ? LastElement(from.substr(0, from.size() - 1))
             : LastElement(from);
}

ElementKind X87Element(std::string_view name, int memory_bits) {
  if (name.starts_with("fb")) return ElementKind::kDecimal;  // fbld
  if (name.starts_with("fi")) return ElementKind::kInteger;  // fild, fiadd
  switch (memory_bits) {
    case 32:
      return ElementKind::kSingle;
    case 64:
      return ElementKind::kDouble;
    case 80:
      return ElementKind::kExtended;
    default:
      return ElementKind::kInteger;
  }
}

// True if the old value of the destination is read besides the sources: a mask may keep parts of
// it.
bool KeepsOldElements(const Instruction& instruction, int sources) {
  const auto read = std::ranges::count_if(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kVector && operand.read &&
           operand.address == AddressPart::kNone;
  });
  return HasFile(instruction, RegisterFile::kMask) && read > sources;
}

// What the dividend holds, and then all others; an old destination comes first and counts as a
// dividend.
std::array<std::uint64_t, 3> InOrder(bool keeps_old, std::uint64_t dividend,
                                     std::uint64_t divisor) {
  return {dividend, keeps_old ? dividend : divisor, divisor};
}

std::vector<ValueSet> DivisionSets(const Instruction& instruction,
                                   const arch::FloatPatterns& patterns,
                                   const arch::SteadyPatterns& steady, bool drifts) {
  const bool keeps_old = KeepsOldElements(instruction, instruction.flags.may_load ? 1 : 2);
  const std::array<std::uint64_t, 3> fast = {patterns.fast, patterns.fast, patterns.fast};
  return {
      {"fast", fast, patterns.fast, arch::SteadyValues{fast, patterns.fast, patterns.fast}},
      {"slow", InOrder(keeps_old, patterns.slow_first, patterns.slow_second), patterns.slow_second,
       arch::SteadyValues{InOrder(keeps_old, steady.large, steady.divisor), steady.divisor,
                          steady.large, drifts}}};
}

std::vector<ValueSet> RootSets(const arch::FloatPatterns& patterns,
                               const arch::SteadyPatterns& steady) {
  const std::array<std::uint64_t, 3> fast = {patterns.fast, patterns.fast, patterns.fast};
  const std::array<std::uint64_t, 3> large = {steady.large, steady.large, steady.large};
  return {{"fast", fast, patterns.fast, arch::SteadyValues{fast, patterns.fast, patterns.fast}},
          {"slow",
           {patterns.slow_first, patterns.slow_second, patterns.slow_second},
           patterns.slow_second,
           arch::SteadyValues{large, steady.large, steady.large, /*drifts=*/true}}};
}

std::vector<ValueSet> FloatSets(const Instruction& instruction, bool divides,
                                const arch::FloatPatterns& patterns,
                                const arch::SteadyPatterns& steady, bool drifts) {
  return divides ? DivisionSets(instruction, patterns, steady, drifts) : RootSets(patterns, steady);
}

// Divisor, low and high half of the dividend. The quotient must fit in every width, or the
// instruction faults. Slow ones have a high half: on a Cascade Lake `div rcx` takes 33 cycles where
// that is zero, and 85 where it is not.
std::vector<ValueSet> IntegerDivision(bool from_memory) {
  if (from_memory) {
    return {{"fast", {5, 0, 0}, 0x7f7f'7f7f'7f7f'7f7f},
            {"slow", {0x7fff'ffff'7fff'0071, 0x0123'4567'0123'0123, 0}, 0x0303'0303'0303'0303}};
  }
  return {{"fast", {0x7f, 5, 0}},
          {"slow", {0x7fff'ffff'7fff'0071, 0x7fff'ffff'7fff'3071, 0x1234'5678'1abc'0012}}};
}

// Registers that must hold zero: numbers of control registers and protection keys that all CPUs
// have, the null selector, an address that is canonical.
constexpr auto kNeedZero = std::to_array<std::string_view>(
    {"xgetbv", "rdpkru", "wrpkru", "wrfsbase", "wrgsbase", "rdpru"});

// The selector of a program's data on Linux and Windows: `lss` takes no other.
constexpr std::uint64_t kDataSelectors = 0x002b'002b'002b'002b;

bool WritesSegment(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kSystem && operand.written &&
           operand.address == AddressPart::kNone;
  });
}

// How much memory the instruction touches, and for how many places. LLVM's tables have it nowhere
// but in the words that Intel syntax puts around an address: words of the opcode's, whatever syntax
// the text is in.
MemoryAccess MemorySize(const Llvm& llvm, const llvm::MCInst& inst) {
  struct Width {
    std::string_view word;
    std::uint16_t bits;
  };
  constexpr auto kWidths = std::to_array<Width>({{"zmmword ptr ", 512},
                                                 {"ymmword ptr ", 256},
                                                 {"xmmword ptr ", 128},
                                                 {"tbyte ptr ", 80},
                                                 {"qword ptr ", 64},
                                                 {"dword ptr ", 32},
                                                 {"word ptr ", 16},
                                                 {"byte ptr ", 8}});
  llvm::SmallString<128> printed;
  llvm::raw_svector_ostream stream(printed);
  llvm.manual_printer->printInst(&inst, 0, "", *llvm.subtarget, stream);
  const std::string_view text(printed.data(), printed.size());
  MemoryAccess access;
  const auto width = std::ranges::find_if(
      kWidths, [text](const Width& each) { return text.find(each.word) != text.npos; });
  if (width != kWidths.end()) access.bits = width->bits;
  constexpr std::string_view kBroadcast = "{1to";
  const std::size_t at = text.find(kBroadcast);
  if (at != text.npos) {
    const std::string_view rest = text.substr(at + kBroadcast.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), access.times);
  }
  return access;
}

// Moves from one place in memory to another: strings, and the stack with an address.
bool PlacesDiffer(const Llvm& llvm, const Instruction& instruction) {
  if (!instruction.flags.may_load || !instruction.flags.may_store) return false;
  constexpr auto kMoves = std::to_array<std::string_view>(
      {"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "REP_MOVS", "MOVDIR64B", "ENQCMD"});
  if (BeginsWithAny(instruction.opcode, kMoves)) return true;
  const bool stack = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.implicit && operand.name == "rsp" && operand.written;
  });
  const llvm::MCInstrDesc& desc = llvm.instructions->get(instruction.opcode_number);
  return stack && AddressSlot(desc, instruction.opcode).has_value();
}

ElementKind MemoryElement(const Instruction& instruction, int memory_bits) {
  const std::string_view name = instruction.name;
  if (HasFile(instruction, RegisterFile::kX87)) return X87Element(name, memory_bits);
  // `movsd` and `cmpsd` are string instructions too.
  if (!HasFile(instruction, RegisterFile::kVector) && !HasFile(instruction, RegisterFile::kMask) &&
      !HasFile(instruction, RegisterFile::kMmx)) {
    return ElementKind::kInteger;
  }
  constexpr auto kConversions = std::to_array<std::string_view>({"cvt", "vcvt", "vbcst"});
  if (BeginsWithAny(name, kConversions)) return ConvertedElement(name);
  if (name == "vdpbf16ps") return ElementKind::kBfloat16;
  if (name.find("f32x") != name.npos) return ElementKind::kSingle;
  if (name.find("f64x") != name.npos) return ElementKind::kDouble;
  // Packed integers: pmaxsd, vpdpbusd. But vpermilps moves floats.
  const bool packed_integer = name.starts_with('p') || name.starts_with("vp");
  if (packed_integer && !name.starts_with("vperm")) return ElementKind::kInteger;
  return LastElement(name);
}

// What the memory operand of an x87 instruction that multiplies or divides should hold: a register
// that became infinite or denormal by it would take hundreds of cycles from then on. (A sample is
// too short for the 10,000 divisions by 3 that make 1 denormal, but for the longest ones of
// `instruction`.)
std::optional<std::uint64_t> X87Factor(const Instruction& instruction, const MemoryAccess& access) {
  if (!HasFile(instruction, RegisterFile::kX87)) return std::nullopt;
  const std::string_view name = instruction.name;
  const bool divides = name.starts_with("fdiv") || name.starts_with("fidiv");
  const bool multiplies = name.starts_with("fmul") || name.starts_with("fimul");
  if (!divides && !multiplies) return std::nullopt;
  if (access.element == ElementKind::kSingle) return arch::kSingleNearOne;
  if (access.element == ElementKind::kDouble) return arch::kDoubleNearOne;
  const std::uint64_t number = divides ? 3 : 1;  // division by one takes a short cut
  return access.bits == 16 ? number * 0x0001'0001'0001'0001 : number << 32 | number;
}

}  // namespace

MemoryAccess AccessOf(const Llvm& llvm, const llvm::MCInst& inst, const Instruction& instruction) {
  MemoryAccess access = MemorySize(llvm, inst);
  access.element = MemoryElement(instruction, access.bits);
  access.factor = X87Factor(instruction, access);
  access.places_differ = PlacesDiffer(llvm, instruction);
  return access;
}

std::vector<ValueSet> ValueSets(const Instruction& instruction) {
  const std::string_view name = instruction.name;
  const bool from_memory = instruction.flags.may_load;
  if (name.find("gather") != name.npos && !HasFile(instruction, RegisterFile::kMask)) {
    return {{"", {arch::kUsualValue, ~std::uint64_t{0}, 0}}};  // destination, mask
  }
  if (Has(kNeedZero, name)) return {{"", {0, 0, 0}}};
  if (name == "lss") return {{"", {0, 0, 0}, kDataSelectors}};
  if (WritesSegment(instruction)) return {{"", {0, 0, 0}}};
  // rcx, and rax or what is looked for.
  if (Repeats(instruction)) return {{"", {kRepeats, kRepeats, kRepeats}}};
  // A bit's number reaches beyond the operand in memory: it must be small.
  if (instruction.opcode.starts_with("BT") && from_memory) return {{"", {0, 0, 0}}};
  if (name == "div" || name == "idiv") return IntegerDivision(from_memory);
  const bool divides = name.find("div") != name.npos;
  const bool roots = name.find("sqrt") != name.npos && name.find("rsqrt") == name.npos;
  if (!divides && !roots) return {};
  switch (LastElement(name)) {
    case ElementKind::kSingle:
      return FloatSets(instruction, divides, arch::kSinglePatterns, arch::kSingleSteady, false);
    case ElementKind::kDouble:
      return FloatSets(instruction, divides, arch::kDoublePatterns, arch::kDoubleSteady, false);
    case ElementKind::kHalf:
      return FloatSets(instruction, divides, arch::kHalfPatterns, arch::kHalfSteady, true);
    default:
      return {};  // x87: its registers are not set by pattern
  }
}

}  // namespace cyclescope::assembler::x86
