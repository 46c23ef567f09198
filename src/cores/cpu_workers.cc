#include "cores/cpu_workers.h"

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace cyclescope::cores {

// A mailbox for one job. A worker that waits sleeps: on a small machine it would otherwise take the
// CPU from the pair that is measured.
struct CpuWorkers::Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> job;  // empty when idle
  bool stop = false;
  std::thread thread;

  void Run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return stop || job; });
      if (!job) return;
      lock.unlock();
      job();
      lock.lock();
      job = nullptr;
      changed.notify_all();
    }
  }

  bool Wait(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, timeout, [this] { return !job; });
  }

  void Post(std::function<void()> next) {
    {
      const std::lock_guard lock(mutex);
      assert(!job);
      job = std::move(next);
    }
    changed.notify_all();
  }
};

Result<std::unique_ptr<CpuWorkers>> CpuWorkers::Start(const os::CpuList& cpus, const Pin& pin) {
  std::unique_ptr<CpuWorkers> workers(new CpuWorkers);
  for (const int cpu : cpus) {
    auto worker = std::make_shared<Worker>();
    // The thread owns a share of its mailbox, so that it can be left behind.
    try {
      worker->thread = std::thread([worker] { worker->Run(); });
    } catch (const std::system_error& error) {
      return os::CannotStartThread(cpu, error.code().value());
    }
    workers->workers_.emplace(cpu, worker);

    auto pinned = std::make_shared<Result<void>>();
    worker->Post([cpu, pin, pinned] {
      *pinned = pin(cpu);
      if (*pinned) os::RaisePriority();
    });
    constexpr std::chrono::seconds kPinTimeout(10);
    if (!worker->Wait(kPinTimeout)) {
      return Failed("CPU " + std::to_string(cpu) + " gave a thread no time to run for 10 s",
                    "leave it out with --cpus");
    }
    if (!*pinned) {
      // The user named the CPU, or a set of CPUs that holds it: it is the input that cannot be.
      return BadInput(pinned->error().message, pinned->error().hint);
    }
  }
  return workers;
}

CpuWorkers::~CpuWorkers() {
  constexpr std::chrono::seconds kPatience(1);
  for (auto& [cpu, worker] : workers_) {
    const bool idle = worker->Wait(kPatience);
    {
      const std::lock_guard lock(worker->mutex);
      worker->stop = true;
    }
    worker->changed.notify_all();
    if (idle) {
      worker->thread.join();
    } else {
      worker->thread.detach();
    }
  }
}

void CpuWorkers::Post(int cpu, std::function<void()> job) {
  workers_.at(cpu)->Post(std::move(job));
}

bool CpuWorkers::Wait(int cpu, std::chrono::nanoseconds timeout) {
  return workers_.at(cpu)->Wait(timeout);
}

}  // namespace cyclescope::cores
