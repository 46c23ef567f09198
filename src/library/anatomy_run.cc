#include "library/anatomy_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "anatomy/conclude_pipeline.h"
#include "anatomy/conclude_windows.h"
#include "anatomy/elimination.h"
#include "anatomy/fill_buffers.h"
#include "anatomy/find_windows.h"
#include "anatomy/front_end.h"
#include "anatomy/worker_code_times.h"
#include "anatomy/worker_overlap_source.h"
#include "arch/architecture.h"
#include "arch/pipeline_code.h"
#include "arch/window_code.h"
#include "base/try.h"
#include "library/block_jobs.h"
#include "library/measuring_cpus.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "os/memory_area.h"

namespace cyclescope::library {
namespace {

// What the parts of a run share.
struct Shared {
  const AnatomyRun& run;
  int cpu = 0;  // to begin on; then the quietest of `cpus`
  const os::CpuList& cpus;
  CodeSession& session;
  std::shared_ptr<measure::CoreWatch> watch;
  Pulse& pulse;
  Document& document;
  std::unique_ptr<anatomy::WorkerOverlapSource> chase = nullptr;
};

// Memory for a chase that misses the caches, or less where there is little: a miss of the second
// cache shows the windows of most cores, too.
std::uint64_t ChaseBytes(bool quick) {
  constexpr std::uint64_t kChaseBytes = 256 << 20;
  constexpr std::uint64_t kQuickChaseBytes = 64 << 20;
  constexpr std::uint64_t kMinBytes = 16 << 20;
  constexpr std::uint64_t kShareOfFree = 4;
  const auto free = os::FreeMemoryBytes();
  const std::uint64_t wanted = quick ? kQuickChaseBytes : kChaseBytes;
  if (!free) return wanted;
  const auto may_take = static_cast<std::uint64_t>(std::max<std::int64_t>(*free, 0)) / kShareOfFree;
  return std::clamp(std::bit_floor(may_take), kMinBytes, wanted);
}

// Each part waits for a quiet core as long as the user wants, or as a whole run has time for.
measure::QuietPlaces PlacesOf(const Shared& shared) {
  constexpr double kPatienceS = 2;
  constexpr double kQuickPatienceS = 0.2;
  const double patience_s =
      shared.run.settings.patience_s.value_or(shared.run.quick ? kQuickPatienceS : kPatienceS);
  return {.cpus = shared.cpus,
          .patience = std::chrono::nanoseconds(static_cast<std::int64_t>(patience_s * 1e9))};
}

// A worker whose memory holds a chase, which two parts use.
Result<anatomy::WorkerOverlapSource*> Chase(Shared& shared) {
  if (shared.chase != nullptr) return shared.chase.get();
  // Filling a chase is no run of the code, and takes longer than one.
  const sandbox::WorkerOptions options = {
      .cpu = shared.cpu,
      .surroundings = {.chase_bytes = ChaseBytes(shared.run.quick),
                       .time_limit = std::chrono::seconds(10)},
      .goes_on = shared.pulse.Question()};
  const measure::TickClock clock = measure::SystemTickClock();
  shared.chase = TRY(anatomy::WorkerOverlapSource::Create(
      options, clock, shared.watch, shared.session.assembler(), PlacesOf(shared)));
  shared.chase->SeekQuietCore();
  shared.cpu = shared.chase->cpu();
  return shared.chase.get();
}

// True if a core of this machine may run several threads. A hypervisor need not say.
bool MayHaveThreads(const Host& host) {
  const bool has_one_thread = host.hypervisor == "none" && host.smt == false;
  return arch::CoresMayHaveThreads() && !has_one_thread;
}

// Keeps a CPU busy while it is told to.
class BusyCpu {
 public:
  explicit BusyCpu(int cpu) : cpu_(cpu) {}

  // When it returns, the thread runs or has ended.
  void Set(bool busy) {
    if (!busy) {
      thread_ = {};
      return;
    }
    std::atomic<bool> begun = false;
    thread_ = std::jthread([cpu = cpu_, &begun](const std::stop_token& stop) {
      const bool is_there = os::Pin(cpu).has_value();
      begun = true;
      begun.notify_one();
      constexpr std::uint64_t kLoops = 1'000;
      while (is_there && !stop.stop_requested()) arch::RunWideLoop(kLoops);
    });
    begun.wait(false);
  }

