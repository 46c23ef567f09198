#include "cores/testing/simulated_line_source.h"

#include <algorithm>

namespace cyclescope::cores::testing {

Result<std::vector<pairs::LineDraw>> SimulatedLineSource::Draw(
    std::span<const pairs::CpuPair> pairs, const pairs::LinePlan& plan) {
  double factor = pairs.size() > 1 ? options_.at_once_factor : 1;
  if (options_.drift) factor *= options_.drift(draws_);
  ++draws_;
  std::vector<pairs::LineDraw> draws;
  draws.reserve(pairs.size());
  // Threads wake up, pages are mapped.
  constexpr double kOverheadNs = 150'000;
  double end_ns = now_ns_;
  for (const pairs::CpuPair pair : pairs) {
    drawn_.push_back(pair);
    double time_ns = now_ns_ + kOverheadNs;
    draws.push_back(DrawLines(pair, plan, factor, time_ns));
    end_ns = std::max(end_ns, time_ns);
  }
  now_ns_ = end_ns;
  return draws;
}

pairs::CpuPair SimulatedLineSource::Placed(pairs::CpuPair pair, double time_ns) const {
  if (options_.placement == nullptr) return pair;
  const auto place = [&](int cpu) {
    return options_.placement->HardwareOf(cpu / options_.gang, time_ns) * options_.gang +
           cpu % options_.gang;
  };
  return {place(pair.first), place(pair.second)};
}

pairs::LineDraw SimulatedLineSource::DrawLines(pairs::CpuPair pair, const pairs::LinePlan& plan,
                                               double factor, double& time_ns) {
  pairs::LineDraw draw;
  draw.batches = plan.batches;
  if (options_.silent && options_.silent(pair)) {
    draw.timed_out = true;
    return draw;
  }
  const double begin_ns = time_ns;
  if (options_.visit_spread > 0) factor *= Around(options_.visit_spread);
  if (Uniform() < options_.slow_visit_share) factor *= 1.33;
  draw.batch_ns.reserve(static_cast<std::size_t>(plan.lines) * plan.batches);
  draw.switched.reserve(plan.lines);
  for (int line = 0; line < plan.lines; ++line) {
    if (plan.budget_ns > 0 && time_ns - begin_ns > static_cast<double>(plan.budget_ns)) break;
    const double line_factor = factor * Around(options_.line_spread);
    draw.switched.push_back(Uniform() < options_.switched_share ? 1 : 0);
    for (int batch = 0; batch < plan.batches; ++batch) {
      const auto [first, second] = Placed(pair, time_ns);
      const double disturbance = Uniform() < options_.disturbed_share ? 10 : 1;
      const double ns = machine_.nanoseconds(first, second) * line_factor *
                        Around(options_.batch_spread) * disturbance;
      draw.batch_ns.push_back(ns);
      time_ns += 2 * ns * plan.round_trips;
      if (options_.clock_offset_ns != 0) {
        draw.offset_ns.push_back(options_.clock_offset_ns * (pair.second % 2 - pair.first % 2));
      }
    }
  }
  return draw;
}

double SimulatedLineSource::Slowdown(pairs::CpuPair pair) {
  constexpr double kDurationNs = 2e6;
  now_ns_ += kDurationNs;
  const auto [first, second] = Placed(pair, now_ns_);
  return machine_.share_core(first, second) ? 1.9 : 1.01;
}

// SplitMix64 (G. Steele et al., OOPSLA 2014): a standard engine would take most of the time of a
// simulated run of 768 CPUs.
double SimulatedLineSource::Uniform() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31;
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

double SimulatedLineSource::Around(double spread) { return 1 + spread * (2 * Uniform() - 1); }

}  // namespace cyclescope::cores::testing
