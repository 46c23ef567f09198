#include "sandbox/worker.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "arch/architecture.h"
#include "base/try.h"

namespace cyclescope::sandbox {
namespace {

// Far more than setting up takes under an emulator.
constexpr std::chrono::seconds kSetupLimit{20};

// Copies what the worker can change while we look: what was checked is then what is used. The fence
// keeps the compiler from reading the original again.
template <typename T>
T CopyOut(const T& shared) {
  T copy = shared;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return copy;
}

// True if a run of these calls can have that many records.
bool CanEndAfter(std::size_t count, std::span<const Call> calls) {
  if (count >= calls.size()) return count == calls.size();
  return count > 0 && calls[count - 1].most_percent != 0 &&
         (calls[count - 1].max_retries != 0 || calls[count].max_retries == 0);
}

// When a process has had its time. Where others keep the CPU from it, it is late and not to blame:
// what counts is the time that it ran, and only a multiple of the limit counts whether it ran or
// not.
class TimeLimit {
 public:
  using Duration = std::chrono::nanoseconds;

  TimeLimit(const WorkerProcess& process, std::chrono::milliseconds limit)
      : process_(process), limit_(limit), ran_before_(process.TimeRun()) {}

  // Until it may be over; unset when it is. Never long, so that other questions are asked
  // meanwhile.
  std::optional<std::chrono::milliseconds> Left() const {
    using std::chrono::milliseconds;
    const Duration passed = std::chrono::steady_clock::now() - begin_;
    const Duration ran = process_.TimeRun() - ran_before_;
    if (passed >= kMaxElapsedFactor * limit_ || ran >= limit_) return std::nullopt;
    return std::clamp(std::chrono::ceil<milliseconds>(limit_ - ran), milliseconds(1), kMaxWait);
  }

 private:
  static constexpr int kMaxElapsedFactor = 20;
  static constexpr std::chrono::milliseconds kMaxWait{100};

