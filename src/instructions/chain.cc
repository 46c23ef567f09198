#include "instructions/chain.h"

#include <algorithm>
#include <numeric>

namespace cyclescope::instructions {
namespace {

// Registers in a ring whose links also read what they overwrite. Each old value was written this
// many links ago, so a link never has to wait for it.
constexpr std::size_t kKeepingRingRegisters = 4;
constexpr std::size_t kRingRegisters = 2;

// Registers that a destination off the chain takes in turn.
constexpr std::size_t kSideRegisters = 4;

// Lines that a chain through memory goes over in turn. On one line a load may meet the stores of
// several passes: Neoverse V1 then forwards in anything from 5 to 10 cycles, and with four lines in
// 7.
constexpr std::size_t kForwardingLines = 4;

// Lines that the copies of a form which writes what it reads take in turn, where memory is not the
// link. On one line each copy would wait for what the one before stored. Or the core knows the
// value before it has the address: Golden Cove hands a stored value on to the load that it expects
// to want it. `add dword ptr [rax], 5` then seems not to need its address, on two lines, too.
constexpr std::size_t kSeparateLines = 4;

}  // namespace

std::vector<Pair> ChainBuilder::Pairs() const {
  std::vector<Pair> pairs;
  for (std::size_t to = 0; to < form_.groups.size(); ++to) {
    const Group& destination = form_.groups[to];
    if (!destination.written || destination.stack_pointer || destination.spent ||
        destination.undefined) {
      continue;
    }
    for (std::size_t from = 0; from < form_.groups.size(); ++from) {
      const Group& source = form_.groups[from];
      if (!source.read || source.stack_pointer) continue;
      // Nothing puts the bits of a mask register back without cutting the chain.
      if (source.spent && source.file == RegisterFile::kMask) continue;
      // An increment does nothing to this access.
      if (source.address == AddressPart::kIncrement && !form_.groups[to].is_address()) continue;
      // What is written back to an address register comes from that register (and an increment)
      // alone.
      if (form_.groups[to].is_address() && from != to && source.address != AddressPart::kIncrement)
        continue;
      pairs.push_back({from, to});
    }
  }
  if (form_.updates_memory) pairs.push_back({kMemory, kMemory});
  if (form_.writes_memory && !form_.reads_memory) {
    for (std::size_t from = 0; from < form_.groups.size(); ++from) {
      const Group& source = form_.groups[from];
      if (source.read && source.address == AddressPart::kNone && !source.stack_pointer &&
          source.file != RegisterFile::kFlags) {
        pairs.push_back({from, kMemory});
      }
    }
  }
  return pairs;
}

std::vector<Chain> ChainBuilder::Build(const Pair& pair) const {
  std::vector<Chain> chains;
  const auto add = [&chains](std::optional<Chain> chain) {
    if (chain) chains.push_back(std::move(*chain));
  };
  if (pair.from == kMemory) {
    add(MemoryToItself());
    return chains;
  }
  if (pair.to == kMemory) {
    add(ThroughLoad(pair.from));
    return chains;
  }
  const Group& from = form_.groups[pair.from];
  const Group& to = form_.groups[pair.to];
  if (pair.from == pair.to || (CanShare(from, to) && !from.is_address())) {
    add(Direct({pair.from}, pair.to));
    if (!chains.empty()) return chains;
  }
  if (from.address == AddressPart::kBase && pair.from != pair.to && CanShare(from, to) &&
      to.bits == 64 && !form_.writes_memory) {
    add(PointerChase(pair));
  }
  for (Chain& chain : Connected(pair)) chains.push_back(std::move(chain));
  return chains;
}

std::optional<Chain> ChainBuilder::Direct(const std::vector<std::size_t>& from,
                                          std::size_t to) const {
  return Link(from, to, values_, Upkeep::kPins);
}

std::optional<Chain> ChainBuilder::BuildSteady(const Pair& pair) const {
  if (values_ == nullptr || !values_->steady || pair.from == kMemory || pair.to == kMemory)
    return std::nullopt;
  const Group& from = form_.groups[pair.from];
  const Group& to = form_.groups[pair.to];
  if (from.is_address() || from.file == RegisterFile::kMask ||
      (pair.from != pair.to && !CanShare(from, to))) {
    return std::nullopt;
  }
  arch::ValueSet steady = *values_;
  steady.values = values_->steady->values;
  steady.memory = values_->steady->memory;
  const Copies copies(form_, &steady, planner_.builder().address());
  if (copies.ValueOf(pair.from) == values_->steady->on_chain) {
    return Link({pair.from}, pair.to, &steady,
                values_->steady->drifts ? Upkeep::kRestarts : Upkeep::kNone);
  }
  // Through the divisor of a dividend that stays: c / (c / x) is x again.
  return Link({pair.from}, pair.to, values_, Upkeep::kNone);
}

std::optional<Chain> ChainBuilder::Link(const std::vector<std::size_t>& from, std::size_t to,
                                        const arch::ValueSet* values, Upkeep upkeep) const {
  ChainDraft draft(planner_, form_, values);
  Copies& copies = draft.copies();
  const Group& destination = form_.groups[to];
  const bool keeps_old = destination.read || destination.partial;
  const bool itself = std::ranges::find(from, to) != from.end();
  const std::size_t ring = itself ? 1 : keeps_old ? kKeepingRingRegisters : kRingRegisters;
  if (!destination.fixed && !copies.RingAll(from, to, ring)) return std::nullopt;
  if (!SeparateUpdates(copies)) return std::nullopt;
  // With one register left, what is read would be what is written.
  if (!itself && !destination.fixed && copies.lane(to).registers.size() == 1 &&
      !CanBeEqual(form_, from.front(), to)) {
    return std::nullopt;
  }
  if (!copies.Rest(kSideRegisters)) return std::nullopt;
  draft.sequence().keeps_flags = destination.file == RegisterFile::kFlags;
  std::vector<std::size_t> on_chain = from;
  on_chain.push_back(to);
  // The old value is an operand whose value matters, and what an earlier link left there has
  // another.
  const bool wants_fresh = upkeep != Upkeep::kPins && destination.read && !itself;
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    const std::uint8_t written = copies.lane(to).At(copy);
    if (!draft.AppendBreakers(on_chain)) return std::nullopt;
    if (wants_fresh && !draft.AppendFreshDestination(to, written)) return std::nullopt;
    if (!draft.AppendForm(copy, on_chain)) return std::nullopt;
    if (upkeep == Upkeep::kPins && !draft.AppendPin(from.front(), written)) return std::nullopt;
  }
  if (upkeep == Upkeep::kRestarts) {
    // As many links in the longer kernel's stretches as values stay slow for.
    constexpr std::size_t kLinksOfShorter = arch::kDriftingLinks / 2;
    const std::size_t period = copies.Period();
    if (period > kLinksOfShorter) return std::nullopt;
    draft.sequence().stretch = static_cast<int>(kLinksOfShorter / period);
    if (!draft.AppendRestart(from.front(), copies.lane(to).At(period - 1))) return std::nullopt;
  }
  return draft.Finish();
}

