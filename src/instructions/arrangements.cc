#include "instructions/arrangements.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "instructions/chain_draft.h"

namespace cyclescope::instructions {
namespace {

// Where copies find their sources. It matters: a core has more pipes than its register files have
// read ports. Neoverse V1 adds vectors at 4 per cycle when an instruction's two sources are one
// register, or were just computed, and at 2 per cycle when each instruction fetches two registers
// that were written long ago.
enum class Sources {
  kApart,    // each in a register of its own that is not written
  kShared,   // all in one register that is not written
  kInPlace,  // in the copy's own destination
};

struct Arrangement {
  std::size_t registers = 16;       // that a destination takes in turn, at most
  std::size_t pure_registers = 32;  // the same for one whose old value is not read
  Sources sources = Sources::kApart;
  // After this many copies, registers that every copy reads and writes in place get fresh values;
  // 0: never. Each fresh value costs a slot; but the more copies wait for each other, the farther
  // must the core look ahead.
  std::size_t copies_per_breaker = 0;
  // Places that addresses are spread over, and the bytes between them. It matters to loads: Golden
  // Cove reads one place twice in a cycle, and three places that lie in different banks of a line.
  // It matters to stores: Neoverse V1 merges those to one line when they are narrow, and trips over
  // them when they are wide.
  std::size_t places = 1;
  int stride_bytes = 0;
  // Instructions that do nothing between each two copies. What consists of several parts may be
  // slower to decode than its pipes are: Neoverse V1 takes 2 cycles for each of many `ld2` with
  // write-back, and less than 0.9 where something else stands between them.
  std::size_t fillers = 0;
  // Branches leap over this number of bytes. Predictors know only a few branches in a block of
  // code: Neoverse V1 takes one branch in 5.5 cycles where every instruction is one, and two in a
  // cycle where they stand apart.
  std::size_t leap = 0;
};

// Everything that makes one arrangement differ from another.
std::string WayOf(const Arrangement& arrangement) {
  return fmt::format("registers {} {} sources {} breakers {} places {} x {} fillers {} leap {}",
                     arrangement.registers, arrangement.pure_registers,
                     static_cast<int>(arrangement.sources), arrangement.copies_per_breaker,
                     arrangement.places, arrangement.stride_bytes, arrangement.fillers,
                     arrangement.leap);
}

bool HasInPlaceRegisters(const Form& form) {
  return std::ranges::any_of(form.groups, [](const Group& group) {
    return group.fixed && group.read && group.written && !group.stack_pointer;
  });
}

// The sources that can stand in one register with the destination, or with each other.
std::vector<std::size_t> LikeSources(const Form& form, std::size_t destination) {
  std::vector<std::size_t> sources;
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    const Group& group = form.groups[g];
    if (group.read && group.address == AddressPart::kNone &&
        group.count == form.groups[destination].count && CanBeEqual(form, g, destination)) {
      sources.push_back(g);
    }
  }
  return sources;
}

std::optional<std::size_t> MainDestination(const Form& form) {
  for (std::size_t g = 0; g < form.groups.size(); ++g) {
    const Group& group = form.groups[g];
    if (group.written && !group.fixed && !group.is_address()) return g;
  }
  return std::nullopt;
}

// The bytes of the form's widest access; a line where they are not known.
int AccessBytes(const Form& form) {
  int bits = 0;
  for (const assembler::Operand& operand : form.instruction.operands)
    bits = std::max<int>(bits, operand.memory_bits);
  return bits == 0 ? kLineBytes : bits / 8;
}

// As LLVM's model says; without a model, any instruction may have several.
bool HasSeveralParts(Planner& planner, const Form& form) {
  return planner.assembler().Model(form.instruction).micro_ops.value_or(2) > 1;
}

// True if the time of the form depends on what its sources hold.
bool DependsOnValues(const arch::ValueSet* values) {
  return values != nullptr && !values->name.empty();
}

// True if a copy leaves a value in the register that is not the one it should be measured with:
// `sqrtpd xmm0, xmm0` makes anything one, which is fast.
bool SpoilsItsValue(const Group& group, const arch::ValueSet* values) {
  return DependsOnValues(values) && group.file == RegisterFile::kVector && group.read &&
         group.written;
}

std::vector<Arrangement> ArrangementsFor(Planner& planner, const Form& form,
                                         const arch::ValueSet* values) {
  // What a copy leaves in such a register may be no value for the next: `idiv` faults on its own
  // remainders.
  if (values != nullptr && HasInPlaceRegisters(form)) return {{.copies_per_breaker = 1}};
  const bool memory = form.reads_memory || form.writes_memory;
  std::vector<Arrangement> arrangements = {
      {}, {.registers = 24}, {.registers = 8}, {.registers = 4}};
  // x / x is one, whatever x is.
  if (!DependsOnValues(values)) {
    arrangements.push_back({.sources = Sources::kShared});
    arrangements.push_back({.registers = 24, .sources = Sources::kShared});
    arrangements.push_back({.registers = 24, .sources = Sources::kInPlace});
  }
  if (memory) {
    arrangements.push_back({.places = 4, .stride_bytes = kLineBytes});
    arrangements.push_back({.places = 12, .stride_bytes = kLineBytes});
    // Some instructions fault at an address that is no multiple of what they access.
    for (const int stride : {8, 16, 32}) {
      if (stride >= AccessBytes(form))
        arrangements.push_back({.registers = 6, .places = 6, .stride_bytes = stride});
    }
  }
  if (form.instruction.flags.ChangesFlow()) {
    arrangements.push_back({.leap = 28});
  } else if (HasSeveralParts(planner, form)) {
    // One takes few slots itself, so that it shows whether pipes are the limit of what is fast.
    for (const std::size_t fillers : {1, 3}) {
      arrangements.push_back({.fillers = fillers});
      if (memory)
        arrangements.push_back({.places = 12, .stride_bytes = kLineBytes, .fillers = fillers});
    }
  }
  if (HasInPlaceRegisters(form)) {
    for (const std::size_t copies : {1, 8, 24}) {
      arrangements.push_back({.copies_per_breaker = copies});
      if (memory) {
        arrangements.push_back(
            {.copies_per_breaker = copies, .places = 4, .stride_bytes = kLineBytes});
      }
    }
  }
  return arrangements;
}

// False where the form has no sources for which it makes a difference.
bool PlaceSources(const Form& form, const Arrangement& arrangement, Copies& copies) {
  const auto destination = MainDestination(form);
  if (!destination) return false;
  std::vector<std::size_t> sources = LikeSources(form, *destination);
  const bool reads_destination = std::erase(sources, *destination) > 0;
  if (sources.size() + (reads_destination ? 1 : 0) < 2) return false;
  if (arrangement.sources == Sources::kShared) return sources.size() > 1 && copies.Share(sources);
  // A source that may not stand in every register that the destination may stand in (an indexed
  // element) keeps a register of its own: else all copies would share the few that it may have.
  const std::uint32_t anywhere = form.groups[*destination].allowed;
  const auto bound = [&](std::size_t g) { return (anywhere & ~form.groups[g].allowed) != 0; };
  if (!std::ranges::all_of(sources, bound)) {
    for (const std::size_t g : sources) {
      if (bound(g) && !copies.Keep(g)) return false;
    }
    std::erase_if(sources, bound);
  }
  sources.push_back(*destination);
  return copies.InPlace(sources, arrangement.registers);
}

// Texts that fill at least `bytes`.
std::vector<std::string> Padding(Planner& planner, std::size_t bytes) {
  const std::string text(arch::PaddingText());
  const auto code = planner.builder().Bytes(text);
  if (!code) return {};
  return std::vector<std::string>((bytes + code->size() - 1) / code->size(), text);
}

// The form with its branch going over `padding`.
std::optional<Form> Leaping(Planner& planner, const Form& form,
                            const std::vector<std::string>& padding) {
  std::size_t bytes = 0;
  for (const std::string& text : padding) bytes += planner.builder().Bytes(text)->size();
  const auto& operands = form.instruction.operands;
  const auto target =
      std::ranges::find(operands, assembler::OperandKind::kLabel, &assembler::Operand::kind);
  if (target == operands.end()) return std::nullopt;
  const auto leaping = planner.assembler().SetValue(
      form.instruction, static_cast<std::size_t>(target - operands.begin()),
      arch::BranchOver(bytes));
  if (!leaping) return std::nullopt;
  Form changed = form;
  changed.instruction = *leaping;
  return changed;
}

std::optional<Sequence> Arrange(Planner& planner, const Form& plain, const arch::ValueSet* values,
                                const Arrangement& arrangement) {
  std::vector<std::string> between = Padding(planner, arrangement.leap);
  const auto leaping =
      between.empty() ? std::optional<Form>(plain) : Leaping(planner, plain, between);
  if (!leaping) return std::nullopt;
  between.insert(between.end(), arrangement.fillers, std::string(arch::kFillerText));
  const Form& form = *leaping;
  ChainDraft draft(planner, form, values);
  Copies& copies = draft.copies();
  if (arrangement.places > 1 &&
      !copies.SpreadAddresses(arrangement.places, arrangement.stride_bytes)) {
    return std::nullopt;
  }
  if (arrangement.sources != Sources::kApart && !PlaceSources(form, arrangement, copies))
    return std::nullopt;
  if (!copies.Rest(arrangement.registers,
                   std::min(arrangement.registers, arrangement.pure_registers)))
    return std::nullopt;
  const std::size_t every = arrangement.copies_per_breaker;
  const std::size_t count = every == 0 ? copies.Period() : std::lcm(copies.Period(), every);
  for (std::size_t copy = 0; copy < count; ++copy) {
    if (every != 0 && copy % every == 0 && !draft.AppendBreakers({})) return std::nullopt;
    for (std::size_t g = 0; g < form.groups.size(); ++g) {
      if (SpoilsItsValue(form.groups[g], values) &&
          !draft.AppendFreshDestination(g, copies.lane(g).At(copy))) {
        return std::nullopt;
      }
    }
    if (!draft.AppendForm(copy)) return std::nullopt;
    for (const std::string& text : between) {
      if (!draft.AppendText(text)) return std::nullopt;
    }
  }
  Sequence sequence = draft.Finish().sequence;
  sequence.branches = form.instruction.flags.ChangesFlow();
  return sequence;
}

}  // namespace

