#include "gpu/chain_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace cyclescope::gpu {
namespace {

constexpr std::uint32_t kMagic = 0x7fedcba9;  // no value that a chain takes

// A name that cannot be one of the text's: those have no underscore before their number.
std::string Name(const PtxForm& form, std::size_t reg, char role, std::size_t index) {
  return fmt::format("{}_{}{}", form.registers[reg].name, role, index);
}

bool IsFloat16(std::string_view opcode) {
  for (const std::string_view part : {"f16", "f16x2", "bf16", "bf16x2"}) {
    if (HasPart(opcode, part)) return true;
  }
  return false;
}

}  // namespace

bool ChainBody::IsSameRegister(std::size_t reg) const {
  if (!IsLinked(reg) || KindOf(reg) != KindOf(LinkedTo(reg))) return false;
  return !source()->is_address || LoadsAddresses(form_, *source(), *result());
}

std::size_t ChainBody::LinkedTo(std::size_t reg) const {
  const auto& from = source()->registers;
  const auto at = static_cast<std::size_t>(std::ranges::find(from, reg) - from.begin());
  return result()->registers[at % result()->registers.size()];
}

bool ChainBody::IsMask(std::size_t reg) const {
  return HasPart(form_.opcode, "sync") && FirstPart(form_.opcode) != "mma" &&
         !form_.sources.empty() && form_.sources.back().registers.front() == reg;
}

std::string ChainBody::NameIn(const PtxPiece& piece, int copy, int chain) const {
  const auto c = static_cast<std::size_t>(chain);
  if (piece.is_result) return Name(form_, piece.reg, 'c', c);
  if (IsSameRegister(piece.reg)) return Name(form_, LinkedTo(piece.reg), 'c', c);
  if (IsLinked(piece.reg)) return Name(form_, piece.reg, 'l', c);
  if (IsAddress(piece.reg)) return Name(form_, piece.reg, 'a', c);
  return Name(form_, piece.reg, 'i',
              Rotates() ? static_cast<std::size_t>((copy / chains_) % kRotations) : 0);
}

std::string ChainBody::Load(std::uint32_t value) {
  std::string name = Temporary(RegisterKind::kBits32);
  // Values are there once for each lane, or the compiler would keep them with the constants.
  Line(fmt::format("ld.global.b32 {}, [%up+{}];", name,
                   module_.AddInput(value) * ModuleText::kInputBytes));
  return name;
}

const PtxOperand* ChainBody::AddressOf(std::size_t reg) const {
  for (const PtxOperand& each : form_.sources) {
    if (each.is_address && std::ranges::find(each.registers, reg) != each.registers.end())
      return &each;
  }
  return nullptr;
}

bool ChainBody::IsLinked(std::size_t reg) const {
  return source() != nullptr && result() != nullptr &&
         std::ranges::find(source()->registers, reg) != source()->registers.end();
}

void ChainBody::Declare(RegisterKind kind, std::string_view name) {
  if (!declared_.insert(std::string(name)).second) return;
  declarations_ += fmt::format("  .reg {} {};\n", PtxType(kind), name);
}

std::string ChainBody::Temporary(RegisterKind kind) {
  std::string name = fmt::format("%t_{}", temporaries_++);
  Declare(kind, name);
  return name;
}

void ChainBody::Line(std::string_view text) { lines_ += fmt::format("  {}\n", text); }

void ChainBody::SetInput(std::size_t reg, const std::string& name) {
  const RegisterKind kind = KindOf(reg);
  Declare(kind, name);
  const std::uint32_t bits32 = IsMask(reg)               ? 0xffffffff
                               : KeepsMemory(form_)      ? 0
                               : IsFloat16(form_.opcode) ? 0x3c003c00
                                                         : 3;
  switch (kind) {
    case RegisterKind::kPredicate:
      Line(fmt::format("setp.ne.u32 {}, {}, 0;", name, Load(1)));
      return;
    case RegisterKind::kBits16:
      Line(fmt::format("cvt.u16.u32 {}, {};", name, Load(bits32)));
      return;
    case RegisterKind::kBits32:
      Line(fmt::format("mov.b32 {}, {};", name, Load(bits32)));
      return;
    case RegisterKind::kFloat32:
      Line(fmt::format("mov.b32 {}, {};", name, Load(std::bit_cast<std::uint32_t>(1.0F))));
      return;
    case RegisterKind::kBits64:
      Line(fmt::format("mov.b64 {}, {{{}, {}}};", name, Load(bits32), Load(0)));
      return;
    case RegisterKind::kFloat64:
      Line(fmt::format("mov.b64 {}, {{{}, {}}};", name, Load(0), Load(0x3ff00000)));
      return;
  }
}

