#include "predict/core_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "analysis/dispatch_width.h"
#include "analysis/row_figures.h"
#include "assembler/predict.h"

namespace cyclescope::predict {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;

struct WindowFacts {
  Window window;
  std::string_view name;
  int usual_entries;  // where the document does not say; 0: not limited then
};

// Usual: less than large cores of 2020 and later have, more than small ones.
constexpr std::array kWindowFacts = {
    WindowFacts{Window::kReorderBuffer, "reorder buffer", 256},
    WindowFacts{Window::kIntegerRegisters, "integer registers", 0},
    WindowFacts{Window::kVectorRegisters, "vector registers", 0},
    WindowFacts{Window::kMaskRegisters, "mask registers", 0},
    WindowFacts{Window::kLoads, "loads", 0},
    WindowFacts{Window::kStores, "stores", 0},
    WindowFacts{Window::kScheduler, "scheduler", 97},
};
static_assert(kWindowFacts.size() == kWindows);

// What differs from a whole number by no more is that number: cores are built of whole ones.
double WholeIfNear(double value, double share) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= share * whole ? whole : value;
}

// The best guess of a pair's latency: what is done at rename takes no time, and of an upper bound,
// which has a connector in it, LLVM's figure is taken where the bound allows it.
double CyclesOf(const Latency& latency) {
  constexpr double kWholeShare = 0.06;
  const double measured = latency.cycles.value;
  // What is read again is all of it.
  if (latency.to == kMemory) return WholeIfNear(measured, kWholeShare);
  if (latency.kind != LatencyKind::kUpperBound)
    return measured < kDoneAtRename ? 0 : WholeIfNear(measured, kWholeShare);
  if (latency.model && *latency.model > 0 && *latency.model <= measured) return *latency.model;
  // A connector takes a cycle at least.
  return std::max(1.0, std::floor(measured - 1 + kWholeShare));
}

// Operands that a name in a row means: the row names a register once, in whatever width.
std::vector<OperandRole> RolesNamed(const Instruction& instruction, std::string_view name) {
  std::vector<OperandRole> roles;
  const auto named = std::ranges::find(instruction.operands, name, &Operand::name);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kMemory) continue;
    const bool overlaps =
        named != instruction.operands.end() && named->kind == OperandKind::kRegister &&
        operand.kind == OperandKind::kRegister && operand.reg.Overlaps(named->reg) &&
        (operand.address == assembler::AddressPart::kNone) ==
            (named->address == assembler::AddressPart::kNone);
    if (operand.name == name || overlaps) roles.push_back(RoleOf(instruction, i));
  }
  return roles;
}

// It reads an address and nothing else.
bool IsPlainLoad(const Instruction& instruction) {
  return instruction.flags.may_load && !instruction.flags.may_store &&
         std::ranges::none_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kRegister && operand.read &&
                  operand.address == assembler::AddressPart::kNone;
         });
}

bool WasMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured && (row.throughput || !row.latency.empty());
}

}  // namespace

std::string_view NameOf(Window window) {
  return kWindowFacts[static_cast<std::size_t>(window)].name;
}

std::optional<double> FormModel::CyclesBetween(const OperandRole& from,
                                               const OperandRole& to) const {
  if (zero_idiom) return std::nullopt;
  const Pair* best = nullptr;
  for (const Pair& pair : pairs) {
    if (pair.to == to && pair.from == from) best = &pair;
  }
  if (best == nullptr && from.kind == RoleKind::kIndex)
    return CyclesBetween({RoleKind::kBase, 0}, to);
  if (best == nullptr) return std::nullopt;
  if (!best->is_bound) return best->cycles;
  // Flags are there with the result, which is known better than they are.
  if (to.kind == RoleKind::kFlags) {
    for (const Pair& pair : pairs) {
      if (pair.from == from && pair.to.kind == RoleKind::kRegister && !pair.is_bound)
        return std::min(best->cycles, std::max(pair.cycles, 1.0));
    }
  }
  return best->cycles;
}

