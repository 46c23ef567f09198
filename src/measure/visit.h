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
  // The clock is read before and after every sample: not in visits of slow code, and not where
  // readings told nothing.
  bool reads_clock = false;
};

// Where the samples of a visit stand among its calls.
struct VisitLayout {
  std::size_t unread = 0;  // calls at the start that are not looked at
  std::size_t samples = 0;
  bool reads_clock = false;
  // It was not checked between the calls whether they were interrupted: it stands or falls as one.
  bool is_one_piece = false;

  // The calls from one sample to the next: a reading, if there are any, the shorter call, the
  // longer one. Behind the last sample stands another reading.
  std::size_t stride() const { return reads_clock ? 3 : 2; }
  std::size_t reading(std::size_t sample) const { return unread + sample * stride(); }
  std::size_t shorter(std::size_t sample) const { return reading(sample) + (reads_clock ? 1 : 0); }
  std::size_t calls() const { return unread + samples * stride() + (reads_clock ? 1 : 0); }
};

// What the shorter call of a sample should take.
double WantedTicks(const Instrument& instrument, const Tally& tally);

// `place` is where the experiment stands among those whose kernels are loaded.
VisitLayout AppendVisit(const Instrument& instrument, const VisitShape& shape, std::uint32_t place,
                        const Tally& tally, std::vector<sandbox::Call>& calls);

// What a visit is read by, beside its own records.
struct VisitContext {
  ProbePair probes;
  const CycleLengths& cycle_lengths;
  std::size_t visit = 0;  // which of those visits
  int revision = 0;       // of the watch that told their cycles
  int cpu = 0;
};

// `records` are those of the calls that AppendVisit appended.
void ReadVisit(const Instrument& instrument, const VisitLayout& layout, const VisitContext& context,
               std::span<const sandbox::CallRecord> records, Tally& tally);

// A core that was idle runs slowly at first: what was fitted then would be too short later.
void FitAgain(const Instrument& instrument, const VisitLayout& layout,
              std::span<const sandbox::CallRecord> records, Tally& tally);

}  // namespace cyclescope::measure
