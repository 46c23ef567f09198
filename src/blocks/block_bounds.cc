#include "blocks/block_bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "base/saturated.h"
#include "blocks/data_layout.h"

namespace cyclescope::blocks {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using predict::DependenceChain;
using predict::MemoryLink;

// Which loads give the same value: those of one place that nothing is stored to in between, as far
// as addresses show it. What is stored through another register is taken for elsewhere.
class LoadedValues {
 public:
  explicit LoadedValues(const TripValues& values) : values_(values) {
    for (const MemoryUse& use : values.accesses()) {
      if (!use.loads) continue;
      first_[use.instruction] = FirstOf(use);
      if (IsSameInEachTrip(use)) constant_.insert(first_[use.instruction]);
    }
  }

  // With loads by the first of those that give the same.
  SymbolicValue Named(const SymbolicValue& address) const {
    SymbolicValue named = address;
    named.loads.clear();
    for (const std::size_t load : address.loads) {
      const auto known = first_.find(load);
      named.loads.insert(known == first_.end() ? load : known->second);
    }
    return named;
  }
  // All that was loaded on the way to it is the same in each trip.
  bool HasConstantLoads(const SymbolicValue& named) const {
    return std::ranges::all_of(named.loads,
                               [this](std::size_t load) { return constant_.contains(load); });
  }
  // Both begin at the same values, however far from them they lie.
  static bool HaveSameOrigin(const SymbolicValue& one, const SymbolicValue& other) {
    return one.is_exact() && other.is_exact() && one.registers == other.registers &&
           one.loads == other.loads &&
           (one.loads.empty() || (!one.multiplied && !other.multiplied));
  }

 private:
  bool MeetsStore(const MemoryUse& load, const MemoryUse& store) const {
    if (!store.stores || store.target.has_value() != load.target.has_value() ||
        !HaveSameOrigin(Named(store.address), Named(load.address)))
      return false;
    const auto begin_of = [](const MemoryUse& use) {
      return use.target.value_or(use.address.constant);
    };
    const std::int64_t ahead = SaturatedSum(begin_of(load), -begin_of(store));
    return ahead == 0 || (ahead < store.bytes && -ahead < load.bytes);
  }

  std::size_t FirstOf(const MemoryUse& load) const {
    for (const MemoryUse& earlier : values_.accesses()) {
      if (earlier.instruction >= load.instruction) break;
      if (!earlier.loads || earlier.stores || earlier.bytes != load.bytes ||
          earlier.target != load.target || earlier.address.constant != load.address.constant ||
          !HaveSameOrigin(Named(earlier.address), Named(load.address)))
        continue;
      const bool is_changed =
          std::ranges::any_of(values_.accesses(), [&](const MemoryUse& between) {
            return between.instruction > earlier.instruction &&
                   between.instruction < load.instruction && MeetsStore(load, between);
          });
      if (!is_changed) return first_.at(earlier.instruction);
    }
    return load.instruction;
  }

  bool IsSameInEachTrip(const MemoryUse& load) const {
    SymbolicValue address = Named(load.address);
    if (!HasConstantLoads(address)) return false;
    address.loads.clear();
    return values_.StepOf(address) == 0 &&
           std::ranges::none_of(values_.accesses(),
                                [&](const MemoryUse& use) { return MeetsStore(load, use); });
  }

  const TripValues& values_;
  std::map<std::size_t, std::size_t> first_;  // by load
  std::set<std::size_t> constant_;            // in each trip; of the first ones
};

std::optional<std::int64_t> StepOfRegisters(const TripValues& values, SymbolicValue address) {
  address.loads.clear();
  return values.StepOf(address);
}

}  // namespace

