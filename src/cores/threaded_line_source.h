// Lines measured on this machine, by a pinned thread on each CPU.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <random>

#include "arch/ping_pong.h"
#include "cyclescope/base/error.h"
#include "measure/tick_clock.h"
#include "os/pinned_threads.h"
#include "pairs/line_source.h"

namespace cyclescope::cores {

// Which CPU touches a pair's lines first, and so decides on which NUMA node they lie.
struct Home {
  enum class Kind { kFirst, kSecond, kCpu };
  Kind kind = Kind::kFirst;
  int cpu = -1;  // with kCpu

  int Of(pairs::CpuPair pair) const;
};

class ThreadedLineSource : public pairs::LineSource {
 public:
  struct Options {
    arch::PingPong ping_pong;
    Home home;
    std::uint64_t seed = 0;
    // How long a side waits for the other's move before it gives the pair up.
    std::chrono::nanoseconds answer_timeout = std::chrono::seconds(1);
  };

  // `workers` must have the CPU of every pair, and the home's.
  ThreadedLineSource(os::PinnedThreads& workers, measure::TickClock clock, Options options);

  Result<std::vector<pairs::LineDraw>> Draw(std::span<const pairs::CpuPair> pairs,
                                            const pairs::LinePlan& plan) override;
  double Slowdown(pairs::CpuPair pair) override;
  std::int64_t Now() const override;

 private:
  struct Game;

  // Both are false when the CPU does not let its thread run.
  bool Touch(const std::shared_ptr<Game>& game);
  bool Finish(int cpu, const std::atomic<std::uint64_t>& heartbeat);

  os::PinnedThreads& workers_;
  measure::TickClock clock_;
  Options options_;
  std::mt19937_64 random_;
};

}  // namespace cyclescope::cores
