#include "sandbox/worker.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "arch/architecture.h"
#include "os/cpus.h"
#include "sandbox/fault_signals.h"
#include "sandbox/worker_process.h"

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

// Until the process has handlers of its own, those that it was forked with must not run in it.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

enum class Arrival {
  kMessage,
  kGarbage,  // something that is no message
  kHangUp,   // the other side is gone
  kTimeout,
  kCancelled,
};

bool GoesOn(const WorkerOptions& options) { return !options.goes_on || options.goes_on(); }

// When a process has had its time. Where others keep the CPU from it, it is late and not to blame:
// what counts is the time that it ran, and only a multiple of the limit counts whether it ran or
// not.
class TimeLimit {
 public:
  using Duration = std::chrono::nanoseconds;

  TimeLimit(pid_t process, std::chrono::milliseconds limit)
      : process_(process), limit_(limit), ran_before_(TimeRun()) {}

  // Until it may be over; unset when it is. Never long, so that other questions are asked
  // meanwhile.
  std::optional<std::chrono::milliseconds> Left() const {
    using std::chrono::milliseconds;
    const Duration passed = std::chrono::steady_clock::now() - begin_;
    const Duration ran = TimeRun() - ran_before_;
    if (passed >= kMostTimes * limit_ || ran >= limit_) return std::nullopt;
    return std::clamp(std::chrono::ceil<milliseconds>(limit_ - ran), milliseconds(1), kLongest);
  }

 private:
  static constexpr int kMostTimes = 20;
  static constexpr std::chrono::milliseconds kLongest{100};

  Duration TimeRun() const {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
  }

  pid_t process_;
  Duration limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Duration ran_before_;
};

// Waits for one message, whatever signals arrive meanwhile.
Arrival Receive(const FileDescriptor& socket, const TimeLimit& limit, const WorkerOptions& options,
                RunNumber& message) {
  for (;;) {
    const auto left = limit.Left();
    if (!left) return Arrival::kTimeout;
    pollfd waiting{socket.number(), POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left->count()));
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
      if (!GoesOn(options)) return Arrival::kCancelled;
      continue;
    }
    if (ready < 0) return Arrival::kGarbage;
    const ssize_t size = recv(socket.number(), &message, sizeof(message), MSG_DONTWAIT);
    if (size == ssize_t{sizeof(message)}) return Arrival::kMessage;
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    // Nothing read can also be an empty message, from a process that lives.
    return (waiting.revents & POLLHUP) != 0 ? Arrival::kHangUp : Arrival::kGarbage;
  }
}

Death Cancelled() { return {.kind = DeathKind::kCancelled, .reason = "it was cancelled"}; }

template <std::size_t kSize>
std::string Text(const std::array<char, kSize>& text) {
  return {text.data(), strnlen(text.data(), kSize)};
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) return fmt::format(": {}", DeathBySignal(WTERMSIG(status)).reason);
  return fmt::format(", with exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::Create(const WorkerOptions& options) {
  auto memory = WorkerMemory::Create();
  if (!memory) return std::unexpected(memory.error());
  memory->SetPageImage(options.surroundings.contents);
  return std::unique_ptr<Worker>(new Worker(options, std::move(*memory)));
}

Result<std::unique_ptr<Worker>> Worker::Start(const WorkerOptions& options) {
  auto worker = Create(options);
  if (!worker) return worker;
  if (auto started = (*worker)->StartProcess(); !started) return std::unexpected(started.error());
  return worker;
}

Worker::Worker(const WorkerOptions& options, WorkerMemory memory)
    : options_(options), memory_(std::move(memory)) {}

Worker::~Worker() { EndProcess(); }

Result<void> Worker::Load(std::span<const KernelView> kernels) {
  auto layout = LayOut(kernels, kCodeSize);
  if (!layout) return std::unexpected(layout.error());

  const std::span<std::uint8_t> code = memory_.code();
  WriteKernels(kernels, *layout, code);
  // What an earlier load left behind must not be there to jump to.
  if (layout->size < code_high_water_)
    std::ranges::fill(code.subspan(layout->size, code_high_water_ - layout->size), 0);
  code_high_water_ = std::max(code_high_water_, layout->size);

  Request& request = memory_.request();
  ++request.load;
  request.code_size = static_cast<std::uint32_t>(layout->size);
  extents_ = std::move(layout->extents);
  std::ranges::transform(extents_, request.kernel_offsets.begin(), &KernelExtent::offset);

  // An emulator that translates code does not see that another process changed it. Where there is
  // no filter there may be an emulator, so a process that has seen the old code must not go on.
  if (!has_system_call_filter()) Retire();
  return {};
}

Result<std::unique_ptr<CodeExecutor>> Worker::Another(const Surroundings& surroundings) {
  WorkerOptions options = options_;
  options.surroundings = surroundings;
  auto another = Create(options);
  if (!another) return std::unexpected(another.error());
  (*another)->filter_error_ = filter_error_;
  return std::unique_ptr<CodeExecutor>(std::move(*another));
}

Result<void> Worker::MoveTo(int cpu) {
  if (cpu == options_.cpu) return {};
  if (process_ != 0) {
    if (auto pinned = os::PinProcess(process_, cpu); !pinned) return pinned;
  }
  options_.cpu = cpu;  // where the next process starts, too
  return {};
}

