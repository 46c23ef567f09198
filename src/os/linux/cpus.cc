#include "os/cpus.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <memory>

#include "base/ranges.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

// Far above what Linux can number today (8,192), and low enough that a list of all is harmless.
constexpr int kHighestCpu = 65535;

constexpr std::string_view kHowToWrite = "write CPUs as in 0-3,8";

// User text as it stands in an error: one line of a bearable length, whatever was typed.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string quoted{text.substr(0, kLongest)};
  std::ranges::replace_if(quoted, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return fmt::format("'{}{}'", quoted, text.size() > kLongest ? "..." : "");
}

std::unexpected<Error> NotACpu(std::string_view number, std::string_view list) {
  const bool all_digits =
      !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  if (all_digits) {
    return BadInput(fmt::format("CPU {} in CPU list {} does not exist on any machine",
                                Quoted(number), Quoted(list)));
  }
  return BadInput(
      fmt::format("{} in CPU list {} is not a CPU number", Quoted(number), Quoted(list)),
      std::string{kHowToWrite});
}

struct CpuRange {
  int first = 0;
  int last = 0;
};

Result<CpuRange> ParseRange(std::string_view part, std::string_view list) {
  if (part.empty()) {
    return BadInput(fmt::format("CPU list {} has an empty part", Quoted(list)),
                    std::string{kHowToWrite});
  }
  const auto parse = [list](std::string_view text) -> Result<int> {
    const auto number = ParseNumber<std::int64_t>(text);
    if (!number || *number < 0 || *number > kHighestCpu) return NotACpu(text, list);
    return static_cast<int>(*number);
  };
  const auto dash = part.find('-', 1);  // not at 0, so that "-1" is one bad number
  const Result<int> first = parse(part.substr(0, dash));
  if (!first) return std::unexpected(first.error());
  if (dash == std::string_view::npos) return CpuRange{*first, *first};
  const Result<int> last = parse(part.substr(dash + 1));
  if (!last) return std::unexpected(last.error());
  if (*last < *first) {
    return BadInput(
        fmt::format("range {} in CPU list {} runs backwards", Quoted(part), Quoted(list)),
        fmt::format("write {}-{}", *last, *first));
  }
  return CpuRange{*first, *last};
}

CpuList ReadCpuList(const std::filesystem::path& path) {
  return ParseCpuList(ReadTextOrEmpty(path)).value_or(CpuList{});
}

std::filesystem::path CpuFolder(const std::filesystem::path& root) {
  return root / "sys/devices/system/cpu";
}

CpuList Difference(const CpuList& from, const CpuList& without) {
  CpuList rest;
  std::ranges::set_difference(from, without, std::back_inserter(rest));
  return rest;
}

// "CPU 9 does", "CPUs 4-7 do".
std::string Subject(const CpuList& cpus, std::string_view singular, std::string_view plural) {
  return cpus.size() == 1 ? fmt::format("CPU {} {}", cpus.front(), singular)
                          : fmt::format("CPUs {} {}", FormatCpuList(cpus), plural);
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

Result<CpuList> ParseCpuList(std::string_view text) {
  if (text.empty()) return BadInput("the CPU list is empty", std::string{kHowToWrite});
  CpuList cpus;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const Result<CpuRange> range = ParseRange(rest.substr(0, comma), text);
    if (!range) return std::unexpected(range.error());
    for (int cpu = range->first; cpu <= range->last; ++cpu) cpus.push_back(cpu);
    // More CPUs than there are numbers: one is repeated, and reading on would only cost memory.
    if (comma == std::string_view::npos || cpus.size() > kHighestCpu + 1) break;
    rest.remove_prefix(comma + 1);
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::adjacent_find(cpus);
  if (repeated != cpus.end()) {
    return BadInput(fmt::format("CPU list {} names CPU {} twice", Quoted(text), *repeated),
                    "name each CPU once");
  }
  return cpus;
}

std::string FormatCpuList(const CpuList& cpus) { return FormatRanges(cpus); }

CpuList PresentCpus(const std::filesystem::path& root) {
  return ReadCpuList(CpuFolder(root) / "present");
}

CpuList OnlineCpus(const std::filesystem::path& root) {
  return ReadCpuList(CpuFolder(root) / "online");
}

Result<CpuList> AllowedCpus() {
  // The kernel refuses a mask shorter than its own, and does not say how long that is.
  for (int cpus = CPU_SETSIZE;; cpus *= 2) {
    CpuMask mask(cpus);
    if (sched_getaffinity(0, mask.bytes(), mask.get()) == 0) {
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

Result<CpuList> SelectCpus(std::string_view text, const CpuList& allowed,
                           const std::filesystem::path& root) {
  if (text.empty()) return allowed;
  Result<CpuList> wanted = ParseCpuList(text);

  CpuList present = PresentCpus(root);
  if (present.empty()) present = allowed;
  const std::string existing = fmt::format("this machine has CPUs {}", FormatCpuList(present));
  if (!wanted) {
    if (wanted.error().hint.empty()) wanted.error().hint = existing;
    return wanted;
  }

  if (const CpuList missing = Difference(*wanted, present); !missing.empty()) {
    return BadInput(Subject(missing, "does not exist", "do not exist"), existing);
  }
  CpuList online = OnlineCpus(root);
  if (online.empty()) online = present;
  if (const CpuList offline = Difference(*wanted, online); !offline.empty()) {
    return BadInput(Subject(offline, "is offline", "are offline"),
                    fmt::format("online are {}; 'echo 1 | sudo tee "
                                "/sys/devices/system/cpu/cpu{}/online' switches one on",
                                FormatCpuList(online), offline.front()));
  }
  if (const CpuList forbidden = Difference(*wanted, allowed); !forbidden.empty()) {
    return BadInput(Subject(forbidden, "may not be used by this process (affinity or cpuset)",
                            "may not be used by this process (affinity or cpuset)"),
                    fmt::format("it may use {}", FormatCpuList(allowed)));
  }
  return wanted;
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