namespace {

bool IsBetween(double value, double least, double most) { return value >= least && value <= most; }

// A file may say anything. Numbers that no core has would make a simulation endless.
bool IsPlausible(const InstructionRow& row) {
  constexpr double kMostCycles = 1e5, kMostSlots = 1000;
  const auto is_time = [](const Estimate& cycles) {
    return IsBetween(cycles.value, -1, kMostCycles);
  };
  if (row.throughput && !is_time(row.throughput->cycles)) return false;
  for (const Latency& latency : row.latency) {
    if (!is_time(latency.cycles)) return false;
  }
  if (row.port_finding) {
    const PortFinding& found = *row.port_finding;
    if (found.own_cycles && !IsBetween(*found.own_cycles, 0, kMostCycles)) return false;
  }
  if (row.slots && !IsBetween(*row.slots, 0, kMostSlots)) return false;
  return std::ranges::all_of(row.ports,
                             [](const PortUse& use) { return IsBetween(use.uops, 0, kMostSlots); });
}

}  // namespace

Result<CoreModel> CoreModel::From(Document document, assembler::Assembler& assembler) {
  CoreModel model(std::move(document), assembler);
  if (model.document_->instructions.empty()) {
    return BadInput(fmt::format("there are no instructions in '{}'", model.document_->source),
                    "make a model: cyclescope sweep --ports --export-json FILE");
  }
  if (model.document_->port_map) model.ports_ = model.document_->port_map->ports;
  if (model.ports_.size() > static_cast<std::size_t>(kMostPorts)) {
    return BadInput(fmt::format("the core in '{}' has {} ports; at most {} can be simulated",
                                model.document_->source, model.ports_.size(), kMostPorts));
  }
  for (const InstructionRow& row : model.document_->instructions) {
    if (!WasMeasured(row)) continue;
    if (!IsPlausible(row)) {
      return BadInput(fmt::format("no core can have the figures of '{}' in '{}'", row.text,
                                  model.document_->source));
    }
    model.AddRow(row);
  }
  if (model.document_->host.cpu_vendor == "Intel") model.port_choice_ = PortChoice::kInTurn;
  if (auto read = model.ReadDispatch(); !read) return std::unexpected(read.error());
  model.ReadWindows();
  model.ReadPorts();
  model.ReadHiddenPorts();
  model.ReadMemory();
  model.ReadSplits();
  model.ReadConflicts();
  return model;
}

Result<void> CoreModel::ReadDispatch() {
  constexpr double kNoiseShare = 0.025;
  constexpr double kLeastWidth = 0.1, kMostWidth = 64;
  dispatch_ = DispatchWidth(*document_).value_or(0);
  if (document_->anatomy) {
    for (const AnatomyWidth& width : document_->anatomy->widths) {
      if (width.contended || width.at_least) continue;
      if (width.name == "taken branches" &&
          IsBetween(width.per_cycle.value, kLeastWidth, kMostWidth))
        branch_cycles_ = 1 / WholeIfNear(width.per_cycle.value, kNoiseShare);
    }
  }
  if (IsBetween(dispatch_, kLeastWidth, kMostWidth)) return {};
  if (dispatch_ != 0) {
    return BadInput(
        fmt::format("the core in '{}' dispatches {:g} slots in a cycle, and no core does",
                    document_->source, dispatch_));
  }
  return BadInput(fmt::format("'{}' does not say how many slots the core dispatches in a cycle",
                              document_->source),
                  "make a model with ports: cyclescope sweep --ports --export-json FILE");
}

void CoreModel::ReadWindows() {
  for (const WindowFacts& facts : kWindowFacts) {
    int& size = sizes_[static_cast<std::size_t>(facts.window)];
    if (document_->anatomy) {
      for (const AnatomyRow& row : document_->anatomy->rows) {
        if (row.part != AnatomyPart::kWindows || row.name != facts.name) continue;
        // What ended first hides it: it is larger, and does not bind.
        if (!TellsSize(row)) continue;
        constexpr double kMostEntries = 1e5;
        if (!IsBetween(row.value->value, 1, kMostEntries)) continue;
        size = std::max(size, static_cast<int>(std::lround(row.value->value)));
      }
    }
    if (size > 0) continue;
    size = facts.usual_entries;
    assumed_.emplace_back(facts.name);
  }
}

