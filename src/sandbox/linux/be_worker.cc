#include "sandbox/linux/be_worker.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "arch/kernel_entry.h"
#include "base/try.h"
#include "os/cpus.h"
#include "os/host.h"
#include "sandbox/linux/system_call_filter.h"
#include "sandbox/run_server.h"

namespace cyclescope::sandbox {
namespace {

// ---- Setting up. What it comes from was forked from a tool that may have had threads. glibc
// leaves malloc usable then, so errors can be built as everywhere; no other lock of the tool's is
// touched.

// However the fork server ends, and it ends with the tool, its workers end with it; but signals
// from the terminal are the tool's.
Result<void> TieToServer(pid_t server) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return SystemError("cannot tie the worker's life to the tool's", errno);
  }
  if (getppid() != server) _exit(0);  // it ended before the line above
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

void Limit(__rlimit_resource_t resource, rlim_t most) {
  const rlimit limit{most, most};
  // May be refused where an earlier limit is lower still, which serves as well.
  setrlimit(resource, &limit);
}

// The filter forbids whatever these limit, but not every system has a filter.
void LimitResources() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_NPROC, 0);
  Limit(RLIMIT_NOFILE, kMostWorkerDescriptors);
}

// Asks for AMX's tiles, which the system gives only to processes that want them. Where there are
// none, or they are refused, code that uses them faults.
void RequestTileState() {
#ifdef SYS_arch_prctl  // of x86-64 alone
  // <asm/prctl.h> and the number of the state component (Linux, Documentation/arch/x86/xstate.rst);
  // headers may be older than the kernel.
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  syscall(SYS_arch_prctl, kRequestPermission, kTileData);
#endif
}

class ForkedWorker {
 public:
  ForkedWorker(WorkerMemory& memory, const WorkerOptions& options)
      : memory_(memory), options_(options), server_(memory, options.surroundings) {}

  Result<void> SetUp(int socket, pid_t server);
  // Returns when the tool has closed its end of the socket.
  void Serve();
  void Report(const Result<void>& set_up);

 private:
  WorkerMemory& memory_;
  const WorkerOptions& options_;
  RunServer server_;
  std::vector<sock_filter> filter_;  // kept: freeing memory may take a system call that it forbids
  int filter_error_ = 0;
};

Result<void> ForkedWorker::SetUp(int socket, pid_t server) {
  TRY(TieToServer(server));
  TRY(KeepOnlySocket(socket));
  TRY(ReportFaults(memory_.worker_response().fault, memory_.worker_request(),
                   memory_.fault_stack()));
  TRY(os::Pin(options_.cpu));
  os::RaisePriority();
  memory_.FillChase(options_.surroundings);
  if (options_.counters) TRY(server_.OpenCounters(*options_.counters));
  RequestTileState();
  arch::PrepareKernelEntry(os::ReadCapabilityWords());
  LimitResources();
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

void ForkedWorker::Serve() {
  RunNumber sequence = kReady;
  while (Send(sequence) && Receive(sequence)) server_.Execute();
}

void ForkedWorker::Report(const Result<void>& set_up) {
  SetupReport& report = memory_.worker_response().setup;
  report.has_filter = filter_error_ == 0 ? 1 : 0;
  report.filter_error = filter_error_;
  // Where there is no filter there may be an emulator.
  report.may_be_emulated = filter_error_ == 0 ? 0 : 1;
  server_.Report(set_up);
}

}  // namespace

void BeWorker(WorkerMemory& memory, const WorkerOptions& options, int socket, pid_t server) {
  // Without its memory the worker has nowhere to say why; the tool sees it leave.
  if (auto mapped = memory.BecomeWorker(options.surroundings); !mapped) _exit(1);
  ForkedWorker worker(memory, options);
  const Result<void> set_up = worker.SetUp(socket, server);
  worker.Report(set_up);
  if (!set_up) {
    Send(kReady);
    _exit(0);
  }
  worker.Serve();
  _exit(0);
}

}  // namespace cyclescope::sandbox
