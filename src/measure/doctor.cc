#include "measure/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "analysis/claims.h"
#include "os/advice.h"
#include "os/clock.h"
#include "os/counters.h"
#include "os/cpus.h"
#include "os/host.h"
#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

Check Ok(std::string name, Claim claim) {
  return {.name = std::move(name), .claim = std::move(claim)};
}

Check Note(std::string name, Claim claim, std::string remedy = {}) {
  return {.name = std::move(name),
          .status = CheckStatus::kNote,
          .claim = std::move(claim),
          .remedy = std::move(remedy)};
}

Check Warn(std::string name, Claim claim, std::string remedy = {}) {
  Check check = Note(std::move(name), std::move(claim), std::move(remedy));
  check.status = CheckStatus::kWarn;
  return check;
}

// Share of a CPU's time from which on it counts as busy.
constexpr double kBusyShare = 0.1;

Check CheckCpus(const MachineFacts& facts) {
  const auto& allowed = facts.host.cpus_allowed;
  const std::optional<int> online = facts.host.cpus_online;
  Claim claim{
      ClaimCode::kCpusUsable,
      {{"usable", static_cast<double>(allowed.size())}, {"cpus", os::FormatCpuList(allowed)}}};
  if (online) claim.figures.emplace_back("online", static_cast<double>(*online));
  if (allowed.size() < 2) {
    claim.code = ClaimCode::kOneCpu;
    return Warn("cpus", std::move(claim));
  }
  if (online && static_cast<int>(allowed.size()) < *online) {
    claim.code = ClaimCode::kCpusLeftOut;
    return Note("cpus", std::move(claim), os::HowToUseAllCpus(*online));
  }
  return Ok("cpus", std::move(claim));
}

// False where the system does not say.
bool IsVirtual(const MachineFacts& facts) {
  return !facts.host.hypervisor.empty() && facts.host.hypervisor != "none";
}

Check CheckHypervisor(const MachineFacts& facts) {
  const std::string& hypervisor = facts.host.hypervisor;
  if (hypervisor.empty()) return Note("machine", {ClaimCode::kMachineUnknown, {}});
  if (hypervisor == "none") return Ok("machine", {ClaimCode::kNoHypervisor, {}});
  Claim claim{ClaimCode::kVirtualMachine, {}};
  if (hypervisor != kUnnamedHypervisor) claim.figures.emplace_back("hypervisor", hypervisor);
  return Note("machine", std::move(claim));
}

Check CheckCounters(const MachineFacts& facts) {
  if (facts.counter_user_error.empty()) return Ok("counters", {ClaimCode::kUserCounters, {}});
  if (facts.counter_system_error.empty())
    return Note("counters", {ClaimCode::kSystemCounters, {{"reason", facts.counter_user_error}}});
  return Note("counters", {ClaimCode::kNoCounters, {{"reason", facts.counter_system_error}}});
}

std::optional<Check> CheckGovernor(const MachineFacts& facts) {
  const std::string& governor = facts.host.governor;
  if (governor.empty()) return std::nullopt;
  const bool is_fastest = os::IsFastestSetting(governor);
  Claim claim{is_fastest ? ClaimCode::kFastestSetting : ClaimCode::kSlowerSetting,
              {{"name", std::string(os::SpeedSettingName())}, {"setting", governor}}};
  return is_fastest ? Ok("governor", std::move(claim))
                    : Note("governor", std::move(claim), os::HowToBeFastest());
}

