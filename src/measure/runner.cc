#include "measure/runner.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/try.h"
#include "measure/run_tallies.h"
#include "measure/visit.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;

// A core that was quiet less than this ago is not looked at before it is used again: a run looks,
// too, and ends when a neighbour came to stay.
constexpr std::int64_t kStillQuietNs = 2'000'000;
// What the calls of one batch may take in all, so that an interrupt is answered soon, and no batch
// comes near the worker's time limit.
constexpr double kMostBatchNs = 50'000'000;
constexpr std::size_t kMostBatchItems = 96;
// A run waits or ends when a wide add takes this factor longer than on a quiet core. Less than
// that is judged afterwards: a single call says it roughly.
constexpr double kNeighbourCame = 1.2;
constexpr std::size_t kMostBatchBytes = 2 * 1024 * 1024;

// Without a loop there is nothing to lengthen; and where a single loop takes long, samples are as
// long already as they would become.
bool CanBeLonger(const Instrument& instrument, const Tally& tally) {
  const double wanted_ns = instrument.clock().Nanoseconds(WantedTicks(instrument, tally));
  return tally.experiment->difference != Difference::kStraight &&
         tally.shorter_ns < kSampleLengthFactor * wanted_ns;
}

// Of one run of the worker: the visits to a batch, with probes before, between and after them.
struct BatchCalls {
  std::vector<Call> calls;
  std::vector<VisitLayout> layouts;
  std::vector<std::size_t> ends;  // of each visit's calls
};

// From the end of a visit to the next: one probe, or two (AppendProbeAndSecond).
std::size_t CallsBetween(std::uint32_t most_wide_percent) {
  return (most_wide_percent != 0 ? 2 : 1) * kProbeCalls;
}

BatchCalls CallsOf(std::span<Tally* const> batch, const Instrument& instrument,
                   const VisitShape& shape, std::uint32_t most_wide_percent) {
  const ProbeLengths& lengths = instrument.probe_lengths();
  BatchCalls planned;
  const auto append_probe = [&] {
    if (most_wide_percent != 0) {
      AppendProbeAndSecond(lengths, most_wide_percent, planned.calls);
    } else {
      AppendProbe(lengths, planned.calls);
    }
  };
  // A worker that was started anew for this code is slow in its first probe: its pages come one by
  // one, and an emulator translates. That one is not used.
  AppendProbe(lengths, planned.calls);
  append_probe();
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    planned.layouts.push_back(AppendVisit(instrument, shape, i, *batch[i], planned.calls));
    planned.ends.push_back(planned.calls.size());
    append_probe();
  }
  return planned;
}

struct BatchProbes {
  std::vector<ProbePair> around;  // each visit that was made
  Probe last;                     // what another visit would have found
};

BatchProbes ReadProbesOf(std::span<const CallRecord> records, std::span<const std::size_t> ends,
                         std::uint32_t most_wide_percent, int cpu, const Instrument& instrument,
                         QuietSearch& search) {
  const ProbeLengths& lengths = instrument.probe_lengths();
  const auto probe_at = [&](std::size_t begin) {
    const Probe probe = ReadProbe(lengths, records.subspan(begin, kProbeCalls));
    instrument.watch().ObserveBetween(cpu, probe);
    return probe;
  };
  // What the next visit finds: the probe behind the last one, or the second, after a neighbour
  // left.
  const auto probe_before_next = [&](std::size_t begin, const Probe& first) {
    const std::size_t second = begin + kProbeCalls;
    if (most_wide_percent == 0 || records[second].looks == 0) return first;
    const auto second_records = records.subspan(second, kProbeCalls);
    const double waited = instrument.clock().Nanoseconds(TicksOfSecond(second_records));
    // The worker's records are not to be trusted.
    constexpr double kMostNs = 1e7;
    search.AddWaited(
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(waited, kMostNs))));
    // How often the core is shared is told by the first ones.
    return ReadProbe(lengths, second_records);
  };
  BatchProbes probes = {.around = {},
                        .last = probe_before_next(kProbeCalls, probe_at(kProbeCalls))};
  for (const std::size_t end : ends) {
    const Probe after = probe_at(end);
    probes.around.push_back({probes.last, after});
    probes.last = probe_before_next(end, after);
  }
  return probes;
}

}  // namespace

