// The whole way from a core to predictions for it, where the core is known: its forms, ports and
// windows are measured on a simulated one, and what their model then predicts is what that core
// does.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anatomy/find_windows.h"
#include "anatomy/testing/simulated_source.h"
#include "instructions/measure_forms.h"
#include "instructions/testing/planning.h"
#include "measure/testing/simulated_core.h"
#include "ports/find_ports.h"
#include "predict/predict_block.h"
#include "simulator/core_model.h"

namespace cyclescope::library {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using instructions::testing::Either;
using simulator::Resource;

constexpr std::uint32_t kAnyInteger = 0b1111, kShifts = 0b1001, kMultiplies = 0b10;
constexpr std::uint32_t kAnyVector = 0b110000, kShuffles = 0b100000, kFused = 0b10000;
constexpr std::uint32_t kLoads = 0b11000000, kStores = 0b100000000;
constexpr double kLoadCycles = 5;

// What an instruction does besides loading and storing.
struct Work {
  std::uint32_t ports = kAnyInteger;
  double cycles = 1;
};

Work WorkOf(const Instruction& instruction) {
  static const std::map<std::string, Work, std::less<>> kWork = {
      {"shl", {kShifts, 1}},       {"rorx", {kShifts, 1}},      {"lsl", {kShifts, 1}},
      {"ror", {kShifts, 1}},       {"imul", {kMultiplies, 3}},  {"popcnt", {kMultiplies, 3}},
      {"mul", {kMultiplies, 3}},   {"smulh", {kMultiplies, 3}}, {"vpaddd", {kAnyVector, 1}},
      {"vaddpd", {kAnyVector, 4}}, {"fadd", {kAnyVector, 4}},   {"vpshufb", {kShuffles, 1}},
      {"zip1", {kShuffles, 1}},    {"vmulpd", {kFused, 4}},     {"vfmadd231pd", {kFused, 5}},
      {"fmul", {kFused, 4}},       {"eor", {kAnyVector, 1}}};
  const auto known = kWork.find(instruction.name);
  if (known != kWork.end()) return known->second;
  const bool has_vectors = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == assembler::RegisterFile::kVector;
  });
  return {has_vectors ? kAnyVector : kAnyInteger, 1};
}

// The first takes a slot and no port; of others each class has two.
std::vector<std::string_view> Forms() {
  return {"nop",
          Either("add x0, x1, x2", "add rax, rbx"),
          Either("sub x0, x1, x2", "sub rax, rbx"),
          Either("ror x0, x1, #3", "shl rax, 3"),
          Either("lsl x0, x1, x2", "rorx rax, rbx, 7"),
          Either("mul x0, x1, x2", "imul rax, rbx, 7"),
          Either("smulh x0, x1, x2", "popcnt rax, rbx"),
          Either("fadd v0.2d, v1.2d, v2.2d", "vaddpd xmm0, xmm1, xmm2"),
          Either("eor v0.16b, v1.16b, v2.16b", "vpaddd xmm0, xmm1, xmm2"),
          Either("zip1 v0.4s, v1.4s, v2.4s", "vpshufb xmm0, xmm1, xmm2"),
          Either("fmul v0.2d, v1.2d, v2.2d", "vmulpd xmm0, xmm1, xmm2"),
          Either("ldr x0, [x1]", "mov rax, qword ptr [rbx]"),
          Either("str x0, [x1]", "mov qword ptr [rax], rbx")};
}

// The core that is measured: what its code takes is known.
class TrueCore {
 public:
  TrueCore() {
    core_.dispatch_width = 6;
    core_.ports = 9;
    core_.SizeOf(Resource::kReorderBuffer) = 224;
    core_.SizeOf(Resource::kScheduler) = 97;
    core_.SizeOf(Resource::kIntegerRegisters) = 180;
    core_.SizeOf(Resource::kVectorRegisters) = 168;
    core_.SizeOf(Resource::kLoads) = 72;
    core_.SizeOf(Resource::kStores) = 56;
  }

  const simulator::CoreModel& core() const { return core_; }

