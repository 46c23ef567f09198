// The whole of `instruction`, from the text to the row, on a simulated core: no hardware is needed.
#include "measure/testing/simulated_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "arch/kernel_parts.h"
#include "instructions/measure_forms.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using measure::testing::SimulatedCore;
using testing::Either;
using testing::MakePlanner;
using testing::PlanOf;

// What a kernel takes on a core that issues without limit but for one unit of each kind: an
// instruction starts when its registers are ready and its unit is free.
class SimulatedPipeline {
 public:
  struct Timing {
    double latency = 1;
    double occupies = 0.25;  // its unit, for this number of cycles
  };

  explicit SimulatedPipeline(std::map<std::string, Timing> timings)
      : timings_(std::move(timings)) {}

  // Cycles that one more pass through the kernel's loop takes.
  double CyclesPerLoop(const sandbox::Kernel& kernel) {
    const auto known = costs_.find(kernel);
    if (known != costs_.end()) return known->second;
    const std::vector<Instruction> loop = LoopOf(kernel);
    constexpr int kPasses = 6;
    State state;
    double before = 0;
    double after = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
      before = after;
      for (const Instruction& instruction : loop)
        after = std::max(after, Issue(instruction, state));
    }
    return costs_[kernel] = after - before;
  }

 private:
  struct State {
    std::map<std::pair<RegisterFile, int>, double> ready;
    std::map<std::string, double> unit_free;
  };

  // The instructions that the branch at the end goes back over.
  std::vector<Instruction> LoopOf(const sandbox::Kernel& kernel) {
    const auto lines = planner_->assembler().Disassemble(kernel);
    const auto jump = std::find_if(lines.rbegin(), lines.rend(), [](const auto& line) {
      return line.text.find("-") != std::string::npos &&
             (line.text.starts_with("j") || line.text.starts_with("cbnz"));
    });
    EXPECT_NE(jump, lines.rend());
    const long distance = std::strtol(jump->text.c_str() + jump->text.rfind('-'), nullptr, 0);
    const std::size_t from = jump->offset + (testing::OnArm() ? 0 : jump->bytes.size());
    std::vector<Instruction> loop;
    for (const auto& line : lines) {
      if (line.offset < from - static_cast<std::size_t>(-distance) || line.offset > jump->offset)
        continue;
      const auto parsed = planner_->assembler().Parse(line.text);
      if (parsed && !parsed->empty()) loop.push_back(parsed->front());
    }
    return loop;
  }

  double Issue(const Instruction& instruction, State& state) {
    const auto found = timings_.find(instruction.name);
    const Timing timing =
        found == timings_.end() ? Timing{.latency = 1, .occupies = 0.1} : found->second;
    double start = state.unit_free[found == timings_.end() ? "" : instruction.name];
    for (const auto& operand : instruction.operands) {
      if (operand.kind != assembler::OperandKind::kRegister || !operand.read) continue;
      start = std::max(start, state.ready[{operand.reg.file, operand.reg.index}]);
    }
    state.unit_free[found == timings_.end() ? "" : instruction.name] =
        std::max(state.unit_free[found == timings_.end() ? "" : instruction.name], start) +
        timing.occupies;
    for (const auto& operand : instruction.operands) {
      if (operand.kind != assembler::OperandKind::kRegister || !operand.written) continue;
      state.ready[{operand.reg.file, operand.reg.index}] = start + timing.latency;
    }
    return start + timing.occupies;
  }

  std::map<std::string, Timing> timings_;
  std::map<sandbox::Kernel, double> costs_;
  std::unique_ptr<Planner> planner_ = MakePlanner();
};

