#include "measure/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "measure/testing/simulated_core.h"

namespace cyclescope::measure {
namespace {

using testing::BytesExperiment;
using testing::RunnerOn;
using testing::SimulatedCore;
using testing::SimulatedRunner;

constexpr double kConfidence = 0.95;

// 192 units of 3 cycles each.
Experiment ThreeCycles() { return BytesExperiment(576, 192); }

std::unique_ptr<SimulatedCore> QuietCore() { return std::make_unique<SimulatedCore>(); }

double ValueOf(const Measurement& measurement) {
  EXPECT_TRUE(measurement.has_value());
  return measurement.has_value() ? EstimateOf(measurement, kConfidence).value : 0;
}

TEST(Runner, FindsCyclesWithoutCounters) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  ASSERT_NE(made.runner, nullptr);
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  const Estimate estimate = EstimateOf(measured[0], kConfidence);
  EXPECT_NEAR(estimate.value, 3, 0.01);
  EXPECT_LE(estimate.low, 3);
  EXPECT_GE(estimate.high, 3);
  EXPECT_GE(estimate.visits, 3);
  EXPECT_FALSE(estimate.contended);
  EXPECT_FALSE(estimate.disturbed);
  EXPECT_EQ(made.runner->instrument().source().name, "reference");
}

TEST(Runner, CountsWhereThereAreCounters) {
  auto core = QuietCore();
  core->counters = true;
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_NEAR(ValueOf(measured[0]), 3, 0.01);
  EXPECT_TRUE(measured[0].totals.instructions.has_value());
  EXPECT_EQ(made.runner->instrument().source().name, "counter-user");
}

// A core on which the same code has two speeds, by where it lies.
TEST(Runner, StatesOfTheCodeShowWithinOneRun) {
  auto core = QuietCore();
  SimulatedCore& simulated_core = *core;
  core->cycles_per_loop = [&simulated_core](const sandbox::Kernel& kernel) {
    return static_cast<double>(kernel.size()) * (simulated_core.code_place % 3 == 0 ? 2.0 : 1.0);
  };
  const SimulatedRunner made = RunnerOn(std::move(core), {.least_visits = 8});
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  const Estimate estimate = EstimateOf(measured[0], kConfidence);
  ASSERT_EQ(estimate.states.size(), 2);
  EXPECT_NEAR(estimate.states[0].value, 3, 0.02);
  EXPECT_NEAR(estimate.states[1].value, 6, 0.04);
  EXPECT_NEAR(estimate.states[0].share, 2.0 / 3, 0.1);
  EXPECT_NEAR(estimate.value, 3, 0.02);
}

TEST(Runner, VisitsLieApartInTime) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  const std::int64_t begin = made.core->now_ns;
  made.runner->Run(std::array{ThreeCycles()});
  EXPECT_GE(made.core->now_ns - begin, 2'000'000);
}

// What runs alone has a worker of its own, in which everything is slow at first.
TEST(Runner, AColdWorkerCostsNoSample) {
  auto core = QuietCore();
  core->cold_cycles = 20'000;
  const SimulatedRunner made = RunnerOn(std::move(core));
  Experiment alone = ThreeCycles();
  alone.alone = true;
  const auto measured = made.runner->Run(std::array{alone});
  EXPECT_EQ(measured[0].rejected, 0);
  EXPECT_FALSE(measured[0].contended);
  EXPECT_NEAR(ValueOf(measured[0]), 3, 0.01);
}

TEST(Runner, WhatRunsAloneKeepsItsWorker) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  Experiment alone = ThreeCycles();
  alone.alone = true;
  alone.surroundings.pages = {0x4000'0000};
  const auto measured = made.runner->Run(std::array{alone, ThreeCycles(), alone});
  for (const Measurement& each : measured) EXPECT_NEAR(ValueOf(each), 3, 0.01);
  EXPECT_GE(measured[0].visits.size(), 3u);
  EXPECT_EQ(made.core->others, std::vector(2, alone.surroundings));
}

