#include "os/cpus.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <memory>

#include "os/linux/affinity.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

// Far above what Linux can number today (8,192).
constexpr int kHighestCpu = 65535;

CpuList ReadCpuList(const std::filesystem::path& path) {
  return ParseCpuList(ReadTextOrEmpty(path)).value_or(CpuList{});
}

std::filesystem::path CpuFolder(const std::filesystem::path& root) {
  return root / "sys/devices/system/cpu";
}

// cpu_set_t ends at 1,024 CPUs; this one is as long as it must be.
class CpuMask {
 public:
  explicit CpuMask(int cpus) : cpus_(cpus), set_(CPU_ALLOC(cpus)) {
    CPU_ZERO_S(bytes(), set_.get());
  }

  int cpus() const { return cpus_; }
  std::size_t bytes() const { return CPU_ALLOC_SIZE(cpus_); }
  cpu_set_t* get() { return set_.get(); }
  void Add(int cpu) { CPU_SET_S(cpu, bytes(), set_.get()); }
  bool Has(int cpu) const { return CPU_ISSET_S(cpu, bytes(), set_.get()); }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  int cpus_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

// Of the calling thread, or of the process of that number. Returns 0 or an errno.
int SetAffinity(const CpuList& cpus, pid_t process = 0) {
  if (cpus.empty() || cpus.front() < 0 || cpus.back() > kHighestCpu) return EINVAL;
  CpuMask mask(cpus.back() + 1);
  for (const int cpu : cpus) mask.Add(cpu);
  return sched_setaffinity(process, mask.bytes(), mask.get()) == 0 ? 0 : errno;
}

}  // namespace

CpuList PresentCpus(const std::filesystem::path& root) {
  return ReadCpuList(CpuFolder(root) / "present");
}

CpuList OnlineCpus(const std::filesystem::path& root) {
  return ReadCpuList(CpuFolder(root) / "online");
}

Result<CpuList> AllowedCpus() { return CpusOf(0); }

Result<CpuList> CpusOf(int process) {
  // The kernel refuses a mask shorter than its own, and does not say how long that is.
  for (int cpus = CPU_SETSIZE;; cpus *= 2) {
    CpuMask mask(cpus);
    if (sched_getaffinity(process, mask.bytes(), mask.get()) == 0) {
      CpuList allowed;
      for (int cpu = 0; cpu < cpus; ++cpu) {
        if (mask.Has(cpu)) allowed.push_back(cpu);
      }
      return allowed;
    }
    if (errno != EINVAL || cpus > kHighestCpu) {
      return SystemError("cannot read which CPUs this process may use", errno);
    }
  }
}

Result<void> Pin(int cpu) {
  const std::string tried = fmt::format("cannot run on CPU {}", cpu);
  if (const int error = SetAffinity({cpu}); error != 0) {
    // The kernel's only word for it is EINVAL, which would tell the user nothing.
    if (error == EINVAL) {
      return Failed(
          fmt::format("{}: it does not exist, is offline, or is outside this process's "
                      "cpuset",
                      tried));
    }
    return SystemError(tried, error);
  }
  // The kernel moves the thread before it returns; an emulator may only say so.
  if (const int got = CurrentCpu(); got != cpu) {
    return Failed(
        fmt::format("{}: the system accepted it, but the thread is on CPU {}", tried, got));
  }
  return {};
}

Result<void> PinProcess(int process, int cpu) {
  if (const int error = SetAffinity({cpu}, process); error != 0)
    return SystemError(fmt::format("cannot move the worker to CPU {}", cpu), error);
  return {};
}

Result<void> Unpin(const CpuList& cpus) {
  if (const int error = SetAffinity(cpus); error != 0) {
    return SystemError(fmt::format("cannot run on CPUs {} again", FormatCpuList(cpus)), error);
  }
  return {};
}

std::string_view RaisePriority() {
  // The lowest real-time priority is above every ordinary thread; a higher one would only compete
  // with the kernel's own threads, which a measurement needs as much as anyone.
  const sched_param lowest{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &lowest) == 0) return "real-time";
  constexpr int kNice = -10;
  if (setpriority(PRIO_PROCESS, 0, kNice) == 0) return "raised";
  return "normal";
}

int CurrentCpu() { return sched_getcpu(); }

}  // namespace cyclescope::os
