#include "predict/block_program.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cyclescope::predict {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

bool LoadsData(const Instruction& instruction) {
  return instruction.flags.may_load &&
         std::ranges::any_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kMemory && operand.read;
         });
}

bool StoresData(const Instruction& instruction) {
  return instruction.flags.may_store &&
         std::ranges::any_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kMemory && operand.written;
         });
}

bool HasResult(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && operand.written;
  });
}

bool WorksOnVectors(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kVector &&
           operand.address == assembler::AddressPart::kNone;
  });
}

// One instruction with what the model says of it.
class ModelledInstruction {
 public:
  ModelledInstruction(CoreModel& model, const Instruction& instruction, const UnknownCosts& unknown)
      : instruction_(&instruction), model_(&model), form_(model.FormOf(instruction)) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i)
      roles_.push_back(RoleOf(instruction, i));
    zero_ = (form_ != nullptr && form_->zero_idiom) || instruction.flags.zeroes;
    is_flow_ = instruction.flags.ChangesFlow();
    if (!has_latency() && !is_flow_)
      guess_ = model.GuessLatency(instruction) + (form_ == nullptr ? unknown.more_cycles : 0);
    loads_ = LoadsData(instruction);
    stores_ = StoresData(instruction);
  }

  const Instruction& instruction() const { return *instruction_; }
  const FormModel* form() const { return form_; }
  bool loads() const { return loads_; }
  bool stores() const { return stores_; }
  bool is_zero() const { return zero_; }
  // Branches have no form of their own; what they cost is known.
  bool is_known() const { return form_ != nullptr || is_flow_ || zero_; }
  bool has_latency() const { return zero_ || (form_ != nullptr && !form_->pairs.empty()); }
  const OperandRole& RoleAt(std::size_t operand) const { return roles_[operand]; }

  // Cycles from one operand to another, through all of the instruction. What a load reads in memory
  // is there from when it was stored, with the time that forwarding takes counted on the store's
  // side.
  std::optional<double> Cycles(std::size_t from, std::size_t to) const {
    if (zero_ || is_flow_) return std::nullopt;
    const OperandRole& source = roles_[from];
    const OperandRole& target = roles_[to];
    const bool from_memory = source.kind == RoleKind::kMemory;
    if (target.kind == RoleKind::kMemory) {
      if (source.is_address()) return std::nullopt;
      if (form_ != nullptr) {
        for (const FormModel::Pair& pair : form_->pairs) {
          // An upper bound has the load in it that reads it again: that is what is wanted here.
          if (pair.from == source && pair.to == target)
            return pair.cycles + (pair.is_bound ? 1 : 0);
        }
      }
      return model_->forwarding_cycles() + (from_memory ? 1 : 0);
    }
    if (from_memory) return ExecuteCycles(to);
    return has_latency() ? form_->CyclesBetween(source, target) : guess_;
  }

  // From when the loaded value is there to a result: of a plain load none.
  double ExecuteCycles(std::size_t to) const {
    double longest = 0;
    for (std::size_t from = 0; from < roles_.size(); ++from) {
      const Operand& operand = instruction_->operands[from];
      if (operand.kind != OperandKind::kRegister || !operand.read || roles_[from].is_address())
        continue;
      if (const auto cycles =
              form_ != nullptr ? form_->CyclesBetween(roles_[from], roles_[to]) : std::nullopt)
        longest = std::max(longest, *cycles);
    }
    if (longest > 0 || !loads_) return longest;
    return HasExecuteUops() ? 1 : 0;
  }

  // From the address to the loaded value.
  double LoadCycles() const {
    const double usual = model_->LoadCycles(WorksOnVectors(*instruction_));
    if (form_ == nullptr) return usual;
    for (std::size_t from = 0; from < roles_.size(); ++from) {
      if (roles_[from].kind != RoleKind::kBase) continue;
      for (const FormModel::Pair& pair : form_->pairs) {
        if (pair.from != roles_[from] || pair.to.kind != RoleKind::kRegister || pair.is_bound)
          continue;
        for (std::size_t to = 0; to < roles_.size(); ++to) {
          if (roles_[to] == pair.to && instruction_->operands[to].written)
            return std::max(1.0, pair.cycles - ExecuteCycles(to));
        }
      }
    }
    return usual;
  }

  bool HasExecuteUops() const {
    if (form_ == nullptr) return false;
    return std::ranges::any_of(form_->uops, [this](const UopUse& use) {
      return use.ports != model_->load_ports() && use.ports != model_->store_ports();
    });
  }

 private:
  const Instruction* instruction_;
  CoreModel* model_;
  const FormModel* form_;
  std::vector<OperandRole> roles_;
  double guess_ = 1;  // of its latency
  bool zero_ = false;
  bool is_flow_ = false;
  bool loads_ = false;
  bool stores_ = false;
};

