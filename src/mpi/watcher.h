// Saves what rank 0 has when the job is ended from outside: MPI ends all ranks when one dies, while
// they wait for each other in calls that never return.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace cyclescope::mpi {

class Watcher {
 public:
  // Called once, in a thread of its own, with why it ends; the process ends after it with this exit
  // code. It must not wait for the thread that measures.
  using OnEnd = std::function<int(std::string_view reason)>;

  // `patience`: without a sign of life for so long, the job is ended, too.
  Watcher(std::chrono::seconds patience, OnEnd on_end);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Work goes on.
  void SignOfLife();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void Watch(const std::stop_token& stop) const;

  std::chrono::seconds patience_;
  OnEnd on_end_;
  std::atomic<SteadyClock::rep> last_sign_;
  std::jthread thread_;
};

}  // namespace cyclescope::mpi