TEST(Runner, WhatEndsItsWorkerIsReplaced) {
  auto core = QuietCore();
  core->death_of = [](const sandbox::Kernel& kernel) -> std::optional<sandbox::Death> {
    if (kernel.size() % 2 == 0) return std::nullopt;
    return sandbox::Death{.kind = sandbox::DeathKind::kBadAddress, .reason = "an odd size"};
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  Experiment deadly = BytesExperiment(577, 192);
  deadly.alone = true;
  Experiment good = ThreeCycles();
  good.alone = true;
  int deaths = 0;
  const auto replace = [&](std::size_t index, const sandbox::Death& death) {
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(death.reason, "an odd size");
    return ++deaths < 3 ? deadly : good;
  };
  const auto measured = made.runner->Run(std::array{good, deadly}, {}, replace);
  EXPECT_EQ(deaths, 3);
  for (const Measurement& each : measured) {
    EXPECT_FALSE(each.death);
    EXPECT_NEAR(ValueOf(each), 3, 0.01);
  }
  const auto without = [](std::size_t, const sandbox::Death&) -> std::optional<Experiment> {
    return std::nullopt;
  };
  EXPECT_TRUE(made.runner->Run(std::array{deadly}, {}, without)[0].death);
}

TEST(Runner, WhatWasNotTriedAgainIsCutShort) {
  auto core = QuietCore();
  core->death_of = [](const sandbox::Kernel&) { return sandbox::Death{}; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  Experiment deadly = ThreeCycles();
  deadly.alone = true;
  bool goes_on = true;
  const auto replace = [&](std::size_t, const sandbox::Death&) {
    goes_on = false;
    return deadly;
  };
  const auto measured =
      made.runner->Run(std::array{deadly}, [&goes_on] { return goes_on; }, replace);
  EXPECT_TRUE(measured[0].cut_short);
  EXPECT_FALSE(measured[0].death);
}

TEST(Runner, TakesManyExperimentsInFewRuns) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  const std::vector<Experiment> many(90, ThreeCycles());
  const int before = made.core->runs;
  for (const Measurement& each : made.runner->Run(many)) EXPECT_NEAR(ValueOf(each), 3, 0.015);
  EXPECT_LT(made.core->runs - before, 60);
}

TEST(Runner, WhatWasNotMeasuredToItsEndIsCutShort) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  EXPECT_FALSE(made.runner->Run(std::array{ThreeCycles()})[0].cut_short);
  int questions = 0;
  const auto measured =
      made.runner->Run(std::array{ThreeCycles()}, [&questions] { return ++questions <= 4; });
  EXPECT_TRUE(measured[0].cut_short);
  EXPECT_LT(measured[0].visits.size(), 3u);
}

// A copy more in a loop whose end takes longer than all of its copies.
TEST(Runner, BesideItsLoopCodeMayTakeNoTime) {
  auto core = QuietCore();
  core->cycles_per_loop = [](const sandbox::Kernel&) { return 1; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  Experiment experiment = BytesExperiment(1, 1);
  EXPECT_FALSE(made.runner->Run(std::array{experiment})[0].has_value());
  experiment.takes_twice_as_long = false;
  const auto measured = made.runner->Run(std::array{experiment});
  ASSERT_TRUE(measured[0].has_value());
  EXPECT_NEAR(EstimateOf(measured[0], kConfidence).value, 0, 0.02);
}

TEST(Runner, WhatIsAsExpectedNeedsOneVisit) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  Experiment experiment = ThreeCycles();
  experiment.expected = {.low = 2.98, .high = 3.02, .value = 3, .settles = true, .like = "another"};
  const Measurement agreed = made.runner->Run(std::array{experiment})[0];
  EXPECT_EQ(agreed.visits.size(), 1u);
  const Estimate estimate = EstimateOf(agreed, kConfidence);
  EXPECT_EQ(estimate.like, "another");
  EXPECT_FALSE(estimate.disturbed);
  EXPECT_LE(estimate.low, 2.98);
  EXPECT_GE(estimate.high, 3.02);

  experiment.expected->low = 3.2;
  experiment.expected->high = 3.3;
  const Measurement own = made.runner->Run(std::array{experiment})[0];
  EXPECT_GE(own.visits.size(), 3u);
  EXPECT_EQ(EstimateOf(own, kConfidence).like, "");
}