void ChainBody::SetAddress(const PtxOperand& operand, std::size_t reg, const std::string& name,
                           int chain) {
  const RegisterKind kind = KindOf(reg);
  Declare(kind, name);
  const int granule = GranuleBytes(form_);
  const std::string offset = Temporary(RegisterKind::kBits32);
  Line(fmt::format("mad.lo.u32 {}, %thread, {}, {};", offset, granule,
                   static_cast<unsigned>(chain * granule) * threads_));
  const std::string wide = Temporary(RegisterKind::kBits64);
  if (operand.space == AddressSpace::kShared) {
    const std::string place = Temporary(RegisterKind::kBits32);
    Line(fmt::format("mov.u32 {}, shared_area;", place));
    Line(fmt::format("add.u32 {}, {}, {};", place, place, offset));
    if (BitsOf(kind) == 32) Line(fmt::format("mov.b32 {}, {};", name, place));
    if (BitsOf(kind) == 64) Line(fmt::format("cvt.u64.u32 {}, {};", name, place));
    return;
  }
  const std::string block = Temporary(RegisterKind::kBits32);
  Line(fmt::format("mov.u32 {}, %ctaid.x;", block));
  Line(fmt::format("mul.wide.u32 {}, {}, {};", wide, block,
                   static_cast<unsigned>(ChainsOf(form_) * granule) * threads_));
  const std::string narrow = Temporary(RegisterKind::kBits64);
  Line(fmt::format("cvt.u64.u32 {}, {};", narrow, offset));
  Line(fmt::format("add.u64 {}, {}, {};", wide, wide, narrow));
  Line(fmt::format("add.u64 {}, {}, %shift;", wide, wide));
  Line(fmt::format("add.u64 {}, %mem, {};", name, wide));
}

void ChainBody::SetUp() {
  magic_ = Load(kMagic);
  zero_ = Load(0);
  low_half_ = Load(0x3210);
  for (int i = 0; i < kRotations; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (spec_.variant == ChainVariant::kGuarded) {
      guards_[at] = Temporary(RegisterKind::kPredicate);
      Line(fmt::format("setp.ne.u32 {}, {}, 0;", guards_[at], Load(1)));
    }
    if (spec_.variant == ChainVariant::kAlternating) {
      const RegisterKind kind = KindOf(result()->registers.front());
      for (auto [names, value] : {std::pair{&ones_, 1.0}, std::pair{&zeros_, 0.0}}) {
        std::string& name = (*names)[at];
        name = Temporary(kind);
        const auto whole = static_cast<std::uint32_t>(value);
        if (kind == RegisterKind::kFloat64) {
          Line(fmt::format("mov.b64 {}, {{{}, {}}};", name, Load(0), Load(whole * 0x3ff00000)));
        } else {
          const bool is_float = kind == RegisterKind::kFloat32;
          Line(fmt::format(
              "mov.b32 {}, {};", name,
              Load(is_float ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : whole)));
        }
      }
    }
  }
  // What is not part of the chain.
  std::set<std::size_t> results;
  for (const PtxOperand& each : form_.results)
    results.insert(each.registers.begin(), each.registers.end());
  for (const PtxPiece& piece : form_.pieces) {
    if (piece.reg == PtxPiece::kNone || piece.is_result || IsLinked(piece.reg)) continue;
    for (int i = 0; i < (IsAddress(piece.reg) ? chains_ : Rotates() ? kRotations : 1); ++i) {
      const bool is_address = IsAddress(piece.reg);
      const std::string name =
          Name(form_, piece.reg, is_address ? 'a' : 'i', static_cast<std::size_t>(i));
      if (declared_.contains(name)) continue;
      if (is_address) {
        SetAddress(*AddressOf(piece.reg), piece.reg, name, i);
      } else {
        SetInput(piece.reg, name);
      }
    }
  }
  for (int chain = 0; chain < chains_; ++chain) {
    const auto c = static_cast<std::size_t>(chain);
    // Where a chain runs through one register, its first value is the source's.
    if (source() != nullptr && result() != nullptr) {
      for (const std::size_t reg : source()->registers) {
        const std::string name =
            IsSameRegister(reg) ? Name(form_, LinkedTo(reg), 'c', c) : Name(form_, reg, 'l', c);
        if (declared_.contains(name)) continue;
        if (source()->is_address) {
          SetAddress(*source(), reg, name, chain);
          if (high_.empty() && BitsOf(KindOf(reg)) == 64) {
            high_ = Temporary(RegisterKind::kBits32);
            const std::string low = Temporary(RegisterKind::kBits32);
            Line(fmt::format("mov.b64 {{{}, {}}}, {};", low, high_, name));
          }
          if (!IsSameRegister(reg)) {
            SetAddress(*source(), reg, Name(form_, reg, 'b', c), chain);
          }
        } else {
          SetInput(reg, name);
        }
      }
    }
    for (const std::size_t reg : results) {
      const std::string name = Name(form_, reg, 'c', c);
      if (!declared_.contains(name)) SetInput(reg, name);
    }
  }
}