std::vector<ArrangedCopies> ArrangeCopies(Planner& planner, const Form& form,
                                          const arch::ValueSet* values) {
  const bool has_fresh_values = std::ranges::any_of(
      form.groups, [values](const Group& group) { return SpoilsItsValue(group, values); });
  std::vector<ArrangedCopies> arranged;
  for (const Arrangement& arrangement : ArrangementsFor(planner, form, values)) {
    auto sequence = Arrange(planner, form, values, arrangement);
    if (!sequence) continue;
    arranged.push_back({.sequence = std::move(*sequence),
                        .equal_sources = arrangement.sources != Sources::kApart,
                        .has_fillers = arrangement.fillers > 0,
                        .broken = arrangement.copies_per_breaker > 0 || has_fresh_values,
                        .way = WayOf(arrangement)});
  }
  return arranged;
}

std::optional<Sequence> ArrangeSameDestination(Planner& planner, const Form& form,
                                               const arch::ValueSet* values) {
  const bool has_pure_destination = std::ranges::any_of(form.groups, [](const Group& group) {
    return group.written && !group.read && !group.fixed && !group.is_address();
  });
  if (!has_pure_destination) return std::nullopt;
  return Arrange(planner, form, values, {.pure_registers = 1});
}

}  // namespace cyclescope::instructions