TEST(Runner, TheReserveOfARaceRunsOnlyWhereNothingIsAsExpected) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(192, 192)};
  for (Experiment& each : race) each.race = 7;
  race[0].expected = {.low = 2.98, .high = 3.02, .value = 3, .settles = true, .like = "another"};
  race[1].reserve = true;
  auto measured = made.runner->Run(race);
  EXPECT_EQ(measured[0].visits.size(), 1u);
  EXPECT_FALSE(measured[1].has_value());
  EXPECT_FALSE(measured[1].cut_short);

  race[0].expected->high = race[0].expected->low;
  measured = made.runner->Run(race);
  EXPECT_GE(measured[1].visits.size(), 3u);
  EXPECT_NEAR(ValueOf(measured[1]), 1, 0.01);
}

// That one is as its sibling was does not make it the best.
TEST(Runner, AFasterOneBeatsWhatIsAsExpected) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(192, 192)};
  for (Experiment& each : race) each.race = 7;
  race[0].expected = {.low = 2.98, .high = 3.02, .value = 3, .settles = true, .like = "another"};
  const auto measured = made.runner->Run(race);
  EXPECT_GE(measured[1].visits.size(), 3u);
  EXPECT_NEAR(ValueOf(measured[1]), 1, 0.01);
}

TEST(Runner, WhatDiesLaterDoesNotWinItsRace) {
  auto core = QuietCore();
  core->death_of = [calls =
                        0](const sandbox::Kernel& kernel) mutable -> std::optional<sandbox::Death> {
    if (kernel.size() != 100 && kernel.size() != 200) return std::nullopt;
    if (++calls < 16) return std::nullopt;
    return sandbox::Death{.kind = sandbox::DeathKind::kBadAddress, .reason = "bad address"};
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(100, 192)};
  for (Experiment& each : race) each.race = 7;
  const auto measured = made.runner->Run(race);
  EXPECT_TRUE(measured[1].death.has_value());
  EXPECT_GE(measured[0].visits.size(), 3u);
}

// The faster one was slowed by a neighbour at its first visit.
TEST(Runner, AValueHadBesideANeighbourLosesNoRace) {
  auto core = QuietCore();
  core->slowdown.code = 4;
  core->cycles_per_loop = [raw = core.get(), first = true](const sandbox::Kernel& kernel) mutable {
    // A neighbour comes for a while when the second one has been fitted.
    if (first && kernel.size() == 384) {
      first = false;
      raw->is_shared = [end = raw->now_ns + 3'000'000](int, std::int64_t at_ns) {
        return at_ns < end;
      };
    }
    return static_cast<double>(kernel.size());
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(192, 192)};
  for (Experiment& each : race) each.race = 7;
  const auto measured = made.runner->Run(race);
  EXPECT_GE(measured[1].visits.size(), 3u);
  EXPECT_FALSE(measured[1].contended);
  EXPECT_NEAR(ValueOf(measured[1]), 1, 0.01);
}

TEST(Runner, OneThatDiesLosesItsRaceAndNoMore) {
  auto core = QuietCore();
  core->death_of = [](const sandbox::Kernel& kernel) -> std::optional<sandbox::Death> {
    if (kernel.size() % 192 == 0) return std::nullopt;
    return sandbox::Death{.kind = sandbox::DeathKind::kBadAddress, .reason = "bad address"};
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(100, 192),
                                  BytesExperiment(384, 192)};
  for (Experiment& each : race) each.race = 7;
  const auto measured = made.runner->Run(race);
  EXPECT_TRUE(measured[1].death.has_value());
  EXPECT_FALSE(measured[0].death.has_value());
  EXPECT_GE(measured[2].visits.size(), 3u);

  // What kills the first kills all.
  std::swap(race[0], race[1]);
  for (const Measurement& each : made.runner->Run(race)) EXPECT_TRUE(each.death.has_value());
}

TEST(Runner, OnlyTheLeastOfARaceIsVisitedOn) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  std::vector<Experiment> race = {BytesExperiment(576, 192), BytesExperiment(192, 192),
                                  BytesExperiment(384, 192)};
  for (Experiment& each : race) each.race = 7;
  const auto measured = made.runner->Run(race);
  EXPECT_NEAR(ValueOf(measured[1]), 1, 0.01);
  EXPECT_GE(measured[1].visits.size(), 3u);
  EXPECT_EQ(measured[0].visits.size(), 1u);
  EXPECT_EQ(measured[2].visits.size(), 1u);
}

