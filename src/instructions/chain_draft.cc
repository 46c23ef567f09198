#include "instructions/chain_draft.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "arch/value_patterns.h"

namespace cyclescope::instructions {
namespace {

// In the texts of connectors register 0 is the destination and register 1 the source
// (arch/kernel_parts.h).
constexpr std::uint8_t kDestination = 0;
constexpr std::uint8_t kSource = 1;

bool IsSourceOf(const Group& group, RegisterFile from) {
  return group.read && group.file == from &&
         (from == RegisterFile::kFlags || group.index == kSource);
}

bool IsDestinationOf(const Group& group, RegisterFile to) {
  return group.written && group.file == to &&
         (to == RegisterFile::kFlags || group.index == kDestination);
}

// Several connectors as one text, for people.
std::string Join(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

bool ChainDraft::AppendForm(std::size_t copy, const std::vector<std::size_t>& on_chain) {
  for (std::size_t g = 0; g < form_.groups.size(); ++g) {
    const Group& group = form_.groups[g];
    if (!group.spent || std::ranges::find(on_chain, g) != on_chain.end()) continue;
    const std::uint8_t index = copies_.lane(g).At(copy);
    if (!AppendBeside(group.file == RegisterFile::kMask
                          ? arch::SetMaskText(index)
                          : arch::SetAllBitsText(index, group.bits))) {
      return false;
    }
  }
  chain_.sequence.Append(planner_.assembler(),
                         Rename(planner_.assembler(), form_, copies_.At(copy)));
  chain_.sequence.units += 1;
  ++passes_;
  return true;
}

std::optional<std::uint8_t> ChainDraft::ConstantRegister(const std::string& key, const Group& group,
                                                         std::optional<std::uint64_t> value) {
  if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
  const auto index = copies_.pool().Take(group);
  if (!index) return std::nullopt;
  if (value) chain_.sequence.values[{group.file, *index}] = *value;
  return constants_.emplace(key, *index).first->second;
}

bool ChainDraft::AppendText(const std::string& text) {
  const auto bytes = planner_.builder().Bytes(text);
  if (!bytes) return false;
  chain_.sequence.AppendText(text.substr(0, text.find('\n')), *bytes);
  return true;
}

// They are the same in every pass; those before the first copy stand for all.
bool ChainDraft::AppendBeside(const std::string& text) {
  if (passes_ == 0) beside_texts_.push_back(text.substr(0, text.find('\n')));
  return AppendText(text);
}

// The first pass names them, too.
void ChainDraft::NoteConnector(const std::string& text) {
  if (passes_ == 1) connector_texts_.push_back(text);
}

bool ChainDraft::AppendConnector(std::string_view text, RegisterFile from, RegisterFile to,
                                 std::uint8_t source, std::uint8_t destination) {
  const auto connector = planner_.FormOf(text);
  if (!connector) return false;
  Assignment assignment = TextAssignment(*connector);
  Assignment own_chain = assignment;  // the connector as a chain of its own
  for (std::size_t g = 0; g < connector->groups.size(); ++g) {
    const Group& group = connector->groups[g];
    if (IsDestinationOf(group, to)) {
      assignment[g] = destination;
      own_chain[g] = kDestination;
    } else if (IsSourceOf(group, from)) {
      assignment[g] = source;
      own_chain[g] = kDestination;
    } else if (!group.fixed) {
      // Between two registers of a file the value passes unchanged: the constant is the operation's
      // neutral element.
      const auto value = from == to ? std::optional<std::uint64_t>(0) : std::nullopt;
      const auto constant = ConstantRegister(fmt::format("{}/{}", text, g), group, value);
      if (!constant) return false;
      assignment[g] = *constant;
    }
  }
  const Instruction instruction = Rename(planner_.assembler(), *connector, assignment);
  chain_.sequence.Append(planner_.assembler(), instruction);
  chain_.sequence.keeps_flags |= from == RegisterFile::kFlags || to == RegisterFile::kFlags;
  NoteConnector(instruction.text);
  if (from != to) {
    if (passes_ == 1) ++chain_.unknown_connectors;
    return true;
  }
  Sequence alone;
  alone.Append(planner_.assembler(), Rename(planner_.assembler(), *connector, own_chain));
  alone.units = 1;
  TakeOff(std::string(text), alone);
  return true;
}

bool ChainDraft::AppendAddressConnector(std::uint8_t source, std::uint8_t destination, int offset) {
  const auto is_address = [](const Group& group) { return group.index > kSource; };
  const auto unplaced = planner_.FormOf(std::string(arch::AddressConnector(kDestination)));
  if (!unplaced) return false;
  auto place = std::optional(static_cast<std::uint8_t>(arch::ReservedRegisters().address));
  if (offset != 0) {
    place = ConstantRegister(fmt::format("place {}", offset),
                             *std::ranges::find_if(unplaced->groups, is_address),
                             planner_.builder().address() + static_cast<std::uint64_t>(offset));
  }
  if (!place) return false;
  const std::string text(arch::AddressConnector(*place));
  const auto connector = planner_.FormOf(text);
  if (!connector) return false;
  Assignment assignment;
  Assignment own_chain;
  for (const Group& group : connector->groups) {
    assignment.push_back(group.index == kDestination ? destination
                         : is_address(group)         ? *place
                                                     : source);
    own_chain.push_back(is_address(group) ? group.index : kDestination);
  }
  const Instruction instruction = Rename(planner_.assembler(), *connector, assignment);
  chain_.sequence.Append(planner_.assembler(), instruction);
  NoteConnector(instruction.text);
  Sequence alone;
  alone.Append(planner_.assembler(), Rename(planner_.assembler(), *connector, own_chain));
  alone.units = 1;
  TakeOff(text, alone);
  return true;
}

// Connectors are the same in every pass: the first pass counts them.
void ChainDraft::TakeOff(const std::string& name, const Sequence& alone) {
  if (passes_ == 1) chain_.taken_off.push_back({name, alone});
}

std::optional<Instruction> ChainDraft::PinStep(std::string_view text, std::uint64_t constant,
                                               std::uint8_t index) {
  const auto step = planner_.FormOf(text);
  if (!step) return std::nullopt;
  Assignment assignment = TextAssignment(*step);
  for (std::size_t g = 0; g < step->groups.size(); ++g) {
    const Group& group = step->groups[g];
    if (group.fixed) continue;
    if (group.index == kDestination) {
      assignment[g] = index;
      continue;
    }
    const auto reg = ConstantRegister(fmt::format("pin {:x}", constant), group, constant);
    if (!reg) return std::nullopt;
    assignment[g] = *reg;
  }
  return Rename(planner_.assembler(), *step, assignment);
}

bool ChainDraft::AppendPinStep(std::string_view text, std::uint64_t constant, std::uint8_t index,
                               Sequence& alone) {
  const auto instruction = PinStep(text, constant, index);
  if (!instruction) return false;
  chain_.sequence.Append(planner_.assembler(), *instruction);
  NoteConnector(instruction->text);
  alone.Append(planner_.assembler(), planner_.FormOf(text)->instruction);
  alone.units = 1;
  return true;
}

const arch::Pin* ChainDraft::PinOf(std::size_t group) const {
  const auto value = has_values_ ? copies_.ValueOf(group) : std::nullopt;
  if (!value || *value == arch::kUsualValue) return nullptr;
  // As wide as the widest vector of the form: on x86-64 the narrow ones are legacy code, which must
  // not stand among code that uses the upper halves.
  const Group& wanted = form_.groups[group];
  int bits = wanted.bits;
  for (const Group& other : form_.groups) {
    if (other.file == wanted.file && wanted.file == RegisterFile::kVector)
      bits = std::max<int>(bits, other.bits);
  }
  const auto pins = arch::Pins();
  const auto pin = std::ranges::find_if(
      pins, [&](const arch::Pin& each) { return each.file == wanted.file && each.bits >= bits; });
  return pin == pins.end() ? nullptr : &*pin;
}

bool ChainDraft::AppendPin(std::size_t group, std::uint8_t index) {
  const arch::Pin* pin = PinOf(group);
  if (pin == nullptr) return true;
  Sequence alone;
  if (!AppendPinStep(pin->clear, 0, index, alone) ||
      !AppendPinStep(pin->fill, *copies_.ValueOf(group), index, alone)) {
    return false;
  }
  TakeOff(fmt::format("{}; {}", pin->clear, pin->fill), alone);
  return true;
}

bool ChainDraft::AppendRestart(std::size_t group, std::uint8_t index) {
  const arch::Pin* pin = PinOf(group);
  if (pin == nullptr) return false;
  const auto clear = PinStep(pin->clear, 0, index);
  const auto fill = PinStep(pin->fill, *copies_.ValueOf(group), index);
  if (!clear || !fill) return false;
  chain_.sequence.AppendRestart(planner_.assembler(), *clear);
  chain_.sequence.AppendRestart(planner_.assembler(), *fill);
  return true;
}

bool ChainDraft::AppendFreshDestination(std::size_t group, std::uint8_t index) {
  const Group& destination = form_.groups[group];
  const auto value = copies_.ValueOf(group);
  if (destination.file != RegisterFile::kVector || !value) return false;
  const auto constant = ConstantRegister(fmt::format("fresh {:x}", *value), destination, value);
  return constant && AppendBeside(arch::CopyVectorText(index, *constant, destination.bits,
                                                       form_.instruction.flags.vex));
}

bool ChainDraft::AppendClear(std::uint8_t index) {
  const auto pins = arch::Pins();
  const auto pin = std::ranges::find(pins, RegisterFile::kGeneral, &arch::Pin::file);
  Sequence alone;
  if (!AppendPinStep(pin->clear, 0, index, alone)) return false;
  TakeOff(std::string(pin->clear), alone);
  return true;
}

bool ChainDraft::AppendBreakers(const std::vector<std::size_t>& on_chain) {
  for (std::size_t g = 0; g < form_.groups.size(); ++g) {
    const Group& group = form_.groups[g];
    if (!group.fixed || !group.read || !group.written || group.stack_pointer) continue;
    if (std::ranges::find(on_chain, g) != on_chain.end()) continue;
    if (group.file == RegisterFile::kFlags) {
      if (!AppendBeside(arch::SetFlagsText())) return false;
    } else if (group.file == RegisterFile::kGeneral) {
      Group any = group;
      any.allowed = arch::GeneralRegisters();
      const auto constant = ConstantRegister(fmt::format("breaker {}", g), any, copies_.ValueOf(g));
      if (!constant || !AppendBeside(arch::CopyGeneralText(group.index, *constant))) return false;
    }
  }
  return true;
}

bool ChainDraft::AppendLoad(std::size_t copy, std::size_t stored, std::uint8_t destination) {
  const Group& source = form_.groups[stored];
  const Instruction store = Rename(planner_.assembler(), form_, copies_.At(copy));
  const auto load = planner_.assembler().Reload(store, source.operands.front());
  if (!load) return false;
  const Form form = MakeForm(*load);
  Assignment assignment = TextAssignment(form);
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    const Group& group = form.groups[g];
    if (group.written && !group.is_address() && !group.stack_pointer) assignment[g] = destination;
  }
  const Instruction instruction = Rename(planner_.assembler(), form, assignment);
  chain_.sequence.Append(planner_.assembler(), instruction);
  NoteConnector(instruction.text);
  if (passes_ == 1) ++chain_.unknown_connectors;
  return true;
}

Chain ChainDraft::Finish() {
  copies_.FillIn(chain_.sequence);
  chain_.sequence.reads_flags =
      !chain_.sequence.keeps_flags && std::ranges::any_of(form_.groups, [](const Group& group) {
        return group.file == RegisterFile::kFlags && group.read && !group.written;
      });
  chain_.connector = Join(connector_texts_);
  chain_.beside = Join(beside_texts_);
  return std::move(chain_);
}

}  // namespace cyclescope::instructions
