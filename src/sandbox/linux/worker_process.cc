#include "sandbox/worker_process.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

#include "os/linux/affinity.h"
#include "sandbox/death.h"
#include "sandbox/linux/fork_server.h"

namespace cyclescope::sandbox {

bool WorkerProcess::StartsQuickly() { return true; }

std::shared_ptr<void> KeepWorkersQuick() {
  // A worker has what was reserved for it from the tool, by way of this copy.
  if (!ScratchAddress()) return nullptr;
  auto server = ForkServer::Get();
  return server ? std::move(*server) : nullptr;
}

Result<WorkerProcess> WorkerProcess::Start(WorkerMemory& memory, const WorkerOptions& options) {
  auto server = ForkServer::Get();
  if (!server) return std::unexpected(server.error());
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return SystemError("cannot create a socket to the worker process", errno);
  }
  const auto [ours, theirs] = ends;
  auto child = (*server)->Start(memory, options, theirs);
  if (!child && !(*server)->IsUsable()) {
    // It was dying when it was asked, and could not be seen to: another one is asked.
    server = ForkServer::Get();
    child = server ? (*server)->Start(memory, options, theirs) : std::unexpected(server.error());
  }
  close(theirs);  // or the end of the worker would not be seen
  if (!child) {
    close(ours);
    return std::unexpected(child.error());
  }
  WorkerProcess process;
  process.id_ = *child;
  process.fork_server_ = std::move(*server);
  process.channel_.requests = process.channel_.answers = ours;
  return process;
}

bool WorkerProcess::Send(RunNumber number) {
  return send(static_cast<int>(channel_.requests), &number, sizeof(number), MSG_NOSIGNAL) ==
         ssize_t{sizeof(number)};
}

Arrival WorkerProcess::Receive(std::chrono::milliseconds patience, RunNumber& message) {
  const int socket = static_cast<int>(channel_.answers);
  pollfd waiting{socket, POLLIN, 0};
  const int ready = poll(&waiting, 1, static_cast<int>(patience.count()));
  if (ready == 0 || (ready < 0 && errno == EINTR)) return Arrival::kNothing;
  if (ready < 0) return Arrival::kGarbage;
  const ssize_t size = recv(socket, &message, sizeof(message), MSG_DONTWAIT);
  if (size == ssize_t{sizeof(message)}) return Arrival::kMessage;
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return Arrival::kNothing;
  // Nothing read can also be an empty message, from a process that lives.
  return (waiting.revents & POLLHUP) != 0 ? Arrival::kHangUp : Arrival::kGarbage;
}

std::chrono::nanoseconds WorkerProcess::TimeRun() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(id_, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<void> WorkerProcess::MoveTo(int cpu) const { return os::PinProcess(id_, cpu); }

void WorkerProcess::LimitRuns(std::chrono::milliseconds limit) const {
  // An endless loop at real-time priority may leave the tool no CPU. The kernel then ends it, by a
  // clock of its own that starts again whenever the worker waits; a little later than the tool.
  const auto allowance = static_cast<rlim_t>(std::chrono::microseconds(limit).count()) * 5 / 4;
  const rlimit allowed{allowance, allowance * 2};
  // May be refused where an earlier limit is lower still, which serves as well.
  prlimit(id_, RLIMIT_RTTIME, &allowed, nullptr);
}

std::optional<ProcessEnding> WorkerProcess::End() {
  if (id_ == 0) return std::nullopt;
  const std::optional<int> status = fork_server_->End(id_);
  id_ = 0;
  close(static_cast<int>(channel_.requests));
  channel_ = {};
  if (!status) return std::nullopt;
  ProcessEnding ending;
  if (WIFSIGNALED(*status)) {
    ending.death = DeathBySignal(WTERMSIG(*status));
  } else {
    ending.exit_status = WEXITSTATUS(*status);
    ending.reported_fault = ending.exit_status == kFaultReported;
  }
  return ending;
}

Death DeathByFault(const FaultReport& report, std::optional<CodePlace> place) {
  // A positive code other than SI_KERNEL names an address (man 2 sigaction).
  const bool has_address = report.detail > 0 && report.detail != SI_KERNEL;
  return DeathBySignal(static_cast<int>(report.cause),
                       has_address ? std::optional(report.address) : std::nullopt, place);
}

std::vector<Warning> SetupWarnings(const SetupReport& setup) {
  if (setup.has_filter != 0) return {};
  return {{.code = "no-system-call-filter",
           .message = fmt::format("the system refuses system-call filters ({}), so code that makes "
                                  "system calls is not run",
                                  std::generic_category().message(setup.filter_error)),
           .hint = "use a kernel with CONFIG_SECCOMP_FILTER, and no user-mode emulator"}};
}

}  // namespace cyclescope::sandbox