PortSet CoreModel::SetOf(const std::vector<std::string>& ports) const {
  PortSet set = 0;
  for (const std::string& port : ports) {
    const auto place = std::ranges::find(ports_, port);
    if (place != ports_.end()) set |= PortSet{1} << (place - ports_.begin());
  }
  return set;
}

void CoreModel::AddRow(const InstructionRow& row) {
  auto& rows = by_opcode_[row.opcode];
  if (rows.empty()) opcodes_by_mnemonic_[row.mnemonic].push_back(row.opcode);
  rows.push_back({.row = &row});
}

void CoreModel::ReadPorts() {
  if (!document_->port_map) return;
  std::map<std::string_view, InstructionRow*> known;
  for (InstructionRow& row : document_->instructions) {
    if (WasMeasured(row)) known.emplace(row.text, &row);
  }
  for (const PortClassRow& each : document_->port_map->classes) {
    for (const std::string& text : each.forms) {
      const auto parsed = assembler_->Parse(text);
      if (!parsed || parsed->size() != 1) continue;
      const Instruction& form = parsed->front();
      if (IsPlainLoad(form) && load_ports_ == 0) load_ports_ = SetOf(each.ports);
      if (form.flags.may_store && !form.flags.may_load && store_ports_ == 0)
        store_ports_ = SetOf(each.ports);
      if (&text == &each.forms.front() && !form.flags.may_load && !form.flags.may_store)
        classes_.push_back({SetOf(each.ports), HasVectors(form), {}});
      if (!classes_.empty() && classes_.back().ports == SetOf(each.ports))
        classes_.back().mnemonics.insert(form.mnemonic);
      const std::vector<PortUse> uses = {{.uops = 1, .ports = each.ports}};
      if (const auto row = known.find(text); row != known.end()) {
        if (row->second->port_finding) continue;
        row->second->slots = 1;
        row->second->ports = uses;
        row->second->port_finding.emplace();
        continue;
      }
      InstructionRow& row = class_rows_.emplace_back();
      row.text = text;
      row.opcode = form.opcode;
      row.mnemonic = form.mnemonic;
      row.slots = 1;
      row.ports = uses;
      row.port_finding.emplace();
    }
  }
  for (const InstructionRow& row : class_rows_) AddRow(row);
  if (load_ports_ != 0 && store_ports_ != 0) return;
  // A map without them: any row of a plain access tells.
  for (auto& [opcode, rows] : by_opcode_) {
    for (Row& row : rows) {
      if (row.row->ports.size() != 1 || !row.row->text.contains('[')) continue;
      const Instruction* form = Parsed(row);
      if (form == nullptr) continue;
      const PortSet ports = SetOf(row.row->ports.front().ports);
      if (load_ports_ == 0 && IsPlainLoad(*form)) load_ports_ = ports;
      if (store_ports_ == 0 && form->flags.may_store && !form->flags.may_load) store_ports_ = ports;
    }
  }
}

// Mixes show ports that are fewer than the slots that are dispatched. Of what they do not show,
// LLVM's word is taken: ports of most integer instructions, and those that tell where to store.
void CoreModel::ReadHiddenPorts() {
  std::map<PortSet, int> hidden;
  for (const auto& [opcode, rows] : by_opcode_) {
    for (const Row& row : rows) {
      if (!row.row->port_finding) continue;
      const std::vector<PortUse>& llvm = row.row->port_finding->model;
      for (const PortUse& use : llvm) {
        const PortSet set = SetOf(use.ports);
        if (std::popcount(set) == static_cast<int>(use.ports.size()) &&
            std::popcount(set) >= dispatch_)
          ++hidden[set];
      }
      // A store: one part of it was seen, and the other is done where loads are, or beside.
      if (store_ports_ == 0 || row.row->ports.size() != 1 || llvm.size() != 2 ||
          SetOf(row.row->ports.front().ports) != store_ports_)
        continue;
      for (const PortUse& use : llvm) {
        const PortSet set = SetOf(use.ports);
        if ((set & load_ports_) == 0 || std::popcount(set) == static_cast<int>(use.ports.size()))
          continue;
        for (const std::string& port : use.ports) {
          if (std::ranges::find(ports_, port) == ports_.end() &&
              ports_.size() < static_cast<std::size_t>(kMostPorts))
            ports_.push_back(port);
        }
      }
    }
  }
  const auto most = std::ranges::max_element(hidden, {}, &std::pair<const PortSet, int>::second);
  if (most != hidden.end()) hidden_ports_ = most->first;
}

