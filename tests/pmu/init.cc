// The first and only process of a virtual machine that has counters: checks both ways to read them,
// and what is said where the kernel refuses them. tests/pmu/run boots it and waits for the verdict.
//
//   /init counters    both ways open, count exactly and agree; refusals name their sysctl
//   /init none        the machine has no counters, and the error says so
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "os/counters.h"

namespace cyclescope::os {
namespace {

bool all_passed = true;

void Expect(bool passed, std::string_view what) {
  fmt::print("pmu: {} {}\n", passed ? "ok    " : "FAILED", what);
  all_passed = all_passed && passed;
}

constexpr std::uint64_t kInstructionsPerLoop = 2;

void RunLoop(std::uint64_t loops) {
  asm volatile("1:\tsubs\t%0, %0, #1\n\tb.ne\t1b" : "+r"(loops)::"cc");
}

constexpr std::string_view NameOf(CounterAccess access) {
  return access == CounterAccess::kUser ? "user" : "system";
}

// What counting `loops` costs, the reads included. The least of several, as an interrupt may make
// the user-space read begin again.
CounterValues CountLoop(Counters& counters, std::uint64_t loops) {
  CounterValues least{.cycles = std::numeric_limits<std::uint64_t>::max(),
                      .instructions = std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < 5; ++i) {
    const auto before = counters.Read();
    RunLoop(loops);
    const auto after = counters.Read();
    if (!before || !after) continue;
    least.cycles = std::min(least.cycles, after->cycles - before->cycles);
    least.instructions = std::min(least.instructions, after->instructions - before->instructions);
  }
  return least;
}

// Counts of `kLoops` loops by the difference of two lengths, so that the reads do not matter.
constexpr std::uint64_t kLoops = 1'000'000;
CounterValues CountByDifference(Counters& counters) {
  const CounterValues shorter = CountLoop(counters, kLoops);
  const CounterValues longer = CountLoop(counters, 2 * kLoops);
  return {.cycles = longer.cycles - shorter.cycles,
          .instructions = longer.instructions - shorter.instructions};
}

CounterValues CheckCounting(CounterAccess access) {
  Result<Counters> counters = Counters::Open(access);
  Expect(counters.has_value(), fmt::format("{} counters open{}", NameOf(access),
                                           counters ? "" : ": " + counters.error().ToString()));
  if (!counters) return {};
  const auto first = counters->Read();
  Expect(first && first->cycles < kLoops && first->instructions < kLoops, "counts begin near zero");
  const CounterValues counted = CountByDifference(*counters);
  constexpr std::uint64_t kInstructions = kInstructionsPerLoop * kLoops;
  Expect(counted.instructions == kInstructions,
         fmt::format("{} counters see {} instructions of {}", NameOf(access), counted.instructions,
                     kInstructions));
  // The emulator runs about one instruction in a cycle.
  Expect(counted.cycles > kInstructions / 2 && counted.cycles < kInstructions * 2,
         fmt::format("{} counters see {} cycles", NameOf(access), counted.cycles));
  Expect(!counters->has_reference_cycles(), "AArch64 has no reference cycles");
  return counted;
}

void CheckAgreement() {
  const CounterValues user = CheckCounting(CounterAccess::kUser);
  const CounterValues system = CheckCounting(CounterAccess::kSystem);
  const auto cycles = std::minmax(user.cycles, system.cycles);
  Expect(user.instructions == system.instructions, "both see the same instructions");
  Expect((cycles.second - cycles.first) * 100 < cycles.second,
         "both see the same cycles within 1 %");
}

// A pinned group without counters must be an error, not a group that counts nothing.
void CheckExhaustion(CounterAccess access) {
  std::vector<Counters> held;
  for (int i = 0; i < 32; ++i) {
    Result<Counters> counters = Counters::Open(access);
    if (!counters) {
      const std::string error = counters.error().ToString();
      Expect(!held.empty() && error.find("hold the counters") != std::string::npos,
             fmt::format("after {} groups: {}", held.size(), error));
      return;
    }
    held.push_back(*std::move(counters));
  }
  Expect(false, fmt::format("32 groups of {} counters opened at once", NameOf(access)));
}

void SetSysctl(std::string_view name, int value) {
  std::ofstream file(fmt::format("/proc/sys/kernel/{}", name));
  file << value << std::flush;
  Expect(file.good(), fmt::format("kernel.{} set to {}", name, value));
}

void CheckRefusal(CounterAccess access, std::string_view remedy) {
  const Result<Counters> counters = Counters::Open(access);
  const std::string said = counters ? "they opened" : counters.error().ToString();
  Expect(!counters && said.find(remedy) != std::string::npos,
         fmt::format("{} counters, refused: {}", NameOf(access), said));
}

void CheckOpens(CounterAccess access) {
  const Result<Counters> counters = Counters::Open(access);
  Expect(counters.has_value(), fmt::format("{} counters open{}", NameOf(access),
                                           counters ? "" : ": " + counters.error().ToString()));
}

// Runs checks as a user without any capability, as perf_event_paranoid does not bind root.
template <typename Function>
void AsOrdinaryUser(Function checks) {
  constexpr uid_t kNobody = 65534;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    all_passed = setgid(kNobody) == 0 && setuid(kNobody) == 0;
    if (all_passed) checks();
    std::fflush(stdout);
    _exit(all_passed ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  Expect(status == 0, "checks as an ordinary user");
}

void CheckCounters() {
  SetSysctl("perf_user_access", 1);
  SetSysctl("perf_event_paranoid", 2);
  CheckAgreement();
  CheckExhaustion(CounterAccess::kUser);
  CheckExhaustion(CounterAccess::kSystem);
  AsOrdinaryUser(CheckAgreement);

  SetSysctl("perf_event_paranoid", 3);
  AsOrdinaryUser([] {
    CheckRefusal(CounterAccess::kSystem, "sudo sysctl kernel.perf_event_paranoid=2");
    CheckRefusal(CounterAccess::kUser, "sudo sysctl kernel.perf_event_paranoid=2");
  });

  SetSysctl("perf_event_paranoid", 2);
  SetSysctl("perf_user_access", 0);
  CheckRefusal(CounterAccess::kUser, "sudo sysctl kernel.perf_user_access=1");
  CheckOpens(CounterAccess::kSystem);
}

void CheckNone() {
  CheckRefusal(CounterAccess::kUser, "the hypervisor offers no counters");
  CheckRefusal(CounterAccess::kSystem, "the hypervisor offers no counters");
}

}  // namespace
}  // namespace cyclescope::os

int main(int argument_count, char** arguments) {
  using namespace cyclescope::os;
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  Expect(mount("proc", "/proc", "proc", 0, nullptr) == 0, "/proc is mounted");
  Expect(mount("sysfs", "/sys", "sysfs", 0, nullptr) == 0, "/sys is mounted");

  const std::string_view expected = argument_count > 1 ? arguments[1] : "";
  if (expected == "counters") {
    CheckCounters();
  } else if (expected == "none") {
    CheckNone();
  } else {
    Expect(false, fmt::format("no such set of checks: '{}'", expected));
  }
  fmt::print("pmu: verdict {}\n", all_passed ? "passed" : "failed");
  std::fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
}
