// Which points of a curve can be relied on.
//
// A thread that shares the core only takes: time, and lines of its caches. So what was measured
// meanwhile is an upper bound of the latency, and a footprint that took longer than a larger one
// was disturbed, whatever the probes saw.
#pragma once

#include "cyclescope/result/memory.h"

namespace cyclescope::curves {

// Visited some times while no other thread shared the core.
bool IsClear(const MemoryPoint& point);

// The standard error in cycles; of a point that is not clear it is large.
double DoubtOf(const MemoryPoint& point);

// The points that a curve should be read from: without those that were disturbed, and without
// doubtful ones right between clear ones. In the same order. Where the core was shared nearly
// always, none of them is clear.
MemoryCurve UsableOf(const MemoryCurve& measured);

}  // namespace cyclescope::curves