 private:
  int cpu_;
  std::jthread thread_;
};

// For each CPU that may be on the core of the run's.
std::vector<anatomy::RunOnOtherCpu> Neighbours(const Shared& shared,
                                               anatomy::WorkerOverlapSource& source) {
  std::vector<anatomy::RunOnOtherCpu> neighbours;
  for (const int cpu : NeighbourCpus(shared.cpu, shared.document.host)) {
    neighbours.emplace_back([&source, cpu, busy = std::make_shared<BusyCpu>(cpu)](bool begins) {
      source.CountProbes(!begins);
      busy->Set(begins && cpu != source.cpu());
    });
  }
  return neighbours;
}

// All of them, or for a first impression one for each of the windows that people ask for first.
std::vector<arch::WindowFiller> FillersFor(bool quick) {
  const std::span<const arch::WindowFiller> all = arch::WindowFillers();
  if (!quick) return {all.begin(), all.end()};
  std::vector<arch::WindowFiller> fillers;
  using enum arch::Window;
  for (const arch::Window window :
       {kLoads, kReorderBuffer, kStores, kIntegerRegisters, kVectorRegisters, kScheduler}) {
    const auto first = std::ranges::find(all, window, &arch::WindowFiller::window);
    if (first != all.end()) fillers.push_back(*first);
  }
  return fillers;
}

Result<void> MeasureWindows(Shared& shared) {
  const auto source = TRY(Chase(shared));
  anatomy::WindowSettings settings = {.may_be_shared = MayHaveThreads(shared.document.host),
                                      .neighbours = Neighbours(shared, *source)};
  if (shared.run.quick) {
    settings.confirmations = 1;
    settings.one_by_one = true;
    settings.most_time = std::chrono::milliseconds(2200);
  }
  const std::vector<arch::WindowFiller> fillers = FillersFor(shared.run.quick);
  std::vector<AnatomyRow> rows = anatomy::FindWindows(fillers, shared.document.host.features,
                                                      settings, *source, shared.pulse.Question());
  std::ranges::move(rows, std::back_inserter(shared.document.anatomy->rows));
  return {};
}

// Times of patterns of code.
Result<std::unique_ptr<anatomy::WorkerCodeTimes>> CodeTimesOf(Shared& shared) {
  const sandbox::WorkerOptions options = {.cpu = shared.cpu,
                                          .surroundings = {.time_limit = std::chrono::seconds(10)},
                                          .goes_on = shared.pulse.Question()};
  const measure::TickClock clock = measure::SystemTickClock();
  const anatomy::CodeTimesSettings settings = {.most_visits = shared.run.quick ? 5 : 14,
                                               .goes_on = shared.pulse.Question(),
                                               .places = PlacesOf(shared)};
  return anatomy::WorkerCodeTimes::Create(options, clock, shared.watch, shared.session.assembler(),
                                          settings);
}

// What a neighbour put into code caches and predictors is there when it has gone, so that a quiet
// visit may see a part of them. Where it comes often, all that is read from them is marked.
bool IsOftenShared(const anatomy::WorkerCodeTimes& times) {
  constexpr double kMaxSharedShare = 0.05;
  return times.shared_share() > kMaxSharedShare;
}

void AddRows(std::vector<AnatomyRow> rows, bool often_shared, Document& document) {
  for (AnatomyRow& row : rows) {
    row.contended |= often_shared && row.value.has_value();
    document.anatomy->rows.push_back(std::move(row));
  }
}

Result<void> MeasureFrontEnd(Shared& shared) {
  auto times = TRY(CodeTimesOf(shared));
  anatomy::FrontEndFinder finder(*times,
                                 {.quick = shared.run.quick, .goes_on = shared.pulse.Question()});
  const anatomy::FrontEnd found = finder.Find();
  AddRows(anatomy::RowsOf(found), IsOftenShared(*times), shared.document);
  for (AnatomyWidth& width : anatomy::WidthsOf(found)) {
    width.contended |= IsOftenShared(*times);
    shared.document.anatomy->widths.push_back(std::move(width));
  }
  return {};
}

Result<void> MeasureRows(Shared& shared,
                         std::vector<AnatomyRow> (*find)(anatomy::CodeTimes& times)) {
  auto times = TRY(CodeTimesOf(shared));
  std::vector<AnatomyRow> rows = find(*times);
  AddRows(std::move(rows), IsOftenShared(*times), shared.document);
  return {};
}

// A snippet of a pattern; `name` finds its row again.
Result<BlockJob> JobOf(assembler::Assembler& assembler, std::string_view code, std::string name) {
  BlockRequest request;
  request.text = code;
  request.set = arch::PatternNumbers();
  for (const arch::PatternAddress& address : arch::PatternAddresses())
    request.set += fmt::format(",{}={:#x}", address.name, kSnippetMemory + address.offset);
  request.memory = "zero";
  return OwnJob(assembler, request, std::move(name));
}

Result<void> MeasureMemoryPipeline(Shared& shared) {
  const std::span<const arch::PipelinePattern> patterns = arch::PipelinePatterns();
  std::vector<BlockJob> jobs;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (const std::string_view code : {patterns[i].code, patterns[i].without}) {
      if (code.empty()) continue;
      jobs.push_back(TRY(JobOf(shared.session.assembler(), code, std::to_string(i))));
    }
  }
  // By pattern, what it takes and then what its counterpart does.
  std::vector<std::vector<std::optional<Estimate>>> cycles(patterns.size());
  TRY(MeasureBlocks(shared.session, jobs, shared.pulse,
                    [&](const BlockRow& row, bool /*is_whole*/) -> Result<void> {
                      cycles[static_cast<std::size_t>(std::stoul(row.name))].push_back(row.cycles);
                      return {};
                    }));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    cycles[i].resize(2);
    shared.document.anatomy->rows.push_back(
        anatomy::Concluded(patterns[i], cycles[i][0], cycles[i][1]));
  }
  const auto source = TRY(Chase(shared));
  shared.document.anatomy->rows.push_back(anatomy::MeasureFillBuffers(*source));
  return {};
}