// The µops of an instruction: those that others wait for, by number in the program.
struct Parts {
  std::optional<std::size_t> load;
  std::size_t main = 0;  // that gives the results in registers
  std::optional<std::size_t> store;
};

class ProgramMaker {
 public:
  ProgramMaker(CoreModel& model, std::span<const Instruction> instructions,
               const UnknownCosts& unknown)
      : model_(model), instructions_(instructions), unknown_(unknown) {
    for (const Instruction& each : instructions) all_.emplace_back(model, each, unknown);
  }

  BlockProgram Make(std::span<const MemoryLink> memory, bool takes_branch) {
    program_.takes_branch = takes_branch;
    for (std::size_t i = 0; i < all_.size(); ++i) AddUops(i);
    const std::vector<ValueFlow> flows = FindFlows(instructions_, memory);
    for (const ValueFlow& flow : flows) Connect(flow);
    const LatencyOf latency = [this](std::size_t i, const Operand& from, const Operand& to) {
      const auto& operands = instructions_[i].operands;
      return all_[i].Cycles(static_cast<std::size_t>(&from - operands.data()),
                            static_cast<std::size_t>(&to - operands.data()));
    };
    program_.chain = LongestChain(instructions_, latency, flows);
    if (program_.chain.links.size() == 1) {
      const std::size_t link = program_.chain.links.front().instruction;
      const LatencyOf without = [&](std::size_t i, const Operand& from, const Operand& to) {
        return i == link ? std::nullopt : latency(i, from, to);
      };
      program_.next_chain = LongestChain(instructions_, without, flows).cycles;
    }
    return std::move(program_);
  }

 private:
  std::size_t AddUop(std::size_t instruction, PortSet ports, double done_cycles) {
    program_.uops.push_back(
        {.instruction = instruction, .ports = ports, .inputs = {}, .done_cycles = done_cycles});
    return program_.uops.size() - 1;
  }

  void AddUops(std::size_t i) {
    const ModelledInstruction& each = all_[i];
    const FormModel* form = each.form();
    ProgramInstruction own;
    own.known = each.is_known();
    own.has_ports = each.is_zero() || (form != nullptr && form->knows_ports);
    own.has_latency = each.has_latency() || !HasResult(instructions_[i]);
    own.first_uop = program_.uops.size();
    own.slots = form != nullptr ? form->slots : 1;
    if (i > 0 && AreFused(instructions_[i - 1], instructions_[i])) own.slots = 0;
    CountHeld(each, own);
    Parts parts;
    std::optional<std::size_t> execute;
    if (form != nullptr && !each.is_zero()) {
      for (const UopUse& use : form->uops) {
        for (int n = 0; n < use.uops; ++n) {
          if (each.loads() && use.ports == model_.load_ports() && !parts.load) {
            parts.load = AddUop(i, use.ports, each.LoadCycles());
          } else if (each.stores() && use.ports == model_.store_ports() && !parts.store) {
            parts.store = AddUop(i, use.ports, 1);
          } else {
            const std::size_t uop = AddUop(i, use.ports, 1);
            if (!execute && use.ports != model_.load_ports() && use.ports != model_.store_ports())
              execute = uop;
          }
        }
      }
    }
    // Without ports of its own, a part is still waited for.
    if (each.loads() && !parts.load && !each.is_zero())
      parts.load = AddUop(i, 0, each.LoadCycles());
    if (!execute && !parts.load && !(each.stores() && parts.store)) execute = AddUop(i, 0, 0);
    parts.main = execute ? *execute : parts.load ? *parts.load : *parts.store;
    if (each.stores() && !parts.store) parts.store = AddUop(i, 0, 1);
    if (parts.load && execute)
      program_.uops[*execute].inputs.push_back({*parts.load, 0, each.LoadCycles()});
    if (parts.store && *parts.store != parts.main)
      program_.uops[*parts.store].inputs.push_back(
          {parts.main, 0, execute ? 1.0 : each.LoadCycles()});
    own.uops = program_.uops.size() - own.first_uop;
    SetDone(i, parts);
    SetUnit(i, parts.main);
    program_.instructions.push_back(own);
    parts_.push_back(parts);
  }

