#include "library/warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cyclescope::library {
namespace {

constexpr const char* kCode = "shared-core";

struct ContendedValues {
  int contended = 0;
  int all = 0;

  void Count(const Estimate& estimate) {
    ++all;
    if (estimate.contended) ++contended;
  }
};

ContendedValues CountValues(const Document& document) {
  ContendedValues values;
  for (const FrequencyRow& row : document.frequency) values.Count(row.core_ghz);
  for (const InstructionRow& row : document.instructions) {
    if (row.throughput) values.Count(row.throughput->cycles);
    for (const Latency& latency : row.latency) values.Count(latency.cycles);
  }
  for (const BlockRow& row : document.blocks) {
    if (row.cycles) values.Count(*row.cycles);
  }
  return values;
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
  if (values.contended == 0) return;
  const auto worst = std::ranges::max_element(document.contention, {}, &Contention::share);
  if (worst == document.contention.end()) return;
  const std::string widths = worst->wide_quiet > 0
                                 ? fmt::format(" (an add takes {:.2f} cycles instead of {:.2f})",
                                               worst->wide_shared, worst->wide_quiet)
                                 : std::string();
  // Less is no waiting at all: a look or two.
  constexpr double kLeastWaitS = 0.05;
  const bool waited = worst->waited_s >= kLeastWaitS;
  const std::string in_vain =
      waited ? fmt::format(", and {:.1f} s of waiting did not help", worst->waited_s) : "";
  const double patience_s = std::max(30.0, 10 * std::ceil(worst->waited_s / 5));
  document.warnings.push_back(
      {kCode,
       fmt::format("another hyperthread shares this core{}{}: {} of {} values may be too high",
                   widths, in_vain, values.contended, values.all),
       fmt::format("{} with --patience {:.0f}, or try again later",
                   waited ? "wait longer" : "wait until the core is free", patience_s)});
}

}  // namespace cyclescope::library
