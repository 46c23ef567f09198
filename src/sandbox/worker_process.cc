#include "sandbox/worker_process.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/kernel_entry.h"
#include "os/counters.h"
#include "os/cpus.h"
#include "os/extended_state.h"
#include "os/host.h"
#include "sandbox/call_timer.h"
#include "sandbox/fault_signals.h"
#include "sandbox/system_call_filter.h"

namespace cyclescope::sandbox {
namespace {

// ---- Setting up. fork() leaves malloc usable in the child even if the tool has threads (glibc
// promises it), so errors can be built as everywhere; no other lock of the tool's is touched.

// However the tool ends, its worker ends with it; but signals from the terminal are the tool's.
Result<void> TieToTool(pid_t tool) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return SystemError("cannot tie the worker's life to the tool's", errno);
  }
  if (getppid() != tool) _exit(0);  // it ended before the line above
  setpgid(0, 0);
  return {};
}

// Leaves the socket, at a number known to the system-call filter, and nothing else open.
Result<void> KeepOnlySocket(int socket) {
  if (socket != kWorkerSocket && dup2(socket, kWorkerSocket) < 0) {
    return SystemError("cannot move the worker's socket", errno);
  }
  closefrom(kWorkerSocket + 1);
  return {};
}

void Limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  // May be refused where an earlier limit is lower still, which serves as well.
  setrlimit(resource, &limit);
}

// The filter forbids whatever these limit, but not every system has a filter.
void LimitResources(std::chrono::milliseconds time_limit) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Limit(RLIMIT_CORE, 0, 0);
  Limit(RLIMIT_FSIZE, 0, 0);
  Limit(RLIMIT_NPROC, 0, 0);
  Limit(RLIMIT_NOFILE, kMostWorkerDescriptors, kMostWorkerDescriptors);
  // An endless loop at real-time priority could keep the tool itself from running: then the kernel
  // has to enforce the time limit, in microseconds of its own clock, a little later.
  const auto allowance = static_cast<rlim_t>(std::chrono::microseconds(time_limit).count()) * 5 / 4;
  Limit(RLIMIT_RTTIME, allowance, allowance * 2);
}

class WorkerProcess {
 public:
  WorkerProcess(WorkerMemory& memory, const WorkerOptions& options)
      : memory_(memory), options_(options) {}

  Result<void> SetUp(int socket, pid_t tool);
  // Returns when the tool has closed its end of the socket.
  void Serve();

  int filter_error() const { return filter_error_; }

 private:
  void Execute(const Request& request);

  WorkerMemory& memory_;
  const WorkerOptions& options_;
  std::optional<os::Counters> counters_;
  std::vector<sock_filter> filter_;  // kept: freeing memory may take a system call that it forbids
  int filter_error_ = 0;
  std::uint32_t seen_load_ = 0;
};

Result<void> WorkerProcess::SetUp(int socket, pid_t tool) {
  if (auto tied = TieToTool(tool); !tied) return tied;
  if (auto kept = KeepOnlySocket(socket); !kept) return kept;
  if (auto reported = ReportFaults(memory_.worker_response().fault, memory_.worker_request(),
                                   memory_.signal_stack());
      !reported) {
    return reported;
  }
  if (auto pinned = os::Pin(options_.cpu); !pinned) return pinned;
  os::RaisePriority();
  if (options_.counters) {
    auto counters = os::Counters::Open(*options_.counters);
    if (!counters) return std::unexpected(counters.error());
    counters_ = std::move(*counters);
  }
  os::RequestTileState();
  arch::PrepareKernelEntry(os::ReadCapabilityWords());
  LimitResources(options_.surroundings.time_limit);
  filter_ = BuildSystemCallFilter(memory_.code_address(), kCodeSize);
  filter_error_ = InstallSystemCallFilter(filter_);
  return {};
}

// ---- Serving. From here on nothing is allocated, and no system call is made but those that the
// filter allows.

bool Send(RunNumber sequence) {
  return write(kWorkerSocket, &sequence, sizeof(sequence)) == ssize_t{sizeof(sequence)};
}

bool Receive(RunNumber& sequence) {
  return read(kWorkerSocket, &sequence, sizeof(sequence)) == ssize_t{sizeof(sequence)};
}

void WorkerProcess::Serve() {
  RunNumber sequence = kReady;
  while (Send(sequence) && Receive(sequence)) Execute(memory_.worker_request());
}

void WorkerProcess::Execute(const Request& request) {
  Response& response = memory_.worker_response();
  // Clearing them also makes sure that no page of them is touched for the first time between calls.
  std::fill_n(response.records.begin(), request.call_count, RecordData{});
  const std::span<std::uint64_t> scratch =
      options_.surroundings.scratch ? memory_.scratch_words() : std::span<std::uint64_t>();
  std::ranges::fill(scratch, 0);
  if (request.load != seen_load_) {
    arch::SynchronizeCode(reinterpret_cast<const void*>(memory_.code_address()), request.code_size);
    seen_load_ = request.load;
  }

  CallTimer timer(
      {.code = memory_.code_address(),
       .offsets = request.kernel_offsets,
       .scratch = memory_.scratch_address(),
       .stack = memory_.kernel_stack_pointer(),
       .memory = scratch,
       .page = memory_.page_words(),
       .page_image = options_.surroundings.contents.empty() ? std::span<const std::uint64_t>()
                                                            : memory_.page_image_words()},
      counters_ ? &*counters_ : nullptr);
  for (std::uint32_t i = 0; i < request.call_count; ++i) {
    response.records[i] = ToData(timer.Time(request.calls[i]));
  }
  response.record_count = request.call_count;
  response.sequence = request.sequence;
}

template <std::size_t kSize>
void CopyText(const std::string& text, std::array<char, kSize>& to) {
  to.fill('\0');
  text.copy(to.data(), kSize - 1);
}

}  // namespace

void BeWorker(WorkerMemory& memory, const WorkerOptions& options, const FileDescriptor& socket,
              pid_t tool) {
  // Without its memory the worker has nowhere to say why; the tool sees it leave.
  if (auto mapped = memory.BecomeWorker(options.surroundings); !mapped) _exit(1);
  WorkerProcess process(memory, options);
  const Result<void> set_up = process.SetUp(socket.number(), tool);

  SetupReport& report = memory.worker_response().setup;
  report.failed = set_up ? 0 : 1;
  report.filter_error = process.filter_error();
  if (!set_up) {
    CopyText(set_up.error().message, report.message);
    CopyText(set_up.error().hint, report.hint);
    Send(kReady);
    _exit(0);
  }
  process.Serve();
  _exit(0);
}

}  // namespace cyclescope::sandbox
