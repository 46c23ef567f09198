#include "measure/runner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <utility>
#include <variant>

#include "measure/statistics.h"
#include "os/clock.h"

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;

// Visits to an experiment lie at least this far apart.
constexpr std::int64_t kLeastGapNs = 1'000'000;
// Wide vector code runs slow at first after scalar code: Neoverse V1 gives it three of its four
// pipes for 4 to 6 µs. So that long is warmed up, after the probe.
constexpr double kWarmUpNs = 8000;
// A call that takes longer than this is sampled once a visit, and its first call warms it up.
constexpr double kSlowCallNs = 500'000;
// What the calls of one batch may take in all, so that an interrupt is answered soon, and no batch
// comes near the worker's time limit.
constexpr double kMostBatchNs = 50'000'000;
constexpr std::size_t kMostBatchItems = 96;
constexpr std::size_t kMostBatchBytes = 2 * 1024 * 1024;
// A visit whose samples were all dropped is repeated this often.
constexpr int kMostLostVisits = 12;
// Probes in a row from which a core can be seen to be quiet for the first time.
constexpr int kLearningProbes = 16;
// A later competitor of a race must be clearly better than an earlier one.
constexpr double kClearlyBetter = 0.99;

bool WasDisturbed(const CallRecord& record) {
  return record.context_switches != 0 || record.migrated;
}

void Add(const std::optional<double>& part, std::optional<double>& total) {
  if (part) total = total.value_or(0) + *part;
}

void Add(const Totals& part, Totals& total) {
  total.units += part.units;
  total.cycles += part.cycles;
  total.ticks += part.ticks;
  Add(part.instructions, total.instructions);
  Add(part.reference_cycles, total.reference_cycles);
}

}  // namespace

WallClock SystemWallClock() {
  return {os::MonotonicNanoseconds, [](std::int64_t nanoseconds) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
          }};
}

// What is known of one experiment so far.
struct Runner::Item {
  struct Seen {
    std::vector<Visit> visits;
    std::vector<Totals> totals;  // of each visit
  };

  const Experiment* experiment = nullptr;
  std::uint64_t loops = 0;  // of the shorter call; 0 until it was fitted
  double shorter_ns = 0;    // what that call takes
  Seen quiet;               // the core was ours, or nothing can be said about it
  Seen contended;
  int rejected = 0;
  int lost_visits = 0;
  bool done = false;
  bool parked = false;  // beaten in its race, as far as is known
  SamplingEnd end = SamplingEnd::kBudget;
  std::optional<sandbox::Death> death;

  // The first visit was as expected, which settles it.
  bool Agrees() const {
    const auto& expected = experiment->expected;
    if (!expected || !expected->settles || quiet.visits.size() != 1) return false;
    const double cycles = Median(quiet.visits.front().cycles);
    return quiet.visits.front().state == CoreState::kQuiet && cycles >= expected->low &&
           cycles <= expected->high;
  }
  bool is_due() const { return !done && !parked; }
  bool was_visited() const { return !quiet.visits.empty() || !contended.visits.empty(); }

  // The quiet visits, if there are enough for a value; else all.
  Measurement ToMeasurement() const {
    Measurement measurement;
    measurement.rejected = rejected;
    measurement.end = end;
    measurement.death = death;
    measurement.cut_short = is_due();
    if (death) return measurement;
    measurement.visits = quiet.visits;
    for (const Totals& each : quiet.totals) Add(each, measurement.totals);
    if (Agrees()) {
      measurement.agreed = experiment->expected;
      return measurement;
    }
    if (quiet.visits.size() >= kFewestVisits || contended.visits.empty()) return measurement;
    measurement.contended = true;
    measurement.visits.insert(measurement.visits.end(), contended.visits.begin(),
                              contended.visits.end());
    for (const Totals& each : contended.totals) Add(each, measurement.totals);
    return measurement;
  }

  // The value as far as it is known, to choose among competitors; infinite when nothing is.
  double Promise() const {
    std::vector<double> medians;
    for (const Visit& visit : quiet.visits.empty() ? contended.visits : quiet.visits)
      medians.push_back(Median(visit.cycles));
    return medians.empty() ? std::numeric_limits<double>::infinity() : Median(medians);
  }
};

