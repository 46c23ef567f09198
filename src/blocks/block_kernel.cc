#include "blocks/block_kernel.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

#include "arch/kernel_parts.h"
#include "arch/value_patterns.h"
#include "base/try.h"
#include "blocks/block_memory.h"

namespace cyclescope::blocks {
namespace {

class BlockKernelWriter {
 public:
  BlockKernelWriter(instructions::KernelBuilder& builder, const BlockKernelSpec& spec,
                    const sandbox::KernelPlaces& places)
      : builder_(builder), spec_(spec), places_(places) {}

  Result<sandbox::Kernel> Write(int copies, bool longer) {
    registers_ = spec_.registers;
    if (longer) {
      for (const auto& [index, value] : spec_.longer_registers) registers_[index] = value;
    } else {
      TRY(LeaveRoomForTables());
    }
    TRY(AppendTexts(OnceTexts()));
    pass_begin_ = kernel_.size();
    if (spec_.one_code && longer) {
      Append(arch::Jump(0));
      return kernel_;
    }
    TRY(AppendTexts(PassTexts()));
    Append(*spec_.init);
    while (spec_.place_in_line &&
           kernel_.size() % sandbox::kKernelAlignment != *spec_.place_in_line) {
      TRY(AppendText(std::string(arch::kFillerText)));
    }
    const std::size_t copies_begin = kernel_.size();
    for (int i = 0; i < copies; ++i) TRY(AppendCopy());
    if (spec_.trapped_exits != nullptr && spec_.trapped_exits->NeedsTrap())
      TRY(SetTrap(copies_begin));
    TRY(FillTables());
    TRY(AppendEnd(copies_begin));
    return kernel_;
  }

  // Makes the copies of the kernel written last, which begins at `address`, find their data.
  void MoveData(std::uint64_t address, sandbox::Kernel& kernel) const {
    const std::vector<DataDistance>& data = spec_.code->data;
    std::vector<DataPlace> places;
    for (const DataDistance& each : data) places.push_back(each.place());
    const std::vector<std::uint64_t> offsets =
        LayOutData(places, kLinesApart, sandbox::kWindowSize / 2);
    for (const std::size_t copy : copies_at_) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        arch::SetDataDistance(std::span(kernel).subspan(copy + data[i].at),
                              address + copy + data[i].from, places_.window + offsets[i]);
      }
    }
  }

  std::size_t pass_begin() const { return pass_begin_; }
  std::size_t first_copy() const { return copies_at_.front(); }
  const std::vector<std::uint8_t>& low_tables() const { return low_tables_; }
  std::optional<std::size_t> trap() const { return trap_; }

 private:
  static const arch::KernelRegisters& Reserved() { return arch::ReservedRegisters(); }

  // At the beginning, where a register is to hold their address: a jump over the tables, which
  // begin a line. The first kernel has them, and lies where the code begins.
  Result<void> LeaveRoomForTables() {
    tables_at_ = OffsetsOfTables(spec_.tables);
    const bool has_some = std::ranges::any_of(
        spec_.tables, [](const TableUse& use) { return use.table_register.has_value(); });
    if (!has_some) return {};
    const auto filler = TRY(builder_.Bytes(std::string(arch::kFillerText)));
    const std::size_t room = sandbox::kKernelAlignment + tables_at_.back();
    TRY(AppendText(arch::JumpOverFillersText((room + filler.size() - 1) / filler.size())));
    for (std::size_t i = 0; i < spec_.tables.size(); ++i) {
      const TableUse& use = spec_.tables[i];
      if (!use.table_register) continue;
      tables_at_[i] += sandbox::kKernelAlignment;
      registers_[*use.table_register] =
          places_.code + tables_at_[i] - static_cast<std::uint64_t>(use.displacement);
    }
    return {};
  }

