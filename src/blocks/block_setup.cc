#include "blocks/block_setup.h"

#include <algorithm>
#include <utility>

#include "arch/kernel_parts.h"
#include "arch/value_patterns.h"

namespace cyclescope::blocks {
namespace {

// Low addresses, so that their sums and multiples lie in the lower half of the address space. Their
// lowest 32 bits are an ordinary float, too. Registers get different places in their pages: equal
// ones would make a load wait for a store that it has nothing to do with.
constexpr std::uint64_t kFirstAddress = 0x3ff0'0000;
constexpr std::uint64_t kAddressStep = 0x1'00c0;
constexpr std::uint64_t kPointer = 0x3fe8'0800;
constexpr std::uint64_t kStack = 0x3fd8'0600;

// In a plain loop more pages would not be found fast by the core's address translation, and the
// snippet would take longer than its code; from pass to pass the same ones are used again.
constexpr std::size_t kMostLoopPages = 32;
constexpr std::size_t kMostPassPages = 256;
constexpr int kMostFaults = 64;
constexpr std::uint64_t kMaxPagesAhead = 32;
// Below this, Linux gives no memory to programs.
constexpr std::uint64_t kLowestAddress = 0x1'0000;

bool IsFinal(sandbox::DeathKind kind) {
  switch (kind) {
    case sandbox::DeathKind::kIllegalInstruction:
    case sandbox::DeathKind::kTrap:
    case sandbox::DeathKind::kForbiddenSystemCall:
    case sandbox::DeathKind::kNotStarted:
    case sandbox::DeathKind::kCancelled:
      return true;
    case sandbox::DeathKind::kBadAddress:
    case sandbox::DeathKind::kBusError:
    case sandbox::DeathKind::kArithmetic:
    case sandbox::DeathKind::kOtherSignal:
    case sandbox::DeathKind::kTimeout:
    case sandbox::DeathKind::kExited:
    case sandbox::DeathKind::kProtocolError:
      return false;
  }
  std::unreachable();
}

// The x87 stack runs over, and the stack pointer runs away, unless each pass puts them right.
bool NeedsPasses(const BlockCode& code, const SetupWishes& wishes) {
  return wishes.needs_passes || code.moves_stack || code.x87;
}

// What setups vary: the contents of memory in the order of their trial, all the user's where the
// user gave some, and the two alignments of the stack, the likelier one first.
struct SetupChoices {
  MemoryValues first;
  MemoryValues pointers;
  MemoryValues zero;
  bool aligned;
  bool other;
};

SetupChoices ChoicesFor(const BlockCode& code, const SetupWishes& wishes) {
  // A block that pushes is mostly the start of a function.
  const bool aligned = !code.moves_stack;
  return {.first = wishes.memory.value_or(code.loads_floats ? MemoryValues::kFloats
                                                            : MemoryValues::kPointers),
          .pointers = wishes.memory.value_or(MemoryValues::kPointers),
          .zero = wishes.memory.value_or(MemoryValues::kZero),
          .aligned = aligned,
          .other = code.uses_stack ? !aligned : aligned};
}

// With memory laid out as in a program. An exit that data decide about may be taken with one kind
// of data and not with another: `if (a[i] > a[i + 1]) break` with random numbers, and not with
// rising ones.
void AppendWithAreas(const SetupChoices& choices, bool passes, const SetupWishes& wishes,
                     std::vector<Setup>& all) {
  std::vector<AreaData> kinds = {wishes.data.value_or(AreaData::kRandom)};
  if (wishes.has_data_exits && !wishes.data) kinds.push_back(AreaData::kConstant);
  const auto in_order = {AreaData::kRising, AreaData::kFalling};
  for (const bool leaves_early : {false, true}) {
    if (leaves_early && !wishes.has_data_exits) continue;
    if (leaves_early && !wishes.data) {
      for (const AreaData data : in_order) {
        all.push_back({.areas = data,
                       .memory = choices.first,
                       .passes = passes,
                       .aligned_stack = choices.aligned});
      }
    }
    for (const bool alignment : {choices.aligned, choices.other}) {
      for (const AreaData data : kinds) {
        all.push_back({.areas = data,
                       .leaves_early = leaves_early,
                       .memory = choices.first,
                       .passes = passes,
                       .aligned_stack = alignment});
      }
    }
  }
}

// With pages that appear where they are touched.
void AppendWithPages(const SetupChoices& choices, const SetupWishes& wishes,
                     std::vector<Setup>& all) {
  using enum RegisterValues;
  const auto& [first, pointers, zero, aligned, other] = choices;
  const auto add = [&all](RegisterValues registers, MemoryValues memory, bool passes,
                          bool aligned_stack, std::optional<int> most_copies = {},
                          bool sets_stack = false) {
    all.push_back({.registers = registers,
                   .memory = memory,
                   .passes = passes,
                   .aligned_stack = aligned_stack,
                   .most_copies = most_copies,
                   .sets_stack = sets_stack});
  };
  // Of a loop that computes without memory: numbers that grow leave it early, and small ones and
  // zeros do not.
  const bool leaves_by_numbers = wishes.has_data_exits && !wishes.has_areas;
  if (leaves_by_numbers) {
    for (const VectorValues vectors :
         {VectorValues::kOrdinary, VectorValues::kSmall, VectorValues::kZero}) {
      all.push_back(
          {.vectors = vectors, .memory = first, .passes = true, .aligned_stack = aligned});
    }
  }
  add(kAddresses, first, false, aligned);
  add(kAddresses, pointers, false, aligned);
  add(kRoles, pointers, false, aligned);
  add(kAddresses, first, true, aligned);
  add(kAddresses, first, true, other);
  add(kAddresses, pointers, true, aligned);
  add(kRoles, pointers, true, aligned);
  add(kRoles, zero, true, aligned);
  add(kAddresses, pointers, true, aligned, 8);
  add(kRoles, zero, true, other, 8);
  add(kRoles, pointers, true, aligned, 2);
  add(kAddresses, pointers, true, other, 1);
  add(kRoles, zero, true, aligned, 1);
  add(kAddresses, first, true, aligned, std::nullopt, true);
  add(kAddresses, first, true, other, std::nullopt, true);
  add(kRoles, pointers, true, aligned, std::nullopt, true);
  for (const bool alignment : {aligned, other}) {
    all.push_back(
        {.memory = pointers, .passes = true, .aligned_stack = alignment, .sets_bases = true});
  }
  if (leaves_by_numbers) {
    all.push_back(
        {.leaves_early = true, .memory = first, .passes = true, .aligned_stack = aligned});
  }
}

// The wishes allow the setup, and the code has what it would change.
bool IsWorthTrying(const Setup& setup, const BlockCode& code, const SetupWishes& wishes) {
  if (wishes.fixed_copies && setup.most_copies) return false;
  if (wishes.needs_own_data && !setup.areas) return false;
  if (setup.sets_bases && (code.bases & code.written) == 0) return false;
  if (setup.sets_stack && !(code.moves_stack && arch::StackOffsetOfFunctions() != 0)) return false;
  if (setup.passes) return wishes.allows_passes;
  return !(NeedsPasses(code, wishes) && wishes.allows_passes);
}

}  // namespace

std::uint64_t InitialAddress(int number) {
  return kFirstAddress + kAddressStep * static_cast<std::uint64_t>(number);
}

std::map<int, std::uint64_t> InitialValues(const BlockCode& code, RegisterValues values) {
  std::map<int, std::uint64_t> initial;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t bit = 1U << i;
    if ((arch::GeneralRegisters() & bit) == 0) continue;
    const bool base = (code.bases & bit) != 0;
    const bool index = (code.indexes & bit) != 0;
    const auto needed = code.needed_values.find(i);
    if (!base && !index && needed != code.needed_values.end()) {
      initial[i] = needed->second;
    } else if (values == RegisterValues::kAddresses || base) {
      initial[i] = InitialAddress(i);
    } else {
      initial[i] = static_cast<std::uint64_t>(index ? 8 * (i + 1) : i + 1);
    }
  }
  return initial;
}