// Of a form whose other µops were found.
void CoreModel::AddHiddenUops(const Row& row, FormModel& form) const {
  const Instruction& instruction = *row.instruction;
  if (form.zero_idiom || !row.row->port_finding) return;
  const bool is_done_at_rename = std::ranges::any_of(form.pairs, [](const FormModel::Pair& pair) {
    return pair.cycles == 0 && pair.to.kind == RoleKind::kRegister;
  });
  // What is pushed and popped is counted at rename, which LLVM's models do not know.
  const bool moves_stack = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.implicit && operand.stack_pointer && operand.written;
  });
  int on_load_ports = 0;
  for (const UopUse& use : form.uops) on_load_ports += use.ports == load_ports_ ? use.uops : 0;
  const std::vector<UopUse> found = form.uops;
  for (const PortUse& use : row.row->port_finding->model) {
    const PortSet set = SetOf(use.ports);
    if (std::popcount(set) != static_cast<int>(use.ports.size())) continue;
    const bool is_found =
        std::ranges::any_of(found, [&](const UopUse& each) { return each.ports == set; });
    if (std::popcount(set) >= dispatch_ && !is_found && !is_done_at_rename && !moves_stack)
      form.uops.push_back({set, use.uops});
    const bool is_address =
        (set & load_ports_) != 0 && set != load_ports_ && (set & load_ports_) == load_ports_;
    if (is_address && instruction.flags.may_store &&
        on_load_ports <= (instruction.flags.may_load ? 1 : 0))
      form.uops.push_back({set, use.uops, true});
  }
}

const Instruction* CoreModel::StackSync() {
  if (stack_sync_) return &*stack_sync_;
  auto parsed = assembler_->Parse("add rsp, 8");
  if (!parsed || parsed->size() != 1) return nullptr;
  Instruction& sum = parsed->front();
  std::erase_if(sum.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister &&
           operand.reg.file == assembler::RegisterFile::kFlags;
  });
  sum.text = "(to the stack pointer)";
  if (FormOf(sum) == nullptr) return nullptr;
  stack_sync_ = std::move(sum);
  return &*stack_sync_;
}

double CoreModel::GuessLatency(const Instruction& instruction) {
  return assembler_->Model(instruction).latency.value_or(1);
}

// Reading all texts of a sweep would take a second: with ports, few rows can be plain accesses.
bool CoreModel::MayBePlainAccess(const InstructionRow& row) const {
  if (load_ports_ == 0 || store_ports_ == 0) return row.text.contains('[');
  if (row.ports.size() != 1) return false;
  const PortSet set = SetOf(row.ports.front().ports);
  return set == load_ports_ || set == store_ports_;
}