bool ChainBuilder::SeparateUpdates(Copies& copies) const {
  return !form_.updates_memory || copies.SpreadAddresses(kSeparateLines, kLineBytes);
}

std::optional<Chain> ChainBuilder::BuildAllSources() const {
  for (std::size_t to = 0; to < form_.groups.size(); ++to) {
    const Group& destination = form_.groups[to];
    if (!destination.written || destination.fixed || destination.is_address()) continue;
    std::vector<std::size_t> from;
    for (std::size_t g = 0; g < form_.groups.size(); ++g) {
      const Group& source = form_.groups[g];
      const bool fits =
          std::ranges::all_of(from, [&](std::size_t other) { return CanBeEqual(form_, g, other); });
      if (source.read && fits && CanShare(source, destination) &&
          source.address == AddressPart::kNone) {
        from.push_back(g);
      }
    }
    if (!from.empty()) return Direct(from, to);
  }
  return std::nullopt;
}

std::optional<Chain> ChainBuilder::PointerChase(const Pair& pair) const {
  ChainDraft draft(planner_, form_, values_);
  Copies& copies = draft.copies();
  // `mov rax, [rax]` stays as it is.
  const bool one_register = form_.groups[pair.from].index == form_.groups[pair.to].index;
  if (!copies.Ring(pair.from, pair.to, one_register ? 1 : kRingRegisters) ||
      !copies.Rest(kSideRegisters)) {
    return std::nullopt;
  }
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    if (!draft.AppendBreakers({pair.from, pair.to}) ||
        !draft.AppendForm(copy, {pair.from, pair.to})) {
      return std::nullopt;
    }
  }
  Chain chain = draft.Finish();
  chain.sequence.memory = planner_.builder().address();  // a load gives the address of itself
  return chain;
}

bool ChainBuilder::Fits(const arch::Connector& connector) const {
  return !connector.vex || *connector.vex == form_.instruction.flags.vex;
}

