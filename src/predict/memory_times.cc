#include "predict/memory_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "analysis/row_figures.h"
#include "predict/operand_roles.h"
#include "predict/whole_numbers.h"

namespace cyclescope::predict {
namespace {

using assembler::Instruction;

// What rows of loads and stores tell. Integers come first in pairs, vectors second.
struct PlainAccesses {
  std::array<std::optional<double>, 2> loads;
  std::optional<double> chained_loads;  // of integers; each address was loaded
  std::array<std::vector<double>, 2> forwarded;
  std::vector<FormRow*> changed;  // what they load and store again
};

PlainAccesses ReadRows(const CorePorts& ports, FormRows& rows) {
  PlainAccesses found;
  rows.ForEach([&](FormRow& row) {
    if (row.row->latency.empty()) return;
    for (const Latency& latency : row.row->latency) {
      if (latency.from == kMemory && latency.to == kMemory) found.changed.push_back(&row);
    }
    if (!ports.MayBePlainAccess(*row.row)) return;
    const Instruction* instruction = rows.Parsed(row);
    if (instruction == nullptr) return;
    const bool vector = HasVectors(*instruction);
    for (const FormModel::Pair& pair : FormOfRow(*row.row, *instruction).pairs) {
      std::optional<double>& least =
          pair.is_direct && !vector ? found.chained_loads : found.loads[vector ? 1 : 0];
      if (IsPureLoad(*instruction) && pair.from.kind == RoleKind::kBase &&
          pair.to.kind == RoleKind::kRegister && pair.cycles >= 2)
        least = std::min(least.value_or(pair.cycles), pair.cycles);
      if (IsPureStore(*instruction) && pair.from.kind == RoleKind::kRegister &&
          pair.to.kind == RoleKind::kMemory)
        found.forwarded[vector ? 1 : 0].push_back(pair.cycles);
    }
  });
  return found;
}

}  // namespace

void MemoryTimes::Read(const Document& document, const CorePorts& ports, FormRows& rows) {
  // Where the document has neither: large cores of 2020 and later.
  constexpr double kUsualLoadCycles = 5, kUsualVectorCycles = 7;
  PlainAccesses found = ReadRows(ports, rows);
  auto& [loads, chained_loads, forwarded, changed] = found;
  // Else the least of both is that of any load.
  constexpr double kLeastSavedByAddress = 0.5;
  if (loads[0] && chained_loads && *loads[0] >= *chained_loads + kLeastSavedByAddress) {
    saved_by_loaded_address_ = std::round(*loads[0] - *chained_loads);
  } else if (chained_loads) {
    loads[0] = std::min(loads[0].value_or(*chained_loads), *chained_loads);
  }
  load_cycles_ = {loads[0].value_or(kUsualLoadCycles), loads[1].value_or(kUsualVectorCycles)};
  std::vector<double> of_changed;
  for (FormRow* row : changed) {
    const Instruction* instruction = rows.Parsed(*row);
    if (instruction == nullptr || HasVectors(*instruction)) continue;
    for (const FormModel::Pair& pair : FormOfRow(*row->row, *instruction).pairs) {
      if (pair.from.kind != RoleKind::kMemory || pair.to.kind != RoleKind::kMemory) continue;
      const bool renamed = IsRenamed(pair.cycles);
      renames_changed_ |= renamed && ChangesByNumber(*instruction);
      // The change takes a cycle.
      if (!renamed) of_changed.push_back(pair.cycles - 1);
    }
  }
  ReadForwarding(document);
  for (const auto& [overlap, cycles] : forwarded_) {
    if (!overlap.is_within()) continue;
    const bool is_same = overlap.load_bytes == overlap.store_bytes;
    if (is_same && !overlap.of_vector && IsRenamed(cycles))
      renamed_bits_.insert(8 * overlap.store_bytes);
    forwarded[overlap.of_vector ? 1 : 0].push_back(cycles);
  }
  for (const std::size_t vector : {0, 1}) {
    std::optional<double> least;
    for (const double cycles : forwarded[vector]) {
      if (!IsRenamed(cycles)) least = std::min(least.value_or(cycles), cycles);
    }
    forwarding_cycles_[vector] = least.value_or(load_cycles_[vector]);
  }
  // The middle one: shifts and carries differ.
  const auto middle = of_changed.begin() + static_cast<std::ptrdiff_t>(of_changed.size() / 2);
  std::ranges::nth_element(of_changed, middle);
  changed_forwarding_cycles_ = of_changed.empty() ? forwarding_cycles_[0] : *middle;
  ReadSplits(document);
  ReadConflicts(document);
}

void MemoryTimes::ReadForwarding(const Document& document) {
  constexpr double kNoiseShare = 0.05;
  for (const MemoryRow& memory : document.memory) {
    for (const MemoryAccess& access : memory.accesses) {
      if (access.kind != AccessKind::kForwarding || !access.cycles || access.cycles->contended ||
          !IsBetween(access.cycles->value, 0, 1000))
        continue;
      forwarded_.push_back({{access.store_bytes, access.load_bytes, access.distance, access.vector},
                            WholeIfNear(access.cycles->value, kNoiseShare)});
    }
  }
}

std::optional<double> MemoryTimes::ForwardingCycles(const Overlap& overlap) const {
  const auto likeness = [&overlap](const Overlap& other) {
    return (other.store_bytes == overlap.store_bytes ? 2 : 0) +
           (other.load_bytes == overlap.load_bytes ? 1 : 0);
  };
  const Forwarded* best = nullptr;
  for (const Forwarded& each : forwarded_) {
    const Overlap& other = each.overlap;
    if (other.of_vector != overlap.of_vector || other.is_within() != overlap.is_within() ||
        other.is_at_begin() != overlap.is_at_begin())
      continue;
    if (best == nullptr || likeness(other) > likeness(best->overlap)) best = &each;
  }
  if (best == nullptr) return std::nullopt;
  return best->cycles;
}

// Loads and stores across the end of a line, beside the same behind it.
void MemoryTimes::ReadSplits(const Document& document) {
  constexpr double kNoiseShare = 0.05;
  const auto is_alone = [](const MemoryAccess& access) {
    return access.kind == AccessKind::kLineSplit &&
           (access.store_bytes > 0) != (access.load_bytes > 0) && access.cycles &&
           !access.cycles->contended && IsBetween(access.cycles->value, 0, 100);
  };
  for (const MemoryRow& memory : document.memory) {
    for (const MemoryAccess& across : memory.accesses) {
      if (!is_alone(across) || across.distance <= 0) continue;
      const auto behind = std::ranges::find_if(memory.accesses, [&](const MemoryAccess& other) {
        return is_alone(other) && other.distance == 0 && other.store_bytes == across.store_bytes &&
               other.load_bytes == across.load_bytes;
      });
      if (behind == memory.accesses.end()) continue;
      const bool costs = across.cycles->value > (1 + kNoiseShare) * behind->cycles->value;
      splits_.push_back({across.store_bytes > 0, across.store_bytes + across.load_bytes,
                         costs ? WholeIfNear(across.cycles->value, kNoiseShare) : 0});
    }
  }
  std::ranges::stable_sort(splits_, {}, &Split::bytes);
}

// That of the next wider one that was measured, else of the widest.
std::optional<double> MemoryTimes::SplitCycles(bool stores, int bytes) const {
  std::optional<double> cycles;
  for (const Split& split : splits_) {
    if (split.stores != stores) continue;
    cycles = split.cycles;
    if (split.bytes >= bytes) break;
  }
  if (cycles == 0) return std::nullopt;
  return cycles;
}

// What loads and stores do to each other, from the rows of `anatomy`.
void MemoryTimes::ReadConflicts(const Document& document) {
  if (!document.anatomy) return;
  constexpr double kNoiseShare = 0.05;
  const auto cycles_of = [&document](std::string_view name) -> double {
    for (const AnatomyRow& row : document.anatomy->rows) {
      if (row.part == AnatomyPart::kMemoryPipeline && row.name == name && row.value &&
          !row.contended && IsBetween(row.value->value, 0.01, 100))
        return row.value->value;
    }
    return 0;
  };
  const double one_address = cycles_of("loads of one address");
  const double apart = cycles_of("loads 8 bytes apart");
  if (apart > 0 && one_address > (1 + kNoiseShare) * apart)
    loads_of_a_bank_ = std::max(1, static_cast<int>(std::lround(1 / one_address)));
  const double other_line = cycles_of("stores 64 bytes apart");
  const double same_line = cycles_of("stores 8 bytes apart");
  if (same_line > 0 && other_line > (1 + kNoiseShare) * same_line) {
    other_line_store_cycles_ = WholeIfNear(other_line, kNoiseShare);
    // A whole number of them leaves in that time.
    same_line_store_cycles_ = other_line_store_cycles_ / std::round(other_line / same_line);
  }
}

bool MemoryTimes::IsRenamed(double forwarding_cycles) const {
  // Noise and a connector make less of a difference.
  constexpr double kLeastSavedCycles = 1.5;
  return forwarding_cycles < load_cycles_[0] - kLeastSavedCycles;
}

bool MemoryTimes::RenamesChanged(int bits) const {
  // Where no width was seen: Golden Cove does not so with 16 bits.
  constexpr int kLeastBits = 32;
  return renames_changed_ &&
         (renamed_bits_.empty() ? bits >= kLeastBits : renamed_bits_.contains(bits));
}

}  // namespace cyclescope::predict
