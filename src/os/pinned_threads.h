// One thread per CPU, made and pinned once, that runs what it is given.
//
//   auto threads = PinnedThreads::Start({0, 1});
//   (*threads)->Post(0, [] { ... });
//   if (!(*threads)->Wait(0, 1s)) ...   // CPU 0 does not give the thread any time
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "cyclescope/base/error.h"
#include "os/cpus.h"

namespace cyclescope::os {

// A thread of real-time priority asks that nothing else runs between two moves.
enum class ThreadPriority { kNormal, kRealTime };

class PinnedThreads {
 public:
  using PinTo = std::function<Result<void>(int cpu)>;

  // Fails when a thread cannot be pinned.
  static Result<std::unique_ptr<PinnedThreads>> Start(
      const CpuList& cpus, ThreadPriority priority = ThreadPriority::kNormal,
      const PinTo& pin = Pin);

  // Waits for threads that are at rest; leaves behind those that their CPU does not let run.
  ~PinnedThreads();
  PinnedThreads(const PinnedThreads&) = delete;
  PinnedThreads& operator=(const PinnedThreads&) = delete;

  // The thread must be idle. What `job` uses must live until it has run, which may be after a Wait
  // that timed out: let it share ownership, or wait without a limit.
  void Post(int cpu, std::function<void()> job);

  // True if the thread has finished what it was given, after waiting for it no longer than that.
  bool Wait(int cpu, std::chrono::nanoseconds timeout);
  bool Idle(int cpu) { return Wait(cpu, {}); }
  void WaitUntilIdle(int cpu);

 private:
  struct Thread;

  PinnedThreads() = default;
  std::map<int, std::shared_ptr<Thread>> threads_;
};

}  // namespace cyclescope::os
