#include "blocks/jump_tables.h"

#include <algorithm>

#include "base/saturated.h"
#include "blocks/block_memory.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Arithmetic;
using assembler::Decoded;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

// The last instruction before `end` that writes the register, without a jump in between.
std::optional<std::size_t> WriterOf(const BlockCode& code, GeneralNumber index, std::size_t end) {
  for (std::size_t i = end; i-- > 0;) {
    const Instruction& instruction = (*code.decoded)[i].instruction;
    if (instruction.flags.ChangesFlow()) return std::nullopt;
    const bool writes = std::ranges::any_of(instruction.operands, [index](const Operand& operand) {
      return IsGeneralRegister(operand) && operand.written && operand.reg.index == index;
    });
    if (writes) return i;
  }
  return std::nullopt;
}

// The byte of the code whose address an instruction gives, and nothing else.
std::optional<std::size_t> PlaceGivenBy(const Decoded& decoded) {
  const Instruction& instruction = decoded.instruction;
  if (instruction.flags.ChangesFlow() || decoded.distance_at) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::kLabel) continue;
    const std::int64_t at = static_cast<std::int64_t>(decoded.offset) + operand.value;
    return at < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(at));
  }
  return std::nullopt;
}

class TableReader {
 public:
  TableReader(const BlockCode& code, const TripValues& values) : code_(code), values_(values) {}

  std::optional<TableUse> Read(const TableJump& jump) const {
    TableUse use;
    use.jump = jump.instruction;
    for (const std::size_t target : jump.targets) {
      use.entries.push_back(target < code_.decoded->size() ? std::optional(target) : std::nullopt);
    }
    const bool stays = std::ranges::any_of(
        use.entries, [](const std::optional<std::size_t>& entry) { return entry.has_value(); });
    if (!stays || !FindLoad(use) || !FindTable(use)) return std::nullopt;
    return use;
  }

 private:
  const Instruction& At(std::size_t number) const { return (*code_.decoded)[number].instruction; }

  // What reads the entry, and what is done to it on its way to the jump.
  bool FindLoad(TableUse& use) const {
    use.load = use.jump;
    if (At(use.jump).flags.may_load) return true;
    const auto& operands = At(use.jump).operands;
    const auto target = std::ranges::find_if(operands, IsGeneralRegister);
    if (target == operands.end()) return false;
    const auto made = WriterOf(code_, target->reg.index, use.jump);
    if (!made) return false;
    use.load = *made;
    if (At(*made).flags.may_load) return At(*made).flags.plain_load;
    if (At(*made).arithmetic != Arithmetic::kSums || At(*made).number != 0) return false;
    bool has_entry = false;
    for (const Operand& operand : At(*made).operands) {
      if (!IsGeneralRegister(operand) || !operand.read) continue;
      const auto writer = WriterOf(code_, operand.reg.index, *made);
      if (writer && At(*writer).flags.may_load && At(*writer).flags.plain_load) {
        if (has_entry) return false;
        has_entry = true;
        use.load = *writer;
        use.entry_scale = operand.multiplier;
        // A whole register is the entry as it was loaded; a part of one is extended, and compilers
        // have signed distances then. x86-64's loads extend with the sign.
        constexpr int kWhole = 64;
        const bool loads_whole = std::ranges::any_of(At(*writer).operands, [](const Operand& each) {
          return IsGeneralRegister(each) && each.written && each.reg.bits == kWhole;
        });
        use.entry_is_signed = operand.reg.bits < kWhole || loads_whole;
      } else if (writer && PlaceGivenBy((*code_.decoded)[*writer])) {
        use.from_code = PlaceGivenBy((*code_.decoded)[*writer]);
      } else if (!writer && values_.StepOf(operand.reg.index) == 0) {
        use.table_register = operand.reg.index;  // which the load has to start from
        use.from_table = true;
      } else {
        return false;
      }
    }
    return has_entry && use.from_table != use.from_code.has_value();
  }

