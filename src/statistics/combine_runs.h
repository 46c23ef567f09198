// One value that several runs measured, from their intervals.
//
// Runs of a shared or disturbed core count only where there is no other. Runs that may be the same
// value are averaged with the inverse of their variances as weights, to which the variance between
// runs is added where no value lies in all of their intervals (R. DerSimonian and N. Laird,
// "Meta-analysis in clinical trials", 1986). Runs that lie apart are states: code may
// have several speeds, and a run stays in one of them.
#pragma once

#include <span>

#include "cyclescope/result/estimate.h"

namespace cyclescope::statistics {

// How far a value can be used: less is better.
enum class Soundness { kQuiet, kContended, kDisturbed };
Soundness SoundnessOf(const Estimate& estimate);

// True if the two may be states of one value: their intervals overlap, or they lie within 1 %.
bool MayBeOneState(const Estimate& one, const Estimate& other);

// Samples, visits or probes of two runs together: not below 0, and no more than a count holds.
int SumOfCounts(int one, int other);

// Takes at least one run; all intervals have that confidence.
Estimate CombineRuns(std::span<const Estimate> runs, double confidence);

}  // namespace cyclescope::statistics