  double CyclesPerIteration(std::span<const Instruction> loop) const {
    // The steady state of the simulated core is that of its trips, of which it runs a few.
    constexpr std::size_t kLeastInstructions = 600;
    const std::size_t copies = 1 + kLeastInstructions / std::max<std::size_t>(loop.size(), 1);
    std::vector<Instruction> trip;
    for (std::size_t copy = 0; copy < copies; ++copy)
      trip.insert(trip.end(), loop.begin(), loop.end());
    return simulator::CyclesPerTrip(core_, TripOf(trip)) / static_cast<double>(copies);
  }

  double CyclesPerLoop(const sandbox::Kernel& kernel) {
    const auto [known, is_new] = costs_.try_emplace(kernel);
    if (is_new) known->second = CyclesPerIteration(LoopOf(kernel));
    return known->second;
  }

 private:
  using Register = std::pair<int, int>;  // file and number

  // The instructions that the branch at the end goes back over.
  std::vector<Instruction> LoopOf(const sandbox::Kernel& kernel) {
    const auto decoded = planner_->assembler().Decode(kernel);
    EXPECT_TRUE(decoded.has_value());
    if (!decoded) return {};
    const auto back = std::find_if(decoded->rbegin(), decoded->rend(), [](const auto& each) {
      return each.branch_distance && *each.branch_distance < 0;
    });
    EXPECT_NE(back, decoded->rend());
    if (back == decoded->rend()) return {};
    const auto begin =
        static_cast<std::int64_t>(back->offset + back->size) + *back->branch_distance;
    std::vector<Instruction> loop;
    for (const assembler::Decoded& each : *decoded) {
      if (static_cast<std::int64_t>(each.offset) >= begin && each.offset <= back->offset)
        loop.push_back(each.instruction);
    }
    return loop;
  }

  std::vector<simulator::Instruction> TripOf(std::span<const Instruction> code) const {
    std::vector<simulator::Instruction> trip;
    std::map<Register, std::size_t> writers;
    // Registers that a µop reads as they were when the trip began.
    std::vector<std::pair<std::size_t, Register>> carried;
    const auto add = [&](const simulator::Instruction& uop, const std::set<Register>& sources) {
      trip.push_back(uop);
      const std::size_t place = trip.size() - 1;
      for (const Register& source : sources) {
        if (const auto writer = writers.find(source); writer != writers.end())
          trip.back().operands.push_back(static_cast<int>(place - writer->second));
        else
          carried.emplace_back(place, source);
      }
      return place;
    };
    for (const Instruction& instruction : code) {
      std::set<Register> addresses, data, results;
      for (const Operand& operand : instruction.operands) {
        if (operand.kind != OperandKind::kRegister || !arch::CarriesValues(operand.reg.file))
          continue;
        const Register own = {static_cast<int>(operand.reg.file), operand.reg.index};
        const bool is_address = operand.address != assembler::AddressPart::kNone;
        if (operand.read) (is_address ? addresses : data).insert(own);
        if (operand.written) results.insert(own);
      }
      const bool loads = instruction.flags.may_load, stores = instruction.flags.may_store;
      const bool works = instruction.name != "nop" && !instruction.flags.zeroes;
      const std::size_t first = trip.size();
      if (loads) add({.latency_cycles = kLoadCycles, .ports = kLoads}, addresses);
      const Work work = WorkOf(instruction);
      // An address that is only computed is data.
      if (!loads && !stores) data.merge(addresses);
      if (!loads && !stores)
        add({.latency_cycles = work.cycles, .needs_port = works, .ports = work.ports},
            works ? data : std::set<Register>());
      if (loads && !data.empty()) {
        add({.latency_cycles = work.cycles, .ports = work.ports, .in_slot_before = true}, data);
        trip.back().operands.push_back(1);
      }
      const std::size_t gives = trip.size() - 1;
      if (stores) {
        data.merge(addresses);
        add({.ports = kStores, .in_slot_before = loads}, data);
      }
      Hold(instruction, results, trip[first]);
      for (const Register& result : results) writers[result] = gives;
    }
    for (const auto& [place, source] : carried) {
      if (const auto writer = writers.find(source); writer != writers.end())
        trip[place].carried_from.push_back(static_cast<int>(writer->second - place));
    }
    return trip;
  }