  // Where the table is, and what the index into it is.
  bool FindTable(TableUse& use) const {
    const auto& all = values_.accesses();
    const auto found = std::ranges::find(all, use.load, &MemoryUse::instruction);
    if (found == all.end() || found->bytes == 0) return false;
    SymbolicValue address = found->address;
    // The table gets a place of its own, whatever its symbol is.
    const SymbolUse* symbol = SymbolOf(code_, use.load);
    if (symbol != nullptr && address.registers.erase(symbol->number) > 0)
      address.constant = SaturatedSum(address.constant, SaturatedProduct(symbol->addend, -1));
    if (address.loads.empty() && address.is_exact()) return false;
    use.entry_bytes = found->bytes;
    use.entry_stride = found->multiplier;
    use.index_loads = address.loads;
    for (const Operand& operand : At(use.load).operands) {
      if (operand.address == AddressPart::kDisplacement) use.displacement = operand.bytes;
    }
    if (use.entry_stride < use.entry_bytes) return false;
    if (address.is_exact() || address.narrowed)
      use.index_origin =
          SaturatedSum(use.displacement, SaturatedProduct(address.constant, -1)) / use.entry_stride;
    if (address.registers.size() > 1) return false;
    if (address.registers.empty()) return !use.from_table;
    const auto& [index, factor] = *address.registers.begin();
    if (factor != 1 || values_.StepOf(index) != 0) return false;
    if (use.from_table && use.table_register != index) return false;
    use.table_register = index;
    // Nothing else may be there.
    return std::ranges::none_of(all, [&](const MemoryUse& other) {
      return other.instruction != use.load && other.address.registers.contains(index);
    });
  }

  const BlockCode& code_;
  const TripValues& values_;
};

}  // namespace

std::vector<std::int64_t> TableUse::ValuesThatStay() const {
  std::vector<std::int64_t> values;
  if (!index_origin) return values;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i]) values.push_back(*index_origin + static_cast<std::int64_t>(i));
  }
  return values;
}

std::optional<std::int64_t> TableUse::ValueThatLeaves() const {
  const auto leaves = std::ranges::find_if(
      entries, [](const std::optional<std::size_t>& entry) { return !entry.has_value(); });
  if (!index_origin || leaves == entries.end()) return std::nullopt;
  return *index_origin + (leaves - entries.begin());
}

std::vector<std::optional<std::size_t>> TableUse::EntriesToFill() const {
  if (index_origin) return entries;
  std::vector<std::optional<std::size_t>> stay = entries;
  std::erase(stay, std::nullopt);
  std::vector<std::optional<std::size_t>> all;
  while (all.size() < std::max<std::size_t>(entries.size(), kIndexLimit))
    all.push_back(stay[all.size() % stay.size()]);
  return all;
}

std::optional<std::vector<TableUse>> ReadTables(const BlockCode& code, const TripValues& values) {
  std::vector<TableUse> uses;
  for (const TableJump& jump : code.tables) {
    auto use = TableReader(code, values).Read(jump);
    if (!use) return std::nullopt;
    uses.push_back(std::move(*use));
  }
  return uses;
}

std::optional<std::uint64_t> EntryFor(const TableUse& use, std::uint64_t target,
                                      std::uint64_t table, std::uint64_t code) {
  std::uint64_t from = 0;
  if (use.from_table) from = table - static_cast<std::uint64_t>(use.displacement);
  if (use.from_code) from = code + *use.from_code;
  const auto distance = static_cast<std::int64_t>(target - from);
  if (distance % use.entry_scale != 0) return std::nullopt;
  const std::int64_t entry = distance / use.entry_scale;
  constexpr std::int64_t kWhole = 8;
  if (use.entry_bytes < kWhole) {
    const std::int64_t half = std::int64_t{1} << (8 * use.entry_bytes - 1);
    const std::int64_t low = use.entry_is_signed ? -half : 0;
    if (entry < low || entry >= low + 2 * half) return std::nullopt;
  }
  return static_cast<std::uint64_t>(entry);
}

}  // namespace cyclescope::blocks