std::vector<Warning> Worker::Warnings() const {
  if (has_system_call_filter()) return {};
  return {{.code = "no-system-call-filter",
           .message = fmt::format("the system refuses system-call filters ({}), so code that makes "
                                  "system calls is not run",
                                  std::generic_category().message(filter_error_)),
           .hint = "use a kernel with CONFIG_SECCOMP_FILTER, and no user-mode emulator"}};
}

Outcome Worker::Run(std::span<const Call> calls) {
  if (!GoesOn(options_)) return Cancelled();
  WriteRequest(calls);
  // A process may have died since the last run (of the system's memory shortage, say), which is not
  // these calls' fault: hence a second try, with a new process.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (process_ == 0) {
      if (auto started = StartProcess(); !started) {
        if (!GoesOn(options_)) return Cancelled();
        return Death{.kind = DeathKind::kNotStarted, .reason = started.error().ToString()};
      }
    }
    if (SendRequest()) return AwaitAnswer(calls.size());
    EndProcess();
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

bool Worker::SendRequest() {
  return send(socket_.number(), &sequence_, sizeof(sequence_), MSG_NOSIGNAL) ==
         ssize_t{sizeof(sequence_)};
}

Outcome Worker::AwaitAnswer(std::size_t call_count) {
  RunNumber answered = kReady;
  const Arrival arrival =
      Receive(socket_, TimeLimit(process_, options_.surroundings.time_limit), options_, answered);
  if (arrival == Arrival::kHangUp) return CollectDeath();
  if (arrival == Arrival::kCancelled) {
    EndProcess();
    return Cancelled();
  }
  if (arrival == Arrival::kTimeout) {
    EndProcess();
    return Death{.kind = DeathKind::kTimeout,
                 .reason = fmt::format("did not end within {} ms",
                                       options_.surroundings.time_limit.count())};
  }
  const Response& response = memory_.response();
  if (arrival == Arrival::kGarbage || answered != sequence_ ||
      CopyOut(response.sequence) != sequence_ || CopyOut(response.record_count) != call_count) {
    EndProcess();
    return Death{.kind = DeathKind::kProtocolError,
                 .reason = "the code damaged the worker process: its answer makes no sense"};
  }
  std::vector<CallRecord> records;
  records.reserve(call_count);
  for (std::size_t i = 0; i < call_count; ++i) {
    records.push_back(FromData(CopyOut(response.records[i])));
  }
  return records;
}

Death Worker::CollectDeath() {
  const std::optional<int> status = EndProcess();
  const FaultReport report = CopyOut(memory_.response().fault);
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == kFaultReported &&
      report.sequence == sequence_) {
    // A positive code other than SI_KERNEL names an address (man 2 sigaction).
    const bool has_address = report.code > 0 && report.code != SI_KERNEL;
    return DeathBySignal(report.signal, has_address ? std::optional(report.address) : std::nullopt,
                         FindPlace(extents_, report.program_counter - memory_.code_address()));
  }
  if (status && WIFSIGNALED(*status)) return DeathBySignal(WTERMSIG(*status));
  return Death{.kind = DeathKind::kExited, .reason = "the code made the worker process leave"};
}

Result<void> Worker::StartProcess() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return SystemError("cannot create a socket to the worker process", errno);
  }
  FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  const pid_t tool = getpid();
  pid_t child = 0;
  {
    const AllSignalsBlocked blocked;
    child = fork();
    if (child == 0) BeWorker(memory_, options_, theirs, tool);
  }
  if (child < 0) {
    return SystemError("cannot create the worker process", errno,
                       "see whether a limit on processes was reached (ulimit -u)");
  }
  process_ = child;
  socket_ = std::move(ours);
  theirs.Close();  // or the end of the worker would not be seen
  return AwaitSetup();
}

Result<void> Worker::AwaitSetup() {
  RunNumber message = 0;
  const Arrival arrival = Receive(socket_, TimeLimit(process_, kSetupLimit), options_, message);
  if (arrival == Arrival::kCancelled) {
    EndProcess();
    return Failed("starting the worker process was cancelled");
  }
  if (arrival == Arrival::kTimeout) {
    EndProcess();
    return Failed(fmt::format("the worker process was not ready after {} s", kSetupLimit.count()));
  }
  if (arrival != Arrival::kMessage || message != kReady) {
    const std::optional<int> status = EndProcess();
    return Failed(fmt::format("the worker process ended while it was being set up{}",
                              status ? HowItEnded(*status) : ""));
  }
  const SetupReport report = CopyOut(memory_.response().setup);
  if (report.failed != 0) {
    EndProcess();
    return Failed(Text(report.message), Text(report.hint));
  }
  filter_error_ = report.filter_error;
  return {};
}

std::optional<int> Worker::EndProcess() {
  if (process_ == 0) return std::nullopt;
  // A process that is ending already keeps the status that it ends with.
  kill(process_, SIGKILL);
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(process_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  process_ = 0;
  socket_.Close();
  if (reaped < 0) return std::nullopt;
  return status;
}

}  // namespace cyclescope::sandbox
