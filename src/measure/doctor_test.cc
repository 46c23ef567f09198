#include "measure/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "analysis/claims.h"

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
  facts.system_checks = {
      {.name = "rdpmc",
       .claim = Claim{ClaimCode::kSettingAllows, {{"setting", "rdpmc"}, {"value", 1.0}}}}};
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
  const std::vector<Check> checks = Diagnose(GoodMachine());
  EXPECT_GT(checks.size(), 5u);
  for (const Check& check : checks) {
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
  EXPECT_EQ(check.finding, "2 of 8 online CPUs may be used: 0-1");
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
      .cpu = 1, .probes = 400, .contended = 24, .wide_quiet = 0.2, .wide_contended = 0.35};
  EXPECT_EQ(Find(facts, "neighbour").status, CheckStatus::kNote);
  facts.neighbours->cpus[0] = {
      .cpu = 0, .probes = 400, .contended = 184, .wide_quiet = 0.2, .wide_contended = 0.35};
  const Check check = Find(facts, "neighbour");
  EXPECT_EQ(check.status, CheckStatus::kWarn);
  EXPECT_THAT(check.finding, HasSubstr("check: CPU 0 46 % of the time, CPU 1 6 % ("));
  EXPECT_THAT(check.effect, HasSubstr("0.35 cycles each meanwhile, instead of 0.20"));
  EXPECT_THAT(check.remedy, HasSubstr("--patience"));
  // A core that was hardly quiet is compared with nothing.
  facts.neighbours->cpus[0].wide_quiet = 0.34;
  EXPECT_THAT(Find(facts, "neighbour").effect, testing::Not(HasSubstr("meanwhile")));
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
  // One that shows threads of a core is accepted.
  facts.host.topology[1].core = facts.host.topology[0].core;
  EXPECT_EQ(Find(facts, "smt").status, CheckStatus::kOk);
}

// A machine that makes a claim, and one that nearly does.
struct NearMiss {
  ClaimCode code;
  void (*make)(MachineFacts&);
  void (*miss)(MachineFacts&);
};

bool Claims(const MachineFacts& facts, ClaimCode code) {
  return std::ranges::any_of(Diagnose(facts), [code](const Check& check) {
    return check.claim && check.claim->code == code;
  });
}