std::uint64_t InitialStack(const Setup& setup) {
  return kStack - (setup.aligned_stack ? 0 : arch::StackOffsetOfFunctions());
}

std::uint64_t MemoryPattern(MemoryValues values) {
  switch (values) {
    case MemoryValues::kPointers:
      return kPointer;
    case MemoryValues::kFloats:
      return arch::kUsualValue;
    case MemoryValues::kZero:
      return 0;
    case MemoryValues::kOnes:
      return ~std::uint64_t{0};
    case MemoryValues::kGiven:
      return 0;
  }
  std::unreachable();
}

std::set<std::uint64_t> FirstPages(const BlockCode& code,
                                   const std::map<int, std::uint64_t>& registers,
                                   const Setup& setup, std::uint64_t page_size) {
  std::set<std::uint64_t> pages;
  if (!code.touches_memory || !code.decoded) return pages;
  const auto add = [&](std::uint64_t address) {
    if (address >= kLowestAddress) pages.insert(address / page_size * page_size);
  };
  if (setup.memory == MemoryValues::kPointers) add(kPointer);
  if (code.uses_stack) add(kStack);
  for (const assembler::Decoded& each : *code.decoded) {
    std::optional<std::uint64_t> base;
    std::uint64_t displacement = 0;
    for (const assembler::Operand& operand : each.instruction.operands) {
      if (operand.address == assembler::AddressPart::kDisplacement &&
          operand.kind == assembler::OperandKind::kImmediate)
        displacement = static_cast<std::uint64_t>(operand.value);
      if (operand.address != assembler::AddressPart::kBase) continue;
      const auto known = registers.find(operand.reg.index);
      if (operand.reg.file == assembler::RegisterFile::kGeneral && known != registers.end())
        base = known->second;
    }
    if (base) add(*base + displacement);
  }
  return pages;
}

