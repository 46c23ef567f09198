#include "predict/block_program.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "assembler/branch_fusion.h"
#include "predict/forwarding.h"
#include "predict/line_accesses.h"

namespace cyclescope::predict {
namespace {

using assembler::FusesWithBranch;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

bool HasResult(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && operand.written;
  });
}

// The µops of an instruction: those that others wait for, by number in the program.
struct Parts {
  std::optional<std::size_t> load;
  std::optional<std::size_t> execute;
  std::size_t main = 0;  // that gives the results in registers: one of these
  std::optional<std::size_t> store;
  std::optional<std::size_t> store_address;
  std::optional<std::size_t> leave;   // when what is stored has left for the cache
  std::optional<std::size_t> update;  // that gives the next address
};

class ProgramMaker {
 public:
  ProgramMaker(CoreModel& model, const BlockIteration& iteration, const UnknownCosts& unknown)
      : model_(model),
        iteration_(iteration),
        instructions_(iteration.instructions),
        unknown_(unknown) {
    for (const Instruction& each : instructions_) all_.emplace_back(model, each, unknown);
    is_value_.resize(all_.size());
    has_wide_vectors_ = std::ranges::any_of(instructions_, HasWideVectors);
  }

  BlockProgram Make() {
    program_.branch_cycles = model_.JumpCycles(iteration_.bytes_to_jump);
    forwarding_ = FindForwarding(model_, all_, iteration_.memory);
    for (std::size_t i = 0; i < all_.size(); ++i) AddUops(i);
    for (const MemoryPlace& place : iteration_.places) {
      if (const auto load = parts_[place.instruction].load; load && place.loads)
        program_.uops[*load].reads =
            LoadPlace{place.offset, place.step, BytesAt(place.instruction)};
    }
    LimitByLines(model_.memory(), Accesses(), iteration_.places, program_);
    flows_ = FindFlows(instructions_, LinksOf(forwarding_));
    FindChainsOfSums();
    for (const ValueFlow& flow : flows_) {
      Connect(flow);
      if (IsLoadedAddress(flow)) saved_at_.insert(flow.read);
    }
    FindChain();
    return std::move(program_);
  }

 private:
  // Of the place that it reads.
  std::int64_t BytesAt(std::size_t instruction) const {
    constexpr int kUsualBytes = 8;
    const int bits = all_[instruction].MemoryBits();
    return bits > 0 ? bits / 8 : kUsualBytes;
  }

  static std::vector<MemoryLink> LinksOf(std::span<const std::optional<Forwarding>> forwarding) {
    std::vector<MemoryLink> links;
    for (std::size_t load = 0; load < forwarding.size(); ++load) {
      if (forwarding[load])
        links.push_back({forwarding[load]->store, load, forwarding[load]->iterations});
    }
    return links;
  }

  void FindChain() {
    const LatencyOf latency = [this](std::size_t i, const Operand& from,
                                     const Operand& to) -> std::optional<double> {
      const auto& operands = instructions_[i].operands;
      auto cycles = all_[i].Cycles(static_cast<std::size_t>(&from - operands.data()),
                                   static_cast<std::size_t>(&to - operands.data()));
      if (cycles && from.reg.Overlaps(to.reg)) *cycles += sum_cycles_[i];
      if (cycles && saved_at_.contains({i, static_cast<std::size_t>(&from - operands.data())}))
        return *cycles - all_[i].SavedByLoadedAddress();
      if (!cycles || from.kind != OperandKind::kMemory || !forwarding_[i]) return cycles;
      return *cycles + forwarding_[i]->cycles;
    };
    program_.chain = LongestChain(instructions_, latency, flows_);
    if (program_.chain.links.size() != 1) return;
    const std::size_t link = program_.chain.links.front().instruction;
    const LatencyOf without = [&](std::size_t i, const Operand& from, const Operand& to) {
      return i == link ? std::nullopt : latency(i, from, to);
    };
    program_.next_chain = LongestChain(instructions_, without, flows_).cycles;
  }