TEST(DoctorClaims, NearMissesAreSilent) {
  using enum ClaimCode;
  const auto none = [](MachineFacts&) {};
  const auto virtual_machine = [](MachineFacts& facts) { facts.host.hypervisor = "kvm"; };
  const auto siblings = [](MachineFacts& facts) { facts.host.topology[1].core = 0; };
  const auto shared_l2 = [](MachineFacts& facts) {
    for (CpuPlace& place : facts.host.topology) place.l2 = 0;
  };
  const NearMiss cases[] = {
      {kCpusUsable, none, [](MachineFacts& facts) { facts.host.cpus_online = 3; }},
      {kCpusLeftOut, [](MachineFacts& facts) { facts.host.cpus_online = 3; }, none},
      {kOneCpu, [](MachineFacts& facts) { facts.host.cpus_allowed = {1}; }, none},
      {kMachineUnknown, [](MachineFacts& facts) { facts.host.hypervisor.clear(); }, none},
      {kNoHypervisor, none, [](MachineFacts& facts) { facts.host.hypervisor.clear(); }},
      {kVirtualMachine, virtual_machine, none},
      {kUserCounters, none, [](MachineFacts& facts) { facts.counter_user_error = "no"; }},
      {kSystemCounters, [](MachineFacts& facts) { facts.counter_user_error = "no"; },
       [](MachineFacts& facts) { facts.counter_user_error = facts.counter_system_error = "no"; }},
      {kNoCounters,
       [](MachineFacts& facts) { facts.counter_user_error = facts.counter_system_error = "no"; },
       [](MachineFacts& facts) { facts.counter_user_error = "no"; }},
      {kFastestSetting, none, [](MachineFacts& facts) { facts.host.governor = "powersave"; }},
      {kSlowerSetting, [](MachineFacts& facts) { facts.host.governor = "powersave"; },
       [](MachineFacts& facts) { facts.host.governor.clear(); }},
      {kTurboOff, none, [](MachineFacts& facts) { facts.host.turbo.reset(); }},
      {kTurboOn, [](MachineFacts& facts) { facts.host.turbo = true; },
       [](MachineFacts& facts) { facts.host.turbo.reset(); }},
      {kThreadsUnknown, virtual_machine,
       [](MachineFacts& facts) {
         facts.host.hypervisor = "kvm";
         facts.host.topology[1].core = 0;
       }},
      {kNoSiblings, none, siblings},
      {kIdleSiblings, siblings,
       [](MachineFacts& facts) {
         facts.host.topology[1].core = 0;
         facts.loads[1].busy = 0.11;
       }},
      {kBusySiblings,
       [](MachineFacts& facts) {
         facts.host.topology[1].core = 0;
         facts.loads[1].busy = 0.11;
       },
       [](MachineFacts& facts) {
         facts.host.topology[1].core = 0;
         facts.loads[1].busy = 0.1;
       }},
      {kCachesListed, shared_l2,
       [](MachineFacts& facts) {
         for (CpuPlace& place : facts.host.topology) place.l2 = 0;
         facts.host.hypervisor = "kvm";
       }},
      {kCachesOfVirtualMachine,
       [](MachineFacts& facts) {
         for (CpuPlace& place : facts.host.topology) place.l2 = 0;
         facts.host.hypervisor = "kvm";
       },
       shared_l2},
      {kNeighboursUnknown,
       [](MachineFacts& facts) {
         facts.neighbours.reset();
         facts.neighbours_error = "cannot pin";
       },
       [](MachineFacts& facts) { facts.neighbours.reset(); }},
      {kChainsUnfit, [](MachineFacts& facts) { facts.neighbours->trusted = false; }, none},
      {kNeverSteady, [](MachineFacts& facts) { facts.neighbours->cpus[1].probes = 0; },
       [](MachineFacts& facts) { facts.neighbours->cpus[1].probes = 1; }},
      {kNoNeighbour, [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 8; },
       [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 9; }},
      {kNeighbourSeen, [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 20; },
       [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 9; }},
      {kNeighbourUnclear, [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 9; },
       [](MachineFacts& facts) { facts.neighbours->cpus[1].contended = 8; }},
      {kCpusIdle, [](MachineFacts& facts) { facts.loads[0].busy = 0.1; },
       [](MachineFacts& facts) { facts.loads[0].busy = 0.11; }},
      {kCpusBusy, [](MachineFacts& facts) { facts.loads[0].busy = 0.11; },
       [](MachineFacts& facts) { facts.loads[0].busy = 0.1; }},
      {kLittleStolen, [](MachineFacts& facts) { facts.stolen_share = 0.0099; },
       [](MachineFacts& facts) { facts.stolen_share = 0.01; }},
      {kTimeStolen, [](MachineFacts& facts) { facts.stolen_share = 0.01; },
       [](MachineFacts& facts) { facts.stolen_share = 0.0099; }},
      {kTickRate, none, [](MachineFacts& facts) { facts.clock.quantum = 41; }},
      {kTickRateWrong,
       [](MachineFacts& facts) { facts.declared_tick_rate = arch::TickRate{2.2e9, "cpuid 15h"}; },
       [](MachineFacts& facts) {
         facts.declared_tick_rate = arch::TickRate{2.00001e9, "cpuid 15h"};
       }},
      {kTickRateCoarse, [](MachineFacts& facts) { facts.clock.quantum = 41; },
       [](MachineFacts& facts) { facts.clock.quantum = 40; }},
      {kTicksInvariant, none, [](MachineFacts& facts) { facts.clock.invariant = false; }},
      {kTicksVary, [](MachineFacts& facts) { facts.clock.invariant = false; }, none},
      {kIsolatedCpus, [](MachineFacts& facts) { facts.host.cpus_isolated = {1}; }, none},
  };
  for (const auto& [code, make, miss] : cases) {
    MachineFacts made = GoodMachine();
    make(made);
    EXPECT_TRUE(Claims(made, code)) << ToString(code);
    MachineFacts missed = GoodMachine();
    miss(missed);
    EXPECT_FALSE(Claims(missed, code)) << ToString(code);
  }
  // The others are of single systems, or of GPUs.
  std::size_t elsewhere = 0;
  for (const ClaimRule& rule : ClaimRules())
    elsewhere += rule.subject == "doctor" && rule.silence_in != "DoctorClaims.NearMissesAreSilent";
  const auto all = std::ranges::count(ClaimRules(), "doctor", &ClaimRule::subject);
  EXPECT_EQ(std::size(cases) + elsewhere, static_cast<std::size_t>(all));
}

// What only Windows says is worded like all others, and said by no check of another system.
TEST(DoctorClaims, WordsOfWindowsAreTheirs) {
  for (const ClaimRule& rule : ClaimRules()) {
    if (rule.silence_in != "DoctorClaims.WordsOfWindowsAreTheirs") continue;
    EXPECT_FALSE(Claims(GoodMachine(), rule.code)) << ToString(rule.code);
    MachineFacts facts = GoodMachine();
    facts.system_checks = {
        {.name = "of Windows", .claim = Claim{rule.code, {{"percent", 50.0}, {"ns", 100.0}}}}};
    EXPECT_FALSE(Find(facts, "of Windows").finding.empty());
  }
}

}  // namespace
}  // namespace cyclescope::measure
