// The calls of which a visit to an experiment consists, and what they gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/cycle_lengths.h"
#include "measure/instrument.h"
#include "measure/tally.h"
#include "sandbox/call.h"

namespace cyclescope::measure {

// What the visits of a run have in common.
struct VisitShape {
  int most_samples = 3;
  bool reads_clock = false;  // before and after every sample
};

// What the shorter call of a sample should take.
double WantedTicks(const Instrument& instrument, const Tally& tally);

// `place` is where the experiment stands among those whose kernels are loaded.
void AppendVisit(const Instrument& instrument, const VisitShape& shape, std::uint32_t place,
                 const Tally& tally, std::vector<sandbox::Call>& calls);

// What a visit is read by, beside its own records.
struct Surrounding {
  ProbePair probes;
  const CycleLengths& cycle_lengths;
  std::size_t visit = 0;  // which of those visits
  int revision = 0;       // of the watch that told their cycles
  int cpu = 0;
};

// `records` are those of the calls that AppendVisit appended. The samples that it contained.
int ReadVisit(const Instrument& instrument, const VisitShape& shape, const Surrounding& surrounding,
              std::span<const sandbox::CallRecord> records, Tally& tally);

// A core that was idle runs slowly at first: what was fitted then would be too short later. To be
// called when the visit was read.
void FitAgain(const Instrument& instrument, const VisitShape& shape,
              std::span<const sandbox::CallRecord> records, Tally& tally);

}  // namespace cyclescope::measure
