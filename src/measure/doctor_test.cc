#include "measure/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace cyclescope::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A bare-metal machine on which nothing is wrong.
MachineFacts GoodMachine() {
  MachineFacts facts;
  facts.host.hypervisor = "none";
  facts.host.cpus_online = 2;
  facts.host.cpus_allowed = {0, 1};
  facts.host.governor = "performance";
  facts.host.turbo = false;
  facts.host.topology = {{.cpu = 0, .core = 0}, {.cpu = 1, .core = 1}};
  facts.system_checks = {{.name = "rdpmc", .finding = "rdpmc is 1"}};
  facts.loads = {{0, 0.0}, {1, 0.01}};
  facts.stolen_share = 0;
  facts.clock.hz = facts.clock.calibrated_hz = 2e9;
  facts.clock.source = "cpuid 15h";
  facts.clock.invariant = true;
  facts.neighbours = Neighbours{.trusted = true,
                                .seconds = 0.05,
                                .cpus = {{.cpu = 0, .probes = 400}, {.cpu = 1, .probes = 400}}};
  return facts;
}

Check Find(const MachineFacts& facts, std::string_view name) {
  const auto checks = Diagnose(facts);
  const auto found = std::ranges::find(checks, name, &Check::name);
  EXPECT_NE(found, checks.end()) << name;
  return found == checks.end() ? Check{} : *found;
}

TEST(Diagnose, AGoodMachineHasNothingToMend) {
  for (const Check& check : Diagnose(GoodMachine())) {
    EXPECT_EQ(check.status, CheckStatus::kOk) << check.name << ": " << check.finding;
    EXPECT_THAT(check.remedy, IsEmpty()) << check.name;
  }
}

TEST(Diagnose, WhatIsUnknownIsNotJudged) {
  MachineFacts facts = GoodMachine();
  facts.host.governor.clear();
  facts.host.turbo.reset();
  facts.stolen_share.reset();
  facts.neighbours.reset();
  const auto checks = Diagnose(facts);
  for (const char* name : {"governor", "turbo", "steal", "neighbour"}) {
    EXPECT_EQ(std::ranges::find(checks, name, &Check::name), checks.end()) << name;
  }
}

TEST(Diagnose, OneCpuIsTooFew) {
  MachineFacts facts = GoodMachine();
  facts.host.cpus_allowed = {1};
  EXPECT_EQ(Find(facts, "cpus").status, CheckStatus::kWarn);
}

TEST(Diagnose, SomeCpusAreForbidden) {
  MachineFacts facts = GoodMachine();
  facts.host.cpus_online = 8;
  const Check check = Find(facts, "cpus");
  EXPECT_EQ(check.status, CheckStatus::kNote);
  EXPECT_THAT(check.finding, HasSubstr("2 of 8 online CPUs may be used: 0-1"));
}

TEST(Diagnose, NamesTheSourceThatWillBeUsed) {
  MachineFacts facts = GoodMachine();
  EXPECT_THAT(Find(facts, "counters").finding, HasSubstr("counter-user"));
  facts.counter_user_error = "kernel.perf_user_access is 0";
  EXPECT_THAT(Find(facts, "counters").finding, HasSubstr("source counter)"));
  facts.counter_system_error = "the hypervisor offers none";
  const Check check = Find(facts, "counters");
  EXPECT_THAT(check.finding, HasSubstr("the hypervisor offers none"));
  EXPECT_THAT(check.effect, HasSubstr("source reference"));
}

TEST(Diagnose, PassesOnWhatOnlyThisSystemHas) {
  EXPECT_EQ(Find(GoodMachine(), "rdpmc").finding, "rdpmc is 1");
}

TEST(Diagnose, SaysWhichCachesAreShared) {
  MachineFacts facts = GoodMachine();
  facts.host.topology = {{.cpu = 0, .core = 0, .l2 = 0, .l3 = 0},
                         {.cpu = 1, .core = 1, .l2 = 1, .l3 = 0}};
  EXPECT_EQ(Find(facts, "caches").finding, "private L1, private L2, L3 shared by 2 CPUs");
  EXPECT_EQ(Find(facts, "caches").status, CheckStatus::kOk);
  facts.host.hypervisor = "kvm";
  EXPECT_EQ(Find(facts, "caches").status, CheckStatus::kNote);
  EXPECT_THAT(Find(facts, "caches").effect, HasSubstr("other virtual machines"));
  facts.host.topology = {{.cpu = 0}, {.cpu = 1}};
  const auto checks = Diagnose(facts);
  EXPECT_EQ(std::ranges::find(checks, "caches", &Check::name), checks.end());
}