  // When it is known where the code is, which has one copy.
  Result<void> FillTables() {
    const bool has_low = std::ranges::any_of(
        spec_.tables, [](const TableUse& use) { return !use.table_register.has_value(); });
    low_tables_.assign(has_low ? tables_at_.back() : 0, 0);
    for (std::size_t i = 0; i < spec_.tables.size(); ++i) {
      const TableUse& use = spec_.tables[i];
      const std::uint64_t code = places_.code + copies_at_.front();
      const std::uint64_t table = tables_at_[i] + (use.table_register ? places_.code : kLowTables);
      std::uint8_t* bytes = use.table_register ? kernel_.data() : low_tables_.data();
      const auto entries = use.EntriesToFill();
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        // Out of the loop is where a pass ends.
        const std::uint64_t to = entries[entry]
                                     ? code + (*spec_.code->decoded)[*entries[entry]].offset
                                     : places_.code + kernel_.size();
        const auto value = EntryFor(use, to, table, code);
        if (!value) return Failed("an entry of the jump table is too short for where the code is");
        const std::size_t at = tables_at_[i] + entry * static_cast<std::size_t>(use.entry_stride);
        std::memcpy(bytes + at, &*value, static_cast<std::size_t>(use.entry_bytes));
      }
    }
    return {};
  }

  // A register that neither counts nor brings the count.
  int Temporary() const {
    return spec_.counter == Reserved().temporary ? Reserved().zero : Reserved().temporary;
  }

  std::vector<std::string> OnceTexts() const {
    std::vector<std::string> texts;
    if (spec_.passes) {
      texts.push_back(arch::StoreCountText(Reserved().loops_argument, Temporary(), places_.count));
    } else if (spec_.counter) {
      texts.push_back(arch::CopyGeneralText(*spec_.counter, Reserved().loops_argument));
    }
    if (spec_.flush_denormals) texts.push_back(arch::FlushDenormalsText(Temporary()));
    texts.push_back(arch::SetGeneralText(Temporary(), arch::kUsualValue));
    const int widest = spec_.code->widest_vector;
    for (int i = 0; i < arch::VectorRegisters(); ++i)
      texts.push_back(arch::SetVectorText(i, widest, Temporary()));
    for (const VectorValue& vector : spec_.vectors) {
      texts.push_back(arch::SetGeneralText(Temporary(), vector.pattern));
      texts.push_back(arch::SetVectorText(vector.index, widest, Temporary()));
    }
    if (spec_.code->masks) {
      constexpr int kMasks = 8;
      for (int i = 0; i < kMasks; ++i) texts.push_back(arch::SetMaskText(i));
    }
    if (spec_.code->tiles) texts.push_back(arch::SetTilesText());
    if (!spec_.passes) {
      texts.push_back(arch::SetStackText(Temporary(), spec_.stack));
      AppendSetRegisters(texts);
    }
    if (spec_.one_code) {
      // What differs between the two lengths is in memory, from where each pass takes it.
      for (const auto& [index, longer] : spec_.longer_registers) {
        const int address = index == Temporary() ? Reserved().zero : Temporary();
        texts.push_back(arch::SetGeneralText(index, registers_.at(index)));
        texts.push_back(arch::StoreCountText(index, address, PlaceOf(index)));
      }
    }
    return texts;
  }

  // Where a register's value is kept that differs between the two lengths: below the count.
  std::uint64_t PlaceOf(int index) const {
    const auto before =
        std::distance(spec_.longer_registers.begin(), spec_.longer_registers.find(index));
    return places_.count - static_cast<std::uint64_t>(before + 1) * sizeof(std::uint64_t);
  }

  std::vector<std::string> PassTexts() const {
    std::vector<std::string> texts;
    if (!spec_.passes) return texts;
    texts.push_back(arch::SetStackText(Temporary(), spec_.stack));
    AppendSetRegisters(texts);
    return texts;
  }

  void AppendSetRegisters(std::vector<std::string>& texts) const {
    // Half of the x87 stack, so that code may push and pop.
    constexpr int kX87Places = 4;
    if (spec_.code->x87) texts.push_back(arch::SetX87Text(kX87Places));
    for (const auto& [index, value] : registers_) {
      if (spec_.one_code && spec_.longer_registers.contains(index)) {
        texts.push_back(arch::LoadGeneralText(index, PlaceOf(index)));
      } else if (spec_.passes || index != spec_.counter) {
        texts.push_back(arch::SetGeneralText(index, value));
      }
    }
  }

  // Behind the code: a trap, over which counted exits lead. Where one of those falls off the code's
  // end, a jump leads over the trap, and the others to behind that jump.
  Result<void> SetTrap(std::size_t code_begin) {
    const ExitPlan& exits = *spec_.trapped_exits;
    const bool jumps = !exits.data_fall_off;
    TRY(AppendText(jumps ? arch::JumpOverTrapText() : arch::TrapText()));
    const auto trap = TRY(builder_.Bytes(arch::TrapText()));
    trap_ = kernel_.size() - trap.size();
    const std::size_t target = jumps ? *trap_ : kernel_.size();
    for (const std::size_t number : jumps ? exits.by_data : exits.counted) {
      const assembler::Decoded& branch = (*spec_.code->decoded)[number];
      const std::size_t at = code_begin + branch.offset;
      const auto distance =
          static_cast<std::int64_t>(target) - static_cast<std::int64_t>(at + branch.size);
      if (!arch::SetBranchDistance(std::span(kernel_).subspan(at, branch.size), distance))
        return Failed("a branch of the loop cannot be redirected");
    }
    return {};
  }

  Result<void> AppendCopy() {
    if (spec_.sets_stack) TRY(AppendText(arch::SetStackText(Temporary(), spec_.stack)));
    for (const auto& [index, value] : registers_) {
      if ((spec_.sets_registers >> index & 1) != 0)
        TRY(AppendText(arch::SetGeneralText(index, value)));
    }
    copies_at_.push_back(kernel_.size());
    Append(spec_.code->bytes);
    return {};
  }

  // The end of a pass, or of the loop over the copies.
  Result<void> AppendEnd(std::size_t copies_begin) {
    if (spec_.passes) {
      if (!spec_.one_code) TRY(AppendText(arch::BarrierText()));
      TRY(AppendText(arch::TakeCountText(Reserved().counter, Reserved().temporary, places_.count)));
      Append(arch::LoopEnd(Reserved().counter, kernel_.size() - pass_begin_, false));
    } else if (spec_.loop != BlockLoop::kStraight) {
      Append(arch::LoopEnd(*spec_.counter, kernel_.size() - copies_begin, spec_.keep_flags));
    }
    return {};
  }

  Result<void> AppendText(const std::string& text) {
    const auto bytes = TRY(builder_.Bytes(text));
    Append(bytes);
    return {};
  }

  Result<void> AppendTexts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) TRY(AppendText(text));
    return {};
  }

  void Append(const assembler::Bytes& bytes) {
    kernel_.insert(kernel_.end(), bytes.begin(), bytes.end());
  }

  instructions::KernelBuilder& builder_;
  const BlockKernelSpec& spec_;
  const sandbox::KernelPlaces& places_;
  std::map<int, std::uint64_t> registers_;
  sandbox::Kernel kernel_;
  std::vector<std::size_t> copies_at_;
  std::vector<std::size_t> tables_at_;  // in the kernel, or among the low tables
  std::vector<std::uint8_t> low_tables_;
  std::size_t pass_begin_ = 0;
  std::optional<std::size_t> trap_;
};

}  // namespace

