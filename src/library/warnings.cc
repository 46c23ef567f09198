#include "library/warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/claims.h"
#include "measure/neighbours.h"

namespace cyclescope::library {
namespace {

constexpr const char* kCode = "shared-core";

// Values by what a neighbour does to them: of time and cycles there is too much, of frequencies too
// little.
struct ContendedValues {
  int too_high = 0;
  int too_low = 0;
  int all = 0;

  int contended() const { return too_high + too_low; }

  void Count(bool contended, int& contended_count) {
    ++all;
    if (contended) ++contended_count;
  }
  void CountCycles(const Estimate& estimate) { Count(estimate.contended, too_high); }
};

ContendedValues CountValues(const Document& document) {
  ContendedValues values;
  for (const FrequencyRow& row : document.frequency)
    values.Count(row.core_ghz.contended, values.too_low);
  for (const InstructionRow& row : document.instructions) {
    if (row.throughput && row.throughput_by_values.empty())
      values.CountCycles(row.throughput->cycles);
    for (const Throughput& throughput : row.throughput_by_values)
      values.CountCycles(throughput.cycles);
    for (const Latency& latency : row.latency) values.CountCycles(latency.cycles);
  }
  for (const BlockRow& row : document.blocks) {
    if (row.cycles) values.CountCycles(*row.cycles);
  }
  for (const MemoryRow& row : document.memory) {
    for (const MemoryCurve& curve : row.curves) {
      for (const MemoryPoint& point : curve.points) values.Count(point.contended, values.too_high);
    }
    for (const MemoryBandwidth& bandwidth : row.bandwidth)
      values.Count(bandwidth.contended, values.too_low);
  }
  return values;
}

// "the core of CPU 3", "cores of 12 CPUs": those that were seen to be shared.
std::string CoresSharedText(const std::vector<Contention>& contention) {
  os::CpuList shared;
  for (const Contention& entry : contention) {
    if (entry.share > 0) shared.push_back(entry.cpu);
  }
  if (shared.empty()) return "the core";
  return fmt::format("{} {}", shared.size() == 1 ? "the core of CPU" : "the cores of CPUs",
                     os::FormatCpuList(shared));
}

// "too high", "too low" or both.
std::string_view DirectionText(const ContendedValues& values) {
  if (values.too_low == 0) return "too high";
  return values.too_high == 0 ? "too low" : "too high, or frequencies and rates too low";
}

}  // namespace

void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings) {
  for (const Warning& warning : found) {
    if (std::ranges::find(warnings, warning.code, &Warning::code) == warnings.end())
      warnings.push_back(warning);
  }
}

void DescribeClock(Clock clock, const std::vector<Warning>& warnings, Document& document) {
  std::erase_if(document.warnings, [](const Warning& warning) {
    return warning.code == "untrusted-reference" || warning.code == "counters-disagree";
  });
  AddWarnings(warnings, document.warnings);
  document.clock = std::move(clock);
}

void ClockVerdicts::Add(int cpu, const measure::CoreWatch& watch, Clock clock,
                        std::vector<Warning> warnings) {
  auto verdict = std::ranges::find(verdicts_, &watch, &Verdict::watch);
  if (verdict == verdicts_.end()) {
    verdicts_.push_back({.watch = &watch});
    verdict = verdicts_.end() - 1;
  }
  verdict->cpus.push_back(cpu);
  verdict->clock = std::move(clock);
  verdict->warnings = std::move(warnings);
}