Result<std::unique_ptr<Runner>> Runner::Create(
    CycleChoice choice, const TickClock& clock,
    const ExecutorFactory<sandbox::CodeExecutor>& make_executor, const RunSettings& settings,
    std::shared_ptr<CoreWatch> watch) {
  auto opened = OpenBestSource<sandbox::CodeExecutor>(choice, make_executor);
  if (!opened) return std::unexpected(opened.error());
  auto instrument = Instrument::SetUp(clock, opened->source, *opened->executor,
                                      opened->executor->cpu(), std::move(watch));
  if (!instrument) return std::unexpected(instrument.error());
  return std::unique_ptr<Runner>(
      new Runner(std::move(opened->executor), std::move(*instrument), settings));
}

Runner::Runner(std::unique_ptr<sandbox::CodeExecutor> executor, Instrument instrument,
               const RunSettings& settings)
    : executor_(std::move(executor)), instrument_(std::move(instrument)), settings_(settings) {}

std::vector<Warning> Runner::Warnings() const {
  std::vector<Warning> warnings = instrument_.Warnings();
  std::ranges::move(executor_->Warnings(), std::back_inserter(warnings));
  return warnings;
}

std::vector<Measurement> Runner::Run(std::span<const Experiment> experiments,
                                     const IsOver& is_over) {
  std::vector<Item> items(experiments.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].experiment = &experiments[i];
    items[i].parked = experiments[i].reserve;
  }
  const auto ended = [&is_over] { return is_over && is_over(); };
  for (std::vector<Item*> due = Due(items); !due.empty() && !ended(); due = Due(items)) {
    const std::int64_t begin = settings_.wall_clock.now_ns();
    const bool takes_anything = !FindQuietCpu(is_over);
    for (const Batch& batch : Batches(due)) {
      if (ended()) break;
      if (!VisitBatch(batch) && !takes_anything) break;
    }
    for (Item& item : items) Rejudge(item);
    SettleRaces(items);
    const std::int64_t left = begin + kLeastGapNs - settings_.wall_clock.now_ns();
    if (left > 0 && !Due(items).empty()) settings_.wall_clock.sleep(left);
  }
  std::vector<Measurement> measurements;
  for (const Item& item : items) measurements.push_back(item.ToMeasurement());
  return measurements;
}

std::vector<Runner::Item*> Runner::Due(std::vector<Item>& items) const {
  std::vector<Item*> due;
  for (Item& item : items) {
    if (item.is_due()) due.push_back(&item);
  }
  return due;
}

// ---- Where to measure

void Runner::Sleep(std::int64_t nanoseconds) {
  const std::int64_t begin = settings_.wall_clock.now_ns();
  settings_.wall_clock.sleep(nanoseconds);
  waited_ += std::chrono::nanoseconds(settings_.wall_clock.now_ns() - begin);
}

Result<std::vector<Probe>> Runner::Look(int cpu, int probes) {
  if (auto moved = executor_->MoveTo(cpu); !moved) return std::unexpected(moved.error());
  ++effort_.switches;
  return instrument_.TakeProbes(*executor_, cpu, probes);
}

bool Runner::IsQuietOn(int cpu) {
  // To learn what quiet is takes more of them in a row than to see that it is.
  const auto probes = Look(cpu, instrument_.watch().QuietWidth() ? 2 : kLearningProbes);
  return probes && std::ranges::none_of(*probes, [this](const Probe& probe) {
           return probe.disturbed || instrument_.watch().StateOf(probe) == CoreState::kContended;
         });
}

