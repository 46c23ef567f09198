#include "gpu/chain_link.h"

#include <fmt/core.h>

#include <algorithm>

namespace cyclescope::gpu {
namespace {

constexpr char kAddressConnector[] = "mad.wide.u32 %rd0, %r0, %r1, %rd1";
constexpr char kSharedConnector[] = "mad.lo.u32 %r0, %r1, %r2, %r3";
constexpr char kHalfConnector[] = "prmt.b32 %r0, %r1, %r2, %r3";

// True if the chain goes on with one half of a result.
bool HasHalves(const ChainSpec& spec) {
  if (!spec.source || !spec.result) return false;
  const PtxForm& form = *spec.form;
  const PtxOperand& source = form.sources[*spec.source];
  const int from = BitsOf(form.registers[form.results[*spec.result].registers.front()].kind);
  const int to = BitsOf(form.registers[source.registers.front()].kind);
  return from == 64 && to < 64;
}

}  // namespace

bool KeepsMemory(const PtxForm& form) {
  if (FirstPart(form.opcode) != "atom") return false;
  bool is_integer = false;
  for (const std::string_view type : {"u32", "s32", "b32", "u64", "s64", "b64"})
    is_integer = is_integer || HasPart(form.opcode, type);
  if (!is_integer) return false;
  for (const std::string_view operation : {"add", "or", "xor", "cas"}) {
    if (HasPart(form.opcode, operation)) return true;
  }
  return false;
}

bool LoadsAddresses(const PtxForm& form, const PtxOperand& source, const PtxOperand& result) {
  const std::string_view first = FirstPart(form.opcode);
  if (first != "ld" && first != "ldu" && !KeepsMemory(form)) return false;
  const int bytes = BitsOf(form.registers[result.registers.front()].kind) / 8;
  const int elements = static_cast<int>(result.registers.size());
  const bool is_whole = bytes * elements == form.access_bytes;
  if (source.space == AddressSpace::kShared) return is_whole && bytes >= 4;
  return is_whole && (bytes == 8 || bytes == 4);
}

Result<LinkFacts> LinkOf(const ChainSpec& spec) {
  LinkFacts facts;
  if (!spec.source || !spec.result) return facts;
  const PtxForm& form = *spec.form;
  const PtxOperand& source = form.sources[*spec.source];
  const PtxOperand& result = form.results[*spec.result];
  const RegisterKind from = form.registers[result.registers.front()].kind;
  const RegisterKind to = form.registers[source.registers.front()].kind;
  if (source.is_address && BitsOf(to) < (source.space == AddressSpace::kGlobal ? 64 : 32))
    return BadInput(fmt::format("{} is not an address", source.text),
                    source.space == AddressSpace::kGlobal ? "addresses are in %rd registers" : "");
  const bool is_narrow = BitsOf(from) < 32 && from != to;
  if (is_narrow || (BitsOf(to) == 1 && from != to)) {
    facts.kind = LinkKind::kRoundTrip;
    facts.connector = BitsOf(from) == 1 ? "selp.b32"
                      : BitsOf(to) == 1 ? "setp.ne.u32"
                                        : "cvt.u32.u16";
  } else if (source.is_address && !LoadsAddresses(form, source, result)) {
    facts.kind = LinkKind::kConnected;
    facts.connector = BitsOf(to) == 64 ? kAddressConnector : kSharedConnector;
    if (HasHalves(spec)) {
      facts.kind = LinkKind::kRoundTrip;
      facts.connector = "prmt.b32, mad.lo.u32";
    }
  } else if (HasHalves(spec)) {
    facts.kind = LinkKind::kConnected;
    facts.connector = kHalfConnector;
  }
  if (spec.variant == ChainVariant::kAlternating) {
    switch (from) {
      case RegisterKind::kBits32:
        facts.alternate = kSharedConnector;
        break;
      case RegisterKind::kFloat32:
        facts.alternate = "fma.rn.f32 %f0, %f1, %f2, %f3";
        break;
      case RegisterKind::kFloat64:
        facts.alternate = "fma.rn.f64 %fd0, %fd1, %fd2, %fd3";
        break;
      case RegisterKind::kPredicate:
      case RegisterKind::kBits16:
      case RegisterKind::kBits64:
        return BadInput("there is no multiply-add to stand between copies");
    }
  }
  if (spec.variant == ChainVariant::kGuarded &&
      (form.has_guard || form.text.find(';') != std::string::npos))
    return BadInput("several instructions, or one with a guard, take no guard");
  return facts;
}

int ChainsOf(const PtxForm& form) {
  if (form.access_bytes > 0) return 4;
  std::size_t registers = 0;
  for (const PtxOperand& each : form.results) {
    for (const std::size_t reg : each.registers)
      registers += static_cast<std::size_t>(std::max(1, BitsOf(form.registers[reg].kind) / 32));
  }
  return registers > 8 ? 2 : registers > 2 ? 4 : 8;
}

int GranuleBytes(const PtxForm& form) { return std::max(form.access_bytes, 4); }

}  // namespace cyclescope::gpu
