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

class StreamFinder {
 public:
  StreamFinder(const BlockCode& code, const TripValues& values, std::span<const TableUse> tables)
      : code_(code), values_(values), tables_(tables) {}

  Streams Find() {
    streams_.uses = values_.accesses();
    streams_.understood = true;
    FollowLoadedRegisters();
    for (std::size_t i = 0; i < streams_.uses.size(); ++i) ReadUse(i);
    streams_.elements_per_trip = ElementsPerTrip(code_, values_, streams_.uses);
    for (const auto& [key, bytes] : walks_) streams_.bytes_per_trip += bytes;
    NameRoles();
    return std::move(streams_);
  }

 private:
  // A register that the last trip has loaded is a pointer, or an index.
  void FollowLoadedRegisters() {
    for (MemoryUse& use : streams_.uses) {
      const auto registers = use.address.registers;
      for (const auto& [index, factor] : registers) {
        const auto loads = values_.LoadsAtEnd(index);
        if (loads.empty()) continue;
        use.address.registers.erase(index);
        use.address.loads.insert(loads.begin(), loads.end());
        use.address.bounded = false;
        use.multiplier = factor;
        loaded_registers_.insert(index);
      }
    }
  }

  void ReadUse(std::size_t place) {
    const MemoryUse& use = streams_.uses[place];
    const auto table = std::ranges::find(tables_, use.instruction, &TableUse::load);
    if (table != tables_.end()) {
      for (const std::size_t load : table->index_loads)
        streams_.index_loads[load] = table->ValuesThatStay();
      return;
    }
    if (use.address.registers.contains(code_.stack_pointer)) {
      // The stack has pages of its own; what matters is how far it walks.
      const auto step = values_.StepOf(code_.stack_pointer);
      if (step) walks_[{code_.stack_pointer, *step}] = std::abs(*step);
      return;
    }
    if (const auto base = BaseOf(use.address, values_, code_.bases)) {
      ReadWalk(*base, place);
      return;
    }
    const bool loaded = use.address.registers.empty() && !use.address.loads.empty();
    // Data at a distance from the code have their own place.
    const bool of_code = use.address.registers.empty() && use.address.is_exact();
    streams_.understood &= loaded || of_code;
    if (loaded) {
      streams_.pointer_loads.insert(streams_.pointer_loads.end(), use.address.loads.begin(),
                                    use.address.loads.end());
    }
  }

  void ReadWalk(GeneralNumber base, std::size_t place) {
    const MemoryUse& use = streams_.uses[place];
    streams_.by_base[base].push_back(place);
    std::int64_t stride = 0;
    for (const auto& [index, factor] : use.address.registers) {
      if (index != base) indexes_.insert(index);
      const auto step = values_.FarthestStepOf(index);
      const auto by_register = values_.StepRegisterOf(index);
      if (by_register) steps_.insert(*by_register);
      streams_.understood &= step.has_value() || by_register.has_value();
      stride = SaturatedSum(stride, SaturatedProduct(factor, step.value_or(by_register ? 8 : 0)));
    }
    if (use.address.is_open()) {
      for (const std::size_t load : use.address.loads) streams_.index_loads.try_emplace(load);
    }
    walks_[{base, stride}] = SaturatedSize(stride);
  }

  // What is a base elsewhere is one.
  void NameRoles() {
    for (const GeneralNumber index : indexes_) {
      if (!streams_.by_base.contains(index)) streams_.indexes.push_back(index);
    }
    for (const GeneralNumber index : steps_) {
      if (!streams_.by_base.contains(index)) streams_.step_registers.push_back(index);
    }
    std::vector<std::size_t>& pointer_loads = streams_.pointer_loads;
    std::ranges::sort(pointer_loads);
    pointer_loads.erase(std::ranges::unique(pointer_loads).begin(), pointer_loads.end());
    for (const GeneralNumber index : loaded_registers_) {
      const bool pointer = std::ranges::any_of(values_.LoadsAtEnd(index), [&](std::size_t load) {
        return std::ranges::binary_search(pointer_loads, load);
      });
      (pointer ? streams_.pointers : streams_.indexes).push_back(index);
    }
  }

  const BlockCode& code_;
  const TripValues& values_;
  std::span<const TableUse> tables_;
  Streams streams_;
  std::set<GeneralNumber> loaded_registers_;
  std::set<GeneralNumber> indexes_;
  std::set<GeneralNumber> steps_;  // registers that others go on by
  std::map<std::pair<GeneralNumber, std::int64_t>, std::int64_t> walks_;  // one for each stream
};

}  // namespace

Streams FindStreams(const BlockCode& code, const TripValues& values,
                    std::span<const TableUse> tables) {
  return StreamFinder(code, values, tables).Find();
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