bool Runner::FindQuietCpu(const IsOver& is_over) {
  // A machine may have hundreds; a look at some of them in turn is enough.
  constexpr std::size_t kMostLooks = 16;
  constexpr std::int64_t kFirstSleepNs = 500'000;
  constexpr std::int64_t kMostSleepNs = 4'000'000;
  const os::CpuList& cpus = settings_.cpus;
  // A first look at all of them: one without a neighbour shows what quiet is.
  if (!looked_around_) {
    looked_around_ = true;
    const int home = executor_->cpu();
    for (std::size_t i = 0; i < std::min(cpus.size(), kMostLooks); ++i) {
      if (!Look(cpus[i], kLearningProbes)) break;  // the worker says why when it is next used
    }
    if (!executor_->MoveTo(home)) return false;
  }
  const auto here = std::ranges::find(cpus, executor_->cpu());
  auto place = static_cast<std::size_t>(here - cpus.begin());
  for (std::int64_t sleep = kFirstSleepNs;; sleep = std::min(2 * sleep, kMostSleepNs)) {
    for (std::size_t i = 0; i < std::clamp<std::size_t>(cpus.size(), 1, kMostLooks); ++i) {
      const int cpu = cpus.empty() ? executor_->cpu() : cpus[(place + i) % cpus.size()];
      if (IsQuietOn(cpu)) return true;
    }
    if (PatienceIsSpent() || (is_over && is_over())) return false;
    place += kMostLooks;
    // Jobs of our own that share a core wait for different times, and so take turns. What the core
    // does is noise enough for that.
    Sleep(sleep + settings_.wall_clock.now_ns() % sleep);
  }
}

// ---- Batches

std::vector<Runner::Batch> Runner::Batches(const std::vector<Item*>& items) const {
  std::vector<Batch> batches;
  std::size_t bytes = 0;
  double nanoseconds = 0;
  bool alone = true;
  for (Item* item : items) {
    const auto& [first, second] = item->experiment->kernels;
    // Code that was not fitted yet is taken for slow, so that such batches stay short.
    const double item_ns = item->loops == 0 ? kMostBatchNs / 48 : 16 * item->shorter_ns;
    bytes += first.size() + second.size();
    nanoseconds += item_ns;
    if (alone || item->experiment->alone || batches.back().size() >= kMostBatchItems ||
        bytes > kMostBatchBytes || nanoseconds > kMostBatchNs) {
      batches.emplace_back();
      bytes = first.size() + second.size();
      nanoseconds = item_ns;
    }
    batches.back().push_back(item);
    alone = item->experiment->alone;
  }
  return batches;
}

std::vector<CallRecord> Runner::RunCalls(const Batch& batch, const std::vector<Call>& calls) {
  const sandbox::Outcome outcome = executor_->Run(calls);
  ++effort_.switches;
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) {
    Blame(batch, *death);
    return {};
  }
  return std::get<0>(outcome);
}

void Runner::Blame(const Batch& batch, const sandbox::Death& death) {
  const auto end = [&death](Item& item) {
    item.death = death;
    item.done = true;
  };
  if (death.kind == sandbox::DeathKind::kCancelled) return;
  if (death.kind == sandbox::DeathKind::kNotStarted) {
    for (Item* item : batch) end(*item);
    return;
  }
  if (batch.size() == 1) return end(*batch.front());
  if (death.code_place && death.code_place->kernel / 2 < batch.size())
    return end(*batch[death.code_place->kernel / 2]);
  // Nobody knows who it was: each half is tried by itself.
  const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
  VisitBatch(Batch(batch.begin(), middle));
  VisitBatch(Batch(middle, batch.end()));
}

bool Runner::FitBatch(const Batch& batch) {
  const double stretch = instrument_.StretchTicks();
  // The first call of new code is slow (cold caches, untrained branches), so the second of two
  // counts; and as one loop is short against the call's overhead, a longer trial follows.
  std::vector<std::uint64_t> loops(batch.size(), 1);
  for (int trial = 0; trial < 2; ++trial) {
    std::vector<Call> calls;
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      if (batch[i]->experiment->memory)
        calls.push_back({{Entry::Kind::kFillMemory, 0}, *batch[i]->experiment->memory});
      const Call shorter = {{Entry::Kind::kKernel, 2 * i}, loops[i]};
      calls.insert(calls.end(), {shorter, shorter});
    }
    const std::vector<CallRecord> records = RunCalls(batch, calls);
    if (records.empty()) return false;
    auto record = records.begin();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i]->experiment->memory) ++record;
      const auto first = static_cast<double>((record++)->ticks);
      const auto second = static_cast<double>((record++)->ticks);
      const double ticks = std::max(std::min(first, second), 1.0);
      const double per_loop = ticks / static_cast<double>(loops[i]);
      const double wanted = trial == 0 && ticks < stretch / 4 ? stretch / 4 : stretch;
      if (batch[i]->experiment->difference != Difference::kStraight)
        loops[i] = static_cast<std::uint64_t>(std::max(std::ceil(wanted / per_loop), 1.0));
      batch[i]->shorter_ns =
          instrument_.clock().Nanoseconds(per_loop * static_cast<double>(loops[i]));
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->loops = loops[i];
  return true;
}

