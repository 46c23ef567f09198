// Lines of a simulated machine, which has a time of its own: what scheduling, statistics and
// grouping are tested and benchmarked with in place of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cores/testing/floating_placement.h"
#include "cores/testing/simulated_machines.h"
#include "pairs/line_source.h"

namespace cyclescope::cores::testing {

class SimulatedLineSource : public pairs::LineSource {
 public:
  struct Options {
    double line_spread = 0.1;     // lines lie evenly within this share around the pair's value
    double batch_spread = 0.005;  // and batches around their line's
    double disturbed_share = 0;   // of batches that take ten times as long
    double switched_share = 0;    // of lines during which a side loses its CPU
    double clock_offset_ns = 0;   // of odd CPUs against even ones; reported when not 0
    double at_once_factor = 1;    // what measuring several pairs at once does to each
    std::function<double(int draws_before)> drift;  // a factor over the run
    std::function<bool(pairs::CpuPair)> silent;     // pairs of which one side does not answer
    double visit_spread = 0;                 // draws lie around the pair's value, each as a whole
    double slow_visit_share = 0;             // of draws that take a third longer, each as a whole
    FloatingPlacement* placement = nullptr;  // of the CPUs on the machine, which is then the host
    int gang = 1;  // this number of CPUs in a row are placed as one, on threads in a row
  };

  SimulatedLineSource(SimulatedMachine machine, Options options, std::uint64_t seed = 1)
      : machine_(std::move(machine)), options_(std::move(options)), state_(seed) {}

  Result<std::vector<pairs::LineDraw>> Draw(std::span<const pairs::CpuPair> pairs,
                                            const pairs::LinePlan& plan) override;
  double Slowdown(pairs::CpuPair pair) override;
  std::int64_t Now() const override { return static_cast<std::int64_t>(now_ns_); }

  void Wait(double milliseconds) { now_ns_ += milliseconds * 1e6; }

  int draws() const { return draws_; }
  const std::vector<pairs::CpuPair>& drawn() const { return drawn_; }  // in order

 private:
  pairs::LineDraw DrawLines(pairs::CpuPair pair, const pairs::LinePlan& plan, double factor,
                            double& time_ns);
  pairs::CpuPair Placed(pairs::CpuPair pair, double time_ns) const;
  double Uniform();              // from 0 to 1
  double Around(double spread);  // from 1 - spread to 1 + spread

  SimulatedMachine machine_;
  Options options_;
  std::uint64_t state_;
  double now_ns_ = 0;
  int draws_ = 0;
  std::vector<pairs::CpuPair> drawn_;
};

}  // namespace cyclescope::cores::testing
