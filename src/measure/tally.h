// What is known of one experiment while it is measured, and whether that is enough.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "measure/experiment.h"

namespace cyclescope::measure {

// The factor by which samples become longer at once.
inline constexpr int kSampleLengthFactor = 4;

struct Tally {
  struct Seen {
    std::vector<Visit> visits;
    std::vector<Totals> totals;  // of each visit
  };

  const Experiment* experiment = nullptr;
  std::unique_ptr<sandbox::CodeExecutor> executor;  // its own, while it runs alone
  std::uint64_t loops = 0;                          // of the shorter call; 0 until it was fitted
  double shorter_ns = 0;                            // what that call takes
  int stretch = 1;                                  // how many times as long as usual that is
  Seen quiet;  // no other thread used the core, as far as can be said
  Seen contended;
  Seen unsettled;  // quiet ones with shorter samples, in case there are none with longer ones
  int rejected = 0;
  int lost_visits = 0;         // all of whose samples were dropped
  int spoiled_visits = 0;      // the same, since a neighbour came or left
  bool too_few_quiet = false;  // a neighbour left too few quiet visits for a sharp value
  bool done = false;           // it is known well enough, or no more can be measured
  bool parked = false;         // beaten in its race, as far as is known
  bool race_over = false;      // as far as is known, the winner is known well enough
  SamplingEnd end = SamplingEnd::kBudget;
  std::optional<sandbox::Death> death;

  // The first visit was as expected, which settles it.
  bool Agrees() const;
  bool is_due() const { return !done && !parked && !race_over; }
  bool was_quiet() const { return !quiet.visits.empty() || !unsettled.visits.empty(); }
  bool was_visited() const { return was_quiet() || !contended.visits.empty(); }
  std::size_t visits() const {
    return quiet.visits.size() + unsettled.visits.size() + contended.visits.size() +
           static_cast<std::size_t>(lost_visits + spoiled_visits);
  }

  void Add(Visit visit, const Totals& totals);
  // From now on samples are longer, and count instead of the earlier ones.
  void Lengthen();
  void End(const sandbox::Death& by);

  // The quiet visits, if there are enough for a value; else all.
  Measurement ToMeasurement() const;
  // The value as far as it is known, from the best samples that there are, to choose among
  // competitors; infinite when nothing is.
  double ValueSoFar() const;
};

// True if more visits are made than a value needs, so that states of the code show.
inline bool LooksForStates(std::size_t least_visits) {
  return least_visits > statistics::kFewestVisits;
}

// When an experiment has been visited often enough.
struct Sufficiency {
  double precision = 0.005;  // relative half width of the interval
  double confidence = 0.95;  // of the interval
  std::size_t least_visits = statistics::kFewestVisits;
  int most_visits = 12;
  int most_stretch = 16;  // the largest factor by which samples get longer
  bool patience_is_spent = false;
};

// Sets `done` and why.
void Judge(const Sufficiency& enough, Tally& tally);

// True if longer samples may tell more than further ones of the same length.
bool NeedsLongerSamples(const Sufficiency& enough, const Tally& tally);

// Visits that looked quiet may turn out not to have been, when a core is first seen without a
// neighbour: those are moved. Visits whose cycles were computed with a reference that turned out to
// be wrong are dropped. Then the tally is judged again.
void JudgeAgain(const QuietCriteria& quiet_criteria, const Sufficiency& enough, Tally& tally);

// Experiments that compete.
using Race = std::vector<Tally*>;

std::vector<Race> RacesOf(std::vector<Tally>& tallies);

// Which one of a race is visited on. What was settled before may turn out otherwise: it is decided
// anew.
void SettleRace(const Sufficiency& enough, const Race& race);

}  // namespace cyclescope::measure