void Runner::AppendVisit(std::uint32_t place, const Item& item, std::vector<Call>& calls) const {
  const Experiment& experiment = *item.experiment;
  if (experiment.memory) calls.push_back({{Entry::Kind::kFillMemory, 0}, *experiment.memory});
  const bool by_loops = experiment.difference == Difference::kLoops;
  const Call shorter = {{Entry::Kind::kKernel, 2 * place}, item.loops};
  const Call longer = {{Entry::Kind::kKernel, 2 * place + 1}, (by_loops ? 2 : 1) * item.loops};
  if (item.shorter_ns > kSlowCallNs) {
    calls.insert(calls.end(), {shorter, shorter, longer});
    return;
  }
  const double times = experiment.difference == Difference::kStraight
                           ? 1.0
                           : std::max(kWarmUpNs / (2 * item.shorter_ns), 1.0);
  const auto warm_up = [times](Call call) {
    call.loops = static_cast<std::uint64_t>(std::ceil(static_cast<double>(call.loops) * times));
    return call;
  };
  // A worker of its own knows nothing of either kernel's branches.
  if (experiment.alone) calls.push_back(warm_up(shorter));
  calls.push_back(warm_up(longer));
  for (int i = 0; i < settings_.samples_per_visit; ++i)
    calls.insert(calls.end(), {shorter, longer});
}

bool Runner::VisitBatch(const Batch& all) {
  Batch batch;
  std::ranges::copy_if(all, std::back_inserter(batch),
                       [](const Item* item) { return !item->done; });
  if (batch.empty()) return true;
  std::vector<sandbox::Kernel> kernels;
  for (const Item* item : batch) {
    kernels.insert(kernels.end(), item->experiment->kernels.begin(),
                   item->experiment->kernels.end());
  }
  if (auto loaded = executor_->Load(kernels); !loaded) {
    // One of them may be too long, which is not the others' fault.
    Blame(batch, {.kind = sandbox::DeathKind::kExited, .reason = loaded.error().ToString()});
    return true;
  }
  if (std::ranges::any_of(batch, [](const Item* item) { return item->loops == 0; }) &&
      !FitBatch(batch)) {
    return true;
  }

  std::vector<Call> calls;
  std::vector<std::size_t> ends;  // of each item's calls
  // A worker that was started anew for this code is slow in its first probe: its pages come one by
  // one, and an emulator translates. Nobody looks at that one.
  AppendProbe(instrument_.probe_lengths(), calls);
  AppendProbe(instrument_.probe_lengths(), calls);
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    AppendVisit(i, *batch[i], calls);
    ends.push_back(calls.size());
    AppendProbe(instrument_.probe_lengths(), calls);
  }
  const std::vector<CallRecord> records = RunCalls(batch, calls);
  if (std::ranges::any_of(batch, [](const Item* item) { return item->experiment->alone; }))
    executor_->Retire();
  if (records.empty()) return true;

  const std::span<const CallRecord> all_records = records;
  const auto probe_at = [&](std::size_t begin) {
    const Probe probe =
        ReadProbe(instrument_.probe_lengths(), all_records.subspan(begin, kProbeCalls));
    instrument_.watch().Observe(executor_->cpu(), probe);
    return probe;
  };
  std::vector<Probe> probes = {probe_at(kProbeCalls)};
  for (const std::size_t end : ends) probes.push_back(probe_at(end));
  const std::vector<std::optional<double>> cycle_ticks = CyclesBetween(probes);
  std::size_t begin = 2 * kProbeCalls;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ReadVisit(all_records.subspan(begin, ends[i] - begin), probes[i], probes[i + 1], cycle_ticks[i],
              *batch[i]);
    Judge(*batch[i]);
    begin = ends[i] + kProbeCalls;
  }
  return instrument_.watch().StateOf(probes.back()) != CoreState::kContended;
}

