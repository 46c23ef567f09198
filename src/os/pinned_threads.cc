#include "os/pinned_threads.h"

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace cyclescope::os {

// A mailbox for one job. A thread that waits sleeps: on a small machine it would otherwise take the
// CPU from the pair that is measured.
struct PinnedThreads::Thread {
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

  void WaitUntilIdle() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !job; });
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

Result<std::unique_ptr<PinnedThreads>> PinnedThreads::Start(const CpuList& cpus,
                                                            ThreadPriority priority,
                                                            const PinTo& pin) {
  std::unique_ptr<PinnedThreads> threads(new PinnedThreads);
  for (const int cpu : cpus) {
    auto own = std::make_shared<Thread>();
    // The thread owns a share of its mailbox, so that it can be left behind.
    try {
      own->thread = std::thread([own] { own->Run(); });
    } catch (const std::system_error& error) {
      return CannotStartThread(cpu, error.code().value());
    }
    threads->threads_.emplace(cpu, own);

    auto pinned = std::make_shared<Result<void>>();
    own->Post([cpu, pin, priority, pinned] {
      *pinned = pin(cpu);
      if (*pinned && priority == ThreadPriority::kRealTime) RaisePriority();
    });
    constexpr std::chrono::seconds kPinTimeout(10);
    if (!own->Wait(kPinTimeout)) {
      return Failed("CPU " + std::to_string(cpu) + " gave a thread no time to run for 10 s",
                    "leave it out with --cpus");
    }
    if (!*pinned) {
      // The user named the CPU, or a set of CPUs that holds it: it is the input that cannot be.
      return BadInput(pinned->error().message, pinned->error().hint);
    }
  }
  return threads;
}

PinnedThreads::~PinnedThreads() {
  constexpr std::chrono::seconds kPatience(1);
  for (auto& [cpu, own] : threads_) {
    const bool idle = own->Wait(kPatience);
    {
      const std::lock_guard lock(own->mutex);
      own->stop = true;
    }
    own->changed.notify_all();
    if (idle) {
      own->thread.join();
    } else {
      own->thread.detach();
    }
  }
}

void PinnedThreads::Post(int cpu, std::function<void()> job) {
  threads_.at(cpu)->Post(std::move(job));
}

void PinnedThreads::WaitUntilIdle(int cpu) { threads_.at(cpu)->WaitUntilIdle(); }

bool PinnedThreads::Wait(int cpu, std::chrono::nanoseconds timeout) {
  return threads_.at(cpu)->Wait(timeout);
}

}  // namespace cyclescope::os