std::vector<MemoryLink> FindMemoryLinks(const TripValues& values) {
  // Farther back, the store is done long before.
  constexpr std::int64_t kMaxIterationsBack = 16;
  const LoadedValues loaded(values);
  std::vector<MemoryLink> links;
  for (const MemoryUse& store : values.accesses()) {
    if (!store.stores) continue;
    const SymbolicValue place = loaded.Named(store.address);
    const auto step = StepOfRegisters(values, place);
    if (!step) continue;
    const bool stays = loaded.HasConstantLoads(place);
    for (const MemoryUse& load : values.accesses()) {
      if (!load.loads || !LoadedValues::HaveSameOrigin(place, loaded.Named(load.address))) continue;
      // Relative to the instruction: the same number is another place elsewhere.
      if (load.address.registers.empty() && load.target.has_value() != store.target.has_value())
        continue;
      const std::int64_t ahead =
          SaturatedSum(store.target.value_or(store.address.constant),
                       SaturatedProduct(load.target.value_or(load.address.constant), -1));
      const int first = store.instruction < load.instruction ? 0 : 1;
      const int last = *step == 0 || !stays ? first : kMaxIterationsBack;
      for (int iterations = first; iterations <= last && (stays || iterations == 0); ++iterations) {
        const std::int64_t offset =
            SaturatedSum(SaturatedProduct(*step, iterations), SaturatedProduct(ahead, -1));
        // Of widths that are not known, only what begins at the same place is seen.
        if (offset != 0 && (offset >= store.bytes || -offset >= load.bytes)) continue;
        links.push_back({store.instruction, load.instruction, iterations, offset});
        break;
      }
    }
  }
  return links;
}

std::vector<predict::MemoryPlace> FindMemoryPlaces(const TripValues& values,
                                                   GeneralNumber stack_pointer,
                                                   std::int64_t stack_offset) {
  using Origin = std::pair<std::map<GeneralNumber, std::int64_t>, std::set<std::size_t>>;
  const LoadedValues loaded(values);
  std::map<Origin, int> origins;
  std::vector<predict::MemoryPlace> places;
  std::vector<DataPlace> relative;
  for (const MemoryUse& use : values.accesses()) {
    if (use.target) relative.push_back({*use.target, use.bytes});
  }
  for (const MemoryUse& use : values.accesses()) {
    const SymbolicValue address = loaded.Named(use.address);
    const Origin origin = {address.registers, address.loads};
    const auto step = StepOfRegisters(values, address);
    const bool is_nowhere = address.registers.empty() && origin.second.empty() && !use.target;
    // Of a pointer that another takes the place of, the next one begins a line again.
    if ((!step && !address.is_exact()) || is_nowhere) continue;
    const int number = origins.try_emplace(origin, static_cast<int>(origins.size())).first->second;
    const std::int64_t offset =
        use.target ? SaturatedSum(*use.target, -LineBegin(relative)) : use.address.constant;
    places.push_back({.instruction = use.instruction,
                      .origin = number,
                      .offset = offset,
                      .step = step.value_or(0),
                      .loads = use.loads,
                      .stores = use.stores});
  }
  // Areas lie so that registers that addresses start from hold the beginning of a line.
  for (const auto& [origin, number] : origins) {
    if (!origin.first.contains(stack_pointer)) continue;
    for (predict::MemoryPlace& place : places)
      place.offset += place.origin == number ? stack_offset : 0;
  }
  return places;
}