  // Until all results are there.
  void SetDone(std::size_t i, const Parts& parts) {
    Uop& main = program_.uops[parts.main];
    const auto& operands = instructions_[i].operands;
    double done = main.ports != 0 ? std::max(1.0, main.done_cycles) : main.done_cycles;
    for (std::size_t to = 0; to < operands.size(); ++to) {
      if (operands[to].written && operands[to].kind == OperandKind::kRegister)
        done = std::max(done, ResultCycles(i, to));
    }
    main.done_cycles = done;
  }

  void SetUnit(std::size_t i, std::size_t uop) {
    const FormModel* form = all_[i].form();
    double own = form != nullptr ? form->own_cycles : 0;
    std::string kind = form != nullptr ? form->own_kind : instructions_[i].opcode;
    if (!all_[i].is_known()) own = unknown_.own_cycles;
    if (own <= 0 || all_[i].is_zero()) return;
    const auto [place, is_new] = units_.try_emplace(kind, static_cast<int>(program_.units.size()));
    if (is_new) program_.units.push_back(instructions_[i].text);
    program_.uops[uop].unit = place->second;
    program_.uops[uop].unit_cycles = own;
  }

  void CountHeld(const ModelledInstruction& each, ProgramInstruction& own) const {
    const auto hold = [&own](Window window, int entries) {
      own.holds[static_cast<std::size_t>(window)] =
          static_cast<std::uint8_t>(own.holds[static_cast<std::size_t>(window)] + entries);
    };
    hold(Window::kReorderBuffer, own.slots > 0 ? 1 : 0);
    if (each.loads()) hold(Window::kLoads, 1);
    if (each.stores()) hold(Window::kStores, 1);
    if (each.is_zero()) return;
    for (const Operand& operand : each.instruction().operands) {
      if (!operand.written || operand.kind != OperandKind::kRegister) continue;
      if (operand.reg.file == RegisterFile::kGeneral)
        hold(Window::kIntegerRegisters, operand.count);
      if (operand.reg.file == RegisterFile::kVector) hold(Window::kVectorRegisters, operand.count);
      if (operand.reg.file == RegisterFile::kMask) hold(Window::kMaskRegisters, operand.count);
    }
  }

  // From the start of the µop that gives the result until it is there, were all sources there at
  // its start.
  double ResultCycles(std::size_t i, std::size_t to) const {
    const ModelledInstruction& each = all_[i];
    const bool executes = each.HasExecuteUops();
    double longest = 0;
    const auto& operands = instructions_[i].operands;
    for (std::size_t from = 0; from < operands.size(); ++from) {
      if (operands[from].kind != OperandKind::kRegister) continue;
      const bool is_address = each.RoleAt(from).is_address();
      if (is_address && each.loads() && executes) continue;
      if (const auto cycles = each.Cycles(from, to)) longest = std::max(longest, *cycles);
    }
    if (each.loads() && executes) longest = std::max(longest, each.ExecuteCycles(to));
    // What reads nothing takes as long as anything that needs a port.
    if (longest == 0 && !each.loads() && HasPort(i)) longest = 1;
    if (longest == 0 && each.loads() && !executes) longest = each.LoadCycles();
    return longest;
  }

