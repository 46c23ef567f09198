// One thread per CPU, made and pinned once, that runs what it is given.
//
//   auto workers = CpuWorkers::Start({0, 1});
//   (*workers)->Post(0, [] { ... });
//   if (!(*workers)->Wait(0, 1s)) ...   // CPU 0 does not give the thread any time
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "cyclescope/base/error.h"
#include "os/cpus.h"

namespace cyclescope::cores {

class CpuWorkers {
 public:
  using Pin = std::function<Result<void>(int cpu)>;

  // Threads ask for real-time priority, so that nothing else runs between two moves. Fails when a
  // thread cannot be pinned.
  static Result<std::unique_ptr<CpuWorkers>> Start(const os::CpuList& cpus,
                                                   const Pin& pin = os::Pin);

  // Waits for workers that are at rest; leaves behind those that their CPU does not let run.
  ~CpuWorkers();
  CpuWorkers(const CpuWorkers&) = delete;
  CpuWorkers& operator=(const CpuWorkers&) = delete;

  // The worker must be idle. What `job` uses must live until it has run, which may be after a Wait
  // that timed out: let it share ownership.
  void Post(int cpu, std::function<void()> job);

  // Whether the worker has finished what it was given, after waiting for it no longer than that.
  bool Wait(int cpu, std::chrono::nanoseconds timeout);
  bool Idle(int cpu) { return Wait(cpu, {}); }

 private:
  struct Worker;

  CpuWorkers() = default;
  std::map<int, std::shared_ptr<Worker>> workers_;
};

}  // namespace cyclescope::cores