  static void Hold(const Instruction& instruction, const std::set<Register>& results,
                   simulator::Instruction& uop) {
    if (instruction.flags.may_load) uop.holds.push_back(Resource::kLoads);
    if (instruction.flags.may_store) uop.holds.push_back(Resource::kStores);
    for (const auto& [file, number] : results) {
      if (file == static_cast<int>(assembler::RegisterFile::kGeneral))
        uop.holds.push_back(Resource::kIntegerRegisters);
      if (file == static_cast<int>(assembler::RegisterFile::kVector))
        uop.holds.push_back(Resource::kVectorRegisters);
    }
  }

  simulator::CoreModel core_;
  std::map<sandbox::Kernel, double> costs_;
  std::unique_ptr<instructions::Planner> planner_ = instructions::testing::MakePlanner();
};

std::vector<std::string> NamesOf(ports::PortSet set) {
  std::vector<std::string> names;
  for (int port = 0; port < ports::kMostPorts; ++port) {
    if ((set >> port & 1) != 0) names.push_back(fmt::format("P{}", port));
  }
  return names;
}

// As `model` fills it: forms, ports, windows.
class Twin {
 public:
  explicit Twin(std::shared_ptr<TrueCore> truth) : truth_(std::move(truth)) {
    document_.source = "simulated";
    document_.host.architecture = arch::Name();
    auto core = std::make_unique<measure::testing::SimulatedCore>();
    core->cycles_per_loop = [truth = truth_](const sandbox::Kernel& kernel) {
      return truth->CyclesPerLoop(kernel);
    };
    auto made = measure::testing::RunnerOn(std::move(core));
    instructions::Bench bench(std::move(made.runner));
    MeasureForms(bench);
    FindPorts(bench.runner());
    anatomy::testing::SimulatedSource source({.core = truth_->core(), .shared = truth_->core()}, 1);
    document_.anatomy.emplace().rows = anatomy::FindWindows(anatomy::testing::SimulatedFillers(),
                                                            {}, {.may_be_shared = false}, source);
  }

  Document& document() { return document_; }
  assembler::Assembler& assembler() { return planner_->assembler(); }

 private:
  static std::vector<std::string_view> MeasuredForms() {
    std::vector<std::string_view> forms = Forms();
    // On x86-64 one more that is no class of its own: a load and an addition in a slot.
    if (!instructions::testing::OnArm()) forms.push_back("add rax, qword ptr [rbx]");
    return forms;
  }

  void MeasureForms(instructions::Bench& bench) {
    std::vector<instructions::FormPlan> plans;
    for (const std::string_view text : MeasuredForms())
      plans.push_back(instructions::testing::PlanOf(*planner_, text));
    for (auto& row : bench.Measure(std::move(plans), *planner_)) {
      ASSERT_TRUE(row.has_value());
      EXPECT_EQ(row->status, Status::kMeasured) << row->text << ": " << row->reason;
      document_.instructions.push_back(std::move(*row));
    }
  }

  void FindPorts(measure::Runner& runner) {
    ports::PortFinder finder(*planner_, runner);
    const auto forms = Forms();
    finder.FindMap({forms.begin(), forms.end()});
    const ports::CoreMap& map = finder.map();
    ASSERT_TRUE(map.is_found()) << map.why_none;
    PortMap& rows = document_.port_map.emplace();
    rows.dispatch = map.dispatch;
    ports::PortSet all = 0;
    for (const ports::MapClass& each : map.classes) {
      all |= each.ports.ports;
      PortClassRow& row = rows.classes.emplace_back();
      row.ports = NamesOf(each.ports.ports);
      row.per_cycle = each.ports.width;
      for (const std::size_t form : each.forms)
        row.forms.push_back(finder.forms()[form].form.instruction.text);
    }
    rows.ports = NamesOf(all);
    std::vector<std::size_t> numbers;
    for (const InstructionRow& row : document_.instructions)
      numbers.push_back(finder.Add(planner_->assembler().Parse(row.text)->front()));
    const auto found = finder.Find(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      InstructionRow& row = document_.instructions[i];
      ASSERT_TRUE(found[i] && found[i]->usage) << row.text;
      row.slots = found[i]->slots;
      row.port_finding.emplace();
      for (const auto& [set, count] : found[i]->usage->uops)
        row.ports.push_back({count, NamesOf(set)});
    }
  }

