#include "ports/mix_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "arch/kernel_parts.h"
#include "arch/value_patterns.h"
#include "instructions/copies.h"
#include "instructions/register_pool.h"

namespace cyclescope::ports {
namespace {

using assembler::AddressPart;
using assembler::RegisterFile;
using instructions::Form;
using instructions::Group;

// Registers that a destination takes in turn. One whose old value is read is a chain of its own,
// and needs as many as hide its latency.
constexpr double kPureRegisters = 3;
constexpr double kMinRegistersInPlace = 3;
constexpr double kMaxRegistersInPlace = 12;
// Of a form whose sources are its destination, all of its latency has to be hidden.
constexpr double kMinRegistersWithOwn = 6;
constexpr double kMaxRegistersWithOwn = 24;
// Places that loads and stores are spread over: Golden Cove reads one place twice in a cycle, and
// three places that lie apart.
constexpr int kPlaces = 6;
// A form that writes the place that it read waits for its last visit there: the value goes through
// the store buffer, five cycles or more.
constexpr int kUpdatedPlaces = 16;
// Addresses that a form which moves its address takes in turn.
constexpr std::size_t kMovingAddresses = 4;
// The first places are those of stores.
constexpr std::int64_t kStoresBytes = 64 * kPlaces;
// A kernel has this number of bytes behind its address for places.
constexpr std::int64_t kPlacesBytes = 32 * 1024;

// The least number of instructions, so that registers and places come in turn.
constexpr double kFewestUnits = 48;

// The registers of one group of one form.
struct Lane {
  std::size_t part = 0;  // of the mix
  std::size_t group = 0;
  double wanted = 0;  // compared with what others want
  std::size_t most = 0;
  std::vector<std::uint8_t> registers;
};

std::vector<std::size_t> TwoPasses(const Mix& mix) {
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part < mix.size(); ++part)
    parts.insert(parts.end(), 2 * static_cast<std::size_t>(mix[part].second), part);
  return parts;
}

std::vector<std::size_t> Spread(const Mix& mix) {
  const int total = Instructions(mix);
  std::vector<double> credit(mix.size(), 0);
  std::vector<std::size_t> parts;
  for (int i = 0; i < total; ++i) {
    std::size_t next = 0;
    for (std::size_t part = 0; part < mix.size(); ++part) {
      credit[part] += static_cast<double>(mix[part].second) / total;
      if (credit[part] > credit[next]) next = part;
    }
    credit[next] -= 1;
    parts.push_back(next);
  }
  return parts;
}

// The parts in the order in which they stand.
std::vector<std::size_t> Arrange(const Mix& mix, MixOrder order) {
  if (order == MixOrder::kTwoPasses) return TwoPasses(mix);
  std::vector<std::size_t> parts = Spread(mix);
  if (order == MixOrder::kReversed) std::ranges::reverse(parts);
  return parts;
}

bool OnlyStores(const Form& form) { return form.writes_memory && !form.reads_memory; }

// A vector register that is read and not written.
bool IsVectorSource(const Group& group) {
  return group.file == RegisterFile::kVector && group.read && !group.written && !group.fixed &&
         !group.is_address() && group.count == 1;
}

bool IsVectorDestination(const Group& group) {
  return group.file == RegisterFile::kVector && group.written && !group.fixed && group.count == 1;
}

// The group that its sources can be the same as: a vector register that is written.
std::optional<std::size_t> OwnDestination(const Form& form) {
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    const Group& group = form.groups[i];
    if (!IsVectorDestination(group)) continue;
    for (std::size_t j = 0; j < form.groups.size(); ++j) {
      if (IsVectorSource(form.groups[j]) && !CanBeEqual(form, i, j)) return std::nullopt;
    }
    return i;
  }
  return std::nullopt;
}

class MixBuilder {
 public:
  MixBuilder(instructions::Planner& planner, std::span<const MixForm> forms, const Mix& mix)
      : planner_(planner), forms_(forms), mix_(mix), pool_(FormOf(0)), assigned_(mix.size()) {
    for (std::size_t part = 1; part < mix.size(); ++part) pool_.Exclude(FormOf(part));
    for (std::size_t part = 0; part < mix.size(); ++part) {
      if (OnlyStores(FormOf(part))) next_place_ = kStoresBytes;
    }
    for (std::size_t part = 0; part < mix.size(); ++part) PlaceMemory(part);
  }