Result<std::unique_ptr<Runner>> Runner::Create(
    CycleChoice choice, const TickClock& clock,
    const ExecutorFactory<sandbox::CodeExecutor>& make_executor, const RunSettings& settings,
    std::shared_ptr<CoreWatch> watch) {
  auto opened = TRY(OpenBestSource<sandbox::CodeExecutor>(choice, make_executor));
  auto instrument = TRY(Instrument::SetUp(clock, opened.source, *opened.executor,
                                          opened.executor->cpu(), std::move(watch)));
  return std::unique_ptr<Runner>(
      new Runner(std::move(opened.executor), std::move(instrument), settings));
}

Runner::Runner(std::unique_ptr<sandbox::CodeExecutor> executor, Instrument instrument,
               const RunSettings& settings)
    : executor_(std::move(executor)),
      instrument_(std::move(instrument)),
      settings_(settings),
      kept_back_(std::chrono::duration_cast<std::chrono::nanoseconds>(settings.kept_back *
                                                                      settings.patience)),
      search_(*executor_, instrument_,
              {.cpus = settings.cpus,
               .patience = settings.patience - kept_back_,
               .wall_clock = settings.wall_clock}) {}

Sufficiency Runner::Enough() const {
  return {.precision = settings_.precision,
          .confidence = settings_.confidence,
          .least_visits = settings_.least_visits,
          .most_visits = settings_.most_visits,
          .most_stretch = settings_.most_stretch,
          .patience_is_spent = search_.PatienceIsSpent()};
}

void Runner::BeginSecondChance() {
  search_.AddPatience(std::exchange(kept_back_, std::chrono::nanoseconds(0)));
}

std::vector<Warning> Runner::Warnings() const {
  std::vector<Warning> warnings = instrument_.Warnings();
  std::ranges::move(executor_->Warnings(), std::back_inserter(warnings));
  return warnings;
}

std::vector<Measurement> Runner::Run(std::span<const Experiment> experiments, const GoesOn& goes_on,
                                     const Replace& replace) {
  RunTallies tallies(experiments, replace);
  const auto ended = [&goes_on] { return !MayGoOn(goes_on); };
  QuietCriteria quiet_criteria = instrument_.watch().quiet_criteria();
  for (std::vector<Tally*> due = tallies.Due(); !due.empty() && !ended(); due = tallies.Due()) {
    const std::int64_t begin = settings_.wall_clock.now_ns();
    const bool still_quiet = quiet_at_ && begin - *quiet_at_ < kStillQuietNs;
    const bool accepts_contended = !still_quiet && !search_.Find(goes_on);
    const std::optional<Probe>& quiet = search_.quiet_probe();
    most_wide_percent_ = 0;
    if (quiet && !accepts_contended) {
      most_wide_percent_ = static_cast<std::uint32_t>(
          kNeighbourCame * WidePercent(instrument_.probe_lengths(), *quiet));
    }
    // Code with several speeds shows them within one run. A new process each time would make a
    // sweep take half as long again.
    if (LooksForStates(settings_.least_visits)) executor_->Relocate(relocations_++);
    std::size_t visited = 0;
    for (const Batch& batch : Batches(due)) {
      if (ended()) break;
      Pass pass = VisitBatch(batch);
      while (tallies.ReplaceDead(*batch.front()) && !ended()) pass = VisitBatch(batch);
      tallies.EndThoseLike(batch);
      // The others are to be visited all the same, but those that would die of the same.
      while (pass.lethal && !ended()) {
        tallies.SettleLostRaces(Enough());
        pass = VisitBatch(batch);
        tallies.EndThoseLike(batch);
      }
      visited += pass.visited;
      quiet_at_.reset();
      if (accepts_contended) continue;
      if (!pass.quiet) break;
      if (quiet) quiet_at_ = settings_.wall_clock.now_ns();
    }
    const QuietCriteria earlier =
        std::exchange(quiet_criteria, instrument_.watch().quiet_criteria());
    if (quiet_criteria != earlier) {
      tallies.JudgeAll(quiet_criteria, Enough());
    } else {
      tallies.SettleOpenRaces(Enough());
    }
    const std::int64_t gap = settings_.least_gap.count();
    const std::int64_t left = begin + gap - settings_.wall_clock.now_ns();
    // Seldom after the same time, so as not to fall in step with a neighbour.
    if (left > 0 && visited >= due.size() && !tallies.Due().empty())
      settings_.wall_clock.sleep(left + begin % (gap / 2 + 1));
  }
  return tallies.ToMeasurements(instrument_.watch().QuietWidth());
}

// ---- Batches