void CoreModel::ReadMemory() {
  // Where the document has neither: large cores of 2020 and later.
  constexpr double kUsualLoadCycles = 5, kUsualVectorCycles = 7;
  std::array<std::optional<double>, 2> loads;
  std::optional<double> chained_loads;           // of integers; each address was loaded
  std::array<std::vector<double>, 2> forwarded;  // of integers and of vectors
  std::vector<Row*> changed;                     // what they load and store again
  for (auto& [opcode, rows] : by_opcode_) {
    for (Row& row : rows) {
      if (row.row->latency.empty()) continue;
      for (const Latency& latency : row.row->latency) {
        if (latency.from == kMemory && latency.to == kMemory) changed.push_back(&row);
      }
      if (!MayBePlainAccess(*row.row)) continue;
      const Instruction* instruction = Parsed(row);
      if (instruction == nullptr) continue;
      const bool vector = HasVectors(*instruction);
      const FormModel form = MakeForm(row);
      for (const FormModel::Pair& pair : form.pairs) {
        std::optional<double>& least =
            pair.is_direct && !vector ? chained_loads : loads[vector ? 1 : 0];
        if (IsPlainLoad(*instruction) && pair.from.kind == RoleKind::kBase &&
            pair.to.kind == RoleKind::kRegister && pair.cycles >= 2)
          least = std::min(least.value_or(pair.cycles), pair.cycles);
        if (instruction->flags.may_store && !instruction->flags.may_load &&
            pair.from.kind == RoleKind::kRegister && pair.to.kind == RoleKind::kMemory)
          forwarded[vector ? 1 : 0].push_back(pair.cycles);
      }
    }
  }
  // Else the least of both is that of any load.
  constexpr double kLeastSavedByAddress = 0.5;
  if (loads[0] && chained_loads && *loads[0] >= *chained_loads + kLeastSavedByAddress) {
    saved_by_loaded_address_ = std::round(*loads[0] - *chained_loads);
  } else if (chained_loads) {
    loads[0] = std::min(loads[0].value_or(*chained_loads), *chained_loads);
  }
  load_cycles_ = {loads[0].value_or(kUsualLoadCycles), loads[1].value_or(kUsualVectorCycles)};
  for (Row* row : changed) {
    const Instruction* instruction = Parsed(*row);
    if (instruction == nullptr || !ChangesByNumber(*instruction)) continue;
    for (const FormModel::Pair& pair : MakeForm(*row).pairs) {
      renames_changed_ |= pair.from.kind == RoleKind::kMemory &&
                          pair.to.kind == RoleKind::kMemory && IsRenamed(pair.cycles);
    }
  }
  for (const MemoryRow& memory : document_->memory) {
    for (const MemoryAccess& access : memory.accesses) {
      const bool is_within = access.kind == AccessKind::kForwarding && access.distance >= 0 &&
                             access.distance + access.load_bytes <= access.store_bytes;
      const bool is_same = is_within && access.load_bytes == access.store_bytes;
      if (is_same && !access.vector && access.cycles && IsRenamed(access.cycles->value))
        renamed_bits_.insert(8 * access.store_bytes);
      if (is_within && access.cycles)
        forwarded[access.vector ? 1 : 0].push_back(access.cycles->value);
    }
  }
  for (const std::size_t vector : {0, 1}) {
    std::optional<double> least;
    for (const double cycles : forwarded[vector]) {
      if (!IsRenamed(cycles)) least = std::min(least.value_or(cycles), cycles);
    }
    forwarding_cycles_[vector] = least.value_or(load_cycles_[vector]);
  }
}