std::vector<Chain> ChainBuilder::Connected(const Pair& pair) const {
  const Group& source = form_.groups[pair.from];
  const RegisterFile from = form_.groups[pair.to].file;
  const RegisterFile to = source.file;
  std::vector<Chain> chains;
  if (source.address == AddressPart::kBase && from == to) {
    if (auto chain = ConnectedBy(pair, {})) chains.push_back(std::move(*chain));
    return chains;
  }
  for (const arch::Connector& connector : arch::Connectors()) {
    if (connector.from != from || connector.to != to || !Fits(connector)) continue;
    if (auto chain = ConnectedBy(pair, {&connector})) chains.push_back(std::move(*chain));
  }
  if (!chains.empty()) return chains;
  // There and back over the general registers.
  for (const arch::Connector& first : arch::Connectors()) {
    if (first.from != from || first.to != RegisterFile::kGeneral || !Fits(first)) continue;
    for (const arch::Connector& second : arch::Connectors()) {
      if (second.from != RegisterFile::kGeneral || second.to != to || !Fits(second)) continue;
      if (auto chain = ConnectedBy(pair, {&first, &second})) chains.push_back(std::move(*chain));
    }
  }
  return chains;
}

// The form, connectors (none, one or two) from its destination to its source, and then, as a source
// that is a part of an address or whose value matters must hold what it held before, whatever puts
// that back.
std::optional<Chain> ChainBuilder::ConnectedBy(
    const Pair& pair, const std::vector<const arch::Connector*>& connectors) const {
  ChainDraft draft(planner_, form_, values_);
  Copies& copies = draft.copies();
  const Group& from = form_.groups[pair.from];
  const Group& to = form_.groups[pair.to];
  if (!copies.Keep(pair.from) || !copies.Rotate(pair.to, to.read ? kKeepingRingRegisters : 1) ||
      !SeparateUpdates(copies) || !copies.Rest(kSideRegisters)) {
    return std::nullopt;
  }
  const std::size_t lines =
      form_.updates_memory && from.address == AddressPart::kBase ? kSeparateLines : 1;
  const auto between = connectors.size() > 1 ? copies.pool().TakeGeneral() : std::nullopt;
  if (connectors.size() > 1 && !between) return std::nullopt;
  draft.sequence().keeps_flags =
      from.file == RegisterFile::kFlags || to.file == RegisterFile::kFlags;
  for (std::size_t copy = 0; copy < std::lcm(copies.Period(), lines); ++copy) {
    // The connector has read what was written: a register that the form writes in place can have a
    // fresh value by then, and must where values matter (`div` leaves a smaller dividend each
    // time).
    if (!draft.AppendBreakers({pair.from}) || !draft.AppendForm(copy, {pair.from, pair.to})) {
      return std::nullopt;
    }
    const std::uint8_t source = copies.lane(pair.from).At(copy);
    std::uint8_t value = copies.lane(pair.to).At(copy);
    for (const arch::Connector* connector : connectors) {
      const std::uint8_t next = connector == connectors.back() ? source : *between;
      if (!draft.AppendConnector(connector->text, connector->from, connector->to, value, next))
        return std::nullopt;
      value = next;
    }
    if (!from.is_address()) {
      if (!draft.AppendPin(pair.from, source)) return std::nullopt;
      continue;
    }
    if (from.file == RegisterFile::kGeneral && !draft.AppendClear(value)) return std::nullopt;
    const auto line = static_cast<int>((copy + 1) % lines);  // that the next copy touches
    if (from.address == AddressPart::kBase &&
        !draft.AppendAddressConnector(value, source, line * kLineBytes)) {
      return std::nullopt;
    }
  }
  return draft.Finish();
}

std::optional<Chain> ChainBuilder::ThroughLoad(std::size_t from) const {
  ChainDraft draft(planner_, form_, values_);
  Copies& copies = draft.copies();
  if (!copies.Keep(from) || !copies.SpreadAddresses(kForwardingLines, kLineBytes) ||
      !copies.Rest(kSideRegisters)) {
    return std::nullopt;
  }
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    if (!draft.AppendForm(copy, {from}) ||
        !draft.AppendLoad(copy, from, copies.lane(from).At(copy))) {
      return std::nullopt;
    }
  }
  return draft.Finish();
}

std::optional<Chain> ChainBuilder::MemoryToItself() const {
  ChainDraft draft(planner_, form_, values_);
  Copies& copies = draft.copies();
  if (!copies.Rest(kSideRegisters)) return std::nullopt;
  for (std::size_t copy = 0; copy < copies.Period(); ++copy) {
    if (!draft.AppendBreakers({}) || !draft.AppendForm(copy)) return std::nullopt;
  }
  return draft.Finish();
}

}  // namespace cyclescope::instructions