std::vector<Runner::Batch> Runner::Batches(const std::vector<Tally*>& due) const {
  std::vector<Batch> batches;
  std::size_t bytes = 0;
  double nanoseconds = 0;
  bool alone = true;
  for (Tally* tally : due) {
    const auto& [first, second] = tally->experiment->kernels;
    // Code that was not fitted yet is taken for slow, so that such batches stay short.
    const double tally_ns = tally->loops == 0 ? kMostBatchNs / 48 : 16 * tally->shorter_ns;
    bytes += first.size() + second.size();
    nanoseconds += tally_ns;
    if (alone || tally->experiment->alone || batches.back().size() >= kMostBatchItems ||
        bytes > kMostBatchBytes || nanoseconds > kMostBatchNs) {
      batches.emplace_back();
      bytes = first.size() + second.size();
      nanoseconds = tally_ns;
    }
    batches.back().push_back(tally);
    alone = tally->experiment->alone;
  }
  return batches;
}

sandbox::CodeExecutor* Runner::Load(const Batch& batch) {
  using sandbox::DeathKind;
  const auto blame = [&](DeathKind kind, const Error& error) {
    Blame(batch, {.kind = kind, .reason = error.ToString()});
    return nullptr;
  };
  Tally& first = *batch.front();
  const bool alone = first.experiment->alone;
  // A new worker has other physical memory.
  if (LooksForStates(settings_.least_visits)) first.executor.reset();
  const bool loaded_before = alone && first.executor != nullptr;
  if (alone && !loaded_before) {
    auto another = executor_->Another(first.experiment->surroundings);
    if (!another) return blame(DeathKind::kNotStarted, another.error());
    first.executor = std::move(*another);
  }
  sandbox::CodeExecutor* executor = alone ? first.executor.get() : executor_.get();
  if (auto moved = executor->MoveTo(executor_->cpu()); !moved)
    return blame(DeathKind::kNotStarted, moved.error());
  if (loaded_before) return executor;
  std::vector<sandbox::KernelView> kernels;
  for (const Tally* tally : batch) {
    kernels.insert(kernels.end(), tally->experiment->kernels.begin(),
                   tally->experiment->kernels.end());
  }
  // One of them may be too long, which is not the others' fault.
  if (auto loaded = executor->Load(kernels); !loaded)
    return blame(DeathKind::kExited, loaded.error());
  return executor;
}

std::vector<CallRecord> Runner::RunCalls(const Batch& batch, const std::vector<Call>& calls,
                                         sandbox::CodeExecutor& executor) {
  const sandbox::Outcome outcome = executor.Run(calls);
  ++runs_;
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) {
    Blame(batch, *death);
    return {};
  }
  return std::get<0>(outcome);
}

void Runner::Blame(const Batch& batch, const sandbox::Death& death) {
  if (death.kind == sandbox::DeathKind::kCancelled) return;
  if (death.kind == sandbox::DeathKind::kNotStarted) {
    for (Tally* tally : batch) tally->End(death);
    return;
  }
  if (batch.size() == 1) return batch.front()->End(death);
  if (death.code_place && death.code_place->kernel / 2 < batch.size())
    return batch[death.code_place->kernel / 2]->End(death);
  // It is not known which one it was: each half is tried by itself.
  const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
  VisitBatch(Batch(batch.begin(), middle));
  VisitBatch(Batch(middle, batch.end()));
}

bool Runner::ClockChangesOften() const {
  constexpr double kFrequentChangeShare = 1.0 / 16;
  constexpr double kMinClockChanges = 4;
  // Where ticks are coarse, a reading would take long, too.
  constexpr double kFineStretchNs = 5000;
  return instrument_.source().is_reference() &&
         instrument_.clock().Nanoseconds(instrument_.StretchTicks()) <= kFineStretchNs &&
         quiet_changes_ >= kMinClockChanges &&
         quiet_changes_ >= kFrequentChangeShare * quiet_visits_;
}

void Runner::NoteClock(const CycleLengths& cycle_lengths) {
  quiet_visits_ += static_cast<double>(cycle_lengths.quiet_visits());
  quiet_changes_ += static_cast<double>(cycle_lengths.quiet_changes());
  constexpr double kClockMemoryVisits = 512;
  if (quiet_visits_ <= kClockMemoryVisits) return;
  quiet_visits_ /= 2;
  quiet_changes_ /= 2;
}

