#include "anatomy/worker_code_times.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/try.h"
#include "measure/probe.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

using measure::CoreState;
using measure::Probe;
using sandbox::Call;
using sandbox::CallRecord;

constexpr int kSamples = 3;  // of a visit
constexpr std::size_t kCallsOfSample = 2;
// What one run of the worker holds.
constexpr std::size_t kMostPatterns = 128;
constexpr std::size_t kMostBytes = 8 << 20;
constexpr std::uint64_t kMostTrips = 1 << 20;
// Visits while the core was ours that agree, and by how much of their value.
constexpr std::size_t kVisitsThatAgree = 3;
constexpr double kMaxRangeRatio = 0.04;
// Where a difference is asked for, this number of times as many visits.
constexpr int kVisitsToPair = 2;
// No time is less doubtful than this share of it.
constexpr double kLeastErrorOfTime = 0.002;

// How long the shorter call takes. Code that is only fetched is known after a trip; what branches
// do by chance shows over many of them.
double WantedNs(PatternKind kind) {
  switch (kind) {
    case PatternKind::kStraight:
    case PatternKind::kAligned:
    case PatternKind::kText:
    case PatternKind::kJumps:
      return 6'000;
    case PatternKind::kBranches:
    case PatternKind::kReturns:
    case PatternKind::kIndirect:
      return 25'000;
    case PatternKind::kHistory:
      return 50'000;
  }
  std::unreachable();
}

// How many times as many trips go before the first sample: predictors that look far back learn
// slowly.
std::uint64_t WarmUpFactor(PatternKind kind) {
  return kind == PatternKind::kHistory ? 12 : kind == PatternKind::kIndirect ? 4 : 2;
}

bool HasRandomBits(PatternKind kind) {
  return kind == PatternKind::kBranches || kind == PatternKind::kReturns ||
         kind == PatternKind::kHistory;
}

}  // namespace

Result<std::unique_ptr<WorkerCodeTimes>> WorkerCodeTimes::Create(
    const sandbox::WorkerOptions& options, const measure::TickClock& clock,
    std::shared_ptr<measure::CoreWatch> watch, assembler::Assembler& assembler,
    const CodeTimesSettings& settings) {
  const auto scratch = TRY(sandbox::ScratchAddress());
  auto worker = TRY(sandbox::Worker::Start(options));
  auto instrument = TRY(measure::Instrument::SetUp(clock, {.name = "reference", .reason = ""},
                                                   *worker, options.cpu, std::move(watch)));
  return std::unique_ptr<WorkerCodeTimes>(new WorkerCodeTimes(
      std::move(worker), std::move(instrument), FrontEndKernels(assembler, scratch), settings));
}

WorkerCodeTimes::WorkerCodeTimes(std::unique_ptr<sandbox::Worker> worker,
                                 measure::Instrument instrument, FrontEndKernels kernels,
                                 CodeTimesSettings settings)
    : worker_(std::move(worker)),
      instrument_(std::move(instrument)),
      kernels_(std::move(kernels)),
      settings_(std::move(settings)),
      search_(*worker_, instrument_, settings_.places) {}

std::vector<std::optional<CodeTime>> WorkerCodeTimes::Measure(
    std::span<const CodePattern> patterns) {
  std::vector<Tally> tallies(patterns.size());
  for (std::size_t i = 0; i < tallies.size(); ++i) tallies[i].pattern = patterns[i];
  const auto is_due = [&tallies](std::size_t i) { return !AgreedTime(tallies[i].own_cycles); };
  for (int visit = 0; visit < settings_.most_visits; ++visit) {
    if (!VisitDue(tallies, is_due)) break;
  }
  std::vector<std::optional<CodeTime>> times;
  for (const Tally& tally : tallies) times.push_back(TimeOf(tally));
  return times;
}

