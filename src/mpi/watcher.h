// Saves what rank 0 has when the job is ended from outside: MPI ends all ranks when one dies, while
// they wait for each other in calls that never return.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

namespace cyclescope::mpi {

// Why, where a signal tells.
inline constexpr std::string_view kEndedFromOutside =
    "the job was ended from outside, as it is when a rank dies";

class Watcher {
 public:
  using Milliseconds = std::chrono::milliseconds;
  // Called once, in a thread of its own, with why it ends; the process ends after it with this exit
  // code. It must not wait for the thread that measures.
  using OnEnd = std::function<int(std::string_view reason)>;

  struct Times {
    std::chrono::seconds patience;  // after this time without a sign of life the job is ended, too
    Milliseconds grace{0};          // from the signal until the end, for what is still on its way
  };

  Watcher(Times times, OnEnd on_end);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Work goes on.
  void SignOfLife();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void Watch(const std::stop_token& stop) const;

  Times times_;
  OnEnd on_end_;
  std::atomic<SteadyClock::rep> last_sign_;
  std::jthread thread_;
};

// How long ranks may take to hand over what they have when the job is ended: half of the time that
// OpenMPI leaves them, which is a second by default.
Watcher::Milliseconds HandOverTime();

}  // namespace cyclescope::mpi