std::vector<std::size_t> OffsetsOfTables(std::span<const TableUse> tables) {
  std::vector<std::size_t> offsets = {0};
  for (const TableUse& use : tables) {
    const std::size_t bytes =
        use.EntriesToFill().size() * static_cast<std::size_t>(use.entry_stride);
    const std::size_t lines = (bytes + sandbox::kKernelAlignment - 1) / sandbox::kKernelAlignment;
    offsets.push_back(offsets.back() + lines * sandbox::kKernelAlignment);
  }
  return offsets;
}

Result<BlockKernels> BuildBlockKernels(instructions::KernelBuilder& builder,
                                       const BlockKernelSpec& spec,
                                       const sandbox::KernelPlaces& places) {
  assert((spec.tables.empty() || spec.one_code) && "of two codes each would need its own");
  BlockKernels built;
  std::vector<BlockKernelWriter> writers;
  for (std::size_t i = 0; i < built.kernels.size(); ++i) {
    BlockKernelWriter& writer = writers.emplace_back(builder, spec, places);
    built.kernels[i] = TRY(writer.Write(spec.copies[i], i == 1));
  }
  built.prologue_bytes = writers.front().first_copy();
  built.low_tables = writers.front().low_tables();
  for (std::size_t i = 0; i < built.traps.size(); ++i) built.traps[i] = writers[i].trap();
  const bool moves_data = spec.move_data && !spec.code->data.empty();
  if (!moves_data && !spec.one_code) return built;
  const std::vector<sandbox::KernelView> views(built.kernels.begin(), built.kernels.end());
  const auto layout = TRY(sandbox::LayOut(views, sandbox::kCodeSize));
  const auto place = [&layout](std::size_t i) { return layout.extents[i].offset; };
  if (spec.one_code) {
    sandbox::Kernel& longer = built.kernels[1];
    const auto target = static_cast<std::int64_t>(place(0) + writers[0].pass_begin());
    const auto behind = static_cast<std::int64_t>(place(1) + longer.size());
    const auto jump = arch::Jump(target - behind);
    std::ranges::copy(jump, longer.end() - static_cast<std::ptrdiff_t>(jump.size()));
  }
  for (std::size_t i = 0; moves_data && i < built.kernels.size(); ++i)
    writers[i].MoveData(places.code + place(i), built.kernels[i]);
  return built;
}

}  // namespace cyclescope::blocks