void ChainBody::Convert(RegisterKind from_kind, const std::string& from, RegisterKind to_kind,
                        const std::string& to) {
  const int from_bits = BitsOf(from_kind);
  const int to_bits = BitsOf(to_kind);
  if (from_bits == to_bits) {
    if (from_bits == 1) {
      Line(fmt::format("mov.pred {}, {};", to, from));
    } else {
      Line(fmt::format("mov.b{} {}, {};", from_bits, to, from));
    }
    return;
  }
  // Everything goes by 32 bits.
  std::string middle = from;
  if (from_bits != 32) {
    middle = to_kind == RegisterKind::kBits32 ? to : Temporary(RegisterKind::kBits32);
    if (from_bits == 64) {
      // Both halves are of use to the one instruction that takes the lower, so that the compiler
      // has to compute both.
      const std::string low = Temporary(RegisterKind::kBits32);
      const std::string high = Temporary(RegisterKind::kBits32);
      Line(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, from));
      Line(fmt::format("prmt.b32 {}, {}, {}, {};", middle, low, high, low_half_));
    }
    if (from_bits == 16) Line(fmt::format("cvt.u32.u16 {}, {};", middle, from));
    if (from_bits == 1) Line(fmt::format("selp.b32 {}, {}, {}, {};", middle, magic_, zero_, from));
  }
  if (to_bits == 32 && middle != to) Line(fmt::format("mov.b32 {}, {};", to, middle));
  if (to_bits == 64) Line(fmt::format("mov.b64 {}, {{{}, {}}};", to, middle, zero_));
  if (to_bits == 16) Line(fmt::format("cvt.u16.u32 {}, {};", to, middle));
  if (to_bits == 1) {
    std::string bits = middle;
    if (from_kind == RegisterKind::kFloat32) {
      bits = Temporary(RegisterKind::kBits32);
      Line(fmt::format("mov.b32 {}, {};", bits, middle));
    }
    Line(fmt::format("setp.ne.u32 {}, {}, {};", to, bits, zero_));
  }
}

std::string ChainBody::In32Bits(RegisterKind kind, const std::string& name) {
  if (kind == RegisterKind::kBits32) return name;
  std::string bits = Temporary(RegisterKind::kBits32);
  Convert(kind, name, RegisterKind::kBits32, bits);
  return bits;
}

std::string ChainBody::Digest(RegisterKind kind, const std::string& name,
                              const std::string& if_true) {
  std::string bits = Temporary(RegisterKind::kBits32);
  if (kind == RegisterKind::kPredicate) {
    Line(fmt::format("selp.b32 {}, {}, {}, {};", bits, if_true, zero_, name));
  } else {
    Convert(kind, name, RegisterKind::kBits32, bits);
  }
  return bits;
}

void ChainBody::LinkAddress(const std::string& from32, std::size_t reg, int chain) {
  const auto c = static_cast<std::size_t>(chain);
  const std::string to = Name(form_, reg, 'l', c);
  const std::string base = Name(form_, reg, 'b', c);
  const bool is_wide = BitsOf(KindOf(reg)) == 64;
  Line(fmt::format("{} {}, {}, {}, {};", is_wide ? "mad.wide.u32" : "mad.lo.u32", to, from32, zero_,
                   base));
}

