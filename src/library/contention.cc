#include "library/contention.h"

#include <fmt/core.h>

#include <algorithm>

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
  document.warnings.push_back(
      {kCode,
       fmt::format(
           "another hyperthread shares this core{}: waited {:.1f} s; {} of {} values may be "
           "too high",
           widths, worst->waited_s, values.contended, values.all),
       "try again later, or wait longer with --patience 30"});
}

}  // namespace cyclescope::library
