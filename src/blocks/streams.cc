#include "blocks/streams.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/saturated.h"

namespace cyclescope::blocks {
namespace {

// The register that an access starts from: of several in a sum, the one that compilers have there.
// An index is what walks beside a base that stays, or what is multiplied.
std::optional<GeneralNumber> BaseOf(const SymbolicValue& address, const TripValues& values,
                                    std::uint32_t bases) {
  std::optional<GeneralNumber> best;
  int best_rank = -1;
  for (const auto& [index, factor] : address.registers) {
    if (factor != 1) continue;
    const bool stays = values.StepOf(index) == 0;
    const bool is_symbol = index >= kFirstSymbol;
    const bool named = is_symbol || (bases >> index & 1) != 0;
    const int rank = (is_symbol ? 4 : 0) + (stays ? 2 : 0) + (named ? 1 : 0);
    if (rank > best_rank) {
      best = index;
      best_rank = rank;
    }
  }
  return best;
}

// Of the vectors that the code computes with: what most instructions say.
constexpr std::int64_t kWidestElement = 8;
std::int64_t VectorElementBytes(const BlockCode& code) {
  std::map<int, int> votes;
  for (const assembler::Decoded& each : *code.decoded) {
    if (each.instruction.element_bits > 0) ++votes[each.instruction.element_bits / 8];
  }
  const auto most =
      std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return most == votes.end() ? kWidestElement : most->first;
}

// How many elements of its arrays a trip goes over. An index that is multiplied wherever it is used
// counts elements. A scalar access is one element, and accesses of one stream at several places are
// as many, where they are that near each other: of a structure some parts are read. Of vectors that
// start from a pointer, or from an index that counts bytes, the element is as wide as the code
// computes with; where streams differ then, some are converted, and the least number is that of
// elements.
std::int64_t ElementsPerTrip(const BlockCode& code, const TripValues& values,
                             const std::vector<MemoryUse>& uses) {
  std::map<GeneralNumber, std::int64_t> least_factor;  // of registers that walk
  for (const MemoryUse& use : uses) {
    for (const auto& [index, factor] : use.address.registers) {
      if (values.StepOf(index).value_or(0) == 0) continue;
      const auto [found, is_new] = least_factor.try_emplace(index, SaturatedSize(factor));
      if (!is_new) found->second = std::min(found->second, SaturatedSize(factor));
    }
  }
  std::int64_t known = 0;
  std::optional<std::int64_t> voted;
  const auto places_of = [&uses](const MemoryUse& use) {
    std::set<std::int64_t> places;
    for (const MemoryUse& other : uses) {
      if (other.address.registers == use.address.registers && other.bytes == use.bytes)
        places.insert(other.address.constant);
    }
    return static_cast<std::int64_t>(places.size());
  };
  for (const MemoryUse& use : uses) {
    std::int64_t stride = 0;
    bool counts_others = false;  // the index counts bytes of a narrower stream
    for (const auto& [index, factor] : use.address.registers) {
      const std::int64_t step = values.StepOf(index).value_or(0);
      if (step == 0) continue;
      stride = SaturatedSum(stride, SaturatedProduct(factor, step));
      const std::int64_t least = least_factor.at(index);
      if (least > 1) known = std::max(known, SaturatedSize(step));
      counts_others |= SaturatedSize(factor) > least;
    }
    if (stride == 0 || counts_others) continue;
    if (use.bytes <= kWidestElement) {
      const std::int64_t room = SaturatedSize(stride) / std::max<std::int64_t>(use.bytes, 1);
      known = std::max(known, std::min(room, places_of(use)));
    } else {
      const std::int64_t elements = SaturatedSize(stride) / VectorElementBytes(code);
      voted = std::min(voted.value_or(elements), elements);
    }
  }
  return std::max<std::int64_t>(known > 0 ? known : voted.value_or(1), 1);
}

}  // namespace

Streams FindStreams(const BlockCode& code, const TripValues& values,
                    std::span<const TableUse> tables) {
  Streams streams;
  streams.uses = values.accesses();
  streams.understood = true;
  // A register that the last trip has loaded is a pointer, or an index.
  std::set<GeneralNumber> loaded_registers;
  for (MemoryUse& use : streams.uses) {
    const auto registers = use.address.registers;
    for (const auto& [index, factor] : registers) {
      const auto loads = values.LoadsAtEnd(index);
      if (loads.empty()) continue;
      use.address.registers.erase(index);
      use.address.loads.insert(loads.begin(), loads.end());
      use.address.bounded = false;
      use.multiplier = factor;
      loaded_registers.insert(index);
    }
  }
  std::set<GeneralNumber> indexes;
  std::set<GeneralNumber> steps;
  std::map<std::pair<GeneralNumber, std::int64_t>, std::int64_t> walks;  // one for each stream
  for (std::size_t i = 0; i < streams.uses.size(); ++i) {
    const MemoryUse& use = streams.uses[i];
    const auto table = std::ranges::find(tables, use.instruction, &TableUse::load);
    if (table != tables.end()) {
      for (const std::size_t load : table->index_loads)
        streams.index_loads[load] = table->ValuesThatStay();
      continue;
    }
    if (use.address.registers.contains(code.stack_pointer)) {
      // The stack has pages of its own; what matters is how far it walks.
      const auto step = values.StepOf(code.stack_pointer);
      if (step) walks[{code.stack_pointer, *step}] = std::abs(*step);
      continue;
    }
    const auto base = BaseOf(use.address, values, code.bases);
    if (!base) {
      const bool loaded = use.address.registers.empty() && !use.address.loads.empty();
      // Data at a distance from the code have their own place.
      const bool of_code = use.address.registers.empty() && use.address.is_exact();
      streams.understood &= loaded || of_code;
      if (loaded) {
        streams.pointer_loads.insert(streams.pointer_loads.end(), use.address.loads.begin(),
                                     use.address.loads.end());
      }
      continue;
    }
    streams.by_base[*base].push_back(i);
    std::int64_t stride = 0;
    for (const auto& [index, factor] : use.address.registers) {
      if (index != *base) indexes.insert(index);
      const auto step = values.FarthestStepOf(index);
      const auto by_register = values.StepRegisterOf(index);
      if (by_register) steps.insert(*by_register);
      streams.understood &= step.has_value() || by_register.has_value();
      stride = SaturatedSum(stride, SaturatedProduct(factor, step.value_or(by_register ? 8 : 0)));
    }
    if (use.address.is_open()) {
      for (const std::size_t load : use.address.loads) streams.index_loads.try_emplace(load);
    }
    walks[{*base, stride}] = SaturatedSize(stride);
  }
  streams.elements_per_trip = ElementsPerTrip(code, values, streams.uses);
  for (const auto& [key, bytes] : walks) streams.bytes_per_trip += bytes;
  // What is a base elsewhere is one.
  for (const GeneralNumber index : indexes) {
    if (!streams.by_base.contains(index)) streams.indexes.push_back(index);
  }
  for (const GeneralNumber index : steps) {
    if (!streams.by_base.contains(index)) streams.step_registers.push_back(index);
  }
  for (const GeneralNumber index : loaded_registers) {
    const auto loads = values.LoadsAtEnd(index);
    const bool pointer = std::ranges::any_of(loads, [&streams](std::size_t load) {
      return std::ranges::find(streams.pointer_loads, load) != streams.pointer_loads.end();
    });
    (pointer ? streams.pointers : streams.indexes).push_back(index);
  }
  std::ranges::sort(streams.pointer_loads);
  streams.pointer_loads.erase(std::ranges::unique(streams.pointer_loads).begin(),
                              streams.pointer_loads.end());
  return streams;
}

std::optional<EndOfWalk> FindWalk(const TripValues& values, const Streams& streams,
                                  std::size_t load) {
  const auto use = std::ranges::find(streams.uses, load, &MemoryUse::instruction);
  if (use == streams.uses.end() || !use->address.loads.empty() || !use->address.is_exact())
    return std::nullopt;
  std::optional<EndOfWalk> walk;
  for (const auto& [index, factor] : use->address.registers) {
    const auto step = values.StepOf(index);
    if (!step || (*step != 0 && walk)) return std::nullopt;
    if (*step != 0) walk = EndOfWalk{.load = load, .walks = index, .step = *step};
  }
  return walk;
}

std::optional<EndOfWalk> FindEndOfWalk(const TripValues& values, const Streams& streams,
                                       std::span<const TableUse> tables) {
  if (tables.size() != 1 || tables.front().index_loads.size() != 1) return std::nullopt;
  const auto value = tables.front().ValueThatLeaves();
  if (!value) return std::nullopt;
  auto walk = FindWalk(values, streams, *tables.front().index_loads.begin());
  if (walk) walk->value = *value;
  return walk;
}

}  // namespace cyclescope::blocks