  // A sum that is done at rename is a number beside a register, and has few bits: from time to time
  // one of them is computed. That is seen where nothing else gives the register a value.
  void FindChainsOfSums() {
    sum_cycles_.resize(all_.size());
    std::map<int, std::vector<OperandPlace>> writes;  // by general register
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      const auto& operands = instructions_[i].operands;
      for (std::size_t to = 0; to < operands.size(); ++to) {
        if (operands[to].written && operands[to].kind == OperandKind::kRegister &&
            operands[to].reg.file == RegisterFile::kGeneral)
          writes[operands[to].reg.index].push_back({i, to});
      }
    }
    for (const auto& [number, of_register] : writes) {
      const bool grows = instructions_[of_register.front().instruction].number > 0;
      const bool are_sums = std::ranges::all_of(of_register, [&](const OperandPlace& write) {
        return SumCycles(write) > 0 && (instructions_[write.instruction].number > 0) == grows;
      });
      if (!are_sums) continue;
      for (const OperandPlace& write : of_register)
        sum_cycles_[write.instruction] = SumCycles(write);
    }
  }

  // Of a sum to its own register.
  double SumCycles(const OperandPlace& write) const {
    const auto& operands = instructions_[write.instruction].operands;
    double cycles = 0;
    for (std::size_t from = 0; from < operands.size(); ++from) {
      if (operands[from].read && operands[from].reg.Overlaps(operands[write.operand].reg))
        cycles = all_[write.instruction].CyclesInChainOfSums(from, write.operand);
    }
    return cycles;
  }

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
    if (i > 0 && FusesWithBranch(instructions_[i - 1], instructions_[i])) own.slots = 0;
    const assembler::InstructionFlags& flags = instructions_[i].flags;
    const bool is_last = i + 1 == all_.size();
    own.jumps = flags.call || (flags.branch && flags.never_falls_through) ||
                (is_last && iteration_.takes_branch);
    CountHeld(each, own);
    Parts parts;
    AddPortUops(i, parts);
    AddOtherUops(i, parts);
    own.uops = program_.uops.size() - own.first_uop;
    SetDone(i, parts);
    SetUnit(i, parts.main);
    SetMove(i, parts.main);
    own.writes = RegistersWritten(instructions_[i]);
    program_.instructions.push_back(own);
    parts_.push_back(parts);
  }

  // Those that need ports, as the model has them.
  void AddPortUops(std::size_t i, Parts& parts) {
    const ModelledInstruction& each = all_[i];
    if (each.form() == nullptr || each.is_zero()) return;
    for (const UopUse& use : each.form()->uops) {
      const bool is_load = use.ports == model_.load_ports();
      const bool is_store = use.ports == model_.store_ports();
      if (use.is_store_address) {
        // Ports that are there for addresses alone add no index (Intel's optimization manual).
        const PortSet ports = each.HasIndex() ? use.ports & model_.load_ports() : use.ports;
        for (int n = 0; n < use.uops; ++n) parts.store_address = AddUop(i, ports, 1);
        continue;
      }
      // A compare and its branch are one µop, which goes where branches go.
      if (!is_load && !is_store && GivesToBranch(i)) continue;
      const bool is_closed = has_wide_vectors_ && each.works_on_vectors() && !is_load && !is_store;
      const PortSet open = is_closed ? use.ports & ~model_.closed_ports() : use.ports;
      const PortSet ports = TakenPorts(i, open != 0 ? open : use.ports);
      for (int n = 0; n < use.uops; ++n) {
        const bool loads = is_load && each.loads() && !parts.load;
        const std::size_t uop = AddUop(i, ports, loads ? each.LoadCycles() : 1);
        if (loads) {
          parts.load = uop;
        } else if (is_store && each.stores() && !parts.store) {
          parts.store = uop;
        } else if (!is_load && !is_store) {
          std::optional<std::size_t>& part = each.ExecutesUpdate() ? parts.update : parts.execute;
          if (!part) part = uop;
        }
      }
    }
  }

  // Of two ports for branches, taken ones have the second (Intel's optimization manual, of Haswell
  // and later: port 6; port 0 has those that fall through).
  PortSet TakenPorts(std::size_t i, PortSet ports) const {
    const bool is_taken = i + 1 == all_.size() && iteration_.takes_branch &&
                          instructions_[i].flags.branch && std::popcount(ports) == 2;
    return is_taken ? std::bit_floor(ports) : ports;
  }

  bool GivesToBranch(std::size_t i) const {
    return i + 1 < instructions_.size() &&
           FusesWithBranch(instructions_[i], instructions_[i + 1]) &&
           all_[i + 1].form() != nullptr && !all_[i + 1].form()->uops.empty();
  }

  // Without ports of its own, a part is still waited for.
  void AddOtherUops(std::size_t i, Parts& parts) {
    const ModelledInstruction& each = all_[i];
    if (each.loads() && !parts.load && !each.is_zero())
      parts.load = AddUop(i, 0, each.LoadCycles());
    if (each.stores() && !parts.store) parts.store = AddUop(i, 0, 1);
    // What is loaded, from wherever it comes.
    is_value_[i] = parts.load && !parts.execute && forwarding_[i];
    if (is_value_[i] || (!parts.execute && !parts.load && !parts.store))
      parts.execute = AddUop(i, 0, 0);
    const auto main = parts.execute ? parts.execute : parts.load ? parts.load : parts.store;
    parts.main = main.value();
    if (parts.load && parts.execute && !(forwarding_[i] && forwarding_[i]->renamed))
      program_.uops[*parts.execute].inputs.push_back({*parts.load, 0, each.LoadCycles()});
    if (parts.store && *parts.store != parts.main) {
      const double computed = parts.execute ? 1 : each.LoadCycles();
      program_.uops[*parts.store].inputs.push_back({parts.main, 0, is_value_[i] ? 0 : computed});
    }
    if (!parts.update && Updates(i)) parts.update = AddUop(i, 0, 0);
    if (!parts.store || model_.memory().other_line_store_cycles() <= 0) return;
    // A load of the value need not wait for that.
    parts.leave = AddUop(i, 0, 0);
    program_.uops[*parts.leave].inputs.push_back({*parts.store, 0, 1});
  }

  // It changes an address that it uses.
  bool Updates(std::size_t i) const {
    for (std::size_t operand = 0; operand < instructions_[i].operands.size(); ++operand) {
      if (all_[i].Updates(operand)) return true;
    }
    return false;
  }

  // Until all results are there.
  void SetDone(std::size_t i, const Parts& parts) {
    Uop& main = program_.uops[parts.main];
    const auto& operands = instructions_[i].operands;
    double done = main.ports != 0 ? std::max(1.0, main.done_cycles) : main.done_cycles;
    for (std::size_t to = 0; to < operands.size(); ++to) {
      if (IsMainResult(i, to)) done = std::max(done, ResultCycles(i, to));
    }
    main.done_cycles = done;
  }

  // A register that the main µop gives.
  bool IsMainResult(std::size_t i, std::size_t operand) const {
    const Operand& to = instructions_[i].operands[operand];
    return to.written && to.kind == OperandKind::kRegister && !all_[i].Updates(operand);
  }

  static std::optional<std::size_t> FileOfMoves(const assembler::Register& reg) {
    if (reg.file == RegisterFile::kGeneral) return 0;
    if (reg.file == RegisterFile::kVector) return 1;
    return std::nullopt;
  }

  static std::array<RegisterMask, kFilesOfMoves> RegistersWritten(const Instruction& instruction) {
    constexpr int kMaskBits = 32;
    std::array<RegisterMask, kFilesOfMoves> written{};
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != OperandKind::kRegister || !operand.written) continue;
      const auto file = FileOfMoves(operand.reg);
      if (file && operand.reg.index < kMaskBits)
        written[*file] |= RegisterMask{1} << operand.reg.index;
    }
    return written;
  }

  void SetMove(std::size_t i, std::size_t uop) {
    const FormModel* form = all_[i].form();
    if (form == nullptr || form->move_ports == 0 || !IsMoveOfRegister(instructions_[i])) return;
    MovedValue moves = {.ports = form->move_ports};
    for (const Operand& operand : instructions_[i].operands) {
      moves.file = *FileOfMoves(operand.reg);
      (operand.written ? moves.to : moves.from) = operand.reg.index;
    }
    program_.uops[uop].moves = moves;
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

  // The number of the register that an address begins with.
  int BaseOf(std::size_t i) const {
    for (std::size_t operand = 0; operand < instructions_[i].operands.size(); ++operand) {
      if (all_[i].RoleAt(operand).kind == RoleKind::kBase)
        return instructions_[i].operands[operand].reg.index;
    }
    return 0;
  }

  bool MovesStack(std::size_t i) const {
    return std::ranges::any_of(instructions_[i].operands, [](const Operand& operand) {
      return operand.implicit && operand.stack_pointer && operand.written;
    });
  }

  std::vector<MemoryUops> Accesses() const {
    std::vector<MemoryUops> accesses;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!parts_[i].load && !parts_[i].store) continue;
      accesses.push_back({.instruction = i,
                          .load = parts_[i].load,
                          .store = parts_[i].store,
                          .leave = parts_[i].leave,
                          .bytes = all_[i].MemoryBits() / 8,
                          .base = BaseOf(i),
                          .pushes = MovesStack(i)});
    }
    return accesses;
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
    if (is_value_[i]) return 0;
    if (each.Updates(to)) return each.Cycles(to, to).value_or(0);
    const bool executes = each.HasExecuteUops() && !each.ExecutesUpdate();
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
      if (!IsMainResult(i, to)) continue;
      const auto cycles = all_[i].Cycles(from, to);
      if (!cycles) continue;
      const double after = std::max(0.0, ResultCycles(i, to) - *cycles);
      least = std::min(least.value_or(after), after);
    }
    return least.value_or(0);
  }

  // True if anything waits for the operand.
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

  // The µop that gives a result, and how long after its start.
  std::pair<std::size_t, double> SourceOf(const OperandPlace& written) const {
    const Parts& parts = parts_[written.instruction];
    const bool updates = all_[written.instruction].Updates(written.operand) && parts.update;
    return {updates ? *parts.update : parts.main,
            ResultCycles(written.instruction, written.operand)};
  }

  void Connect(const ValueFlow& flow) {
    const std::size_t reader = flow.read.instruction;
    if (!IsAwaited(reader, flow.read.operand)) return;
    const ModelledInstruction& each = all_[reader];
    const Parts& parts = parts_[reader];
    if (each.RoleAt(flow.read.operand).kind == RoleKind::kMemory) {
      ConnectMemory(flow);
      return;
    }
    const auto [source, known] = SourceOf(flow.written);
    if (!each.RoleAt(flow.read.operand).is_address()) {
      AddInput(parts.main, source, flow.iterations,
               known - NeededAfter(reader, flow.read.operand) + OfSums(flow));
      return;
    }
    if (parts.load) {
      const double saved = IsLoadedAddress(flow) ? each.SavedByLoadedAddress() : 0;
      AddInput(*parts.load, source, flow.iterations, known - saved);
    }
    // What is pushed has two addresses; each is that of its own place.
    const auto where = parts.store_address ? parts.store_address : parts.store;
    if (where && (!parts.load || parts.store_address || each.Updates(flow.read.operand)))
      AddInput(*where, source, flow.iterations, known);
    if (!parts.load && !parts.store)
      AddInput(parts.main, source, flow.iterations, known + OfSums(flow));
    if (parts.update) AddInput(*parts.update, source, flow.iterations, known);
  }

  // More that a sum takes behind another one to the same register.
  double OfSums(const ValueFlow& flow) const {
    return sum_cycles_[flow.written.instruction] > 0 ? sum_cycles_[flow.read.instruction] : 0;
  }

  // It begins at what another load gave.
  bool IsLoadedAddress(const ValueFlow& flow) const {
    const auto& [writer, operand] = flow.written;
    return all_[flow.read.instruction].RoleAt(flow.read.operand).kind == RoleKind::kBase &&
           all_[writer].IsPlainLoad() && !all_[writer].Updates(operand) &&
           instructions_[writer].operands[operand].kind == OperandKind::kRegister;
  }

  void ConnectMemory(const ValueFlow& flow) {
    const std::size_t writer = flow.written.instruction;
    const std::size_t value = parts_[flow.read.instruction].main;
    const std::optional<Forwarding>& forwarding = forwarding_[flow.read.instruction];
    if (!forwarding || !parts_[writer].store) return;
    program_.reads_stores = true;
    if (!forwarding->renamed) {
      AddInput(value, *parts_[writer].store, flow.iterations, forwarding->cycles);
      if (forwarding->from_cache) {
        // A Golden Cove takes 20 cycles from one to the next where the value goes through all of
        // it, and 15 where only the load waits for the store.
        constexpr double kRetiring = 6;
        AddInput(value, *parts_[writer].store, flow.iterations, forwarding->cycles - kRetiring);
        program_.uops[value].inputs.back().behind_retirement = true;
      }
      return;
    }
    // It is there as soon as what was stored.
    if (parts_[writer].main != *parts_[writer].store) {
      AddInput(value, parts_[writer].main, flow.iterations,
               is_value_[writer] ? 0 : all_[writer].ExecuteCycles(flow.written.operand));
      return;
    }
    for (const ValueFlow& stored : flows_) {
      if (stored.read.instruction != writer ||
          all_[writer].RoleAt(stored.read.operand).is_address())
        continue;
      const auto [source, known] = SourceOf(stored.written);
      AddInput(value, source, stored.iterations + flow.iterations, known);
    }
  }

  void AddInput(std::size_t uop, std::size_t source, int iterations, double cycles) {
    if (uop == source && iterations == 0) return;
    program_.uops[uop].inputs.push_back({source, iterations, cycles});
  }

  CoreModel& model_;
  const BlockIteration& iteration_;
  std::span<const Instruction> instructions_;
  UnknownCosts unknown_;
  std::vector<ModelledInstruction> all_;
  std::vector<Parts> parts_;
  std::vector<std::optional<Forwarding>> forwarding_;  // of what each loads
  std::vector<bool> is_value_;  // its main µop only says when what it loads is there
  std::vector<ValueFlow> flows_;
  std::set<OperandPlace> saved_at_;  // addresses that were loaded
  std::vector<double> sum_cycles_;   // of sums in a chain of nothing else
  bool has_wide_vectors_ = false;
  std::map<std::string, int> units_;
  BlockProgram program_;
};

}  // namespace

BlockProgram MakeProgram(CoreModel& model, const BlockIteration& iteration,
                         const UnknownCosts& unknown) {
  return ProgramMaker(model, iteration, unknown).Make();
}

}  // namespace cyclescope::predict
