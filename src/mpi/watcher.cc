#include "mpi/watcher.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "os/engine.h"
#include "os/interrupt.h"

namespace cyclescope::mpi {

Watcher::Watcher(Times times, OnEnd on_end)
    : times_(times),
      on_end_(std::move(on_end)),
      last_sign_(SteadyClock::now().time_since_epoch().count()),
      thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

Watcher::~Watcher() {
  thread_.request_stop();
  thread_.join();
}

void Watcher::SignOfLife() { last_sign_ = SteadyClock::now().time_since_epoch().count(); }

void Watcher::Watch(const std::stop_token& stop) const {
  constexpr Milliseconds kBetweenLooks(20);
  std::optional<SteadyClock::time_point> interrupted;
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(kBetweenLooks);
    const SteadyClock::time_point now = SteadyClock::now();
    const SteadyClock::time_point last{SteadyClock::duration(last_sign_.load())};
    if (os::Interrupted() && !interrupted) interrupted = now;
    std::string reason;
    if (interrupted && now - *interrupted >= times_.grace) {
      reason = kEndedFromOutside;
    } else if (now - last > times_.patience) {
      reason = fmt::format("no rank answered for {} s", times_.patience.count());
    }
    if (reason.empty()) continue;
    const int code = on_end_(reason);
    std::fflush(nullptr);
    std::_Exit(code);  // MPI would wait for the others
  }
}

Watcher::Milliseconds HandOverTime() {
  constexpr int kOpenMpiSeconds = 1;
  constexpr int kMostSeconds = 60;
  int seconds = kOpenMpiSeconds;
  if (const auto told = os::ProcessEnvironment()("OMPI_MCA_odls_base_sigkill_timeout")) {
    int value = 0;
    const auto [end, error] = std::from_chars(told->data(), told->data() + told->size(), value);
    if (error == std::errc() && value > 0) seconds = std::min(value, kMostSeconds);
  }
  return std::chrono::duration_cast<Watcher::Milliseconds>(std::chrono::seconds(seconds)) / 2;
}

}  // namespace cyclescope::mpi
