#include "sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <set>

#include "instructions/rounds.h"
#include "instructions/testing/planning.h"
#include "measure/testing/simulated_core.h"
#include "measure/tick_clock.h"
#include "sandbox/worker.h"

namespace cyclescope::sweep {
namespace {

using instructions::testing::Either;

constexpr std::size_t kForms = 160;  // more than are planned ahead

std::vector<SweepForm> ManyForms() {
  static const assembler::Instruction addition =
      instructions::testing::MakePlanner()
          ->FormOf(Either("add x0, x1, x2", "add rax, rcx"))
          ->instruction;
  std::vector<SweepForm> forms;
  for (std::size_t i = 0; i < kForms; ++i) forms.push_back({i, "base", &addition});
  return forms;
}

// Measured on the last CPU, planned on the others, where there are any.
SweepSettings OneCpu() {
  os::CpuList cpus = *os::AllowedCpus();
  SweepSettings settings;
  settings.measuring_cpus = {cpus.back()};
  if (cpus.size() > 1) cpus.pop_back();
  settings.planning_cpus = cpus;
  return settings;
}

Result<std::unique_ptr<instructions::Planner>> MakeSweepPlanner() {
  assembler::Target target;
  target.architecture = *assembler::ParseArchitecture(arch::Name());
  auto assembler = assembler::Assembler::Create(target);
  if (!assembler) return std::unexpected(assembler.error());
  return std::make_unique<instructions::Planner>(std::move(*assembler), *sandbox::ScratchAddress());
}

Result<std::unique_ptr<instructions::Bench>> MakeBench(int cpu) {
  const auto start = [cpu](std::optional<os::CounterAccess> access)
      -> Result<std::unique_ptr<sandbox::CodeExecutor>> {
    if (access) return Failed("no counters in this test");
    auto started = sandbox::Worker::Start({.cpu = cpu});
    if (!started) return std::unexpected(started.error());
    return std::unique_ptr<sandbox::CodeExecutor>(std::move(*started));
  };
  auto runner = measure::Runner::Create(CycleChoice::kAuto, measure::SystemTickClock(), start,
                                        {.cpus = {cpu}, .patience = std::chrono::milliseconds(10)});
  if (!runner) return std::unexpected(runner.error());
  return std::make_unique<instructions::Bench>(std::move(*runner));
}

const SweepFactories kFactories = {.make_planner = MakeSweepPlanner, .make_bench = MakeBench};

// Another thread may share the core while it is tested: then some forms give a second row.
TEST(Sweep, EveryFormGivesARow) {
  std::set<std::size_t> places;
  const auto swept = Sweep(ManyForms(), OneCpu(), kFactories,
                           {.take_row = [&](const PlacedRow& row) -> Result<void> {
                              places.insert(row.place);
                              EXPECT_EQ(row.row.isa, "base");
                              return {};
                            },
                            .goes_on = [] { return true; }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_EQ(places.size(), kForms);
}

// Where plans are made in turns, a second bench would conclude beside the one that measures.
TEST(Sweep, ACpuHasTwoBenchesUnlessPlansAreMadeInTurns) {
  for (const bool takes_turns : {false, true}) {
    SweepSettings settings = OneCpu();
    settings.takes_turns = takes_turns;
    std::atomic<int> benches = 0;
    SweepFactories factories = kFactories;
    factories.make_bench = [&benches](int cpu) {
      ++benches;
      return MakeBench(cpu);
    };
    const auto swept = Sweep({}, settings, factories,
                             {.take_row = [](const PlacedRow&) -> Result<void> { return {}; },
                              .goes_on = [] { return true; }});
    EXPECT_TRUE(swept) << swept.error().ToString();
    EXPECT_EQ(benches, takes_turns ? 1 : 2);
  }
}

// More forms than one turn has.
TEST(Sweep, TurnsGoOnUntilEveryFormIsMeasured) {
  SweepSettings settings = OneCpu();
  settings.planning_cpus = *os::AllowedCpus();
  settings.takes_turns = true;
  const std::vector<SweepForm> forms = ManyForms();
  std::set<std::size_t> places;
  const auto swept = Sweep(forms, settings, kFactories,
                           {.take_row = [&](const PlacedRow& row) -> Result<void> {
                              places.insert(row.place);
                              return {};
                            },
                            .goes_on = [] { return true; }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_EQ(places.size(), forms.size());
}

// A neighbour comes after the first rows, stays longer than the patience, and leaves when all forms
// have been measured.
TEST(Sweep, WhatHadNoQuietMomentGetsASecondChance) {
  std::map<std::size_t, InstructionRow> last;
  std::atomic<std::size_t> places = 0;
  SweepFactories factories = kFactories;
  factories.make_bench = [&places](int /*cpu*/) -> Result<std::unique_ptr<instructions::Bench>> {
    auto core = std::make_unique<measure::testing::SimulatedCore>();
    core->is_shared = [&places](int, std::int64_t) { return places > 0 && places < kForms; };
    auto made = measure::testing::RunnerOn(std::move(core),
                                           {.patience = std::chrono::seconds(1), .kept_back = 0.3});
    return std::make_unique<instructions::Bench>(std::move(made.runner));
  };
  std::size_t contended = 0;
  const auto swept = Sweep(ManyForms(), OneCpu(), factories,
                           {.take_row = [&](const PlacedRow& row) -> Result<void> {
                              if (instructions::HasContendedValue(row.row)) ++contended;
                              const auto [place, is_new] = last.try_emplace(row.place, row.row);
                              if (!is_new)
                                place->second = instructions::MergeRows(place->second, row.row);
                              places = last.size();
                              return {};
                            },
                            .goes_on = [] { return true; }});
  ASSERT_TRUE(swept) << swept.error().ToString();
  EXPECT_GT(contended, 0u);
  EXPECT_EQ(last.size(), kForms);
  for (const auto& [place, row] : last) EXPECT_FALSE(instructions::HasContendedValue(row)) << place;
}

// A planner may be done before the next one has started.
TEST(Sweep, MorePlannersThanForms) {
  std::vector<SweepForm> forms = ManyForms();
  forms.resize(1);
  SweepSettings settings = OneCpu();
  settings.planning_cpus.resize(2, settings.planning_cpus.front());
  std::size_t rows = 0;
  const auto swept = Sweep(forms, settings, kFactories,
                           {.take_row = [&](const PlacedRow&) -> Result<void> {
                              ++rows;
                              return {};
                            },
                            .goes_on = [] { return true; }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_GE(rows, 1u);
}

TEST(Sweep, EndsWhenItIsTold) {
  std::size_t rows = 0;
  std::atomic<bool> goes_on = true;
  const auto swept = Sweep(ManyForms(), OneCpu(), kFactories,
                           {.take_row = [&](const PlacedRow&) -> Result<void> {
                              goes_on = ++rows < 3;
                              return {};
                            },
                            .goes_on = [&] { return goes_on.load(); }});
  EXPECT_TRUE(swept) << swept.error().ToString();
  EXPECT_GE(rows, 3u);
  EXPECT_LT(rows, kForms);
}

TEST(Sweep, AnErrorOfTheObserverEndsIt) {
  std::size_t rows = 0;
  const auto swept = Sweep(ManyForms(), OneCpu(), kFactories,
                           {.take_row = [&](const PlacedRow&) -> Result<void> {
                              ++rows;
                              return Failed("the disk is full");
                            },
                            .goes_on = [] { return true; }});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().message, "the disk is full");
  EXPECT_LT(rows, kForms);
}

// Without room for their stacks no threads can be made. It ends with an error, not by an exception.
TEST(SweepDeathTest, AThreadThatCannotBeStartedIsAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto sweep_without_memory = [] {
    const std::vector<SweepForm> forms = ManyForms();
    const rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(2);
    const auto swept = Sweep(forms, OneCpu(), kFactories,
                             {.take_row = [](const PlacedRow&) -> Result<void> { return {}; },
                              .goes_on = [] { return true; }});
    const bool named =
        !swept && swept.error().message.find("cannot start a thread") != std::string::npos;
    std::_Exit(named ? 0 : 1);
  };
  EXPECT_EXIT(sweep_without_memory(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cyclescope::sweep