namespace {

// Sums, products with a sum, and extremes: what several accumulators can share.
bool Accumulates(std::string_view name) {
  constexpr auto kParts = std::to_array<std::string_view>({"add", "mla", "max", "min"});
  return std::ranges::any_of(kParts, [name](std::string_view part) { return name.contains(part); });
}

// True if a name in the row of an instruction means that register: the row names it once, in
// whatever width.
bool Names(const Instruction& instruction, std::string_view name, const Operand& operand) {
  return operand.name == name ||
         std::ranges::any_of(instruction.operands, [&](const Operand& other) {
           return other.kind == OperandKind::kRegister && operand.kind == OperandKind::kRegister &&
                  other.name == name && other.reg.Overlaps(operand.reg);
         });
}

// The least that it may take, as far as is known.
double LeastCycles(const Estimate& cycles) {
  // An interval that ends so near is precise: its middle is nearer to the truth than its end.
  constexpr double kPrecise = 0.02;
  double least = cycles.value;
  for (const ValueState& state : cycles.states) least = std::min(least, state.value);
  return cycles.low < (1 - kPrecise) * least ? cycles.low : least;
}

// Of all operand values.
double LeastCycles(const InstructionRow& part) {
  double least = LeastCycles(part.throughput->cycles);
  for (const Throughput& each : part.throughput_by_values)
    least = std::min(least, LeastCycles(each.cycles));
  return least;
}

// How long it takes depends on a count that the snippet may have chosen otherwise.
bool IsRepeated(const InstructionRow& part) {
  return std::ranges::find(part.claims, ClaimCode::kRepeats, &Claim::code) != part.claims.end();
}

// An update of memory is measured at a few places in turn. Where it starts more often than one
// place can be updated, it may have waited for a place to come round, and code with more places is
// faster: alone 1.27 to 1.38 cycles on a Golden Cove, in a histogram of random bytes 0.95.
bool WaitsForItsPlaces(const assembler::Instruction& instruction, const InstructionRow& part) {
  if (!instruction.flags.may_load || !instruction.flags.may_store) return false;
  constexpr double kSamePlaceRatio = 2;
  return std::ranges::any_of(part.latency, [&part](const Latency& each) {
    return each.from == "memory" && each.to == "memory" &&
           each.cycles.value > kSamePlaceRatio * part.throughput->cycles.value;
  });
}

// What a link from one operand to the other may take at least; unset where it is none.
std::optional<double> LeastLatency(const Instruction& instruction, const InstructionRow& part,
                                   const Operand& from, const Operand& to) {
  if (part.zero_idiom || IsRepeated(part)) return std::nullopt;
  std::optional<double> least;
  for (const Latency& each : part.latency) {
    if (!Names(instruction, each.from, from) || !Names(instruction, each.to, to)) continue;
    // Of an upper bound less is possible: Golden Cove takes 3.8 cycles for a store and its load in
    // one place, and almost none in another. What is done at rename takes no time: what was
    // measured is how many are renamed at once.
    const bool may_be_none =
        each.kind == LatencyKind::kUpperBound || each.cycles.value < kDoneAtRename;
    const double cycles = may_be_none ? 0 : LeastCycles(each.cycles);
    least = std::min(least.value_or(cycles), cycles);
  }
  // What a store hands on to a load is the store's latency: the load adds nothing that is known.
  if (!least && from.kind == OperandKind::kMemory) return 0;
  return least;
}

void BoundByChain(std::span<const Instruction> instructions, std::span<const InstructionRow> parts,
                  std::span<const MemoryLink> memory, std::uint32_t set_before,
                  BlockBounds& bounds) {
  const auto latency = [&](std::size_t index, const Operand& from, const Operand& to) {
    return LeastLatency(instructions[index], parts[index], from, to);
  };
  // What a load takes from a part of a store is not measured there.
  std::vector<MemoryLink> whole(memory.begin(), memory.end());
  std::erase_if(whole, [](const MemoryLink& link) { return link.offset != 0; });
  const auto flows = predict::FindFlows(instructions, whole, set_before);
  const DependenceChain chain = LongestChain(instructions, latency, flows);
  bounds.chain = chain.cycles;
  bounds.chain_text = ToString(chain, instructions);
  const bool one_link = chain.links.size() == 1;
  bounds.accumulates = one_link && Accumulates(instructions[chain.links.front().instruction].name);
  if (!bounds.accumulates) return;
  // What is left with more accumulators: another chain may be as long.
  const auto without = [&](std::size_t index, const Operand& from, const Operand& to) {
    return index == chain.links.front().instruction ? std::nullopt : latency(index, from, to);
  };
  bounds.next = LongestChain(instructions, without, flows).cycles;
}

// Only on a core of our own does the throughput of anything say what the core can do.
bool IsKnown(const std::optional<Throughput>& throughput) {
  return throughput && !throughput->upper_bound && !throughput->cycles.contended &&
         throughput->cycles.value > 0;
}

// Copies of one instruction share whatever it needs; of two different ones that is not known.
void BoundByResource(std::span<const Instruction> instructions,
                     std::span<const InstructionRow> parts, BlockBounds& bounds) {
  std::map<std::string, std::pair<int, double>> by_opcode;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!IsKnown(parts[i].throughput) || IsRepeated(parts[i]) ||
        WaitsForItsPlaces(instructions[i], parts[i])) {
      // Branches are not measured by themselves: the width has them.
      bounds.knows_all = bounds.knows_all && instructions[i].flags.branch;
      continue;
    }
    const double cycles = LeastCycles(parts[i]);
    // As many as start in a cycle: that bound has them already, and no resource was seen.
    constexpr double kStarts = 1.1;
    if (bounds.width > 0 && cycles * bounds.width < kStarts) continue;
    auto& [count, each] = by_opcode[instructions[i].opcode];
    ++count;
    // Of one opcode with other operands, the fastest.
    each = count == 1 ? cycles : std::min(each, cycles);
    if (count * each <= bounds.resource) continue;
    bounds.resource = count * each;
    bounds.resource_text = fmt::format("{} × {} at {:.3g}", count, instructions[i].mnemonic, each);
  }
}

}  // namespace

