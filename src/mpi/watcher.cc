#include "mpi/watcher.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "os/interrupt.h"

namespace cyclescope::mpi {

Watcher::Watcher(std::chrono::seconds patience, OnEnd on_end)
    : patience_(patience),
      on_end_(std::move(on_end)),
      last_sign_(SteadyClock::now().time_since_epoch().count()),
      thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

Watcher::~Watcher() {
  thread_.request_stop();
  thread_.join();
}

void Watcher::SignOfLife() { last_sign_ = SteadyClock::now().time_since_epoch().count(); }

void Watcher::Watch(const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kBetweenLooks(20);
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(kBetweenLooks);
    std::string reason;
    const SteadyClock::time_point last{SteadyClock::duration(last_sign_.load())};
    if (os::Interrupted()) {
      reason = "the job was ended from outside, as it is when a rank dies";
    } else if (SteadyClock::now() - last > patience_) {
      reason = fmt::format("no rank answered for {} s", patience_.count());
    }
    if (reason.empty()) continue;
    const int code = on_end_(reason);
    std::fflush(nullptr);
    std::_Exit(code);  // MPI would wait for the others
  }
}

}  // namespace cyclescope::mpi
