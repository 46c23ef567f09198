// What measures the latency of a footprint: the machine (chase_source.h), or a simulated memory in
// tests.
#pragma once

#include <cstdint>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/memory.h"

namespace cyclescope::curves {

// What is chased: which lines, in which order, on which pages.
struct Chase {
  ChaseOrder order = ChaseOrder::kRandom;
  PageKind pages = PageKind::kSmall;
  std::int64_t bytes = 0;  // kLinePerPage: of all pages together
};

// Some samples on pages of their own, per load: on the same pages where the footprint is large,
// each on other pages where it is small.
struct ChaseVisit {
  std::vector<double> cycles;  // empty where the visit was disturbed
  std::vector<double> nanoseconds;
  bool contended = false;
};

class LatencySource {
 public:
  virtual ~LatencySource() = default;
  virtual Result<ChaseVisit> Visit(const Chase& chase) = 0;
};

}  // namespace cyclescope::curves
