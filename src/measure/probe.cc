#include "measure/probe.h"

#include <algorithm>
#include <cassert>

#include "arch/architecture.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;

// A tenth of a millisecond or two, where the clock is fast. On rented machines most of what runs on
// a core's other thread is gone by then; to hand over to the tool and back takes as long.
constexpr std::uint16_t kMostRepetitions = 16;

// Which chain a reading of the clock is: a multiply, which a neighbour hardly slows.
constexpr std::uint32_t kReadingChain = 1;

std::uint64_t ShorterLoops(std::uint64_t loops) { return loops / 4 + 1; }

void AppendLoop(Entry entry, std::uint64_t loops, std::vector<Call>& calls) {
  const std::uint64_t shorter = ShorterLoops(loops);
  calls.push_back({entry, shorter, /*goes_on=*/true});
  calls.push_back({entry, shorter + loops, /*goes_on=*/true});
}

}  // namespace

double Excess(std::uint64_t longer, std::uint64_t shorter) {
  return static_cast<double>(longer) - static_cast<double>(shorter);
}

void AppendProbe(const ProbeLengths& lengths, std::vector<Call>& calls) {
  for (std::uint32_t i = 0; i < kProbeChains; ++i)
    AppendLoop({Entry::Kind::kReferenceChain, i}, lengths.chain_loops[i], calls);
  AppendLoop({Entry::Kind::kWideLoop, 0}, lengths.wide_loops, calls);
  calls.back().goes_on = false;
}

Call ClockReading(const ProbeLengths& lengths) {
  return {{Entry::Kind::kReferenceChain, kReadingChain},
          ShorterLoops(lengths.chain_loops[kReadingChain]),
          /*goes_on=*/true};
}

void AppendProbeAndSecond(const ProbeLengths& lengths, std::uint32_t most_percent,
                          std::vector<Call>& calls) {
  AppendProbe(lengths, calls);
  calls.back().most_percent = most_percent;
  const std::size_t begin = calls.size();
  AppendProbe(lengths, calls);
  calls.back().most_percent = most_percent;
  for (Call& call : std::span(calls).subspan(begin)) call.max_retries = kMostRepetitions;
}

double TicksOfSecond(std::span<const CallRecord> records) {
  double ticks = 0;
  for (const CallRecord& record : records)
    ticks += static_cast<double>(record.ticks) * std::min(record.looks, kMostRepetitions);
  return ticks;
}

double WidePercent(const ProbeLengths& lengths, const Probe& probe) {
  const auto longer = [](std::uint64_t loops) {
    return static_cast<double>(ShorterLoops(loops) + loops);
  };
  const double chain = longer(lengths.chain_loops.back()) * probe.link_ticks.back() *
                       static_cast<double>(arch::ReferenceChains().back().links_per_loop);
  const double wide = longer(lengths.wide_loops) * probe.wide_ticks * arch::kWideAddsPerLoop;
  return 100 * wide / chain;
}

Probe ReadProbe(const ProbeLengths& lengths, std::span<const CallRecord> records) {
  assert(records.size() == kProbeCalls);
  Probe probe;
  for (const CallRecord& record : records)
    probe.disturbed |= record.context_switches != 0 || record.migrated;
  probe.clock_reading = static_cast<double>(records[2 * kReadingChain].ticks);
  const auto chains = arch::ReferenceChains();
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    const auto links = static_cast<double>(lengths.chain_loops[i] * chains[i].links_per_loop);
    probe.link_ticks[i] = Excess(records[2 * i + 1].ticks, records[2 * i].ticks) / links;
    probe.disturbed |= probe.link_ticks[i] <= 0;
    if (i == 0 && records[1].counters_valid && records[0].counters_valid)
      probe.link_cycles = Excess(records[1].cycles, records[0].cycles) / links;
  }
  const CallRecord& once = records[2 * kProbeChains];
  const CallRecord& all = records[2 * kProbeChains + 1];
  const auto adds = static_cast<double>(lengths.wide_loops * arch::kWideAddsPerLoop);
  probe.wide_ticks = Excess(all.ticks, once.ticks) / adds;
  probe.disturbed |= probe.wide_ticks <= 0;
  if (all.counters_valid && once.counters_valid)
    probe.wide_cycles = Excess(all.cycles, once.cycles) / adds;
  return probe;
}

}  // namespace cyclescope::measure
