#include "measure/instrument.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "arch/architecture.h"
#include "measure/reference_jury.h"
#include "sandbox/in_process_executor.h"

namespace cyclescope::measure {
namespace {

struct CounterKind {
  CycleChoice choice;
  os::CounterAccess access;
  std::string_view name;
};

// Best first.
constexpr std::array<CounterKind, 2> kCounterKinds = {{
    {CycleChoice::kCounterUser, os::CounterAccess::kUser, "counter-user"},
    {CycleChoice::kCounter, os::CounterAccess::kSystem, "counter"},
}};

}  // namespace

Result<std::unique_ptr<sandbox::Executor>> MakeInProcessExecutor(
    std::optional<os::CounterAccess> access) {
  std::optional<os::Counters> counters;
  if (access) {
    auto opened = os::Counters::Open(*access);
    if (!opened) return std::unexpected(opened.error());
    counters = std::move(*opened);
  }
  return std::make_unique<sandbox::InProcessExecutor>(std::move(counters));
}

Instrument::Instrument(const TickClock& clock, std::unique_ptr<sandbox::Executor> executor)
    : clock_(clock), executor_(std::move(executor)) {}

Result<Instrument> Instrument::Create(CycleChoice choice, const TickClock& clock,
                                      const ExecutorFactory& make_executor) {
  std::string reason;
  for (const CounterKind& kind : kCounterKinds) {
    if (choice != CycleChoice::kAuto && choice != kind.choice) continue;
    auto executor = make_executor(kind.access);
    if (executor) {
      Instrument instrument(clock, std::move(*executor));
      instrument.source_ = MakeCounterSource(kind.name);
      instrument.source_reason_ = std::move(reason);
      if (auto done = instrument.SetUpReference(); !done) return std::unexpected(done.error());
      instrument.CheckCounters();
      return instrument;
    }
    if (choice == kind.choice) return std::unexpected(executor.error());
    reason = executor.error().ToString();
  }
  auto executor = make_executor(std::nullopt);
  if (!executor) return std::unexpected(executor.error());
  Instrument instrument(clock, std::move(*executor));
  instrument.source_reason_ = std::move(reason);
  if (auto done = instrument.SetUpReference(); !done) return std::unexpected(done.error());
  instrument.source_ = std::move(instrument.reference_);
  if (!instrument.jury_.trusted) {
    instrument.warnings_.push_back({"untrusted-reference",
                                    "cycles cannot be trusted here: " + instrument.jury_.verdict,
                                    "use counters (--cycles counter), or repeat on a quiet "
                                    "machine; times in nanoseconds still hold"});
  }
  return instrument;
}

double Instrument::StretchTicks() const {
  // Long against the overhead's jitter (some nanoseconds) and the counter's step, short against a
  // time slice.
  constexpr double kNanoseconds = 6000;
  constexpr double kQuanta = 3000;
  return std::max(kNanoseconds * clock_.hz / 1e9, kQuanta * static_cast<double>(clock_.quantum));
}

std::expected<double, sandbox::Death> Instrument::LeastTicks(const sandbox::Call& call, int tries) {
  const std::vector<sandbox::Call> calls(static_cast<std::size_t>(tries), call);
  const sandbox::Outcome outcome = executor_->Run(calls);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return std::unexpected(*death);
  double least = std::numeric_limits<double>::infinity();
  for (const sandbox::CallRecord& record : std::get<0>(outcome))
    least = std::min(least, static_cast<double>(record.ticks));
  return least;
}

Result<void> Instrument::SetUpReference() {
  const auto chains = arch::ReferenceChains();
  constexpr std::uint64_t kTrialLoops = 20;
  const sandbox::Entry unit = {sandbox::Entry::Kind::kReferenceChain, 0};
  const auto ticks = LeastTicks({unit, kTrialLoops}, 20);
  if (!ticks) return Failed("the reference chain could not be run: " + ticks.error().reason);
  const double ticks_per_loop = std::max(*ticks, 1.0) / kTrialLoops;
  reference_loops_ = static_cast<std::uint64_t>(std::ceil(StretchTicks() / ticks_per_loop)) + 1;
  reference_ = MakeReferenceSource(
      {.chain = 0, .links_per_loop = chains[0].links_per_loop, .loops = reference_loops_});
  jury_ = HoldJury(*executor_, *reference_, chains, reference_loops_);
  return {};
}

LengthPair Instrument::ReferencePair() const {
  const sandbox::Entry unit = {sandbox::Entry::Kind::kReferenceChain, 0};
  return {.shorter = {unit, reference_loops_},
          .longer = {unit, 2 * reference_loops_},
          .extra_units =
              static_cast<double>(reference_loops_ * arch::ReferenceChains()[0].links_per_loop)};
}

void Instrument::CheckCounters() {
  if (!jury_.trusted) return;
  const auto counted = Measure(ReferencePair(), SamplingSettings{});
  if (!counted || counted->estimate.disturbed) return;
  const double off = counted->estimate.value - 1;
  constexpr double kMostDisagreement = 0.01;
  if (std::abs(off) > kMostDisagreement) {
    warnings_.push_back(
        {"counters-disagree",
         fmt::format("the counters see {:.3f} cycles in each link of '{}', which takes one",
                     counted->estimate.value, arch::ReferenceChains()[0].instruction),
         "compare with --cycles reference"});
  }
}

std::expected<LengthPair, sandbox::Death> Instrument::FitLoops(sandbox::Entry shorter,
                                                               sandbox::Entry longer,
                                                               double extra_units_per_loop) {
  // The first call of new code is slow (cold caches, untrained branches), so the second of two
  // counts; and as one loop is short against the call's overhead, a longer trial follows.
  const auto once = LeastTicks({shorter, 1}, 2);
  if (!once) return std::unexpected(once.error());
  std::uint64_t loops = 1;
  if (*once < StretchTicks() / 4) {
    const auto trial = static_cast<std::uint64_t>(StretchTicks() / 4 / std::max(*once, 1.0)) + 1;
    const auto trial_ticks = LeastTicks({shorter, trial}, 2);
    if (!trial_ticks) return std::unexpected(trial_ticks.error());
    const double per_loop = std::max(*trial_ticks, 1.0) / static_cast<double>(trial);
    loops = static_cast<std::uint64_t>(std::ceil(StretchTicks() / per_loop));
  } else if (*once < StretchTicks()) {
    loops = static_cast<std::uint64_t>(std::ceil(StretchTicks() / *once));
  }
  return LengthPair{.shorter = {shorter, loops},
                    .longer = {longer, loops},
                    .extra_units = extra_units_per_loop * static_cast<double>(loops)};
}

Clock Instrument::DescribeClock() const {
  Clock clock = DescribeTicks(clock_);
  clock.cycle_source = std::string(source_->name());
  clock.cycle_source_reason = source_reason_;
  if (!jury_.chains.empty()) clock.jury = jury_;
  return clock;
}

}  // namespace cyclescope::measure
