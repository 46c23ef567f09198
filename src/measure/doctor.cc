#include "measure/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "os/advice.h"
#include "os/clock.h"
#include "os/counters.h"
#include "os/cpus.h"
#include "os/host.h"

namespace cyclescope::measure {
namespace {

Check Ok(std::string name, std::string finding) {
  return {std::move(name), CheckStatus::kOk, std::move(finding), {}, {}};
}

Check Note(std::string name, std::string finding, std::string effect, std::string remedy = {}) {
  return {std::move(name), CheckStatus::kNote, std::move(finding), std::move(effect),
          std::move(remedy)};
}

Check Warn(std::string name, std::string finding, std::string effect, std::string remedy = {}) {
  return {std::move(name), CheckStatus::kWarn, std::move(finding), std::move(effect),
          std::move(remedy)};
}

// Share of a CPU's time from which on it counts as busy.
constexpr double kBusy = 0.1;

Check CheckCpus(const MachineFacts& facts) {
  const auto& allowed = facts.host.cpus_allowed;
  const std::optional<int> online = facts.host.cpus_online;
  const std::string count = online ? fmt::format("{} of {} online CPUs", allowed.size(), *online)
                                   : fmt::format("{} CPUs", allowed.size());
  const std::string finding = fmt::format("{} may be used: {}", count, os::FormatCpuList(allowed));
  if (allowed.size() < 2) {
    return Warn("cpus", finding,
                "latency between cores needs two CPUs, and everything else shares this one");
  }
  if (online && static_cast<int>(allowed.size()) < *online) {
    return Note("cpus", finding, "the other CPUs are left out of every result",
                os::HowToUseAllCpus(*online));
  }
  return Ok("cpus", finding);
}

// False where the system does not say.
bool IsVirtual(const MachineFacts& facts) {
  return !facts.host.hypervisor.empty() && facts.host.hypervisor != "none";
}

Check CheckHypervisor(const MachineFacts& facts) {
  const std::string& hypervisor = facts.host.hypervisor;
  if (hypervisor.empty())
    return Note("machine", "the system does not say whether this is a virtual machine", "");
  if (hypervisor == "none") return Ok("machine", "no hypervisor");
  const std::string name = hypervisor == kUnnamedHypervisor ? "" : fmt::format(" ({})", hypervisor);
  return Note("machine", "virtual machine" + name,
              "topology may be made up and time may be withheld; groups of cores are inferred from "
              "measurements");
}

Check CheckCounters(const MachineFacts& facts) {
  if (facts.counter_user_error.empty()) {
    return Ok("counters", "hardware counters can be read from user space (source counter-user)");
  }
  if (facts.counter_system_error.empty()) {
    return Note("counters",
                "hardware counters can be read by system call only (source counter): " +
                    facts.counter_user_error,
                "each read costs a system call; values stay exact");
  }
  return Note("counters", "no hardware counters: " + facts.counter_system_error,
              "cycles come from the reference chain instead (source reference); instructions are "
              "known by construction");
}

std::optional<Check> CheckGovernor(const MachineFacts& facts) {
  const std::string& governor = facts.host.governor;
  if (governor.empty()) return std::nullopt;
  const std::string finding = fmt::format("{} {}", os::SpeedSettingName(), governor);
  if (os::IsFastestSetting(governor)) return Ok("governor", finding);
  return Note("governor", finding,
              "a core that was idle needs a moment to speed up; samples from before are dropped",
              os::HowToBeFastest());
}

std::optional<Check> CheckTurbo(const MachineFacts& facts) {
  if (!facts.host.turbo) return std::nullopt;
  if (!*facts.host.turbo) return Ok("turbo", "turbo is off: one frequency");
  return Note("turbo", "turbo is on", "nanoseconds move with the frequency; cycles do not",
              os::HowToForbidTurbo());
}

double LoadOf(const MachineFacts& facts, int cpu) {
  const auto found = std::ranges::find(facts.loads, cpu, &os::CpuLoad::cpu);
  return found == facts.loads.end() ? 0 : found->busy;
}

Check CheckSiblings(const MachineFacts& facts) {
  const auto& places = facts.host.topology;
  int sharing = 0;
  std::string busy;
  for (const CpuPlace& place : places) {
    const bool shares = std::ranges::any_of(places, [&place](const CpuPlace& other) {
      return other.cpu != place.cpu && other.core && other.core == place.core;
    });
    if (!shares) continue;
    ++sharing;
    if (LoadOf(facts, place.cpu) > kBusy)
      busy += fmt::format("{}{}", busy.empty() ? "" : ",", place.cpu);
  }
  if (sharing == 0) {
    // A hypervisor may hide the other thread of a core, and let another guest use it.
    if (IsVirtual(facts)) {
      return Note("smt",
                  "unknown: the virtual machine claims one thread per core, which need not be so",
                  "the check 'neighbour' finds out by measuring");
    }
    return Ok("smt", "no two CPUs are said to share a core");
  }
  if (busy.empty())
    return Ok("smt", fmt::format("{} CPUs share their core with another; none is busy", sharing));
  return Warn("smt", fmt::format("CPUs {} are busy and share their core with another", busy),
              "throughput measured on the sibling comes out up to two times worse",
              "measure with --cpu on a core whose siblings are idle, or: " + os::HowToForbidSmt());
}

// Of the CPUs that share a core or cache, by the system's word, the most; unset where it says
// nothing.
std::optional<int> MostSharing(const std::vector<CpuPlace>& places,
                               std::optional<int> CpuPlace::* unit) {
  std::map<int, int> sharing;
  for (const CpuPlace& place : places) {
    if (place.*unit) ++sharing[*(place.*unit)];
  }
  if (sharing.empty()) return std::nullopt;
  return std::ranges::max(std::views::values(sharing));
}

std::optional<Check> CheckCaches(const MachineFacts& facts) {
  const auto& places = facts.host.topology;
  std::string finding;
  for (const auto& [name, unit] : {std::pair{"L1", &CpuPlace::core}, std::pair{"L2", &CpuPlace::l2},
                                   std::pair{"L3", &CpuPlace::l3}}) {
    const auto cpus = MostSharing(places, unit);
    if (!cpus) continue;
    finding += finding.empty() ? "" : ", ";
    finding += *cpus == 1 ? fmt::format("private {}", name)
                          : fmt::format("{} shared by {} CPUs", name, *cpus);
  }
  if (finding.empty()) return std::nullopt;
  if (!IsVirtual(facts)) return Ok("caches", finding);
  return Note(
      "caches", "the VM reports " + finding,
      "other virtual machines of the host use the last cache, and the others too where they "
      "have a thread of the core: how much is left changes, and `memory` shows it");
}

// "CPU 0 46 % of the time, CPU 1 3 %"
std::string SharesText(const std::vector<SharedTime>& shares) {
  std::string text;
  for (const SharedTime& shared : shares) {
    text += fmt::format("{}CPU {} {:.0f} %{}", text.empty() ? "" : ", ", shared.cpu,
                        100 * shared.share(), text.empty() ? " of the time" : "");
  }
  return text;
}

Check CheckNeighbours(const Neighbours& neighbours, std::size_t allowed) {
  constexpr double kNotedShare = 0.02;
  constexpr double kMendShare = 0.2;
  const std::string name = "neighbour";
  if (!neighbours.trusted) {
    return Note(name, "unknown: the reference chains and the clock don't fit together here",
                "cyclescope cannot detect another thread on a core");
  }
  if (std::ranges::any_of(neighbours.cpus,
                          [](const SharedTime& each) { return each.probes == 0; })) {
    return Warn(name, "unknown: no moment was steady enough to show what a quiet core looks like",
                "most likely another thread shares the core all the time: throughputs come out too "
                "high",
                "try again, or use a machine whose cores are yours alone");
  }
  os::CpuList looked_at;
  for (const SharedTime& shared : neighbours.cpus) looked_at.push_back(shared.cpu);
  std::string where = fmt::format("looked at CPU {}", os::FormatCpuList(looked_at));
  if (looked_at.size() < allowed) where += fmt::format(", {} of {}", looked_at.size(), allowed);
  where += fmt::format(", for {:.0f} ms each", 1e3 * neighbours.seconds);

  std::vector<SharedTime> shared = neighbours.cpus;
  std::erase_if(shared, [](const SharedTime& each) { return each.share() <= kNotedShare; });
  if (shared.empty()) return Ok(name, fmt::format("no other thread shares a core ({})", where));
  const SharedTime& worst = *std::ranges::max_element(shared, {}, &SharedTime::share);
  const std::string finding = fmt::format(
      "another thread shared the core while it was looked at: {} ({})", SharesText(shared), where);
  std::string effect;
  if (worst.wide_quiet > 0) {
    effect = fmt::format("independent adds take {:.2f} cycles each then, instead of {:.2f}: ",
                         worst.wide_contended, worst.wide_quiet);
  }
  effect +=
      "throughputs come out too high by as much. Measuring waits for quiet moments; what it cannot "
      "get is marked as contended";
  const std::string remedy =
      "wait longer with --patience 30, or use a machine whose cores are yours alone";
  return worst.share() < kMendShare ? Note(name, finding, effect, remedy)
                                    : Warn(name, finding, effect, remedy);
}

std::optional<Check> CheckNeighbours(const MachineFacts& facts) {
  if (facts.neighbours) return CheckNeighbours(*facts.neighbours, facts.host.cpus_allowed.size());
  if (facts.neighbours_error.empty()) return std::nullopt;
  return Note("neighbour", "unknown: " + facts.neighbours_error,
              "cyclescope cannot detect another thread on a core");
}

Check CheckLoad(const MachineFacts& facts) {
  os::CpuList busy;
  for (const os::CpuLoad& load : facts.loads) {
    if (load.busy > kBusy) busy.push_back(load.cpu);
  }
  // Not every system has one.
  const std::string average = std::isnan(facts.host.load_1min)
                                  ? ""
                                  : fmt::format("load average {:.2f}, ", facts.host.load_1min);
  if (busy.empty()) return Ok("load", average + "every CPU idle now");
  return Warn("load", fmt::format("{}busy now: CPU {}", average, os::FormatCpuList(busy)),
              "samples that other work spoils are dropped and counted; measuring takes longer",
              "stop other work, or choose idle CPUs with --cpus");
}

std::optional<Check> CheckSteal(const MachineFacts& facts) {
  if (!facts.stolen_share) return std::nullopt;
  constexpr double kMendShare = 0.01;
  const std::string finding = fmt::format("the hypervisor withheld {:.2f} % of the time since boot",
                                          *facts.stolen_share * 100);
  if (*facts.stolen_share < kMendShare) return Ok("steal", finding);
  return Warn("steal", finding, "samples are lost to it, and tails grow",
              "use a machine with dedicated CPUs");
}

Check CheckTickRate(const MachineFacts& facts) {
  const std::string finding =
      fmt::format("time stamps at {:.6g} GHz ({}), resolution {:.3g} ns", facts.clock.hz / 1e9,
                  facts.clock.source, facts.clock.resolution_ns());
  if (facts.declared_tick_rate &&
      DeclaredRateIsWrong(*facts.declared_tick_rate, facts.clock.calibrated_hz)) {
    return Warn("tick rate",
                fmt::format("{} says {:.6g} GHz, the system's clock says {:.6g} GHz",
                            facts.declared_tick_rate->source, facts.declared_tick_rate->hz / 1e9,
                            facts.clock.calibrated_hz / 1e9),
                "the system's clock is believed; nanoseconds may be off by the difference");
  }
  constexpr double kCoarseNs = 20;
  if (facts.clock.resolution_ns() > kCoarseNs) {
    return Note("tick rate", finding,
                "samples are made longer, so that a step of the clock is small against them");
  }
  return Ok("tick rate", finding);
}

Check CheckInvariance(const MachineFacts& facts) {
  if (facts.clock.invariant)
    return Ok("invariant", "the time-stamp counter runs at one rate whatever the core does");
  return Warn("invariant", "the time-stamp counter may change its rate or stop",
              "base frequency and nanoseconds cannot be trusted; cycles still hold, as each sample "
              "has its own reference");
}

std::optional<Check> CheckIsolation(const MachineFacts& facts) {
  if (facts.host.cpus_isolated.empty()) return std::nullopt;
  return Ok("isolated",
            fmt::format("CPUs {} are isolated from the scheduler: the best to measure on",
                        os::FormatCpuList(facts.host.cpus_isolated)));
}

// The share of the time since boot that the hypervisor kept from the allowed CPUs.
std::optional<double> StolenShare(const os::CpuList& cpus) {
  double stolen_s = 0;
  double total_s = 0;
  for (const int cpu : cpus) {
    const auto steal = os::ReadStealTime(cpu);
    if (!steal) return std::nullopt;
    stolen_s += steal->stolen_s;
    total_s += steal->total_s;
  }
  if (total_s <= 0) return std::nullopt;
  return stolen_s / total_s;
}

std::string CounterError(os::CounterAccess access) {
  const auto counters = os::Counters::Open(access);
  return counters ? "" : counters.error().message;
}

}  // namespace

MachineFacts GatherFacts(Host host, std::optional<double> expected_width) {
  MachineFacts facts;
  facts.system_checks = os::CheckSystem();
  facts.counter_user_error = CounterError(os::CounterAccess::kUser);
  facts.counter_system_error = CounterError(os::CounterAccess::kSystem);
  constexpr double kLoadSeconds = 0.3;
  facts.loads = os::SampleLoad(kLoadSeconds);
  facts.stolen_share = StolenShare(host.cpus_allowed);
  const ClockReaders readers = SystemClockReaders();
  facts.declared_tick_rate = readers.declared;
  facts.clock = FindTickClock(readers);
  auto neighbours = LookForNeighbours(host, facts.clock, {.expected_width = expected_width});
  if (neighbours) {
    facts.neighbours = std::move(*neighbours);
  } else {
    facts.neighbours_error = neighbours.error().message;
  }
  facts.host = std::move(host);
  return facts;
}

std::vector<Check> Diagnose(const MachineFacts& facts) {
  std::vector<Check> checks;
  const auto add = [&checks](std::optional<Check> check) {
    if (check) checks.push_back(std::move(*check));
  };
  add(CheckCpus(facts));
  add(CheckHypervisor(facts));
  add(CheckCounters(facts));
  checks.insert(checks.end(), facts.system_checks.begin(), facts.system_checks.end());
  add(CheckGovernor(facts));
  add(CheckTurbo(facts));
  add(CheckSiblings(facts));
  add(CheckCaches(facts));
  add(CheckNeighbours(facts));
  add(CheckLoad(facts));
  add(CheckSteal(facts));
  add(CheckTickRate(facts));
  add(CheckInvariance(facts));
  add(CheckIsolation(facts));
  return checks;
}

}  // namespace cyclescope::measure