void ChainBody::Alternate(int copy, int chain) {
  const std::size_t reg = result()->registers.front();
  const std::string name = Name(form_, reg, 'c', static_cast<std::size_t>(chain));
  const auto at = static_cast<std::size_t>((copy / chains_) % kRotations);
  std::string_view opcode = "mad.lo.u32";
  if (KindOf(reg) == RegisterKind::kFloat32) opcode = "fma.rn.f32";
  if (KindOf(reg) == RegisterKind::kFloat64) opcode = "fma.rn.f64";
  Line(fmt::format("{} {}, {}, {}, {};", opcode, name, name, ones_[at], zeros_[at]));
}

void ChainBody::Copy(int copy, int chain) {
  const bool has_labels = form_.text.find(':') != std::string::npos;
  if (has_labels) Line("{");
  std::string text;
  if (spec_.variant == ChainVariant::kGuarded)
    text = fmt::format("@{} ", guards_[static_cast<std::size_t>((copy / chains_) % kRotations)]);
  for (const PtxPiece& piece : form_.pieces) {
    text += piece.reg == PtxPiece::kNone ? piece.words : NameIn(piece, copy, chain);
  }
  Line(text);
  if (has_labels) Line("}");
  if (source() == nullptr || result() == nullptr) return;
  if (spec_.variant == ChainVariant::kAlternating) Alternate(copy, chain);
  for (const std::size_t reg : source()->registers) {
    if (IsSameRegister(reg)) continue;
    const auto c = static_cast<std::size_t>(chain);
    const std::size_t from = LinkedTo(reg);
    const std::string from_name = Name(form_, from, 'c', c);
    const std::string to_name = Name(form_, reg, 'l', c);
    const bool is_address = source()->is_address;
    if (is_address && !LoadsAddresses(form_, *source(), *result())) {
      LinkAddress(In32Bits(KindOf(from), from_name), reg, chain);
    } else if (is_address && BitsOf(KindOf(reg)) == 64) {
      // The low half of an address, with the high half that all of them have.
      const std::string low = In32Bits(KindOf(from), from_name);
      Line(fmt::format("mov.b64 {}, {{{}, {}}};", to_name, low, high_));
    } else {
      Convert(KindOf(from), from_name, KindOf(reg), to_name);
    }
  }
}

void ChainBody::WaitFor(int chain, std::string_view label) {
  if (form_.results.empty()) return;
  const std::size_t at = spec_.result.value_or(0);
  const std::size_t reg = form_.results[at].registers.front();
  const std::string name = Name(form_, reg, 'c', static_cast<std::size_t>(chain));
  const std::string is_magic = Temporary(RegisterKind::kPredicate);
  if (BitsOf(KindOf(reg)) == 64) {
    // All of it, or the compiler would make do with half.
    const std::string wide = Temporary(RegisterKind::kBits64);
    const std::string bits = Temporary(RegisterKind::kBits64);
    Line(fmt::format("mov.b64 {}, {{{}, {}}};", wide, magic_, magic_));
    Line(fmt::format("mov.b64 {}, {};", bits, name));
    Line(fmt::format("setp.eq.u64 {}, {}, {};", is_magic, bits, wide));
  } else {
    // Of a predicate two values that differ, or it would not depend on the result; neither is the
    // magic one.
    Line(fmt::format("setp.eq.u32 {}, {}, {};", is_magic, Digest(KindOf(reg), name, low_half_),
                     magic_));
  }
  Line(fmt::format("@{} bra.uni {};", is_magic, label));
}

void ChainBody::Sink() {
  for (int chain = 0; chain < chains_; ++chain) {
    for (const PtxOperand& each : form_.results) {
      for (const std::size_t reg : each.registers) {
        const std::string name = Name(form_, reg, 'c', static_cast<std::size_t>(chain));
        // This address is never read; volatile, or one store would do for all.
        if (BitsOf(KindOf(reg)) == 64) {
          Line(fmt::format("st.volatile.global.b64 [%sink], {};", name));
          continue;
        }
        Line(fmt::format("st.volatile.global.b32 [%sink], {};", Digest(KindOf(reg), name, magic_)));
      }
    }
  }
}

}  // namespace cyclescope::gpu
