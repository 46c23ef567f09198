// Where overlaps come from: a worker, or a simulated core in tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anatomy/overlap.h"
#include "arch/window_code.h"
#include "cyclescope/base/error.h"

namespace cyclescope::anatomy {

// How many fillers stand behind each head.
struct OverlapLook {
  const arch::WindowFiller* filler = nullptr;
  int fillers = 0;
};

// With so few, both heads fit into any window.
inline constexpr int kFillersSideBySide = 2;

struct OverlapVisit {
  // All looks in turn, again and again: a row for each time, a column for each look.
  std::vector<std::vector<HeadTimes>> repeats;
  // Cycles of a wide add, by the slower of the probes before and behind it.
  double width = 0;
};

struct ChainsVisit {
  std::vector<double> trip_ns;  // with one miss of each chain
  double width = 0;             // as of an OverlapVisit
};

// Overlaps, a row for each repeat and a column for each look, of which the first is side by side.
std::vector<std::vector<double>> OverlapsOf(const OverlapVisit& visit);

class OverlapSource {
 public:
  virtual ~OverlapSource() = default;

  // An error says why this CPU does not run the code.
  virtual Result<OverlapVisit> Visit(std::span<const OverlapLook> looks) = 0;
  // Trips through each of these numbers of chains.
  virtual Result<ChainsVisit> TimeChains(std::span<const int> chains) = 0;
  // True if the probes of a visit with this width saw a quiet core, by all that is known now: a
  // core that is shared from the beginning looks quiet at first.
  virtual bool IsQuiet(double width) const = 0;
  // Goes to a CPU whose core no other thread uses, or waits a while for one.
  virtual void SeekQuietCore() = 0;
  virtual std::int64_t NowNs() const = 0;
};

}  // namespace cyclescope::anatomy