  std::shared_ptr<TrueCore> truth_;
  std::unique_ptr<instructions::Planner> planner_ = instructions::testing::MakePlanner();
  Document document_;
};

// A loop of some of the forms that were measured, with registers that make chains now and then.
std::string RandomLoop(std::mt19937& random) {
  const auto one_of = [&random](std::initializer_list<std::string_view> texts) {
    return std::string(texts.begin()[random() % texts.size()]);
  };
  // The address of loads and stores is a register that nothing writes.
  const auto integer = [&] {
    return instructions::testing::OnArm() ? one_of({"x0", "x1", "x2", "x3", "x4"})
                                          : one_of({"rax", "rbx", "rcx", "rdx", "rdi"});
  };
  const auto vector = [&] { return fmt::format("{}", random() % 6); };
  std::vector<std::string> lines;
  for (std::size_t left = 3 + random() % 12; left > 0; --left) {
    const std::string a = integer(), b = integer(), c = integer();
    const std::string v = vector(), w = vector(), u = vector();
    if (instructions::testing::OnArm()) {
      lines.push_back(
          one_of({fmt::format("add {}, {}, {}", a, b, c), fmt::format("sub {}, {}, {}", a, b, c),
                  fmt::format("ror {}, {}, #3", a, b), fmt::format("mul {}, {}, {}", a, b, c),
                  fmt::format("fadd v{}.2d, v{}.2d, v{}.2d", v, w, u),
                  fmt::format("zip1 v{}.4s, v{}.4s, v{}.4s", v, w, u),
                  fmt::format("fmul v{}.2d, v{}.2d, v{}.2d", v, w, u),
                  fmt::format("ldr {}, [x9]", a), fmt::format("str {}, [x10]", a)}));
    } else {
      lines.push_back(one_of(
          {fmt::format("add {}, {}", a, b), fmt::format("sub {}, {}", a, b),
           fmt::format("rorx {}, {}, 7", a, b), fmt::format("imul {}, {}, 7", a, b),
           fmt::format("add {}, qword ptr [rsi]", a),
           fmt::format("vaddpd xmm{}, xmm{}, xmm{}", v, w, u),
           fmt::format("vpshufb xmm{}, xmm{}, xmm{}", v, w, u),
           fmt::format("vmulpd xmm{}, xmm{}, xmm{}", v, w, u),
           fmt::format("mov {}, qword ptr [rsi]", a), fmt::format("mov qword ptr [rbp], {}", a)}));
    }
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

TEST(MeasuredTwinBulk, PredictsWhatTheCoreDoes) {
  const auto truth = std::make_shared<TrueCore>();
  Twin twin(truth);
  if (HasFatalFailure()) return;
  auto model = predict::CoreModel::From(twin.document(), twin.assembler());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_NEAR(model->SizeOf(predict::Window::kScheduler), 97, 2);
  std::mt19937 random(1);
  constexpr int kLoops = 300;
  double sum = 0;
  int far_off = 0;
  for (int i = 0; i < kLoops; ++i) {
    const std::string text = RandomLoop(random);
    const auto loop = twin.assembler().Parse(text);
    ASSERT_TRUE(loop.has_value()) << text;
    const auto prediction = predict::PredictBlock(*model, {.instructions = *loop});
    ASSERT_TRUE(prediction.cycles) << text << ": " << prediction.reason;
    const double expected = truth->CyclesPerIteration(*loop);
    const double error = std::abs(*prediction.cycles / expected - 1);
    sum += error;
    far_off += error > 0.02 ? 1 : 0;
  }
  EXPECT_LT(sum / kLoops, 0.01);
  // Of ports that are equal, the two take different ones.
  EXPECT_LT(far_off, kLoops / 5);
}

}  // namespace
}  // namespace cyclescope::library