  bool HasPort(std::size_t i) const {
    const FormModel* form = all_[i].form();
    return form != nullptr && !form->uops.empty() && !all_[i].is_zero();
  }

  // How long after its start the µop needs the operand.
  double NeededAfter(std::size_t i, std::size_t from) const {
    std::optional<double> least;
    const auto& operands = instructions_[i].operands;
    for (std::size_t to = 0; to < operands.size(); ++to) {
      if (!operands[to].written || operands[to].kind != OperandKind::kRegister) continue;
      const auto cycles = all_[i].Cycles(from, to);
      if (!cycles) continue;
      const double after = std::max(0.0, ResultCycles(i, to) - *cycles);
      least = std::min(least.value_or(after), after);
    }
    return least.value_or(0);
  }

  // Whether anything waits for the operand.
  bool IsAwaited(std::size_t i, std::size_t from) const {
    const ModelledInstruction& each = all_[i];
    if (each.is_zero()) return false;
    const Operand& operand = instructions_[i].operands[from];
    const bool results = std::ranges::any_of(instructions_[i].operands, [](const Operand& to) {
      return to.written && to.kind == OperandKind::kRegister;
    });
    if (!results || each.RoleAt(from).is_address() || each.stores() ||
        operand.kind == OperandKind::kMemory)
      return operand.read;
    for (std::size_t to = 0; to < instructions_[i].operands.size(); ++to) {
      if (instructions_[i].operands[to].written && each.Cycles(from, to)) return true;
    }
    return false;
  }

  void Connect(const ValueFlow& flow) {
    const std::size_t writer = flow.written.instruction;
    const std::size_t reader = flow.read.instruction;
    if (!IsAwaited(reader, flow.read.operand)) return;
    const ModelledInstruction& each = all_[reader];
    const Parts& parts = parts_[reader];
    if (each.RoleAt(flow.read.operand).kind == RoleKind::kMemory) {
      ConnectMemory(flow);
      return;
    }
    const double known = ResultCycles(writer, flow.written.operand);
    const std::size_t source = parts_[writer].main;
    if (each.RoleAt(flow.read.operand).is_address()) {
      const std::size_t waits = parts.load ? *parts.load : parts.store.value_or(parts.main);
      AddInput(waits, source, flow.iterations, known);
      return;
    }
    AddInput(parts.main, source, flow.iterations, known - NeededAfter(reader, flow.read.operand));
  }

  void ConnectMemory(const ValueFlow& flow) {
    const std::size_t writer = flow.written.instruction;
    const std::size_t reader = flow.read.instruction;
    const Parts& from = parts_[writer];
    const Parts& to = parts_[reader];
    if (!from.store || !to.load) return;
    double forwarding = model_.forwarding_cycles();
    const auto& operands = instructions_[writer].operands;
    for (std::size_t source = 0; source < operands.size(); ++source) {
      if (!operands[source].read) continue;
      if (const auto cycles = all_[writer].Cycles(source, flow.written.operand))
        forwarding = *cycles - (operands[source].kind == OperandKind::kMemory ? 1 : 0);
    }
    program_.reads_stores = true;
    AddInput(*to.load, *from.store, flow.iterations, forwarding - all_[reader].LoadCycles());
  }

  void AddInput(std::size_t uop, std::size_t source, int iterations, double cycles) {
    if (uop == source && iterations == 0) return;
    program_.uops[uop].inputs.push_back({source, iterations, cycles});
  }

  CoreModel& model_;
  std::span<const Instruction> instructions_;
  UnknownCosts unknown_;
  std::vector<ModelledInstruction> all_;
  std::vector<Parts> parts_;
  std::map<std::string, int> units_;
  BlockProgram program_;
};

}  // namespace

BlockProgram MakeProgram(CoreModel& model, std::span<const Instruction> instructions,
                         std::span<const MemoryLink> memory, bool takes_branch,
                         const UnknownCosts& unknown) {
  return ProgramMaker(model, instructions, unknown).Make(memory, takes_branch);
}

}  // namespace cyclescope::predict
