// The µops of iterations that are under way on a simulated core, and when they are ready.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "predict/pipeline_program.h"
#include "predict/ready_queue.h"

namespace cyclescope::predict {

// A µop of an iteration.
struct DynamicUop {
  Time ready = 0;  // what is known of it so far
  Time issued = kNotYet;
  Time retired = kNotYet;  // known only where another waits for that
  int waits_for = 0;       // inputs whose time is not known yet
  int port = -1;           // chosen at dispatch
  bool dispatched = false;
  int last_producer = -1;    // instruction whose result came last
  UopKey next_due = kNoUop;  // another that is ready in the same cycle
};

// A ring by iteration.
class UopsInFlight {
 public:
  // As many iterations as fill the reorder buffer, and those that inputs lie back.
  UopsInFlight(const PipelineProgram& program, int reorder_buffer) {
    std::size_t entries = 0;
    for (const FixedInstruction& each : program.instructions)
      entries +=
          static_cast<std::size_t>(each.needs[static_cast<std::size_t>(Window::kReorderBuffer)]);
    const std::uint64_t in_flight =
        static_cast<std::uint64_t>(reorder_buffer) / std::max<std::size_t>(entries, 1) + 2;
    const std::uint64_t iterations =
        std::bit_ceil(in_flight + static_cast<std::uint64_t>(program.most_iterations) + 2);
    const std::size_t uops = std::max<std::size_t>(program.uops.size(), 1);
    uop_bits_ = static_cast<int>(std::bit_width(uops - 1));
    ring_.resize(iterations << uop_bits_);
  }

  UopKey KeyOf(std::uint64_t iteration, std::size_t uop) const {
    return iteration << uop_bits_ | uop;
  }
  std::uint64_t IterationOf(UopKey key) const { return key >> uop_bits_; }
  std::size_t NumberOf(UopKey key) const { return key & ((std::uint64_t{1} << uop_bits_) - 1); }
  DynamicUop& At(UopKey key) { return ring_[key & (ring_.size() - 1)]; }

 private:
  std::vector<DynamicUop> ring_;
  int uop_bits_ = 0;  // of a key that say which µop of its iteration it is
};

// µops by the cycle in which they are ready.
class DueCalendar {
 public:
  explicit DueCalendar(UopsInFlight& uops) : uops_(uops) { first_.fill(kNoUop); }

  void Add(Time at, Time now, UopKey key) {
    if (at - now >= kCycles) {
      far_.emplace(at, key);
    } else {
      Mark(at, key);
    }
    ++size_;
  }

  // Calls visit(key) for each that is ready now.
  void Take(Time now, auto&& visit) {
    while (!far_.empty() && far_.top().first - now < kCycles) {
      Mark(far_.top().first, far_.top().second);
      far_.pop();
    }
    UopKey& first = first_[PlaceOf(now)];
    while (first != kNoUop) {
      const UopKey key = first;
      first = uops_.At(key).next_due;
      --size_;
      visit(key);
    }
  }

  std::size_t size() const { return size_; }

  // The next cycle behind this one in which one is ready, if that is before `end`; else `end`.
  Time NextBefore(Time now, Time end) const {
    if (size_ == 0) return end;
    if (!far_.empty()) end = std::min(end, far_.top().first);
    for (Time at = now + 1; at < now + kCycles && at < end; ++at) {
      if (first_[PlaceOf(at)] != kNoUop) return at;
    }
    return end;
  }

 private:
  static constexpr Time kCycles = 256;
  using FarAway = std::pair<Time, UopKey>;

  static std::size_t PlaceOf(Time at) { return static_cast<std::size_t>(at % kCycles); }
  void Mark(Time at, UopKey key) {
    UopKey& first = first_[PlaceOf(at)];
    uops_.At(key).next_due = first;
    first = key;
  }

  UopsInFlight& uops_;
  std::array<UopKey, static_cast<std::size_t>(kCycles)> first_{};  // by cycle; others follow it
  std::priority_queue<FarAway, std::vector<FarAway>, std::greater<>> far_;
  std::size_t size_ = 0;
};

}  // namespace cyclescope::predict