TEST(Diagnose, ABusySiblingIsNamed) {
  MachineFacts facts = GoodMachine();
  facts.host.topology[1].core = 0;
  EXPECT_EQ(Find(facts, "smt").status, CheckStatus::kOk);
  facts.loads[1].busy = 0.9;
  const Check check = Find(facts, "smt");
  EXPECT_EQ(check.status, CheckStatus::kWarn);
  EXPECT_THAT(check.finding, HasSubstr("CPUs 1 are busy"));
}

TEST(Diagnose, ANeighbourIsNamedWithItsShareAndEffect) {
  MachineFacts facts = GoodMachine();
  EXPECT_EQ(Find(facts, "neighbour").finding,
            "no other thread shares a core (looked at CPU 0-1, for 50 ms each)");
  facts.neighbours->cpus[1] = {
      .cpu = 1, .probes = 400, .contended = 12, .wide_quiet = 0.2, .wide_contended = 0.35};
  EXPECT_EQ(Find(facts, "neighbour").status, CheckStatus::kNote);
  facts.neighbours->cpus[0] = {
      .cpu = 0, .probes = 400, .contended = 184, .wide_quiet = 0.2, .wide_contended = 0.35};
  const Check check = Find(facts, "neighbour");
  EXPECT_EQ(check.status, CheckStatus::kWarn);
  EXPECT_THAT(check.finding, HasSubstr("looked at: CPU 0 46 % of the time, CPU 1 3 % ("));
  EXPECT_THAT(check.effect, HasSubstr("0.35 cycles each then, instead of 0.20"));
  EXPECT_THAT(check.remedy, HasSubstr("--patience"));
}

TEST(Diagnose, SaysWhichOfManyCpusWereLookedAt) {
  MachineFacts facts = GoodMachine();
  facts.host.cpus_allowed = {0, 1, 2, 3};
  EXPECT_THAT(Find(facts, "neighbour").finding, HasSubstr("looked at CPU 0-1, 2 of 4, for 50 ms"));
}

TEST(Diagnose, ACoreThatWasNeverSteadyIsNotCalledOurs) {
  MachineFacts facts = GoodMachine();
  facts.neighbours->cpus[1].probes = 0;
  EXPECT_EQ(Find(facts, "neighbour").status, CheckStatus::kWarn);
  EXPECT_THAT(Find(facts, "neighbour").finding, HasSubstr("unknown"));
}

TEST(Diagnose, WhereNothingCanBeToldOfNeighboursItSaysSo) {
  MachineFacts facts = GoodMachine();
  facts.neighbours->trusted = false;
  EXPECT_EQ(Find(facts, "neighbour").status, CheckStatus::kNote);
  facts.neighbours.reset();
  facts.neighbours_error = "cannot pin to CPU 1";
  EXPECT_EQ(Find(facts, "neighbour").finding, "unknown: cannot pin to CPU 1");
}

TEST(Diagnose, LoadAndStealAreToMend) {
  MachineFacts facts = GoodMachine();
  facts.loads[0].busy = 0.5;
  EXPECT_THAT(Find(facts, "load").finding, HasSubstr("busy now: CPU 0"));
  facts.stolen_share = 0.05;
  EXPECT_EQ(Find(facts, "steal").status, CheckStatus::kWarn);
}

TEST(Diagnose, TheClockIsComparedWithTheSystems) {
  MachineFacts facts = GoodMachine();
  facts.declared_tick_rate = arch::TickRate{2.2e9, "cpuid 15h"};
  EXPECT_EQ(Find(facts, "tick rate").status, CheckStatus::kWarn);
  facts.declared_tick_rate.reset();
  facts.clock.quantum = 100;
  EXPECT_EQ(Find(facts, "tick rate").status, CheckStatus::kNote);
  facts.clock.invariant = false;
  EXPECT_EQ(Find(facts, "invariant").status, CheckStatus::kWarn);
}

TEST(Diagnose, GovernorAndTurboAreNoted) {
  MachineFacts facts = GoodMachine();
  facts.host.governor = "powersave";
  facts.host.turbo = true;
  EXPECT_THAT(Find(facts, "governor").remedy, HasSubstr("cpupower"));
  EXPECT_EQ(Find(facts, "turbo").status, CheckStatus::kNote);
}

TEST(Diagnose, AVirtualMachineCannotKnowWhoSharesItsCores) {
  MachineFacts facts = GoodMachine();
  EXPECT_EQ(Find(facts, "smt").status, CheckStatus::kOk);
  facts.host.hypervisor = "kvm";
  const Check check = Find(facts, "smt");
  EXPECT_EQ(check.status, CheckStatus::kNote);
  EXPECT_THAT(check.finding, HasSubstr("unknown"));
  // One that shows threads of a core is believed.
  facts.host.topology[1].core = facts.host.topology[0].core;
  EXPECT_EQ(Find(facts, "smt").status, CheckStatus::kOk);
}

}  // namespace
}  // namespace cyclescope::measure
