#include "cores/testing/simulated_line_source.h"

namespace cyclescope::cores::testing {

Result<std::vector<LineDraw>> SimulatedLineSource::Draw(std::span<const CpuPair> pairs,
                                                        const LinePlan& plan) {
  double factor = pairs.size() > 1 ? options_.at_once_factor : 1;
  if (options_.drift) factor *= options_.drift(draws_);
  ++draws_;
  std::vector<LineDraw> draws;
  draws.reserve(pairs.size());
  for (const CpuPair pair : pairs) {
    drawn_.push_back(pair);
    draws.push_back(DrawLines(pair, plan, factor));
  }
  return draws;
}

LineDraw SimulatedLineSource::DrawLines(CpuPair pair, const LinePlan& plan, double factor) {
  LineDraw draw;
  draw.batches = plan.batches;
  if (options_.silent && options_.silent(pair)) {
    draw.timed_out = true;
    return draw;
  }
  const double pair_ns = machine_.nanoseconds(pair.first, pair.second) * factor;
  draw.batch_ns.reserve(static_cast<std::size_t>(plan.lines) * plan.batches);
  draw.switched.reserve(plan.lines);
  for (int line = 0; line < plan.lines; ++line) {
    const double line_ns = pair_ns * Around(options_.line_spread);
    draw.switched.push_back(Uniform() < options_.switched_share ? 1 : 0);
    for (int batch = 0; batch < plan.batches; ++batch) {
      const double disturbance = Uniform() < options_.disturbed_share ? 10 : 1;
      draw.batch_ns.push_back(line_ns * Around(options_.batch_spread) * disturbance);
      if (options_.clock_offset_ns != 0) {
        draw.offset_ns.push_back(options_.clock_offset_ns * (pair.second % 2 - pair.first % 2));
      }
    }
  }
  return draw;
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