TEST(Runner, OfEqualsTheFirstWins) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  std::vector<Experiment> race(4, ThreeCycles());
  for (Experiment& each : race) each.race = 0;
  const auto measured = made.runner->Run(race);
  EXPECT_GE(measured[0].visits.size(), 3u);
  EXPECT_EQ(measured[3].visits.size(), 1u);
}

TEST(Runner, BlamesTheKernelThatKilled) {
  for (const bool names : {true, false}) {
    auto core = QuietCore();
    core->names_culprits = names;
    core->death_of = [](const sandbox::Kernel& kernel) -> std::optional<sandbox::Death> {
      if (kernel.size() != 777) return std::nullopt;
      return sandbox::Death{.kind = sandbox::DeathKind::kBadAddress, .reason = "bad address"};
    };
    const SimulatedRunner made = RunnerOn(std::move(core));
    std::vector<Experiment> some(9, ThreeCycles());
    some[4] = BytesExperiment(777, 1);
    const auto measured = made.runner->Run(some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(measured[i].death.has_value(), i == 4) << i << names;
      if (i != 4) {
        EXPECT_NEAR(ValueOf(measured[i]), 3, 0.015);
      }
    }
  }
}

// Each death costs a process.
TEST(Runner, WhatIsIllegalEndsEverythingAboutItAtOnce) {
  auto core = QuietCore();
  int deaths = 0;
  core->death_of = [&deaths](const sandbox::Kernel& kernel) -> std::optional<sandbox::Death> {
    if (kernel.size() != 777) return std::nullopt;
    ++deaths;
    return sandbox::Death{.kind = sandbox::DeathKind::kIllegalInstruction, .reason = "illegal"};
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  std::vector<Experiment> experiments;
  for (std::size_t i = 0; i < 12; ++i) {
    experiments.push_back(i % 3 == 0 ? ThreeCycles() : BytesExperiment(777, 1));
    experiments.back().about = i % 3;
    experiments.back().shows_illegal = i >= 9;
  }
  const auto measured = made.runner->Run(experiments);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(measured[i].death.has_value(), i % 3 != 0) << i;
    EXPECT_EQ(measured[i].has_value(), i % 3 == 0) << i;
  }
  EXPECT_EQ(deaths, 2);
}