bool Runner::FitBatch(const Batch& batch, sandbox::CodeExecutor& executor) {
  struct Fitting {
    std::uint32_t place = 0;  // in the batch
    std::uint64_t loops = 1;
  };
  std::vector<Fitting> fittings;
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    if (batch[i]->loops == 0) fittings.push_back({.place = i});
  }
  if (fittings.empty()) return true;
  // The first call of new code is slow (cold caches, untrained branches), so the second of two
  // counts; and as one loop is short against the call's overhead, a longer trial follows.
  for (int trial = 0; trial < 2; ++trial) {
    std::vector<Call> calls;
    for (const Fitting& fitting : fittings) {
      if (const auto& memory = batch[fitting.place]->experiment->memory)
        calls.push_back({{Entry::Kind::kFillMemory, 0}, *memory});
      const Call shorter = {{Entry::Kind::kKernel, 2 * fitting.place}, fitting.loops};
      calls.insert(calls.end(), {shorter, shorter});
    }
    const std::vector<CallRecord> records = RunCalls(batch, calls, executor);
    if (records.empty()) return false;
    auto record = records.begin();
    for (Fitting& fitting : fittings) {
      Tally& tally = *batch[fitting.place];
      if (tally.experiment->memory) ++record;
      const auto first = static_cast<double>((record++)->ticks);
      const auto second = static_cast<double>((record++)->ticks);
      const double ticks = std::max(std::min(first, second), 1.0);
      const double per_loop = ticks / static_cast<double>(fitting.loops);
      const double stretch = WantedTicks(instrument_, tally);
      const double wanted = trial == 0 && ticks < stretch / 4 ? stretch / 4 : stretch;
      if (tally.experiment->difference != Difference::kStraight)
        fitting.loops = static_cast<std::uint64_t>(std::max(std::ceil(wanted / per_loop), 1.0));
      tally.shorter_ns =
          instrument_.clock().Nanoseconds(per_loop * static_cast<double>(fitting.loops));
    }
  }
  for (const Fitting& fitting : fittings) batch[fitting.place]->loops = fitting.loops;
  return true;
}

Runner::Pass Runner::VisitBatch(const Batch& all) {
  const Pass no_more = {.visited = all.size()};
  Batch batch;
  std::ranges::copy_if(all, std::back_inserter(batch), &Tally::is_due);
  if (batch.empty()) return no_more;
  sandbox::CodeExecutor* executor = Load(batch);
  if (executor == nullptr) return no_more;
  const auto visited_before = std::ranges::count_if(batch, &Tally::was_visited);
  if (!FitBatch(batch, *executor)) {
    // Where it is not known which one it was, each half was visited.
    const bool halved = std::ranges::count_if(batch, &Tally::was_visited) > visited_before;
    return {.visited = all.size(), .lethal = !halved && std::ranges::any_of(batch, &Tally::done)};
  }

  const VisitShape shape = {settings_.samples_per_visit, ClockChangesOften()};
  const BatchCalls planned = CallsOf(batch, instrument_, shape, most_wide_percent_);
  const std::vector<CallRecord> records = RunCalls(batch, planned.calls, *executor);
  if (records.empty()) return no_more;
  const std::size_t calls_between = CallsBetween(most_wide_percent_);
  // A neighbour came to stay: what follows was not visited.
  std::vector<std::size_t> ends = planned.ends;
  std::erase_if(ends, [&](std::size_t end) { return end + calls_between > records.size(); });

  const auto [probes, last] =
      ReadProbesOf(records, ends, most_wide_percent_, executor_->cpu(), instrument_, search_);
  const int revision = instrument_.watch().revision();
  const CycleLengths cycle_lengths(instrument_.watch(), probes);
  NoteClock(cycle_lengths);
  std::size_t begin = kProbeCalls + calls_between;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto visit = std::span(records).subspan(begin, ends[i] - begin);
    const VisitContext context = {probes[i], cycle_lengths, i, revision, executor_->cpu()};
    const VisitLayout& layout = planned.layouts[i];
    ReadVisit(instrument_, layout, context, visit, *batch[i]);
    FitAgain(instrument_, layout, visit, *batch[i]);
    samples_ += static_cast<std::int64_t>(layout.samples);
    Judge(Enough(), *batch[i]);
    if (NeedsLongerSamples(Enough(), *batch[i]) && CanBeLonger(instrument_, *batch[i]))
      batch[i]->Lengthen();
    if (batch[i]->done) batch[i]->executor.reset();
    begin = ends[i] + calls_between;
  }
  return {.visited = all.size() - batch.size() + ends.size(),
          .quiet = records.size() == planned.calls.size() &&
                   instrument_.watch().StateOf(last) != CoreState::kContended};
}

}  // namespace cyclescope::measure
