#include "measure/instrument.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "analysis/claims.h"
#include "arch/architecture.h"
#include "base/try.h"
#include "sandbox/in_process_executor.h"
#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::Entry;

// The loops of an entry that last as long as asked for, by a trial.
Result<std::uint64_t> FitLoops(sandbox::Executor& executor, Entry entry, double ticks) {
  constexpr std::uint64_t kTrialLoops = 20;
  const std::vector<Call> calls(10, Call{entry, kTrialLoops});
  const sandbox::Outcome outcome = executor.Run(calls);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome))
    return Failed("the reference chains could not be run: " + death->reason);
  double least = std::numeric_limits<double>::infinity();
  for (const sandbox::CallRecord& record : std::get<0>(outcome))
    least = std::min(least, static_cast<double>(record.ticks));
  return static_cast<std::uint64_t>(std::ceil(ticks * kTrialLoops / std::max(least, 1.0))) + 1;
}

}  // namespace

Result<std::unique_ptr<sandbox::Executor>> MakeInProcessExecutor(
    std::optional<os::CounterAccess> access) {
  std::optional<os::Counters> counters;
  if (access) {
    counters = TRY(os::Counters::Open(*access));
  }
  return std::make_unique<sandbox::InProcessExecutor>(std::move(counters));
}

Result<Instrument> Instrument::SetUp(const TickClock& clock, const CycleSource& source,
                                     sandbox::Executor& executor, int cpu,
                                     std::shared_ptr<CoreWatch> watch) {
  Instrument instrument(clock, source, std::move(watch));
  TRY(instrument.SizeProbes(executor));
  constexpr int kFirstProbes = 24;
  const auto probes = TRY(instrument.TakeProbes(executor, cpu, kFirstProbes));
  std::vector<double> counted;
  for (const Probe& probe : probes) {
    if (!probe.disturbed && probe.link_cycles) counted.push_back(*probe.link_cycles);
  }
  if (!counted.empty()) instrument.counted_link_ = statistics::Median(counted);
  return instrument;
}

double Instrument::StretchTicks() const {
  constexpr double kNanoseconds = 2500;
  constexpr double kQuanta = 2000;
  return std::max(kNanoseconds * clock_.hz / 1e9, kQuanta * static_cast<double>(clock_.quantum));
}

Result<void> Instrument::SizeProbes(sandbox::Executor& executor) {
  const double ticks = StretchTicks() / 2;
  for (std::uint32_t i = 0; i < kProbeChains; ++i) {
    lengths_.chain_loops[i] = TRY(FitLoops(executor, {Entry::Kind::kReferenceChain, i}, ticks));
  }
  lengths_.wide_loops = TRY(FitLoops(executor, {Entry::Kind::kWideLoop, 0}, ticks));
  return {};
}

Result<std::vector<Probe>> Instrument::TakeProbes(sandbox::Executor& executor, int cpu,
                                                  int count) const {
  // One more than asked for: the first is slow in a new worker, and is not used.
  std::vector<Call> calls;
  for (int i = 0; i <= count; ++i) AppendProbe(lengths_, calls);
  const sandbox::Outcome outcome = executor.Run(calls);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome))
    return Failed("the reference chains could not be run: " + death->reason);
  const std::span<const sandbox::CallRecord> records = std::get<0>(outcome);
  std::vector<Probe> probes;
  for (std::size_t first = kProbeCalls; first < records.size(); first += kProbeCalls) {
    probes.push_back(ReadProbe(lengths_, records.subspan(first, kProbeCalls)));
    watch_->Observe(cpu, probes.back());
  }
  return probes;
}

Result<void> Instrument::ProbeFor(std::int64_t duration_ns, sandbox::Executor& executor, int cpu,
                                  const WallClock& wall_clock, const TakeProbesAt& take,
                                  const GoesOn& goes_on) const {
  constexpr int kProbesInARow = 16;
  const std::int64_t begin = wall_clock.now_ns();
  for (std::int64_t now = begin; now - begin < duration_ns && MayGoOn(goes_on);
       now = wall_clock.now_ns()) {
    const auto probes = TRY(TakeProbes(executor, cpu, kProbesInARow));
    if (take) take(now - begin, probes);
  }
  return {};
}

std::vector<Warning> Instrument::Warnings() const {
  std::vector<Warning> warnings;
  if (source_.is_reference() && !watch_->trusted()) {
    warnings.push_back(
        WarningOf("untrusted-reference",
                  {ClaimCode::kUntrustedReference, {{"verdict", watch_->CheckItself().verdict}}},
                  "repeat on a machine that is less busy; times in nanoseconds still hold"));
  }
  constexpr double kMaxCycleRatioError = 0.01;
  if (!source_.is_reference() && watch_->trusted() && counted_link_ &&
      std::abs(*counted_link_ - 1) > kMaxCycleRatioError) {
    warnings.push_back(WarningOf("counters-disagree",
                                 {ClaimCode::kCountersDisagree,
                                  {{"counted", *counted_link_},
                                   {"link", std::string(arch::ReferenceChains()[0].instruction)}}},
                                 "compare with --cycles reference"));
  }
  return warnings;
}

Clock Instrument::DescribeClock() const {
  Clock clock = DescribeTicks(clock_);
  clock.cycle_source = source_.name;
  clock.cycle_source_reason = source_.reason;
  SelfCheck check = watch_->CheckItself();
  if (!check.chains.empty()) clock.self_check = std::move(check);
  return clock;
}

}  // namespace cyclescope::measure