// Loads and stores across the end of a line, beside the same behind it.
void CoreModel::ReadSplits() {
  constexpr double kNoiseShare = 0.05;
  const auto is_alone = [](const MemoryAccess& access) {
    return access.kind == AccessKind::kLineSplit &&
           (access.store_bytes > 0) != (access.load_bytes > 0) && access.cycles &&
           !access.cycles->contended && IsBetween(access.cycles->value, 0, 100);
  };
  for (const MemoryRow& memory : document_->memory) {
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
std::optional<double> CoreModel::SplitCycles(bool stores, int bytes) const {
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
void CoreModel::ReadConflicts() {
  if (!document_->anatomy) return;
  constexpr double kNoiseShare = 0.05;
  const auto cycles_of = [this](std::string_view name) -> double {
    for (const AnatomyRow& row : document_->anatomy->rows) {
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

bool CoreModel::IsRenamed(double forwarding_cycles) const {
  // Noise and a connector make less of a difference.
  constexpr double kLeastSavedCycles = 1.5;
  return forwarding_cycles < load_cycles_[0] - kLeastSavedCycles;
}

bool CoreModel::RenamesChanged(int bits) const {
  // Where no width was seen: Golden Cove does not so with 16 bits.
  constexpr int kLeastBits = 32;
  return renames_changed_ &&
         (renamed_bits_.empty() ? bits >= kLeastBits : renamed_bits_.contains(bits));
}

const Instruction* CoreModel::Parsed(Row& row) {
  if (!row.instruction) {
    auto parsed = assembler_->Parse(row.row->text);
    if (!parsed || parsed->size() != 1) return nullptr;
    row.instruction = std::move(parsed->front());
  }
  return &*row.instruction;
}

FormModel CoreModel::MakeForm(const Row& row) const {
  const InstructionRow& measured = *row.row;
  constexpr double kSlotShare = 0.15;
  FormModel form;
  form.text = measured.text;
  form.zero_idiom = measured.zero_idiom;
  form.same_registers = RepeatsRegister(*row.instruction);
  form.slots = WholeIfNear(measured.slots.value_or(1), kSlotShare);
  for (const Latency& latency : measured.latency) {
    // The least of several classes of values: data are not known here.
    const double cycles = CyclesOf(latency);
    for (const OperandRole& from : RolesNamed(*row.instruction, latency.from)) {
      for (const OperandRole& to : RolesNamed(*row.instruction, latency.to)) {
        const auto known = std::ranges::find_if(form.pairs, [&](const FormModel::Pair& pair) {
          return pair.from == from && pair.to == to;
        });
        if (known == form.pairs.end())
          form.pairs.push_back({from, to, cycles, latency.kind == LatencyKind::kUpperBound,
                                latency.kind == LatencyKind::kExact});
        else
          known->cycles = std::min(known->cycles, cycles);
      }
    }
  }
  const bool explained = measured.port_finding && measured.port_finding->reason.empty();
  form.knows_ports = explained;
  if (explained) {
    for (const PortUse& use : measured.ports) {
      const PortSet set = SetOf(use.ports);
      if (set == 0) continue;
      form.uops.push_back({set, use.uops});
      form.own_kind += fmt::format("{:x},", set);
    }
    form.own_cycles = measured.port_finding->own_cycles.value_or(0);
    AddHiddenUops(row, form);
  } else if (measured.throughput && !IsUpperBound(*measured.throughput)) {
    GuessUops(row, form);
  }
  // As many as are dispatched: nothing of its own was seen.
  constexpr double kDispatched = 1.1;
  if (form.own_cycles * dispatch_ < kDispatched * form.slots) form.own_cycles = 0;
  return form;
}

// LLVM's, where they have names that were found, and take the time that was measured.
bool CoreModel::TakeLlvmPorts(const Row& row, FormModel& form) const {
  constexpr double kNoiseShare = 0.05;
  if (!row.row->port_finding) return false;
  std::map<PortSet, double> uops;
  for (const PortUse& use : row.row->port_finding->model) {
    const PortSet set = SetOf(use.ports);
    if (std::popcount(set) != static_cast<int>(use.ports.size())) return false;
    uops[set] += use.uops;
  }
  const double cycles = row.row->throughput->cycles.value;
  if (uops.empty() || std::abs(PortTime(uops) - cycles) > kNoiseShare * cycles) return false;
  for (const auto& [set, count] : uops) form.uops.push_back({set, static_cast<int>(count)});
  return true;
}

// Of a form whose ports were not found: it loads and stores where all do. Else it has LLVM's; or,
// where it takes as long as a µop of one class of ports alone, it is one. Else it keeps something
// busy that is not known, for as long as it takes.
void CoreModel::GuessUops(const Row& row, FormModel& form) const {
  constexpr double kHiddenNoise = 0.2;
  const double cycles = row.row->throughput->cycles.value;
  const bool loads = row.instruction->flags.may_load, stores = row.instruction->flags.may_store;
  if (loads && load_ports_ != 0) form.uops.push_back({load_ports_, 1});
  // What it does with what it loads took no time that was seen.
  const bool works_on_loaded =
      loads && !HasVectors(*row.instruction) && !IsPlainLoad(*row.instruction);
  constexpr double kLoadBoundRatio = 1.1;
  if (works_on_loaded && hidden_ports_ != 0 &&
      cycles * std::popcount(load_ports_) < kLoadBoundRatio)
    form.uops.push_back({hidden_ports_, 1});
  if (stores && store_ports_ != 0) form.uops.push_back({store_ports_, 1});
  constexpr double kExplained = 1.05;
  // A branch is measured taken, which takes longer than its port.
  if (row.instruction->flags.branch && !loads && !stores && row.row->port_finding) {
    for (const PortUse& use : row.row->port_finding->model) {
      const PortSet set = SetOf(use.ports);
      if (std::popcount(set) == static_cast<int>(use.ports.size()))
        form.uops.push_back({set, use.uops});
    }
  } else if (!loads && !stores && TakeLlvmPorts(row, form)) {
    return;
  }
  // It takes no longer than its slot.
  const bool computes =
      !form.zero_idiom && std::ranges::any_of(form.pairs, [](const FormModel::Pair& pair) {
        return pair.to.kind != RoleKind::kMemory && pair.cycles >= 1;
      });
  if (!loads && !stores && computes && hidden_ports_ != 0 && !HasVectors(*row.instruction) &&
      cycles * dispatch_ < (1 + kHiddenNoise) * form.slots) {
    form.uops.push_back({hidden_ports_, 1});
    return;
  }
  if (!loads && !stores && form.uops.empty()) {
    std::vector<PortSet> fitting;
    std::vector<PortSet> of_its_name;  // with a form of the same mnemonic: `lea rbx, [rsi + rdi]`
    for (const PortClass& each : classes_) {
      const double uops = cycles * std::popcount(each.ports);
      if (each.of_vectors != HasVectors(*row.instruction) || uops >= kExplained ||
          uops * kExplained <= 1)
        continue;
      fitting.push_back(each.ports);
      if (each.mnemonics.contains(row.row->mnemonic)) of_its_name.push_back(each.ports);
    }
    if (of_its_name.size() == 1) fitting = of_its_name;
    if (fitting.size() == 1) form.uops.push_back({fitting.front(), 1});
  }
  for (const UopUse& use : form.uops) {
    if (cycles * std::popcount(use.ports) <= kExplained) return;
  }
  form.own_cycles = cycles;
  form.own_kind = row.row->opcode;
}

CoreModel::Row* CoreModel::FindRow(const Instruction& instruction) {
  Row* best = nullptr;
  int likeness = -1;
  const auto consider = [&](std::vector<Row>& rows, bool same_opcode) {
    for (Row& row : rows) {
      const Instruction* form = Parsed(row);
      if (form == nullptr || !StandsFor(*form, instruction)) continue;
      if (!same_opcode && !HaveSameClasses(*form, instruction)) continue;
      const int own = Likeness(*form, instruction);
      if (own <= likeness) continue;
      likeness = own;
      best = &row;
    }
  };
  if (const auto own = by_opcode_.find(instruction.opcode); own != by_opcode_.end())
    consider(own->second, true);
  if (best != nullptr) return best;
  // Another encoding of the same: `add rax, 5` has one for small numbers and one for large.
  const auto others = opcodes_by_mnemonic_.find(instruction.name);
  if (others == opcodes_by_mnemonic_.end()) return nullptr;
  for (const std::string& opcode : others->second) consider(by_opcode_.find(opcode)->second, false);
  return best;
}

const FormModel* CoreModel::FormOf(const Instruction& instruction) {
  const auto [known, is_new] = by_text_.try_emplace(instruction.text, nullptr);
  if (!is_new) return known->second;
  Row* row = FindRow(instruction);
  if (row == nullptr) return nullptr;
  if (row->form == nullptr) row->form = std::make_unique<FormModel>(MakeForm(*row));
  known->second = row->form.get();
  return known->second;
}

const InstructionRow* CoreModel::RowOf(const Instruction& instruction) {
  const Row* row = FindRow(instruction);
  return row == nullptr ? nullptr : row->row;
}

}  // namespace cyclescope::predict
