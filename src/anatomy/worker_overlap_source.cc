#include "anatomy/worker_overlap_source.h"

#include <utility>
#include <variant>
#include <vector>

#include "measure/probe.h"
#include "measure/tick_clock.h"

namespace cyclescope::anatomy {
namespace {

using measure::CoreState;
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
  const auto addresses = sandbox::FindKernelPlaces();
  if (!addresses) return std::unexpected(addresses.error());
  const auto scratch = sandbox::ScratchAddress();
  if (!scratch) return std::unexpected(scratch.error());
  auto worker = sandbox::Worker::Start(options);
  if (!worker) return std::unexpected(worker.error());
  auto instrument = measure::Instrument::SetUp(clock, {.name = "reference", .reason = ""}, **worker,
                                               options.cpu, std::move(watch));
  if (!instrument) return std::unexpected(instrument.error());
  return std::unique_ptr<WorkerOverlapSource>(
      new WorkerOverlapSource(std::move(*worker), std::move(*instrument),
                              WindowKernels(assembler, *addresses, *scratch), places));
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

Result<OverlapVisit> WorkerOverlapSource::Visit(std::span<const OverlapLook> looks) {
  std::vector<sandbox::Kernel> kernels;  // of each look, one chain and two
  for (const OverlapLook& look : looks) {
    for (const Heads heads : {Heads::kOneChain, Heads::kTwoChains}) {
      auto kernel = kernels_.Make(*look.filler, look.fillers, heads);
      if (!kernel) return std::unexpected(kernel.error());
      kernels.push_back(std::move(*kernel));
    }
  }
  const std::vector<sandbox::KernelView> views(kernels.begin(), kernels.end());
  if (auto loaded = worker_->Load(views); !loaded) return std::unexpected(loaded.error());

  std::vector<Call> calls;
  const measure::ProbeLengths& lengths = instrument_.probe_lengths();
  measure::AppendProbe(lengths, calls);
  const std::size_t begin = calls.size();
  for (std::size_t i = 0; i < kernels.size(); ++i)
    calls.push_back(sandbox::KernelCall(i, kWarmUpTrips));
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      calls.push_back(sandbox::KernelCall(i, kTrips));
  }
  const std::size_t end = calls.size();
  measure::AppendProbe(lengths, calls);
  const sandbox::Outcome outcome = worker_->Run(calls);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return Failed(death->reason);
  const std::span<const CallRecord> records = std::get<std::vector<CallRecord>>(outcome);

  OverlapVisit visit;
  const measure::Probe before = ObservedProbe(records, 0);
  visit.width = instrument_.watch().WidthOf(before, ObservedProbe(records, end));
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    // The first row of calls is the warm-up.
    const std::size_t row = begin + (static_cast<std::size_t>(repeat) + 1) * kernels.size();
    const auto trip_ns = [&](std::size_t kernel) {
      return instrument_.clock().Nanoseconds(static_cast<double>(records[row + kernel].ticks)) /
             kTrips;
    };
    std::vector<HeadTimes> times;
    for (std::size_t i = 0; i < looks.size(); ++i)
      times.push_back({trip_ns(2 * i), trip_ns(2 * i + 1)});
    visit.repeats.push_back(std::move(times));
  }
  return visit;
}

Result<ChainsVisit> WorkerOverlapSource::TimeChains(std::span<const int> chains) {
  std::vector<sandbox::Kernel> kernels;
  for (const int count : chains) {
    auto kernel = kernels_.MakeChains(count);
    if (!kernel) return std::unexpected(kernel.error());
    kernels.push_back(std::move(*kernel));
  }
  const std::vector<sandbox::KernelView> views(kernels.begin(), kernels.end());
  if (auto loaded = worker_->Load(views); !loaded) return std::unexpected(loaded.error());
  std::vector<Call> calls;
  const measure::ProbeLengths& lengths = instrument_.probe_lengths();
  measure::AppendProbe(lengths, calls);
  const std::size_t begin = calls.size();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    calls.push_back(sandbox::KernelCall(i, kWarmUpTrips));
    calls.push_back(sandbox::KernelCall(i, kTrips));
  }
  const std::size_t end = calls.size();
  measure::AppendProbe(lengths, calls);
  const sandbox::Outcome outcome = worker_->Run(calls);
  if (const auto* death = std::get_if<sandbox::Death>(&outcome)) return Failed(death->reason);
  const std::span<const CallRecord> records = std::get<std::vector<CallRecord>>(outcome);
  ChainsVisit visit;
  const measure::Probe before = ObservedProbe(records, 0);
  visit.width = instrument_.watch().WidthOf(before, ObservedProbe(records, end));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const CallRecord& timed = records[begin + 2 * i + 1];
    visit.trip_ns.push_back(instrument_.clock().Nanoseconds(static_cast<double>(timed.ticks)) /
                            kTrips);
  }
  return visit;
}

}  // namespace cyclescope::anatomy
