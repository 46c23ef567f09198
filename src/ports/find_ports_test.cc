#include "ports/find_ports.h"

#include "arch/architecture.h"
#include "arch/headline_forms.h"
#include "measure/testing/simulated_core.h"

namespace cyclescope::ports {
namespace {

using measure::testing::SimulatedCore;
using measure::testing::SimulatedRunner;

class PortFinding : public testing::Test {
 protected:
  // Nothing runs there.
  static constexpr std::uint64_t kAddress = 0x10000000;

  PortFinding()
      : planner_(
            *assembler::Assembler::Create(assembler::HostTarget(
                *assembler::ParseArchitecture(arch::Name()), {}, {}, assembler::Syntax::kIntel)),
            kAddress) {}

  static std::vector<std::string> SomeForms() {
    const auto all = arch::PortForms();
    return {all.begin(), all.begin() + 3};
  }

  assembler::Instruction Parse(std::string_view text) {
    return planner_.assembler().Parse(text)->front();
  }

  instructions::Planner planner_;
};

TEST_F(PortFinding, WithoutTrustInCyclesThereIsNoMap) {
  auto core = std::make_unique<SimulatedCore>();
  core->link_cycles = 1.37;  // so that no other chain takes a whole number of it
  const SimulatedRunner made = RunnerOn(std::move(core));
  ASSERT_FALSE(made.runner->instrument().TrustsCycles());
  PortFinder finder(planner_, *made.runner);
  finder.FindMap(SomeForms());
  EXPECT_FALSE(finder.map().is_found());
  EXPECT_THAT(finder.map().why_none,
              testing::HasSubstr(made.runner->instrument().watch().CheckItself().verdict));
  const auto found = finder.Find({finder.Add(Parse(SomeForms()[1]))});
  ASSERT_TRUE(found.front());
  ASSERT_TRUE(found.front()->not_explained);
  EXPECT_EQ(found.front()->not_explained->code, ClaimCode::kNoPortMap);
}

TEST_F(PortFinding, WhatIsCutShortIsNoFinding) {
  const SimulatedRunner made = RunnerOn(std::make_unique<SimulatedCore>());
  PortFinder finder(planner_, *made.runner, [] { return false; });
  finder.FindMap(SomeForms());
  EXPECT_TRUE(finder.was_cut_short());
  EXPECT_FALSE(finder.Find({finder.Add(Parse(SomeForms()[1]))}).front());
}

TEST_F(PortFinding, CrashIsTheReason) {
  auto core = std::make_unique<SimulatedCore>();
  core->death_of = [](const sandbox::Kernel&) {
    return sandbox::DeathBy(sandbox::DeathKind::kIllegalInstruction, "SIGILL");
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  PortFinder finder(planner_, *made.runner);
  finder.FindMap(SomeForms());
  EXPECT_FALSE(finder.map().is_found());
  EXPECT_THAT(finder.map().why_none, testing::HasSubstr("illegal instruction"));
}

TEST_F(PortFinding, SharedCoreIsTheReason) {
  auto core = std::make_unique<SimulatedCore>();
  // Quiet for a moment at first, so that the difference is known.
  core->is_shared = [](int, std::int64_t at_ns) { return at_ns > 20'000'000; };
  const SimulatedRunner made =
      RunnerOn(std::move(core), {.patience = std::chrono::milliseconds(1)});
  made.core->now_ns = 30'000'000;
  PortFinder finder(planner_, *made.runner);
  finder.FindMap(SomeForms());
  EXPECT_FALSE(finder.map().is_found());
  EXPECT_THAT(finder.map().why_none, testing::HasSubstr("no quiet moment"));
}

}  // namespace
}  // namespace cyclescope::ports
