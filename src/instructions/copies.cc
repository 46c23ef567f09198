#include "instructions/copies.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "arch/value_patterns.h"

namespace cyclescope::instructions {
namespace {

// True if the form moves an address that it writes back: not by 0, and registers that are added to
// an address hold 0. What names no step at all (strings) has one of its own.
bool MovesAddresses(const Form& form) {
  const auto is_step = [](const assembler::Operand& operand) {
    return operand.address == AddressPart::kIncrement ||
           operand.address == AddressPart::kDisplacement;
  };
  const auto& operands = form.instruction.operands;
  if (std::ranges::none_of(operands, is_step)) return true;
  return std::ranges::any_of(operands, [&is_step](const assembler::Operand& operand) {
    return is_step(operand) && operand.kind == assembler::OperandKind::kImmediate &&
           operand.value != 0;
  });
}

}  // namespace

Copies::Copies(const Form& form, const arch::ValueSet* values, std::uint64_t address)
    : form_(form), values_(values), address_(address), pool_(form), lanes_(form.groups.size()) {
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    if (form.groups[g].fixed) lanes_[g].registers = {form.groups[g].index};
  }
}

bool Copies::Ring(std::size_t from, std::size_t to, std::size_t size) {
  return RingAll({from}, to, size);
}

// A place whose registers may stand in every one of the groups, with room for the longest list.
Group Copies::Joint(const std::vector<std::size_t>& groups) const {
  Group joint = form_.groups[groups.front()];
  for (const std::size_t g : groups) {
    joint.allowed &= form_.groups[g].allowed;
    if (form_.groups[g].count > joint.count) {
      joint.count = form_.groups[g].count;
      joint.stride = form_.groups[g].stride;
    }
  }
  return joint;
}

bool Copies::Share(const std::vector<std::size_t>& groups) {
  const auto index = pool_.Take(Joint(groups));
  if (!index) return false;
  for (const std::size_t g : groups) lanes_[g].registers = {*index};
  return true;
}

bool Copies::RingAll(const std::vector<std::size_t>& from, std::size_t to, std::size_t size) {
  std::vector<std::size_t> groups = from;
  groups.push_back(to);
  Lane ring;
  ring.registers = pool_.TakeUpTo(Joint(groups), size);
  if (ring.empty()) return false;
  for (const std::size_t g : from) lanes_[g] = ring;
  ring.offset = std::ranges::find(from, to) != from.end() ? 0 : 1;
  lanes_[to] = ring;
  return true;
}

bool Copies::InPlace(const std::vector<std::size_t>& groups, std::size_t most) {
  Lane lane;
  lane.registers = pool_.TakeUpTo(Joint(groups), most);
  if (lane.empty()) return false;
  for (const std::size_t g : groups) lanes_[g] = lane;
  return true;
}

bool Copies::Rotate(std::size_t group, std::size_t most) {
  if (!lanes_[group].empty()) return true;
  lanes_[group].registers = pool_.TakeUpTo(form_.groups[group], most);
  return !lanes_[group].empty();
}

bool Copies::SpreadAddresses(std::size_t places, int stride_bytes) {
  stride_bytes_ = stride_bytes;
  for (std::size_t g = 0; g < lanes_.size(); ++g) {
    if (form_.groups[g].address == AddressPart::kBase && !Rotate(g, places)) return false;
  }
  return true;
}

bool Copies::Rest(std::size_t most, std::size_t most_pure) {
  for (std::size_t g = 0; g < lanes_.size(); ++g) {
    if (!form_.groups[g].written && !Keep(g)) return false;
  }
  // Shared evenly, so that the last group is not left with nothing.
  std::size_t left = 0;
  for (const auto& lane : lanes_) left += lane.empty() ? 1 : 0;
  const std::size_t groups = left;
  for (std::size_t g = 0; g < lanes_.size(); ++g) {
    if (!lanes_[g].empty()) continue;
    const std::size_t share = std::max<std::size_t>(1, pool_.Available(form_.groups[g]) / left--);
    // Powers of two where there are several groups, so that their lanes repeat together after a few
    // copies.
    const std::size_t size = std::min(form_.groups[g].read ? most : most_pure, share);
    if (!Rotate(g, groups > 1 ? std::bit_floor(size) : size)) return false;
  }
  return true;
}

std::size_t Copies::Period() const {
  std::size_t period = 1;
  for (const Lane& lane : lanes_) period = std::lcm(period, lane.registers.size());
  return period;
}

Assignment Copies::At(std::size_t copy) const {
  Assignment assignment;
  for (const Lane& lane : lanes_) assignment.push_back(lane.At(copy));
  return assignment;
}

std::optional<std::uint64_t> Copies::ValueOf(std::size_t group) const {
  const Group& wanted = form_.groups[group];
  if (wanted.address == AddressPart::kBase) return address_;
  if (wanted.address == AddressPart::kIndex || wanted.address == AddressPart::kIncrement) return 0;
  const auto has_value = [](const Group& each) {
    return each.read && !each.is_address() && each.file != RegisterFile::kMask;
  };
  if (values_ == nullptr || !has_value(wanted)) return std::nullopt;
  const auto before = std::span(form_.groups).first(group);
  const auto position = static_cast<std::size_t>(std::ranges::count_if(before, has_value));
  return position < values_->values.size() ? std::optional(values_->values[position])
                                           : std::nullopt;
}

void Copies::FillIn(Sequence& sequence) const {
  sequence.touches_memory = form_.reads_memory || form_.writes_memory;
  sequence.memory = values_ != nullptr ? values_->memory : form_.memory;
  for (std::size_t g = 0; g < lanes_.size(); ++g) {
    const Group& group = form_.groups[g];
    const bool is_base = group.address == AddressPart::kBase;
    int offset = 0;
    for (const std::uint8_t index : lanes_[g].registers) {
      if (const auto value = ValueOf(g)) {
        for (int i = 0; i < group.count; ++i) {
          const auto reg = static_cast<std::uint8_t>((index + i * group.stride) % 32);
          sequence.values[{group.file, reg}] = *value + static_cast<std::uint64_t>(offset);
        }
      }
      if (is_base && group.written && !group.stack_pointer && MovesAddresses(form_))
        sequence.moving_addresses.push_back({index, offset});
      if (is_base) offset += stride_bytes_;
    }
    if (group.stack_pointer && group.written) sequence.moves_stack = true;
  }
}

}  // namespace cyclescope::instructions