void ClockVerdicts::Describe(Document& document) const {
  if (verdicts_.empty()) return;
  std::vector<Warning> warnings;
  for (const Verdict& verdict : verdicts_) {
    for (Warning warning : verdict.warnings) {
      os::CpuList cpus;
      bool all = true;
      for (const Verdict& other : verdicts_) {
        const bool has =
            std::ranges::find(other.warnings, warning.code, &Warning::code) != other.warnings.end();
        all = all && has;
        if (has) cpus.insert(cpus.end(), other.cpus.begin(), other.cpus.end());
      }
      std::ranges::sort(cpus);
      if (!all && warning.claim) {
        warning.claim->figures.emplace_back("cpus", os::FormatCpuList(cpus));
        warning.message = Sentence(*warning.claim);
      }
      AddWarnings({warning}, warnings);
    }
  }
  const auto doubtful = std::ranges::find_if(verdicts_, [](const Verdict& verdict) {
    return verdict.clock.self_check && !verdict.clock.self_check->trusted;
  });
  DescribeClock(doubtful == verdicts_.end() ? verdicts_.back().clock : doubtful->clock, warnings,
                document);
}

void DescribeContention(const measure::CoreWatch& watch, std::chrono::nanoseconds waited,
                        Document& document) {
  double waited_s = std::chrono::duration<double>(waited).count();
  if (!document.contention.empty()) waited_s += document.contention.front().waited_s;
  for (const measure::SharedTime& shared : watch.Shares()) {
    Contention entry;
    entry.cpu = shared.cpu;
    entry.probes = shared.probes;
    entry.share = shared.share();
    entry.wide_quiet = shared.wide_quiet;
    entry.wide_shared = shared.contended > 0 ? shared.wide_contended : shared.wide_quiet;
    const auto known = std::ranges::find(document.contention, entry.cpu, &Contention::cpu);
    if (known == document.contention.end()) {
      document.contention.push_back(entry);
    } else {
      *known = entry;
    }
  }
  for (Contention& entry : document.contention) entry.waited_s = waited_s;
  std::ranges::sort(document.contention, {}, &Contention::cpu);
}

void WarnOfContention(Document& document) {
  std::erase_if(document.warnings, [](const Warning& warning) { return warning.code == kCode; });
  const ContendedValues values = CountValues(document);
  if (values.contended() == 0) return;
  const auto worst = std::ranges::max_element(document.contention, {}, &Contention::share);
  if (worst == document.contention.end()) return;
  Claim claim{ClaimCode::kValuesBesideOthers,
              {{"core", CoresSharedText(document.contention)},
               {"contended", static_cast<double>(values.contended())},
               {"values", static_cast<double>(values.all)},
               {"direction", std::string(DirectionText(values))}}};
  if (measure::IsPlainlySlower(worst->wide_shared, worst->wide_quiet)) {
    claim.figures.emplace_back("shared", worst->wide_shared);
    claim.figures.emplace_back("quiet", worst->wide_quiet);
  }
  // Less is no waiting at all: a look or two.
  constexpr double kLeastWaitS = 0.05;
  const bool waited = worst->waited_s >= kLeastWaitS;
  if (waited) claim.figures.emplace_back("waited", worst->waited_s);
  // More than it would have waited without being told: a sweep and the mixes of ports wait longer.
  const bool waits_longer = document.config.command == "sweep" || document.port_map.has_value();
  const double usually_enough_s = waits_longer ? 120 : 30;
  const double patience_s = std::max(usually_enough_s, 10 * std::ceil(worst->waited_s / 5));
  document.warnings.push_back(
      WarningOf(kCode, std::move(claim),
                fmt::format("{} with --patience {:.0f}, or try again later",
                            waited ? "wait longer" : "wait until the core is free", patience_s)));
}

std::optional<Warning> StolenTimeWarning(double stolen_s, double elapsed_s, std::size_t cpus) {
  // Of what the CPUs had together. A tick of the kernel's clock, a hundredth of a second, is the
  // least that it counts: a few of them say nothing.
  constexpr double kMinStolenShare = 0.01;
  constexpr double kMinStolenS = 0.05;
  const double available_s = elapsed_s * static_cast<double>(cpus);
  if (stolen_s <= std::max(kMinStolenShare * available_s, kMinStolenS)) return std::nullopt;
  return WarningOf(
      "steal", {ClaimCode::kTimeWithheldMeanwhile, {{"stolen", stolen_s}, {"elapsed", elapsed_s}}},
      "the samples that it hit were dropped; measure again when the host is less busy");
}

}  // namespace cyclescope::library