std::vector<std::optional<CodeTime>> WorkerCodeTimes::MeasureDifferences(
    std::span<const PatternPair> pairs, double wanted_error) {
  std::vector<Tally> tallies;
  for (const PatternPair& pair : pairs) {
    tallies.emplace_back().pattern = pair.longer;
    tallies.emplace_back().pattern = pair.shorter;
  }
  const auto difference = [&tallies](std::size_t pair) {
    return DifferenceOf(tallies[2 * pair], tallies[2 * pair + 1]);
  };
  const auto is_due = [&](std::size_t i) {
    const auto known = difference(i / 2);
    return !known || known->error > wanted_error;
  };
  for (int visit = 0; visit < kVisitsToPair * settings_.most_visits; ++visit) {
    if (!VisitDue(tallies, is_due)) break;
  }
  std::vector<std::optional<CodeTime>> differences;
  for (std::size_t i = 0; i < pairs.size(); ++i) differences.push_back(difference(i));
  return differences;
}

bool WorkerCodeTimes::VisitDue(std::span<Tally> tallies,
                               const std::function<bool(std::size_t)>& is_due) {
  (void)search_.Find(settings_.goes_on);
  std::vector<Tally*> due;
  std::size_t bytes = 0;
  bool goes_on = true;
  const auto flush = [&] {
    if (!due.empty()) goes_on = Visit(due) && goes_on;
    due.clear();
    bytes = 0;
  };
  std::vector<Tally*> chosen;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (!tallies[i].failed && is_due(i)) chosen.push_back(&tallies[i]);
  }
  for (Tally* tally : chosen) {
    goes_on = goes_on && MayGoOn(settings_.goes_on);
    if (!goes_on) return false;
    if (tally->kernel.empty() || HasRandomBits(tally->pattern.kind)) {
      auto kernel = kernels_.Make(tally->pattern, ++seed_);
      tally->failed = !kernel;
      if (!kernel) continue;
      tally->kernel = std::move(*kernel);
    }
    if (due.size() == kMostPatterns || bytes + tally->kernel.size() > kMostBytes) flush();
    bytes += tally->kernel.size();
    due.push_back(tally);
  }
  if (goes_on) flush();
  return goes_on && !chosen.empty();
}

std::optional<std::vector<CallRecord>> WorkerCodeTimes::RunCalls(const std::vector<Call>& calls) {
  sandbox::Outcome outcome = worker_->Run(calls);
  if (std::holds_alternative<sandbox::Death>(outcome)) return std::nullopt;
  return std::get<std::vector<CallRecord>>(std::move(outcome));
}

bool WorkerCodeTimes::FitTrips(std::span<Tally* const> tallies) {
  // The second of two calls counts: the first is slow.
  std::vector<Call> calls;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i]->trips == 0)
      calls.insert(calls.end(), {sandbox::KernelCall(i, 2), sandbox::KernelCall(i, 2)});
  }
  if (calls.empty()) return true;
  const auto records = RunCalls(calls);
  if (!records) return false;
  std::size_t at = 1;
  for (Tally* tally : tallies) {
    if (tally->trips != 0) continue;
    const double trip_ns =
        instrument_.clock().Nanoseconds(static_cast<double>((*records)[at].ticks)) / 2;
    tally->trips = static_cast<std::uint64_t>(std::clamp(
        WantedNs(tally->pattern.kind) / std::max(trip_ns, 1.0), 1.0, double{kMostTrips}));
    at += 2;
  }
  return true;
}

bool WorkerCodeTimes::Visit(std::span<Tally* const> tallies) {
  std::vector<sandbox::KernelView> views;
  for (const Tally* tally : tallies) views.emplace_back(tally->kernel);
  if (!worker_->Load(views) || !FitTrips(tallies)) return false;
  const measure::ProbeLengths& lengths = instrument_.probe_lengths();
  std::vector<Call> calls;
  std::vector<std::size_t> places;  // of each pattern's first sample
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    measure::AppendProbe(lengths, calls);
    const std::uint64_t trips = tallies[i]->trips;
    calls.push_back(sandbox::KernelCall(i, trips * WarmUpFactor(tallies[i]->pattern.kind)));
    places.push_back(calls.size());
    for (int sample = 0; sample < kSamples; ++sample)
      calls.insert(calls.end(), {sandbox::KernelCall(i, trips), sandbox::KernelCall(i, 2 * trips)});
  }
  measure::AppendProbe(lengths, calls);
  const auto outcome = RunCalls(calls);
  if (!outcome) return false;
  const std::span<const CallRecord> records = *outcome;
  const auto probe_at = [&](std::size_t begin) {
    const Probe probe = measure::ReadProbe(lengths, records.subspan(begin, measure::kProbeCalls));
    instrument_.watch().ObserveBetween(worker_->cpu(), probe);
    return probe;
  };
  constexpr std::size_t kCallsOfVisit = kSamples * kCallsOfSample;
  Probe before = probe_at(0);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    const Probe after = probe_at(places[i] + kCallsOfVisit);
    ReadVisit(before, after, records.subspan(places[i], kCallsOfVisit), *tallies[i]);
    before = after;
  }
  return true;
}

