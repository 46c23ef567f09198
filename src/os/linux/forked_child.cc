#include "os/linux/forked_child.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace cyclescope::os {
namespace {

// Until a process has handlers of its own, those that it was forked with must not run in it.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { Restore(); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

  void Restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Result<ForkedChild> ForkChild(const ForkPlan& plan, const std::function<void(int socket)>& run) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, plan.socket_type | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return SystemError("cannot create a socket to " + plan.what, errno);
  const auto [ours, theirs] = ends;
  pid_t child = 0;
  {
    const AllSignalsBlocked blocked;
    child = fork();
    if (child == 0) {
      close(ours);  // or it would keep its own socket open, and never see the owner's end
      setpgid(0, 0);
      if (!plan.keeps_signals_blocked) blocked.Restore();
      run(theirs);
      _exit(0);
    }
  }
  const int fork_error = errno;
  close(theirs);  // or the child's end would not be seen
  if (child < 0) {
    close(ours);
    return SystemError("cannot create " + plan.what, fork_error,
                       "see whether a limit on processes was reached (ulimit -u)");
  }
  return ForkedChild{.process = child, .socket = ours};
}

}  // namespace cyclescope::os