// ---- What a visit gave

std::vector<std::optional<double>> Runner::CyclesBetween(const std::vector<Probe>& probes) const {
  // The clock changes seldom, and in steps of more than this.
  constexpr double kSameClock = 0.01;
  constexpr std::size_t kNeighbours = 4;  // to each side
  struct Gap {
    std::optional<double> cycle_ticks;
    bool quiet = false;
  };
  const CoreWatch& watch = instrument_.watch();
  const auto is_quiet = [&watch](const Probe& probe) {
    return watch.StateOf(probe) == CoreState::kQuiet;
  };
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i + 1 < probes.size(); ++i) {
    gaps.push_back({watch.CycleTicks(probes[i], probes[i + 1]),
                    is_quiet(probes[i]) && is_quiet(probes[i + 1])});
  }
  // Two probes tell a cycle within half a per cent; several that agree tell it better together.
  std::vector<std::optional<double>> cycle_ticks;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const std::optional<double>& own = gaps[i].cycle_ticks;
    if (!own) {
      cycle_ticks.emplace_back();
      continue;
    }
    std::vector<double> alike;
    const std::size_t end = std::min(i + kNeighbours + 1, gaps.size());
    for (std::size_t k = i - std::min(i, kNeighbours); k < end; ++k) {
      const std::optional<double>& other = gaps[k].cycle_ticks;
      if (other && gaps[k].quiet == gaps[i].quiet && std::abs(*other - *own) <= kSameClock * *own)
        alike.push_back(*other);
    }
    cycle_ticks.emplace_back(Median(alike));
  }
  return cycle_ticks;
}

void Runner::ReadVisit(std::span<const CallRecord> records, const Probe& before, const Probe& after,
                       std::optional<double> cycle_ticks, Item& item) {
  const Experiment& experiment = *item.experiment;
  // Calls before the first sample: see AppendVisit.
  const bool warms_both = experiment.alone && item.shorter_ns <= kSlowCallNs;
  const std::size_t before_samples = (experiment.memory ? 1 : 0) + (warms_both ? 2 : 1);
  const bool counted = !instrument_.source().is_reference();
  const double units = experiment.units * static_cast<double>(item.loops);
  Visit visit;
  visit.cpu = executor_->cpu();
  const CoreState first = instrument_.watch().StateOf(before);
  const CoreState last = instrument_.watch().StateOf(after);
  visit.state = first == last ? first : CoreState::kContended;
  visit.width = instrument_.watch().WidthOf(before, after);

  std::vector<Totals> samples;
  for (std::size_t i = before_samples; i + 1 < records.size(); i += 2) {
    const CallRecord& shorter = records[i];
    const CallRecord& longer = records[i + 1];
    ++effort_.samples;
    Totals sample;
    sample.units = units;
    sample.ticks = Excess(longer.ticks, shorter.ticks);
    sample.cycles =
        counted ? Excess(longer.cycles, shorter.cycles) : sample.ticks / cycle_ticks.value_or(1);
    if (counted) {
      sample.instructions = Excess(longer.instructions, shorter.instructions);
      if (longer.reference_cycles != 0)
        sample.reference_cycles = Excess(longer.reference_cycles, shorter.reference_cycles);
    }
    // Twice the work takes about twice the time. Where it does not, the two calls were not doing
    // the same: chains of accumulations can go round with and without the core's short cut.
    constexpr double kLeast = 0.6, kMost = 1.6;
    const double once = static_cast<double>(shorter.ticks);
    // Under an emulator nothing takes its time twice.
    const bool compares = experiment.takes_twice_as_long &&
                          experiment.difference != Difference::kStraight &&
                          instrument_.TrustsCycles();
    const bool unlike = compares && (sample.ticks < kLeast * once || sample.ticks > kMost * once);
    // Beside a loop that takes most of the time, what is measured may take none.
    const bool impossible =
        experiment.takes_twice_as_long && (sample.ticks <= 0 || sample.cycles <= 0);
    const bool lost_counters = counted && !(shorter.counters_valid && longer.counters_valid);
    if (before.disturbed || after.disturbed || WasDisturbed(shorter) || WasDisturbed(longer) ||
        (!counted && !cycle_ticks) || lost_counters || impossible || unlike) {
      ++item.rejected;
      continue;
    }
    visit.cycles.push_back(sample.cycles / units);
    samples.push_back(sample);
  }
  if (visit.cycles.empty()) {
    ++item.lost_visits;
    return;
  }
  Item::Seen& seen = visit.state == CoreState::kContended ? item.contended : item.quiet;
  seen.visits.push_back(std::move(visit));
  // The visit's middle sample stands for it: one that was hit by an interrupt would bend a sum.
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Totals::cycles);
  seen.totals.push_back(*middle);
}

