#include "anatomy/worker_overlap_source.h"

#include <utility>
#include <variant>
#include <vector>

#include "base/try.h"
#include "measure/probe.h"
#include "measure/tick_clock.h"

namespace cyclescope::anatomy {
namespace {

using sandbox::Call;
using sandbox::CallRecord;

// Short ones, and more of them: a neighbour may come and go within a millisecond, and what lies
// between two looks at the witness must be of one state.
constexpr int kRepeats = 10;
constexpr std::uint64_t kTrips = 125;
// Before the first repeat of each kernel: its code comes into the caches.
constexpr std::uint64_t kWarmUpTrips = 20;

}  // namespace

Result<std::unique_ptr<WorkerOverlapSource>> WorkerOverlapSource::Create(
    const sandbox::WorkerOptions& options, const measure::TickClock& clock,
    std::shared_ptr<measure::CoreWatch> watch, assembler::Assembler& assembler,
    const measure::QuietPlaces& places) {
  const auto addresses = TRY(sandbox::FindKernelPlaces());
  const auto scratch = TRY(sandbox::ScratchAddress());
  auto worker = TRY(sandbox::Worker::Start(options));
  auto instrument = TRY(measure::Instrument::SetUp(clock, {.name = "reference", .reason = ""},
                                                   *worker, options.cpu, std::move(watch)));
  return std::unique_ptr<WorkerOverlapSource>(
      new WorkerOverlapSource(std::move(worker), std::move(instrument),
                              WindowKernels(assembler, addresses, scratch), places));
}

WorkerOverlapSource::WorkerOverlapSource(std::unique_ptr<sandbox::Worker> worker,
                                         measure::Instrument instrument, WindowKernels kernels,
                                         const measure::QuietPlaces& places)
    : worker_(std::move(worker)),
      instrument_(std::move(instrument)),
      kernels_(std::move(kernels)),
      search_(*worker_, instrument_, places) {}

bool WorkerOverlapSource::IsQuiet(double width) const {
  const measure::QuietCriteria criteria = instrument_.watch().quiet_criteria();
  return criteria.trusted && criteria.widest_quiet && criteria.IsQuiet(width);
}

void WorkerOverlapSource::SeekQuietCore() { (void)search_.Find(); }

std::int64_t WorkerOverlapSource::NowNs() const { return measure::SystemWallClock().now_ns(); }

measure::Probe WorkerOverlapSource::ObservedProbe(std::span<const CallRecord> records,
                                                  std::size_t at) {
  const measure::Probe probe =
      measure::ReadProbe(instrument_.probe_lengths(), records.subspan(at, measure::kProbeCalls));
  if (counts_probes_) instrument_.watch().ObserveBetween(worker_->cpu(), probe);
  return probe;
}

Result<WorkerOverlapSource::TimedCalls> WorkerOverlapSource::Time(
    std::span<const sandbox::Kernel> kernels, std::span<const Call> calls) {
  const std::vector<sandbox::KernelView> views(kernels.begin(), kernels.end());
  TRY(worker_->Load(views));

  const measure::ProbeLengths& lengths = instrument_.probe_lengths();
  std::vector<Call> probed;
  measure::AppendProbe(lengths, probed);
  const std::size_t begin = probed.size();
  probed.insert(probed.end(), calls.begin(), calls.end());
  measure::AppendProbe(lengths, probed);
  const sandbox::Outcome outcome = worker_->Run(probed);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return Failed(death->reason);

  const std::span<const CallRecord> records = std::get<std::vector<CallRecord>>(outcome);
  const measure::Probe before = ObservedProbe(records, 0);
  TimedCalls timed;
  timed.width = instrument_.watch().WidthOf(before, ObservedProbe(records, begin + calls.size()));
  for (const CallRecord& record : records.subspan(begin, calls.size()))
    timed.ns.push_back(instrument_.clock().Nanoseconds(static_cast<double>(record.ticks)));
  return timed;
}

Result<OverlapVisit> WorkerOverlapSource::Visit(std::span<const OverlapLook> looks) {
  std::vector<sandbox::Kernel> kernels;  // of each look, one chain and two
  for (const OverlapLook& look : looks) {
    for (const Heads heads : {Heads::kOneChain, Heads::kTwoChains})
      kernels.push_back(TRY(kernels_.Make(*look.filler, look.fillers, heads)));
  }
  std::vector<Call> calls;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    calls.push_back(sandbox::KernelCall(i, kWarmUpTrips));
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      calls.push_back(sandbox::KernelCall(i, kTrips));
  }
  const TimedCalls timed = TRY(Time(kernels, calls));

  OverlapVisit visit;
  visit.width = timed.width;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    // The first row of calls is the warm-up.
    const std::size_t row = (static_cast<std::size_t>(repeat) + 1) * kernels.size();
    std::vector<HeadTimes> times;
    for (std::size_t i = 0; i < looks.size(); ++i)
      times.push_back({timed.ns[row + 2 * i] / kTrips, timed.ns[row + 2 * i + 1] / kTrips});
    visit.repeats.push_back(std::move(times));
  }
  return visit;
}

Result<ChainsVisit> WorkerOverlapSource::TimeChains(std::span<const int> chains) {
  std::vector<sandbox::Kernel> kernels;
  for (const int count : chains) kernels.push_back(TRY(kernels_.MakeChains(count)));
  std::vector<Call> calls;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    calls.push_back(sandbox::KernelCall(i, kWarmUpTrips));
    calls.push_back(sandbox::KernelCall(i, kTrips));
  }
  const TimedCalls timed = TRY(Time(kernels, calls));

  ChainsVisit visit;
  visit.width = timed.width;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    visit.trip_ns.push_back(timed.ns[2 * i + 1] / kTrips);
  return visit;
}

}  // namespace cyclescope::anatomy
