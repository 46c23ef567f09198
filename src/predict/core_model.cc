#include "predict/core_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "analysis/dispatch_width.h"
#include "analysis/row_figures.h"
#include "assembler/predict.h"
#include "predict/whole_numbers.h"

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

std::string_view NameOf(Window window) {
  return kWindowFacts[static_cast<std::size_t>(window)].name;
}

Result<CoreModel> CoreModel::From(Document document, assembler::Assembler& assembler) {
  CoreModel model(std::move(document), assembler);
  if (model.document_->instructions.empty()) {
    return BadInput(fmt::format("there are no instructions in '{}'", model.document_->source),
                    "make a model: cyclescope sweep --ports --export-json FILE");
  }
  const std::size_t ports = model.document_->port_map ? model.document_->port_map->ports.size() : 0;
  if (ports > static_cast<std::size_t>(kMostPorts)) {
    return BadInput(fmt::format("the core in '{}' has {} ports; at most {} can be simulated",
                                model.document_->source, ports, kMostPorts));
  }
  for (const InstructionRow& row : model.document_->instructions) {
    if (!WasMeasured(row)) continue;
    if (!IsPlausible(row)) {
      return BadInput(fmt::format("no core can have the figures of '{}' in '{}'", row.text,
                                  model.document_->source));
    }
    model.rows_.Add(row);
  }
  if (auto read = model.ReadDispatch(); !read) return std::unexpected(read.error());
  constexpr double kLeastOfTurns = 4.5;  // slots
  if (model.document_->host.cpu_vendor == "Intel")
    model.port_choice_ =
        model.dispatch_ < kLeastOfTurns ? PortChoice::kInTurn : PortChoice::kTurnsOfSets;
  model.ReadWindows();
  model.ReadJumps();
  model.ports_.Read(*model.document_, model.dispatch_, assembler, model.rows_);
  model.memory_.Read(*model.document_, model.ports_, model.rows_);
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

// Few of them, which every predictor knows.
void CoreModel::ReadJumps() {
  constexpr double kMostJumps = 64;
  if (!document_->anatomy) return;
  for (const AnatomyRow& row : document_->anatomy->rows) {
    constexpr std::string_view kPattern = "taken jumps ";
    std::int64_t apart = 0;
    if (row.name != "branch targets" || !row.curve || !row.filler.starts_with(kPattern)) continue;
    const char* const number = row.filler.data() + kPattern.size();
    std::from_chars(number, row.filler.data() + row.filler.size(), apart);
    if (apart <= 0) continue;
    std::vector<double> cycles;
    for (const AnatomyPoint& point : row.curve->points) {
      if (point.at <= kMostJumps && IsBetween(point.value, 0.1, 100)) cycles.push_back(point.value);
    }
    if (cycles.empty()) continue;
    const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
    std::ranges::nth_element(cycles, middle);
    const auto [known, is_new] = jump_cycles_.try_emplace(apart, *middle);
    if (!is_new) known->second = std::min(known->second, *middle);
  }
}

double CoreModel::JumpCycles(std::int64_t bytes_apart) const {
  if (jump_cycles_.empty() || bytes_apart <= 0) return branch_cycles_;
  const auto behind = jump_cycles_.lower_bound(bytes_apart);
  if (behind == jump_cycles_.end()) return branch_cycles_;
  if (behind == jump_cycles_.begin()) return std::max(branch_cycles_, behind->second);
  const auto before = std::prev(behind);
  const double share = static_cast<double>(bytes_apart - before->first) /
                       static_cast<double>(behind->first - before->first);
  return std::max(branch_cycles_, before->second + share * (behind->second - before->second));
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

const FormModel* CoreModel::FormOf(const Instruction& instruction) {
  const auto [known, is_new] = by_text_.try_emplace(instruction.text, nullptr);
  if (!is_new) return known->second;
  FormRow* row = rows_.Find(instruction);
  if (row == nullptr) return nullptr;
  if (row->form == nullptr) {
    row->form = std::make_unique<FormModel>(FormOfRow(*row->row, *row->instruction));
    ports_.AddUops(*row, *row->form);
  }
  known->second = row->form.get();
  return known->second;
}

const InstructionRow* CoreModel::RowOf(const Instruction& instruction) {
  const FormRow* row = rows_.Find(instruction);
  return row == nullptr ? nullptr : row->row;
}

}  // namespace cyclescope::predict