// Windows are read from ratios of times; all else is read from cycles.
void WithdrawCycles(Anatomy& anatomy) {
  for (AnatomyRow& row : anatomy.rows) {
    if (row.part == AnatomyPart::kWindows || !row.value) continue;
    row.value.reset();
    row.shared.reset();
    row.states.clear();
    row.note.clear();
    row.at_least = row.contended = false;
    row.status = Status::kUnmeasurable;
    row.reason = "the length of a cycle is not known here";
  }
  anatomy.widths.clear();
}

Result<void> MeasurePart(AnatomyPart part, Shared& shared) {
  switch (part) {
    case AnatomyPart::kWindows:
      return MeasureWindows(shared);
    case AnatomyPart::kFrontEnd:
      return MeasureFrontEnd(shared);
    case AnatomyPart::kElimination:
      return MeasureRows(shared, anatomy::FindElimination);
    case AnatomyPart::kFusion:
      return MeasureRows(shared, anatomy::FindFusion);
    case AnatomyPart::kMemoryPipeline:
      return MeasureMemoryPipeline(shared);
  }
  std::unreachable();
}

}  // namespace

std::vector<AnatomyPart> AllAnatomyParts() {
  std::vector<AnatomyPart> parts;
  for (std::size_t i = 0; i < NamesOf(AnatomyPart{}).size(); ++i)
    parts.push_back(static_cast<AnatomyPart>(i));
  return parts;
}

Result<void> MeasureAnatomyParts(const AnatomyRun& run, Pulse& pulse, Document& document) {
  const auto begin = std::chrono::steady_clock::now();
  const auto cpus = TRY(run.settings.MeasuringCpus(document.host));
  CodeSettings settings = run.settings;
  if (settings.watches == nullptr)
    settings.watches = std::make_shared<measure::CoreWatches>(ExpectedWidth(document.host));
  auto session = CodeSession::Open(settings, pulse, document.host);
  if (!session) {
    if (!pulse.has_ended()) return std::unexpected(session.error());
    document.partial = true;
    return {};
  }
  document.anatomy = Anatomy{.cpu = cpus.back()};
  Shared shared = {.run = run,
                   .cpu = cpus.back(),
                   .cpus = cpus,
                   .session = *session,
                   .watch = settings.watches->Of(cpus.back(), document.host.topology),
                   .pulse = pulse,
                   .document = document};
  for (std::size_t i = 0; i < run.parts.size(); ++i) {
    if (!pulse.Report({.done = i, .total = run.parts.size(), .part = ToString(run.parts[i])}))
      break;
    if (auto measured = MeasurePart(run.parts[i], shared); !measured && !pulse.has_ended())
      return measured;
  }
  if (!shared.watch->trusted()) WithdrawCycles(*document.anatomy);
  session->Describe(document);
  if (!run.show_code) {
    for (AnatomyRow& row : document.anatomy->rows) row.code.clear();
  }
  document.anatomy->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  document.partial = document.partial || pulse.has_ended();
  return {};
}

void PlanAnatomyParts(const AnatomyRun& run, Document& document) {
  document.anatomy = Anatomy{};
  const auto has = [&run](AnatomyPart part) {
    return std::ranges::find(run.parts, part) != run.parts.end();
  };
  if (has(AnatomyPart::kWindows)) {
    for (const arch::WindowFiller& filler : FillersFor(run.quick))
      document.anatomy->rows.push_back(anatomy::PlannedRow(filler));
  }
  if (has(AnatomyPart::kFrontEnd))
    AddRows(anatomy::PlannedFrontEndRows(), /*often_shared=*/false, document);
  if (has(AnatomyPart::kElimination))
    AddRows(anatomy::PlannedEliminationRows(), /*often_shared=*/false, document);
  if (has(AnatomyPart::kFusion))
    AddRows(anatomy::PlannedFusionRows(), /*often_shared=*/false, document);
  if (has(AnatomyPart::kMemoryPipeline)) {
    for (const arch::PipelinePattern& pattern : arch::PipelinePatterns())
      document.anatomy->rows.push_back(anatomy::PlannedRow(pattern));
  }
}

}  // namespace cyclescope::library