// What was taken for quiet while a neighbour never left is seen in another light when it has.
TEST(Runner, MeasurementsAreSeenAgainInTheLightOfAQuieterCore) {
  auto core = QuietCore();
  core->slowdown = {.add_chain = 1, .other_chains = 1, .wide = 1.7, .code = 1.3};
  core->is_shared = [](int, std::int64_t at_ns) { return at_ns < 200'000'000; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  auto steady = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_FALSE(steady[0].contended);
  LookAgain(made.runner->instrument().watch().quiet_criteria(), steady[0]);
  EXPECT_FALSE(steady[0].contended);
  made.core->now_ns = 300'000'000;
  auto quiet = made.runner->Run(std::vector<Experiment>(20, ThreeCycles()));
  LookAgain(made.runner->instrument().watch().quiet_criteria(), steady[0]);
  LookAgain(made.runner->instrument().watch().quiet_criteria(), quiet[0]);
  EXPECT_TRUE(steady[0].contended);
  EXPECT_FALSE(quiet[0].contended);
}

// A core that was idle runs slowly when the code is fitted; its samples must not stay short.
TEST(Runner, SamplesStayLongWhenTheClockRises) {
  constexpr int kExperiments = 30;
  constexpr double kIdle = 4, kBusy = 0.7;  // ticks of a cycle
  auto core = QuietCore();
  core->ticks_per_cycle = kIdle;
  // Code is fitted by four calls each.
  core->cycles_per_loop = [raw = core.get(), calls = 0](const sandbox::Kernel& kernel) mutable {
    if (++calls > 4 * kExperiments) raw->ticks_per_cycle = kBusy;
    return static_cast<double>(kernel.size());
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const double wanted = made.runner->instrument().StretchTicks();
  for (const Measurement& each :
       made.runner->Run(std::vector<Experiment>(kExperiments, ThreeCycles()))) {
    EXPECT_NEAR(ValueOf(each), 3, 0.03);
    EXPECT_GT(each.totals.ticks, wanted / 2);
  }
}

// Vector code that comes and goes makes some cores change their clock many times in a millisecond.
std::unique_ptr<SimulatedCore> CoreWhoseClockChanges(std::int64_t period_ns) {
  constexpr double kQuickTicks = 0.6925, kSlowTicks = 0.7108;  // of a cycle
  auto core = QuietCore();
  core->cycles_per_loop = [raw = core.get(), period_ns](const sandbox::Kernel& kernel) {
    raw->ticks_per_cycle = raw->now_ns / period_ns % 2 == 0 ? kQuickTicks : kSlowTicks;
    return static_cast<double>(kernel.size());
  };
  return core;
}

TEST(Runner, AClockThatChangesAllTheTimeCostsFewSamples) {
  const SimulatedRunner made = RunnerOn(CoreWhoseClockChanges(70'000));  // about two visits
  made.runner->Run(std::vector<Experiment>(40, ThreeCycles()));          // now it knows this clock
  int rejected = 0;
  std::size_t taken = 0;
  for (const Measurement& each : made.runner->Run(std::vector<Experiment>(40, ThreeCycles()))) {
    EXPECT_NEAR(ValueOf(each), 3, 0.01);
    rejected += each.rejected;
    for (const Visit& visit : each.visits) taken += visit.cycles.size();
  }
  EXPECT_LT(rejected, 0.2 * static_cast<double>(taken));
}

// Code may leave the core in a state in which a reading takes longer than in any probe.
TEST(Runner, WhereReadingsOfTheClockTellNothingThereIsAValueAllTheSame) {
  auto core = CoreWhoseClockChanges(400'000);
  core->after_code_cycles = 100;
  const SimulatedRunner made = RunnerOn(std::move(core));
  made.runner->Run(std::vector<Experiment>(40, ThreeCycles()));
  const std::vector<Measurement> measured =
      made.runner->Run(std::vector<Experiment>(40, ThreeCycles()));
  ASSERT_EQ(measured.size(), 40u);
  for (const Measurement& each : measured) EXPECT_NEAR(ValueOf(each), 3, 0.02);
}

TEST(Runner, CodeThatTakesLongToSettleGetsLongerSamples) {
  auto core = QuietCore();
  core->settling_cycles = 30'000;  // more than a sample has
  const SimulatedRunner made = RunnerOn(std::move(core));
  const Measurement measured = made.runner->Run(std::array{ThreeCycles()})[0];
  EXPECT_GT(measured.stretch, 1);
  const Estimate estimate = EstimateOf(measured, kConfidence);
  EXPECT_NEAR(estimate.value, 3, 0.03);
  EXPECT_LE(estimate.low, 3);
  EXPECT_GE(estimate.high, 3);
}

TEST(Runner, WhatIsExpectedToSettleLateStartsWithLongSamples) {
  auto core = QuietCore();
  core->settling_cycles = 30'000;
  const SimulatedRunner made = RunnerOn(std::move(core));
  Experiment experiment = ThreeCycles();
  experiment.expected = {
      .low = 2.95, .high = 3.05, .value = 3, .settles = true, .stretch = 16, .like = "another"};
  const Measurement measured = made.runner->Run(std::array{experiment})[0];
  EXPECT_EQ(measured.stretch, 16);
  EXPECT_EQ(measured.visits.size(), 1u);
}

TEST(Runner, EndsWhenItIsTold) {
  const SimulatedRunner made = RunnerOn(QuietCore());
  int asked = 0;
  const auto measured =
      made.runner->Run(std::vector<Experiment>(5, ThreeCycles()), [&] { return ++asked <= 1; });
  ASSERT_EQ(measured.size(), 5u);
  EXPECT_LT(measured[0].visits.size(), 3u);
}

TEST(Runner, SwitchesAreDroppedAndCounted) {
  auto core = QuietCore();
  core->disturb = [n = 0](sandbox::CallRecord& record) mutable {
    if (++n % 37 != 0) return;
    record.context_switches = 1;
    record.ticks += 4'000'000;
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_NEAR(ValueOf(measured[0]), 3, 0.015);
  EXPECT_GT(measured[0].rejected, 0);
}

TEST(Runner, NothingSurvivesOnACpuThatIsNeverOurs) {
  auto core = QuietCore();
  core->disturb = [](sandbox::CallRecord& record) { record.context_switches = 1; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_FALSE(measured[0].has_value());
  EXPECT_GT(measured[0].rejected, 0);
}

// ---- Neighbours

// A batch is long against the time for which a core stays quiet.
TEST(Runner, WhoeverInterruptsAProbeIsNoNeighbour) {
  auto core = QuietCore();
  SimulatedCore* const at = core.get();
  // The last call of each probe behind a visit.
  core->disturb = [at, kernel_calls = std::size_t{0},
                   since = std::size_t{0}](sandbox::CallRecord& record) mutable {
    since = std::exchange(kernel_calls, at->kernel_calls) == at->kernel_calls ? since + 1 : 0;
    if (kernel_calls > 0 && since == kProbeCalls) record.context_switches = 1;
  };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_GT(measured[0].rejected, 0);
  EXPECT_FALSE(measured[0].contended);
}

TEST(Runner, ARunEndsWhenANeighbourComes) {
  constexpr std::size_t kExperiments = 60;
  auto core = QuietCore();
  SimulatedCore* const at = core.get();
  bool came = false;
  core->is_shared = [at, &came](int cpu, std::int64_t) {
    // In the middle of the first batch, on the CPU that it is on.
    came = came || at->kernel_calls > 3 * kExperiments;
    return cpu == 1 && came;
  };
  const SimulatedRunner made = RunnerOn(std::move(core), {.cpus = {0, 1}});
  const auto measured = made.runner->Run(std::vector<Experiment>(kExperiments, ThreeCycles()));
  for (const Measurement& each : measured) {
    EXPECT_NEAR(ValueOf(each), 3, 0.015);
    EXPECT_FALSE(each.contended);
  }
  EXPECT_TRUE(came);
  // Three samples in each of three visits, and of what was visited beside the neighbour little.
  EXPECT_LT(made.runner->effort().samples, 9 * kExperiments + kExperiments);
}

// Most neighbours on a rented machine come for some tens of microseconds: to hand over to the tool,
// look for another CPU and load again would take far longer.
TEST(Runner, ANeighbourThatLeavesAtOnceEndsNoRun) {
  constexpr std::size_t kExperiments = 60;
  auto core = QuietCore();
  core->is_shared = [](int, std::int64_t at_ns) { return at_ns % 1'000'000 > 950'000; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::vector<Experiment>(kExperiments, ThreeCycles()));
  for (const Measurement& each : measured) {
    EXPECT_NEAR(ValueOf(each), 3, 0.015);
    EXPECT_FALSE(each.contended);
  }
  EXPECT_GT(made.runner->waited(), std::chrono::nanoseconds(0));
  // Two batches, whose loops are found by two runs each; three rounds and one or two for what was
  // spoiled.
  EXPECT_LT(made.runner->effort().switches, 20);
}

TEST(Runner, MovesAwayFromANeighbour) {
  auto core = QuietCore();
  core->is_shared = [](int cpu, std::int64_t at_ns) { return cpu == 0 && at_ns > 300'000; };
  const SimulatedRunner made = RunnerOn(std::move(core), {.cpus = {1, 0}});
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_NEAR(ValueOf(measured[0]), 3, 0.01);
  EXPECT_FALSE(measured[0].contended);
  for (const Visit& visit : measured[0].visits) EXPECT_EQ(visit.cpu, 1);
}

TEST(Runner, WaitsForANeighbourToLeave) {
  auto core = QuietCore();
  core->is_shared = [](int, std::int64_t at_ns) { return at_ns > 300'000 && at_ns < 400'000'000; };
  const SimulatedRunner made = RunnerOn(std::move(core));
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  EXPECT_NEAR(ValueOf(measured[0]), 3, 0.01);
  EXPECT_FALSE(measured[0].contended);
  EXPECT_GT(made.runner->waited(), std::chrono::milliseconds(300));
}

TEST(Runner, SaysContendedWhenPatienceIsSpent) {
  auto core = QuietCore();
  core->is_shared = [](int, std::int64_t at_ns) { return at_ns > 300'000; };
  const SimulatedRunner made =
      RunnerOn(std::move(core), {.patience = std::chrono::milliseconds(100)});
  const auto measured = made.runner->Run(std::array{ThreeCycles()});
  ASSERT_TRUE(measured[0].has_value());
  EXPECT_TRUE(measured[0].contended);
  EXPECT_TRUE(EstimateOf(measured[0], kConfidence).contended);
  EXPECT_LT(made.runner->waited(), std::chrono::milliseconds(300));
}

// A core that was never seen alone must not be taken for a quiet one.
TEST(Runner, ANeighbourFromTheStartIsRecognised) {
  auto core = QuietCore();
  core->is_shared = [](int, std::int64_t) { return true; };
  const SimulatedRunner made =
      RunnerOn(std::move(core), {.patience = std::chrono::milliseconds(50)});
  EXPECT_TRUE(made.runner->instrument().TrustsCycles());
  EXPECT_TRUE(made.runner->Run(std::array{ThreeCycles()})[0].contended);
}

// Values are right or marked: bursts, constant and periodic neighbours, on one CPU and on several.
struct Neighbour {
  const char* name;
  double share;          // of the time
  std::int64_t stay_ns;  // how long it stays
  int cpus;
  bool periodic = false;
  std::chrono::nanoseconds gap = std::chrono::milliseconds(
      1);  // between visits  // it comes and goes in step, half of the time; else at random
};

class RunnerWithNeighbourBulk : public ::testing::TestWithParam<Neighbour> {};

TEST_P(RunnerWithNeighbourBulk, ValuesAreRightOrMarked) {
  const Neighbour& neighbour = GetParam();
  int marked = 0;
  int right = 0;
  int covered = 0;
  const int seeds =
      neighbour.share < 1 ? 200 : 40;  // a neighbour that is always there is always the same
  for (int seed = 0; seed < seeds; ++seed) {
    auto core = QuietCore();
    core->random.seed(static_cast<std::uint64_t>(seed));
    core->slowdown.code = seed % 2 == 0 ? 1.03 : 1.6;
    core->is_shared = [&neighbour, seed](int cpu, std::int64_t at_ns) {
      const auto slot = static_cast<std::uint64_t>(at_ns / neighbour.stay_ns);
      if (neighbour.periodic) return slot % 2 == 0;
      // Mixes the bits well (SplitMix64).
      std::uint64_t hash =
          (slot * 64 + static_cast<std::uint64_t>(cpu)) * 4099 + static_cast<std::uint64_t>(seed);
      hash = (hash + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
      hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
      return static_cast<double>((hash ^ hash >> 31) >> 11) * 0x1p-53 < neighbour.share;
    };
    os::CpuList cpus;
    for (int cpu = neighbour.cpus - 1; cpu >= 0; --cpu) cpus.push_back(cpu);
    const SimulatedRunner made =
        RunnerOn(std::move(core),
                 {.cpus = cpus, .least_gap = neighbour.gap, .patience = std::chrono::seconds(2)});
    const auto measured = made.runner->Run(std::array{ThreeCycles()});
    ASSERT_TRUE(measured[0].has_value());
    const Estimate estimate = EstimateOf(measured[0], kConfidence);
    marked += estimate.contended ? 1 : 0;
    right += !estimate.contended && std::abs(estimate.value - 3) < 0.015 ? 1 : 0;
    covered += !estimate.contended && estimate.low <= 3 && estimate.high >= 3 ? 1 : 0;
  }
  const int unmarked = seeds - marked;
  EXPECT_GE(right, 0.99 * unmarked) << marked << " marked";
  EXPECT_GE(covered, 0.95 * unmarked) << marked << " marked";
  if (neighbour.share < 0.95) {
    EXPECT_LT(marked, seeds / 10);
  } else if (neighbour.share >= 1) {
    EXPECT_EQ(marked, seeds);
  }
}

INSTANTIATE_TEST_SUITE_P(Neighbours, RunnerWithNeighbourBulk,
                         ::testing::Values(Neighbour{"Seldom", 0.1, 50'000'000, 1},
                                           Neighbour{"Half", 0.5, 100'000'000, 1},
                                           Neighbour{"Bursts", 0.5, 2'000'000, 1},
                                           Neighbour{"ShortBursts", 0.3, 60'000, 1},
                                           // As often as the runner comes back at the soonest.
                                           Neighbour{"InStep", 0.5, 500'000, 1, true},
                                           Neighbour{"InStepWithAShortGap", 0.5, 250'000, 1, true,
                                                     std::chrono::microseconds(500)},
                                           Neighbour{"Often", 0.9, 20'000'000, 1},
                                           Neighbour{"OftenOnFour", 0.9, 100'000'000, 4},
                                           Neighbour{"Always", 1.0, 100'000'000, 2}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cyclescope::measure