  bool HandOut() {
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      assigned_[part].resize(FormOf(part).groups.size());
      if (!PlaceSources(part)) return false;
    }
    return PlaceDestinations();
  }

  instructions::Sequence Build(MixOrder order) {
    std::vector<std::size_t> copies(mix_.size(), 0);
    const std::vector<std::size_t> parts = Arrange(mix_, order);
    while (sequence_.units < kFewestUnits) {
      for (const std::size_t part : parts) Append(part, copies[part]++);
      sequence_.units += static_cast<double>(parts.size());
    }
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      const Form& form = FormOf(part);
      if (!form.reads_memory && !form.writes_memory) continue;
      sequence_.touches_memory = true;
      sequence_.memory = ValuesOf(form) != nullptr ? ValuesOf(form)->memory : form.memory;
    }
    return std::move(sequence_);
  }

 private:
  const Form& FormOf(std::size_t part) const { return forms_[mix_[part].first].form; }
  bool HasOwnSources(std::size_t part) const { return forms_[mix_[part].first].own_sources; }

  static const arch::ValueSet* ValuesOf(const Form& form) {
    const auto& sets = form.instruction.value_sets;
    return sets.empty() ? nullptr : &sets.front();
  }

  std::optional<std::uint64_t> ValueOf(const Form& form, std::size_t group) const {
    return instructions::Copies(form, ValuesOf(form), planner_.builder().address()).ValueOf(group);
  }

  std::optional<std::uint8_t> Take(std::size_t part, std::size_t number) {
    const Form& form = FormOf(part);
    Group group = form.groups[number];
    if (HasOwnSources(part) && number == OwnDestination(form)) {
      for (const Group& source : form.groups) {
        if (IsVectorSource(source)) group.allowed &= source.allowed;
      }
    }
    const auto index = pool_.Take(group);
    if (!index) return std::nullopt;
    if (const auto value = ValueOf(form, number)) {
      for (int i = 0; i < group.count; ++i)
        sequence_
            .values[{group.file, static_cast<std::uint8_t>((*index + i * group.stride) % 32)}] =
            *value;
    }
    return index;
  }

  // Addresses and sources, which nothing writes, are shared by all that can.
  bool PlaceSources(std::size_t part) {
    const Form& form = FormOf(part);
    std::map<RegisterFile, int> sources;  // so far
    for (std::size_t g = 0; g < form.groups.size(); ++g) {
      const Group& group = form.groups[g];
      auto& registers = assigned_[part][g];
      if (group.fixed) {
        registers = {group.index};
        if (group.stack_pointer && group.written) sequence_.moves_stack = true;
        if (group.file == RegisterFile::kFlags && group.read && !group.written)
          sequence_.reads_flags = true;
        continue;
      }
      if (group.written && !group.is_address()) continue;
      if (HasOwnSources(part) && IsVectorSource(group)) continue;
      if (const auto own = AddressRegister(group)) {
        registers = {*own};
        continue;
      }
      const bool shared = !group.is_address() && !ValueOf(form, g) && group.count == 1;
      const int number = forms_[mix_[part].first].equal_sources ? 0 : sources[group.file]++;
      if (shared) {
        const auto found = shared_.find({group.file, number});
        if (found != shared_.end() && (group.allowed >> found->second & 1) != 0) {
          registers = {found->second};
          continue;
        }
      }
      if (group.address == AddressPart::kBase && group.written) {
        if (!PlaceMovingAddresses(part, g)) return false;
        continue;
      }
      const auto index = Take(part, g);
      if (!index) return false;
      registers = {*index};
      if (shared) shared_.emplace(std::pair(group.file, number), *index);
    }
    return true;
  }

  // Several, where there are: each copy waits for the last one that moved the same.
  bool PlaceMovingAddresses(std::size_t part, std::size_t number) {
    auto& registers = assigned_[part][number];
    while (registers.size() < kMovingAddresses) {
      const auto index = Take(part, number);
      if (!index) break;
      registers.push_back(*index);
      sequence_.moving_addresses.push_back({*index, 0});
    }
    return !registers.empty();
  }

  // A register that every kernel has for it.
  static std::optional<std::uint8_t> AddressRegister(const Group& group) {
    if (!group.is_address() || group.written || group.file != RegisterFile::kGeneral)
      return std::nullopt;
    const arch::KernelRegisters& reserved = arch::ReservedRegisters();
    const int index = group.address == AddressPart::kBase ? reserved.address : reserved.zero;
    if ((group.allowed >> index & 1) == 0) return std::nullopt;
    return static_cast<std::uint8_t>(index);
  }

  void SetWishes(Lane& lane) const {
    const Group& group = FormOf(lane.part).groups[lane.group];
    const double copies = mix_[lane.part].second;
    if (HasOwnSources(lane.part)) {
      lane.wanted = mix_.size() == 1
                        ? kMaxRegistersWithOwn
                        : std::clamp(2 * copies, kMinRegistersWithOwn, kMaxRegistersWithOwn);
      lane.most = static_cast<std::size_t>(kMaxRegistersWithOwn);
    } else if (group.read || group.partial) {
      lane.wanted = std::clamp(copies, kMinRegistersInPlace, kMaxRegistersInPlace);
      lane.most = static_cast<std::size_t>(kMaxRegistersInPlace);
    } else {
      lane.wanted = kPureRegisters;
      lane.most = static_cast<std::size_t>(kPureRegisters);
    }
  }

  bool PlaceDestinations() {
    std::vector<Lane> lanes;
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      const Form& form = FormOf(part);
      for (std::size_t g = 0; g < form.groups.size(); ++g) {
        if (!assigned_[part][g].empty()) continue;
        if (HasOwnSources(part) && IsVectorSource(form.groups[g])) continue;
        lanes.push_back({.part = part, .group = g, .registers = {}});
        SetWishes(lanes.back());
      }
    }
    // The lane that has the smallest share of what it wants is next.
    std::vector<Lane*> hungry;
    for (Lane& lane : lanes) hungry.push_back(&lane);
    while (!hungry.empty()) {
      const auto next = std::ranges::min_element(hungry, {}, [](const Lane* lane) {
        return static_cast<double>(lane->registers.size()) / lane->wanted;
      });
      Lane& lane = **next;
      const auto index = Take(lane.part, lane.group);
      if (index) lane.registers.push_back(*index);
      if (!index && lane.registers.empty()) return false;
      if (!index || lane.registers.size() >= lane.most) hungry.erase(next);
    }
    for (Lane& lane : lanes) assigned_[lane.part][lane.group] = std::move(lane.registers);
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      if (!HasOwnSources(part)) continue;
      const std::size_t own = *OwnDestination(FormOf(part));
      for (std::size_t g = 0; g < assigned_[part].size(); ++g) {
        if (IsVectorSource(FormOf(part).groups[g])) assigned_[part][g] = assigned_[part][own];
      }
    }
    if (arch::SourcesGrowCold()) BorrowSources();
    return true;
  }

  // What writes no vector register reads those that others write, so that they are not cold.
  void BorrowSources() {
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      const Form& form = FormOf(part);
      if (HasOwnSources(part) || std::ranges::any_of(form.groups, IsVectorDestination)) continue;
      for (std::size_t g = 0; g < form.groups.size(); ++g) {
        if (!IsVectorSource(form.groups[g]) || ValueOf(form, g)) continue;
        auto written = WrittenVectors(form.groups[g].allowed);
        if (!written.empty()) assigned_[part][g] = std::move(written);
      }
    }
  }

  std::vector<std::uint8_t> WrittenVectors(std::uint32_t allowed) const {
    std::vector<std::uint8_t> written;
    for (std::size_t part = 0; part < mix_.size(); ++part) {
      const Form& form = FormOf(part);
      for (std::size_t g = 0; g < form.groups.size(); ++g) {
        if (!IsVectorDestination(form.groups[g])) continue;
        std::ranges::copy_if(assigned_[part][g], std::back_inserter(written),
                             [allowed](std::uint8_t index) { return (allowed >> index & 1) != 0; });
      }
    }
    return written;
  }

  void Append(std::size_t part, std::size_t copy) {
    const Form& form = FormOf(part);
    instructions::Assignment assignment;
    for (const auto& registers : assigned_[part])
      assignment.push_back(registers[copy % registers.size()]);
    sequence_.Append(planner_.assembler(),
                     AtPlace(part, Rename(planner_.assembler(), form, assignment), copy));
  }

  // The places of a part: its displacement is `first` and some steps.
  struct Places {
    std::size_t operand = 0;  // the displacement
    std::int64_t first = 0;   // as the encoder wants it
    std::int64_t step = 0;    // likewise
    int count = 0;            // 0 where the form has no displacement to choose
  };

  // Places of its own for each part, so that no load of one waits for a store of another. Those
  // that only store share theirs: a core merges stores to one place.
  void PlaceMemory(std::size_t part) {
    const Form& form = FormOf(part);
    Places& places = places_.emplace_back();
    const auto& operands = form.instruction.operands;
    const auto displacement = std::ranges::find_if(operands, [](const assembler::Operand& operand) {
      return operand.kind == assembler::OperandKind::kImmediate &&
             operand.address == AddressPart::kDisplacement;
    });
    const auto memory =
        std::ranges::find(operands, assembler::OperandKind::kMemory, &assembler::Operand::kind);
    if (displacement == operands.end() || memory == operands.end()) return;
    const std::int64_t bytes = memory->memory_bits / 8;
    const std::int64_t step = arch::DisplacementStep(static_cast<int>(bytes));
    const std::int64_t step_bytes = std::max(bytes, step);
    // What the text adds to the address comes on top, in front of it or behind.
    const std::int64_t text_bytes = std::abs(displacement->value) * (step_bytes / step);
    const bool shares = OnlyStores(form);
    const std::int64_t steps = shares ? 0 : (next_place_ + step_bytes - 1) / step_bytes;
    const int places_of_form = forms_[mix_[part].first].one_place ? 1 : kPlaces;
    const int count = form.reads_memory && form.writes_memory ? kUpdatedPlaces : places_of_form;
    const std::int64_t end = (steps + count) * step_bytes + text_bytes;
    places = {.operand = static_cast<std::size_t>(displacement - operands.begin()),
              .first = displacement->value + steps * step,
              .step = step,
              .count = count};
    if (end > kPlacesBytes || !CanReach(form, places)) {
      places.first = displacement->value;
    } else if (!shares) {
      next_place_ = end;
    }
  }

  // True if the encoding has room for the last of the places.
  bool CanReach(const Form& form, const Places& places) {
    return planner_.assembler()
        .SetValue(form.instruction, places.operand, places.first + (places.count - 1) * places.step)
        .has_value();
  }

  // The instruction with another displacement for each copy, where it has one.
  assembler::Instruction AtPlace(std::size_t part, assembler::Instruction instruction,
                                 std::size_t copy) {
    const Places& places = places_[part];
    if (places.count == 0) return instruction;
    const auto place = static_cast<std::int64_t>(copy) % places.count;
    const auto moved = planner_.assembler().SetValue(instruction, places.operand,
                                                     places.first + place * places.step);
    return moved ? *moved : instruction;
  }

  instructions::Planner& planner_;
  std::span<const MixForm> forms_;
  const Mix& mix_;
  instructions::RegisterPool pool_;
  // By part and group.
  std::vector<std::vector<std::vector<std::uint8_t>>> assigned_;
  std::map<std::pair<RegisterFile, int>, std::uint8_t> shared_;  // sources by their number
  std::vector<Places> places_;                                   // by part
  std::int64_t next_place_ = 0;  // in bytes: those before it are taken
  instructions::Sequence sequence_;
};

}  // namespace