void Runner::Judge(Item& item) const {
  const std::size_t quiet = item.quiet.visits.size();
  // Where the core is shared again and again, the quiet visits there are have to do.
  const std::size_t contended = item.contended.visits.size();
  const bool gives_up =
      (PatienceIsSpent() && contended >= kFewestVisits) ||
      contended >= 4 * static_cast<std::size_t>(std::max(settings_.most_visits, 1));
  if (item.Agrees()) {
    item.done = true;
    item.end = SamplingEnd::kPrecise;
    return;
  }
  if (quiet >= kFewestVisits) {
    const Estimate estimate = EstimateOf(item.ToMeasurement(), settings_.confidence);
    const double half_width = (estimate.high - estimate.low) / 2;
    // Latencies are whole numbers: one whose interval leaves room for no other is found.
    constexpr double kWholePrecision = 0.01;
    const bool whole = std::abs(estimate.value - std::round(estimate.value)) <= half_width &&
                       half_width <= kWholePrecision * estimate.value;
    // Two groups of samples may be two states of the code: more visits tell.
    const bool precise = half_width <= settings_.precision * std::abs(estimate.value) || whole;
    if (precise && !estimate.two_modes) {
      item.done = true;
      item.end = SamplingEnd::kPrecise;
      return;
    }
  }
  item.done = static_cast<int>(quiet) >= settings_.most_visits || gives_up ||
              item.lost_visits >= kMostLostVisits;
}

// What looked quiet may turn out not to have been, when a core is first seen without a neighbour.
void Runner::Rejudge(Item& item) const {
  std::vector<Visit>& visits = item.quiet.visits;
  bool changed = false;
  for (std::size_t i = 0; i < visits.size();) {
    if (instrument_.watch().IsQuietWidth(visits[i].width)) {
      ++i;
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    item.contended.visits.push_back(std::move(visits[i]));
    item.contended.totals.push_back(item.quiet.totals[i]);
    visits.erase(visits.begin() + at);
    item.quiet.totals.erase(item.quiet.totals.begin() + at);
    changed = true;
  }
  if (!changed || item.death) return;
  item.done = false;
  Judge(item);
}

void Runner::SettleRaces(std::vector<Item>& items) const {
  std::map<std::size_t, std::vector<Item*>> races;
  for (Item& item : items) {
    if (item.experiment->race) races[*item.experiment->race].push_back(&item);
  }
  for (auto& [number, race] : races) {
    // What kills or stops the first does so to all.
    if (const auto& death = race.front()->death) {
      for (Item* item : race) {
        if (!item->was_visited()) item->death = death;
        item->done = true;
      }
      continue;
    }
    if (std::ranges::any_of(race, &Item::Agrees)) {
      for (Item* item : race) item->done = true;
      continue;
    }
    const auto waits = [](const Item* item) { return !item->was_visited() && !item->done; };
    if (std::ranges::any_of(race, [&](const Item* item) { return waits(item) && !item->parked; }))
      continue;
    // Nothing was as expected: now the reserve runs too.
    if (std::ranges::any_of(race, waits)) {
      for (Item* item : race) item->parked = item->parked && !waits(item);
      continue;
    }
    // The first that nobody later clearly beats is visited on; the others wait, in case it does not
    // keep its promise: few samples may be too good to be true.
    Item* leader = race.front();
    for (Item* item : race) {
      if (item->Promise() < kClearlyBetter * leader->Promise()) leader = item;
    }
    for (Item* item : race) {
      item->parked = item != leader;
      if (leader->done) item->done = true;
    }
  }
}

}  // namespace cyclescope::measure