  const WorkerProcess& process_;
  Duration limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Duration ran_before_;
};

enum class Wait { kMessage, kGarbage, kHangUp, kTimeout, kCancelled };

Wait Await(WorkerProcess& process, std::chrono::milliseconds most, const WorkerOptions& options,
           RunNumber& message) {
  const TimeLimit limit(process, most);
  while (const auto left = limit.Left()) {
    switch (process.Receive(*left, message)) {
      case Arrival::kMessage:
        return Wait::kMessage;
      case Arrival::kGarbage:
        return Wait::kGarbage;
      case Arrival::kHangUp:
        return Wait::kHangUp;
      case Arrival::kNothing:
        break;
    }
    if (!MayGoOn(options.goes_on)) return Wait::kCancelled;
  }
  return Wait::kTimeout;
}

Death Cancelled() { return {.kind = DeathKind::kCancelled, .reason = "it was cancelled"}; }

template <std::size_t kSize>
std::string Text(const std::array<char, kSize>& text) {
  return {text.data(), strnlen(text.data(), kSize)};
}

std::string HowItEnded(const ProcessEnding& ending) {
  if (ending.death) return fmt::format(": {}", ending.death->reason);
  return fmt::format(", with exit status {}", ending.exit_status);
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::Create(const WorkerOptions& options) {
  WorkerOptions placed = options;
  placed.surroundings = WorkerMemory::Placed(options.surroundings);
  auto memory = TRY(WorkerMemory::Create(placed.surroundings));
  return std::unique_ptr<Worker>(new Worker(placed, std::move(memory)));
}

Result<std::unique_ptr<Worker>> Worker::Start(const WorkerOptions& options) {
  auto worker = TRY(Create(options));
  TRY(worker->StartProcess());
  return worker;
}

Worker::Worker(const WorkerOptions& options, WorkerMemory memory)
    : options_(options), memory_(std::move(memory)) {}

Worker::~Worker() = default;

Result<void> Worker::Load(std::span<const KernelView> kernels) {
  auto layout = TRY(LayOut(kernels, kCodeSize, code_begin_));

  const std::span<std::uint8_t> code = memory_.code();
  WriteKernels(kernels, layout, code);
  // What an earlier load left behind must not be there to jump to.
  if (layout.size < code_end_)
    std::fill_n(code.data() + layout.size, code_end_ - layout.size, std::uint8_t{0});
  code_end_ = layout.size;

  Request& request = memory_.request();
  ++request.load;
  request.code_size = static_cast<std::uint32_t>(layout.size);
  extents_ = std::move(layout.extents);
  std::ranges::transform(extents_, request.kernel_offsets.begin(), &KernelExtent::offset);

  // An emulator that translates code does not see that another process changed it, so a process
  // that has seen the old code must not go on.
  if (may_be_emulated()) Retire();
  return {};
}

Result<std::unique_ptr<CodeExecutor>> Worker::Another(const Surroundings& surroundings) {
  WorkerOptions options = options_;
  options.surroundings = surroundings;
  if (may_be_emulated()) options.surroundings.time_limit = surroundings.emulated_time_limit;
  auto another = TRY(Create(options));
  another->setup_ = setup_;
  return std::unique_ptr<CodeExecutor>(std::move(another));
}

void Worker::Relocate(unsigned number) {
  // Some pages and some lines further each time, and again from the beginning after a while.
  constexpr std::size_t kRoom = 256 * kKibi;
  constexpr std::size_t kStep = 5 * 4 * kKibi + 11 * kKernelAlignment;
  code_begin_ = number * kStep % kRoom / kKernelAlignment * kKernelAlignment;
  if (WorkerProcess::StartsQuickly()) Retire();
}

Result<void> Worker::MoveTo(int cpu) {
  if (cpu == options_.cpu) return {};
  if (process_.id() != 0) TRY(process_.MoveTo(cpu));
  options_.cpu = cpu;  // where the next process starts, too
  return {};
}

Outcome Worker::Run(std::span<const Call> calls) {
  if (!MayGoOn(options_.goes_on)) return Cancelled();
  WriteRequest(calls);
  // A process may have died since the last run (of the system's memory shortage, say), or may be
  // dying when it is asked, which is not these calls' fault: hence a second try, with a new
  // process.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (process_.id() == 0) {
      if (auto started = StartProcess(); !started) {
        if (!MayGoOn(options_.goes_on)) return Cancelled();
        return Death{.kind = DeathKind::kNotStarted, .reason = started.error().ToString()};
      }
    }
    if (process_.Send(sequence_)) {
      if (auto outcome = AwaitAnswer(calls)) return std::move(*outcome);
    }
    process_.End();
  }
  return Death{.kind = DeathKind::kNotStarted,
               .reason = "the worker process ends before it is given anything to run"};
}

void Worker::WriteRequest(std::span<const Call> calls) {
  assert(calls.size() <= kMostCalls);
  for ([[maybe_unused]] const Call& call : calls) {
    assert(call.entry.index < (call.entry.kind == Entry::Kind::kKernel
                                   ? extents_.size()
                                   : arch::ReferenceChains().size()));
  }
  if (++sequence_ == kReady) ++sequence_;
  Request& request = memory_.request();
  request.sequence = sequence_;
  request.call_count = static_cast<std::uint32_t>(calls.size());
  std::ranges::copy(calls, request.calls.begin());
}

std::optional<Outcome> Worker::AwaitAnswer(std::span<const Call> calls) {
  RunNumber answered = kReady;
  const Wait wait = Await(process_, options_.surroundings.time_limit, options_, answered);
  if (wait == Wait::kHangUp) {
    auto death = CollectDeath();
    return death ? std::optional<Outcome>(std::move(*death)) : std::nullopt;
  }
  if (wait == Wait::kCancelled) {
    process_.End();
    return Cancelled();
  }
  if (wait == Wait::kTimeout) {
    process_.End();
    return Death{.kind = DeathKind::kTimeout,
                 .reason = fmt::format("did not end within {} ms",
                                       options_.surroundings.time_limit.count())};
  }
  const Response& response = memory_.response();
  const std::uint32_t count = CopyOut(response.record_count);
  if (wait == Wait::kGarbage || answered != sequence_ || CopyOut(response.sequence) != sequence_ ||
      !CanEndAfter(count, calls)) {
    process_.End();
    return Death{.kind = DeathKind::kProtocolError,
                 .reason = "the code damaged the worker process: its answer makes no sense"};
  }
  std::vector<CallRecord> records;
  records.reserve(count);
  for (std::size_t i = 0; i < count; ++i) records.push_back(FromData(CopyOut(response.records[i])));
  return records;
}

std::optional<Death> Worker::CollectDeath() {
  const std::optional<ProcessEnding> ending = process_.End();
  if (!ending) return std::nullopt;
  const FaultReport report = CopyOut(memory_.response().fault);
  if (ending->reported_fault && report.sequence == sequence_) {
    return DeathByFault(report,
                        FindPlace(extents_, report.program_counter - memory_.code_address()));
  }
  if (ending->death) return ending->death;
  return Death{.kind = DeathKind::kExited, .reason = "the code made the worker process leave"};
}

Result<void> Worker::StartProcess() {
  memory_.SetContents(options_.surroundings);
  process_ = TRY(WorkerProcess::Start(memory_, options_));
  return AwaitSetup();
}

Result<void> Worker::AwaitSetup() {
  RunNumber message = 0;
  const Wait wait = Await(process_, kSetupLimit, options_, message);
  if (wait == Wait::kCancelled) {
    process_.End();
    return Failed("starting the worker process was cancelled");
  }
  if (wait == Wait::kTimeout) {
    process_.End();
    return Failed(fmt::format("the worker process was not ready after {} s", kSetupLimit.count()));
  }
  if (wait != Wait::kMessage || message != kReady) {
    const std::optional<ProcessEnding> ending = process_.End();
    return Failed(fmt::format("the worker process ended while it was being set up{}",
                              ending ? HowItEnded(*ending) : ""));
  }
  const SetupReport report = CopyOut(memory_.response().setup);
  if (report.failed != 0) {
    process_.End();
    return Failed(Text(report.message), Text(report.hint));
  }
  setup_ = report;
  process_.LimitRuns(options_.surroundings.time_limit);
  return {};
}

}  // namespace cyclescope::sandbox