class SimulatedCoreTest : public ::testing::Test {
 protected:
  InstructionRow Measure(std::string_view text,
                         std::map<std::string, SimulatedPipeline::Timing> timings,
                         bool shared = false) {
    auto pipeline = std::make_shared<SimulatedPipeline>(std::move(timings));
    auto core = std::make_unique<SimulatedCore>();
    core->cycles_per_loop = [pipeline](const sandbox::Kernel& kernel) {
      return pipeline->CyclesPerLoop(kernel);
    };
    if (shared) core->is_shared = [](int, std::int64_t at_ns) { return at_ns > 300'000; };
    auto made =
        measure::testing::RunnerOn(std::move(core), {.patience = std::chrono::milliseconds(20)});
    EXPECT_NE(made.runner, nullptr);
    Bench bench(std::move(made.runner));
    std::vector<FormPlan> plans;
    plans.push_back(PlanOf(*planner_, text));
    auto rows = bench.Measure(std::move(plans), *planner_);
    EXPECT_EQ(rows.size(), 1u);
    return rows.at(0).value_or(InstructionRow{});
  }

  static const Latency* Find(const InstructionRow& row, std::string_view from,
                             std::string_view to) {
    const auto found = std::ranges::find_if(
        row.latency, [&](const Latency& each) { return each.from == from && each.to == to; });
    return found == row.latency.end() ? nullptr : &*found;
  }

  std::unique_ptr<Planner> planner_ = MakePlanner();
};

TEST_F(SimulatedCoreTest, LatencyAndThroughputComeOutAsMade) {
  const InstructionRow row =
      Measure(Either("madd x0, x1, x2, x3", "imul rax, rcx"),
              {{std::string(Either("madd", "imul")), {.latency = 3, .occupies = 1}}});
  EXPECT_EQ(row.status, Status::kMeasured) << row.reason;
  const Latency* pair = Find(row, Either("x1", "rcx"), Either("x0", "rax"));
  ASSERT_NE(pair, nullptr);
  EXPECT_NEAR(pair->cycles.value, 3, 0.05);
  EXPECT_EQ(pair->kind, LatencyKind::kExact);
  ASSERT_TRUE(row.throughput.has_value());
  EXPECT_NEAR(row.throughput->cycles.value, 1, 0.02);
  EXPECT_EQ(row.classic.size(), 2u);
}

TEST_F(SimulatedCoreTest, ConnectedLatencyLeavesTheConnectorOut) {
  // An index takes one clearing step of a cycle on its way back.
  const InstructionRow row =
      Measure(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"),
              {{std::string(Either("ldrb", "movzx")), {.latency = 4, .occupies = 0.5}}});
  const Latency* pair = Find(row, Either("x1", "rcx"), Either("w0", "eax"));
  ASSERT_NE(pair, nullptr) << row.reason;
  EXPECT_NEAR(pair->cycles.value, 4, 0.05);
  EXPECT_EQ(pair->kind, LatencyKind::kConnected);
}

// What must not be run is known at once; what is to be measured takes its time.
TEST_F(SimulatedCoreTest, ARowThatWasCutShortIsUnset) {
  auto made = measure::testing::RunnerOn(std::make_unique<SimulatedCore>());
  Bench bench(std::move(made.runner));
  std::vector<FormPlan> plans;
  plans.push_back(PlanOf(*planner_, Either("add x0, x1, x2", "add rax, rcx")));
  plans.push_back(PlanOf(*planner_, Either("br x0", "jmp rax")));
  int questions = 0;
  const auto rows =
      bench.Measure(std::move(plans), *planner_, [&questions] { return ++questions <= 3; });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].has_value());
  ASSERT_TRUE(rows[1].has_value());
  EXPECT_EQ(rows[1]->status, Status::kUnmeasurable);
}

// Whenever it ends, rows are whole or unset; what was cut short is not remembered either.
TEST_F(SimulatedCoreTest, NoRowRestsOnAConnectorThatWasCutShort) {
  const auto text = Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]");
  const auto plans = [&] {
    std::vector<FormPlan> made;
    made.push_back(PlanOf(*planner_, text));
    EXPECT_FALSE(made.front().connectors.empty());
    return made;
  };
  for (int last = 0; last < 12; ++last) {
    auto made = measure::testing::RunnerOn(std::make_unique<SimulatedCore>());
    Bench bench(std::move(made.runner));
    int questions = 0;
    const auto rows = bench.Measure(plans(), *planner_, [&] { return ++questions <= last; });
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_TRUE(!rows[0] || rows[0]->status == Status::kMeasured) << last;
    const auto again = bench.Measure(plans(), *planner_);
    ASSERT_TRUE(again.at(0).has_value()) << last;
    EXPECT_EQ(again[0]->status, Status::kMeasured) << last;
  }
}

TEST_F(SimulatedCoreTest, UnderANeighbourEverythingIsMarked) {
  const InstructionRow row =
      Measure(Either("madd x0, x1, x2, x3", "imul rax, rcx"),
              {{std::string(Either("madd", "imul")), {.latency = 3, .occupies = 1}}},
              /*shared=*/true);
  ASSERT_TRUE(row.throughput.has_value());
  EXPECT_TRUE(row.throughput->upper_bound);
  for (const Latency& each : row.latency) EXPECT_TRUE(each.cycles.contended);
}

}  // namespace
}  // namespace cyclescope::instructions