std::optional<Check> CheckTurbo(const MachineFacts& facts) {
  if (!facts.host.turbo) return std::nullopt;
  if (!*facts.host.turbo) return Ok("turbo", {ClaimCode::kTurboOff, {}});
  return Note("turbo", {ClaimCode::kTurboOn, {}}, os::HowToForbidTurbo());
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
    if (LoadOf(facts, place.cpu) > kBusyShare)
      busy += fmt::format("{}{}", busy.empty() ? "" : ",", place.cpu);
  }
  if (sharing == 0) {
    // A hypervisor may hide the other thread of a core, and let another guest use it.
    return IsVirtual(facts) ? Note("smt", {ClaimCode::kThreadsUnknown, {}})
                            : Ok("smt", {ClaimCode::kNoSiblings, {}});
  }
  if (busy.empty())
    return Ok("smt", {ClaimCode::kIdleSiblings, {{"cpus", static_cast<double>(sharing)}}});
  return Warn("smt", {ClaimCode::kBusySiblings, {{"cpus", busy}}},
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
  return IsVirtual(facts)
             ? Note("caches", {ClaimCode::kCachesOfVirtualMachine, {{"caches", finding}}})
             : Ok("caches", {ClaimCode::kCachesListed, {{"caches", finding}}});
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
  if (!neighbours.trusted) return Note(name, {ClaimCode::kChainsUnfit, {}});
  if (std::ranges::any_of(neighbours.cpus,
                          [](const SharedTime& each) { return each.probes == 0; })) {
    return Warn(name, {ClaimCode::kNeverSteady, {}},
                "try again, or use a machine whose cores are yours alone");
  }
  os::CpuList looked_at;
  for (const SharedTime& shared : neighbours.cpus) looked_at.push_back(shared.cpu);
  std::string where = fmt::format("looked at CPU {}", os::FormatCpuList(looked_at));
  if (looked_at.size() < allowed) where += fmt::format(", {} of {}", looked_at.size(), allowed);
  where += fmt::format(", for {:.0f} ms each", 1e3 * neighbours.seconds);

  std::vector<SharedTime> shared = neighbours.cpus;
  std::erase_if(shared, [](const SharedTime& each) { return each.share() <= kNotedShare; });
  if (shared.empty()) return Ok(name, {ClaimCode::kNoNeighbour, {{"where", where}}});
  std::erase_if(shared, [](const SharedTime& each) {
    return statistics::LeastShare(each.share(), each.probes) <= kNotedShare;
  });
  if (shared.empty()) return Note(name, {ClaimCode::kNeighbourUnclear, {{"where", where}}});
  const SharedTime& worst = *std::ranges::max_element(shared, {}, &SharedTime::share);
  Claim claim{ClaimCode::kNeighbourSeen, {{"shares", SharesText(shared)}, {"where", where}}};
  if (IsPlainlySlower(worst.wide_contended, worst.wide_quiet)) {
    claim.figures.emplace_back("contended", worst.wide_contended);
    claim.figures.emplace_back("quiet", worst.wide_quiet);
  }
  Check check =
      Note(name, std::move(claim),
           "wait longer with --patience 30, or use a machine whose cores are yours alone");
  if (worst.share() >= kMendShare) check.status = CheckStatus::kWarn;
  return check;
}

std::optional<Check> CheckNeighbours(const MachineFacts& facts) {
  if (facts.neighbours) return CheckNeighbours(*facts.neighbours, facts.host.cpus_allowed.size());
  if (facts.neighbours_error.empty()) return std::nullopt;
  return Note("neighbour", {ClaimCode::kNeighboursUnknown, {{"reason", facts.neighbours_error}}});
}

Check CheckLoad(const MachineFacts& facts) {
  os::CpuList busy;
  for (const os::CpuLoad& load : facts.loads) {
    if (load.busy > kBusyShare) busy.push_back(load.cpu);
  }
  Claim claim{busy.empty() ? ClaimCode::kCpusIdle : ClaimCode::kCpusBusy, {}};
  // Not every system has one.
  if (!std::isnan(facts.host.load_1min)) claim.figures.emplace_back("load", facts.host.load_1min);
  if (busy.empty()) return Ok("load", std::move(claim));
  claim.figures.emplace_back("cpus", os::FormatCpuList(busy));
  return Warn("load", std::move(claim), "stop other work, or choose idle CPUs with --cpus");
}

std::optional<Check> CheckSteal(const MachineFacts& facts) {
  if (!facts.stolen_share) return std::nullopt;
  constexpr double kMendShare = 0.01;
  const double percent = 100 * *facts.stolen_share;
  if (*facts.stolen_share < kMendShare)
    return Ok("steal", {ClaimCode::kLittleStolen, {{"percent", percent}}});
  return Warn("steal", {ClaimCode::kTimeStolen, {{"percent", percent}}},
              "use a machine with dedicated CPUs");
}

Check CheckTickRate(const MachineFacts& facts) {
  if (facts.declared_tick_rate &&
      DeclaredRateIsWrong(*facts.declared_tick_rate, facts.clock.calibrated_hz)) {
    return Warn("tick rate", {ClaimCode::kTickRateWrong,
                              {{"source", facts.declared_tick_rate->source},
                               {"declared_ghz", facts.declared_tick_rate->hz / 1e9},
                               {"ghz", facts.clock.calibrated_hz / 1e9}}});
  }
  constexpr double kCoarseNs = 20;
  const double resolution_ns = facts.clock.resolution_ns();
  const bool is_coarse = resolution_ns > kCoarseNs;
  Claim claim{is_coarse ? ClaimCode::kTickRateCoarse : ClaimCode::kTickRate,
              {{"ghz", facts.clock.hz / 1e9},
               {"source", facts.clock.source},
               {"resolution_ns", resolution_ns}}};
  return is_coarse ? Note("tick rate", std::move(claim)) : Ok("tick rate", std::move(claim));
}

Check CheckInvariance(const MachineFacts& facts) {
  return facts.clock.invariant ? Ok("invariant", {ClaimCode::kTicksInvariant, {}})
                               : Warn("invariant", {ClaimCode::kTicksVary, {}});
}

std::optional<Check> CheckIsolation(const MachineFacts& facts) {
  if (facts.host.cpus_isolated.empty()) return std::nullopt;
  return Ok("isolated",
            {ClaimCode::kIsolatedCpus, {{"cpus", os::FormatCpuList(facts.host.cpus_isolated)}}});
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
  for (Check& check : checks) PutIntoWords(check);
  return checks;
}

}  // namespace cyclescope::measure