std::vector<Setup> SetupsFor(const BlockCode& code, const SetupWishes& wishes) {
  const SetupChoices choices = ChoicesFor(code, wishes);
  std::vector<Setup> all;
  if (wishes.has_areas)
    AppendWithAreas(choices, NeedsPasses(code, wishes) || wishes.walks, wishes, all);
  AppendWithPages(choices, wishes, all);
  std::vector<Setup> setups;
  for (const Setup& setup : all) {
    if (IsWorthTrying(setup, code, wishes) && std::ranges::find(setups, setup) == setups.end())
      setups.push_back(setup);
  }
  return setups;
}

bool Exploration::Learn(const sandbox::Death& death, const std::set<std::uint64_t>& mapped) {
  const bool faulted = death.kind == sandbox::DeathKind::kBadAddress && death.fault_address;
  if (faulted && AddPage(*death.fault_address, mapped)) return true;
  has_failed_ = true;
  return NextSetup(death);
}

bool Exploration::LearnOfExit() {
  has_failed_ = true;
  return NextSetup({.kind = sandbox::DeathKind::kOtherSignal});
}

bool Exploration::AddPage(std::uint64_t address, const std::set<std::uint64_t>& mapped) {
  const std::uint64_t page = address / page_size_ * page_size_;
  // A page that was asked for and still faults is one that no process may have.
  if (address < kLowestAddress || mapped.contains(page) || ++faults_ > kMostFaults) return false;
  // Code that walks through memory needs page after page: it gets more at once every time.
  const bool up = mapped.contains(page - page_size_);
  const bool down = mapped.contains(page + page_size_);
  ahead_ = up || down ? std::min(2 * ahead_, kMaxPagesAhead) : 1;
  const std::size_t most = setup().passes ? kMostPassPages : kMostLoopPages;
  if (mapped.size() + ahead_ > most) return false;
  for (std::uint64_t i = 0; i < ahead_; ++i)
    pages_.insert(down && !up ? page - i * page_size_ : page + i * page_size_);
  return true;
}

bool Exploration::NextSetup(const sandbox::Death& death) {
  if (IsFinal(death.kind)) return false;
  const Setup last = setup();
  // What went on for ever, or walked away, does so again in another loop.
  const bool drifts = death.kind == sandbox::DeathKind::kTimeout;
  do {
    if (++current_ >= setups_.size()) {
      current_ = setups_.size() - 1;
      return false;
    }
  } while (drifts && !last.passes && !setup().passes);
  pages_.clear();
  ahead_ = 1;
  faults_ = 0;
  return true;
}

}  // namespace cyclescope::blocks
