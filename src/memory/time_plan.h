// Divides a time among parts, so that each gets some of it however slow the machine is.
//
//   TimePlan plan(os::MonotonicNanoseconds, most_time);
//   plan.Begin(2, 5);     // of what is left, this part may have two fifths
//   while (!plan.IsOver()) ...
//
// What a part leaves goes to those after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace cyclescope::memory {

class TimePlan {
 public:
  using Now = std::function<std::int64_t()>;  // in nanoseconds

  TimePlan(Now now, std::chrono::nanoseconds all)
      : now_(std::move(now)), end_ns_(now_() + all.count()), part_end_ns_(end_ns_) {}

  // A part begins that has `weight` of what all that are not done have together.
  void Begin(double weight, double weight_left);
  // It may not go on.
  bool IsOver() const { return now_() >= part_end_ns_; }

  // True if a visit to this number of bytes ends in time, by the last one that was told.
  bool HasTimeFor(std::int64_t bytes) const;
  // What this number of bytes took.
  void Took(std::int64_t bytes, std::int64_t nanoseconds);

  std::int64_t now() const { return now_(); }

 private:
  Now now_;
  std::int64_t end_ns_;
  std::int64_t part_end_ns_;
  double ns_per_byte_ = 0;
};

}  // namespace cyclescope::memory
