// An experiment as data: code to run, and what of it is a unit. What it means is its planner's
// business; when, where and how often it runs is the runner's (runner.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/estimate.h"
#include "measure/core_watch.h"
#include "sandbox/death.h"
#include "sandbox/executor.h"
#include "sandbox/kernel_code.h"
#include "statistics/sample_groups.h"

namespace cyclescope::measure {

// By what the two calls of a sample differ. Everything else they do is the same in both, so that it
// vanishes from the difference.
enum class Difference {
  kCopies,    // the second kernel has twice as many copies in its loop
  kLoops,     // the kernels are alike, and the second is looped twice as often
  kStraight,  // the second kernel has twice as many copies, and there is no loop
};

// What an experiment that should take the same took.
struct Expectation {
  double low = 0;  // its interval
  double high = 0;
  double value = 0;      // its value
  bool settles = false;  // it is known well enough: one quiet visit within the interval is enough
  int stretch = 1;       // how many times as long as usual its samples were
  std::string like;      // what it was, for people
};

struct Experiment {
  std::array<sandbox::Kernel, 2> kernels;
  Difference difference = Difference::kCopies;
  // By which a loop of the second kernel exceeds one of the first (kCopies, kStraight), or what
  // each has in a loop (kLoops).
  double units = 0;
  // What every eight bytes of memory hold before it runs; unset where it touches none.
  std::optional<std::uint64_t> memory;
  // Experiments with the same number compete: only the least counts, and one that is clearly beaten
  // gets no further visits. Of equals the first wins.
  std::optional<std::size_t> race;
  std::optional<Expectation> expected;
  // Of a race: visited only if none of the others turns out as expected.
  bool reserve = false;
  // Experiments with the same number are about the same instruction. When it is illegal in the
  // plainest of them, it is in all of them, and they are not run.
  std::optional<std::size_t> about;
  bool shows_illegal = false;
  // What the code does is not known: it has a worker to itself, in these surroundings.
  bool alone = false;
  sandbox::Surroundings surroundings;
  // Which way its branches go is learnt only when they have gone there many times.
  bool learns_branches = false;
  // What the loop itself takes is little beside a unit, so that the second call takes about twice
  // as long as the first. A sample in which it does not is dropped.
  bool takes_twice_as_long = true;
  // Each kernel may run at several speeds, by how it came into the core's store of decoded
  // instructions: where visits differ, what it takes when it is fast counts (kCopies).
  bool has_several_speeds = false;
};

// What one look at an experiment gave: some samples between two probes.
struct Visit {
  CoreState state = CoreState::kUnknown;
  int cpu = 0;
  double width = 0;            // cycles of a wide add, the larger of the two probes'
  std::vector<double> cycles;  // per unit, one for each sample
  double shorter = 0;          // cycles of a loop of the first kernel, in the middle sample
  double longer = 0;           // and of the second
  int revision = 0;            // of the watch that told how long a cycle is
};

// What one sample counted, for the classic table.
struct Totals {
  double units = 0;
  double cycles = 0;
  double ticks = 0;
  std::optional<double> instructions;      // counted; unset without counters
  std::optional<double> reference_cycles;  // likewise
  // Visits had different clock rates: how fast the core ran is not known.
  bool rates_differ = false;
};

struct Measurement {
  std::vector<Visit> visits;  // those that count: quiet ones, if there are enough
  bool contended = false;     // there were not: another thread shared the core
  // By which share a wide add took longer, in the middle visit, than on the quietest core seen: a
  // neighbour that takes little of a core does not make a visit contended.
  double wide_excess = 0;
  bool cut_short = false;             // the run ended before this was measured
  std::optional<Expectation> agreed;  // the one visit was as expected
  int rejected = 0;                   // samples that were dropped as disturbed
  int stretch = 1;                    // how many times as long as usual the samples are
  // By which a loop of the second kernel exceeds one of the first; 0 where each has one speed.
  double units_of_speeds = 0;
  // Of the visit in the middle, as one that really ran: a sum of visits, of which some were slow or
  // at another clock, would be at a speed that nothing had.
  Totals totals;
  SamplingEnd end = SamplingEnd::kPrecise;
  std::optional<sandbox::Death> death;  // the code ended the worker instead

  bool has_value() const { return !visits.empty(); }
};

// One of several that compete must be this much faster than an earlier one to win: of equals the
// first does.
inline constexpr double kBeatsRatio = 0.99;

// Judges by what is known of the core now: drops visits whose cycles were computed with a wrong
// reference, and marks it contended where a visit that looked quiet was not.
void LookAgain(const QuietCriteria& quiet_criteria, Measurement& measurement);

statistics::SampleGroups GroupsOf(std::span<const Visit> visits);

// True if the visits never agreed, so that the value is that of the fast quarter of them: of each
// kernel by itself, as one of them may be slow when the other is fast.
bool IsOfFastQuarter(const Measurement& measurement);

// The value of a measurement, whose visits are the groups. At least one visit.
Estimate EstimateOf(const Measurement& measurement, double confidence, int contenders = 1);

}  // namespace cyclescope::measure