BlockBounds BoundsOf(std::span<const Instruction> instructions,
                     std::span<const InstructionRow> parts, double width,
                     std::span<const MemoryLink> memory, std::uint32_t set_before) {
  BlockBounds bounds;
  BoundByChain(instructions, parts, memory, set_before, bounds);
  bounds.width = width;
  if (width > 0) bounds.issue = predict::SlotsOf(instructions) / width;
  BoundByResource(instructions, parts, bounds);
  return bounds;
}

double LargestOf(const BlockBounds& bounds) {
  return std::max({bounds.chain, bounds.resource, bounds.issue});
}

void DropFailedBounds(const Estimate& cycles, BlockRow& row) {
  // What measuring both may be off by.
  constexpr double kSlackRatio = 1.02;
  const auto check = [&](double& bound, std::string_view name) {
    if (bound <= kSlackRatio * cycles.high) return;
    AddNote({ClaimCode::kBoundFailed, {{"bound", std::string(name)}, {"cycles", bound}}}, row);
    bound = 0;
  };
  BlockBounds& bounds = *row.bounds;
  check(bounds.chain, "chain");
  check(bounds.resource, "resource");
  check(bounds.issue, "issue");
  if (bounds.chain == 0) bounds.chain_text.clear();
  if (bounds.resource == 0) bounds.resource_text.clear();
}

void FindWhatBinds(const Estimate& cycles, BlockBounds& bounds) {
  // A bound explains a time of at most this factor of it.
  constexpr double kExplainedRatio = 1.08;
  struct Bound {
    std::string_view name;
    double cycles;
    Claim claim;
  };
  std::vector<Bound> all = {
      {"chain", bounds.chain, {ClaimCode::kBoundByChain, {{"what", bounds.chain_text}}}},
      {"resource",
       bounds.resource,
       {ClaimCode::kBoundByResource, {{"what", bounds.resource_text}}}},
      {"issue", bounds.issue, {ClaimCode::kBoundByIssue, {{"width", bounds.width}}}}};
  std::ranges::stable_sort(all, std::greater(), &Bound::cycles);
  bounds.binds.clear();
  bounds.next = bounds.knows_all && bounds.issue > 0 ? std::max(bounds.next, all[1].cycles) : 0;
  bounds.claim.reset();
  const double explained = kExplainedRatio * all[0].cycles;
  // Of a time that may be less, nothing follows; nor where its interval lies on both sides.
  const bool is_clear = all[0].cycles > 0 && !cycles.contended && !cycles.disturbed;
  if (is_clear && cycles.high <= explained) {
    bounds.binds = all[0].name;
    bounds.claim = all[0].claim;
  } else if (is_clear && cycles.low > explained) {
    bounds.claim = {
        ClaimCode::kAboveAllBounds,
        {{"excess", cycles.value - all[0].cycles}, {"nearest", Sentence(all[0].claim)}}};
  }
  bounds.verdict = bounds.claim ? Sentence(*bounds.claim) : "";
}

}  // namespace cyclescope::blocks