std::string WhyNotInMix(const Form& form) {
  const assembler::InstructionFlags& flags = form.instruction.flags;
  if (flags.ChangesFlow()) return "it is a branch";
  if (flags.moves_x87_stack) return "it moves the x87 stack";
  for (const Group& group : form.groups) {
    if (group.spent) return "it clears its mask, which other instructions would have to set again";
    if (group.fixed && group.read && group.written && !group.stack_pointer &&
        !form.instruction.value_sets.empty()) {
      return "its operands would have to be set again by other instructions";
    }
  }
  return {};
}

bool CanHaveOwnSources(const Form& form) {
  // What needs certain values would compute others of them.
  if (!form.instruction.value_sets.empty()) return false;
  return std::ranges::any_of(form.groups, IsVectorSource) && OwnDestination(form).has_value();
}

// A Neoverse V1 sends what stands at an even place and what stands at an odd one to different pipes
// of two. Six shifts and a load took 3.5 cycles, twelve and two took 6.
std::vector<MixOrder> OrdersOf(const Mix& mix) {
  if (mix.size() < 2) return {MixOrder::kSpread};
  return {MixOrder::kSpread, MixOrder::kReversed, MixOrder::kTwoPasses};
}

std::optional<instructions::Sequence> ArrangeMix(instructions::Planner& planner,
                                                 std::span<const MixForm> forms, const Mix& mix,
                                                 MixOrder order) {
  MixBuilder builder(planner, forms, mix);
  if (!builder.HandOut()) return std::nullopt;
  return builder.Build(order);
}

}  // namespace cyclescope::ports