void WorkerCodeTimes::ReadVisit(const Probe& before, const Probe& after,
                                std::span<const CallRecord> records, Tally& tally) {
  const measure::CoreWatch& watch = instrument_.watch();
  const auto cycle_ticks = watch.CycleTicks(before, after);
  const bool shared = watch.StateOf(before) == CoreState::kContended ||
                      watch.StateOf(after) == CoreState::kContended;
  ++visits_;
  shared_visits_ += shared ? 1 : 0;
  std::optional<double>& own = tally.by_visit.emplace_back();
  if (!cycle_ticks) return;
  std::vector<double> cycles;
  for (std::size_t at = 0; at < records.size(); at += kCallsOfSample) {
    const CallRecord& shorter = records[at];
    const CallRecord& longer = records[at + 1];
    if (shorter.context_switches != 0 || longer.context_switches != 0 || shorter.migrated ||
        longer.migrated) {
      continue;
    }
    const double ticks = measure::Excess(longer.ticks, shorter.ticks);
    if (ticks > 0) cycles.push_back(ticks / *cycle_ticks / static_cast<double>(tally.trips));
  }
  if (cycles.size() < kSamples) return;
  // Whatever comes in between makes one of the calls longer, and a sample longer or shorter.
  const double value = statistics::Median(cycles);
  (shared ? tally.shared_cycles : tally.own_cycles).push_back(value);
  if (!shared) own = value;
}

// Whatever comes in between makes code slower, and a neighbour may come and go between two probes.
// So the fastest visits count, and only where some of them agree.
std::optional<CodeTime> WorkerCodeTimes::AgreedTime(std::vector<double> cycles) {
  if (cycles.size() < kVisitsThatAgree) return std::nullopt;
  std::ranges::sort(cycles);
  const double range = cycles[kVisitsThatAgree - 1] - cycles.front();
  const double value = cycles[kVisitsThatAgree / 2];
  if (range > kMaxRangeRatio * value) return std::nullopt;
  return CodeTime{.cycles = value, .error = std::max(range / 2, kLeastErrorOfTime * value)};
}

std::optional<CodeTime> WorkerCodeTimes::DifferenceOf(const Tally& longer, const Tally& shorter) {
  constexpr std::size_t kFewestPairs = 6;
  // Of a normal distribution: the error of a median over that of a mean.
  constexpr double kErrorOfMedian = 1.2533;
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(longer.by_visit.size(), shorter.by_visit.size()); ++i) {
    if (longer.by_visit[i] && shorter.by_visit[i])
      differences.push_back(*longer.by_visit[i] - *shorter.by_visit[i]);
  }
  if (differences.size() < kFewestPairs) return std::nullopt;
  const double deviation =
      statistics::kDeviationsOfNormal * statistics::MedianDeviation(differences);
  return CodeTime{
      .cycles = statistics::Median(differences),
      .error = kErrorOfMedian * deviation / std::sqrt(static_cast<double>(differences.size()))};
}

std::optional<CodeTime> WorkerCodeTimes::TimeOf(const Tally& tally) {
  if (auto own = AgreedTime(tally.own_cycles)) return own;
  std::vector<double> all = tally.own_cycles;
  all.insert(all.end(), tally.shared_cycles.begin(), tally.shared_cycles.end());
  if (all.empty()) return std::nullopt;
  std::ranges::sort(all);
  const std::size_t few = std::min(kVisitsThatAgree, all.size());
  CodeTime time = {.cycles = all[few / 2], .shared = true};
  time.error = std::max((all[few - 1] - all.front()) / 2, kLeastErrorOfTime * time.cycles);
  return time;
}

}  // namespace cyclescope::anatomy
