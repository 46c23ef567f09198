#include <fmt/core.h>

#include <cerrno>
#include <string>

#include "os/linux/counter_settings.h"

namespace cyclescope::os {
namespace {

Error NoPermission(const std::string& tried, int error_number, const CounterSettings& settings) {
  // From 3 on, kernels of Debian, Ubuntu and Android answer EACCES to everyone without CAP_PERFMON.
  // A system-call filter stands before that check, and answers EPERM.
  constexpr int kOwnProcessOnly = 2;
  if (error_number == EACCES && settings.perf_event_paranoid.value_or(0) > kOwnProcessOnly) {
    return {
        ErrorKind::kFailed,
        fmt::format("{}: kernel.perf_event_paranoid is {}", tried, *settings.perf_event_paranoid),
        fmt::format("'sudo sysctl kernel.perf_event_paranoid={}' allows them", kOwnProcessOnly)};
  }
  return {ErrorKind::kFailed,
          fmt::format("{}: a system-call filter (seccomp) or a security module forbids "
                      "perf_event_open",
                      tried),
          "start the container with '--cap-add PERFMON' or '--security-opt seccomp=unconfined'"};
}

Error NoPmu(const std::string& tried, std::string_view hypervisor) {
  if (hypervisor.empty() || hypervisor == "none") {
    return {ErrorKind::kFailed,
            fmt::format("{}: the kernel has no driver for this processor's counters", tried),
            {}};
  }
  return {ErrorKind::kFailed, fmt::format("{}: the hypervisor offers no counters", tried),
          "whoever runs the virtual machine can give it a PMU"};
}

}  // namespace

Error ExplainRefusal(std::string_view name, int error_number, const CounterSettings& settings,
                     std::string_view hypervisor) {
  const std::string tried = fmt::format("cannot count {}", name);
  switch (error_number) {
    case EACCES:
    case EPERM:
      // The kernel asks for permission before it looks whether there are any.
      return settings.exist ? NoPermission(tried, error_number, settings)
                            : NoPmu(tried, hypervisor);
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return NoPmu(tried, hypervisor);
    case ENOSYS:
      return {ErrorKind::kFailed,
              fmt::format("{}: this system has no perf events (an emulator, a container's "
                          "filter, or a kernel built without them)",
                          tried),
              {}};
    default:
      return SystemError(tried, error_number).error();
  }
}

Error ExplainNoUserAccess(const CounterSettings& settings) {
  const std::string tried = "cannot read counters from user space";
  if (settings.perf_user_access == 0) {
    return {ErrorKind::kFailed, fmt::format("{}: kernel.perf_user_access is 0", tried),
            "'sudo sysctl kernel.perf_user_access=1' allows it"};
  }
  if (settings.rdpmc == 0) {
    return {ErrorKind::kFailed, fmt::format("{}: /sys/devices/cpu/rdpmc is 0", tried),
            "'echo 1 | sudo tee /sys/devices/cpu*/rdpmc' allows it"};
  }
  return {ErrorKind::kFailed, fmt::format("{}: the kernel does not offer it here", tried),
          "AArch64 needs Linux 5.17 or newer"};
}

}  // namespace cyclescope::os
