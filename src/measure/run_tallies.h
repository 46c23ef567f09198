// The tallies of a run: one for each experiment, or for what replaced it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/experiment.h"
#include "measure/runner.h"
#include "measure/tally.h"

namespace cyclescope::measure {

class RunTallies {
 public:
  // The experiments and `replace` must outlive it.
  RunTallies(std::span<const Experiment> experiments, const Runner::Replace& replace);
  RunTallies(const RunTallies&) = delete;
  RunTallies& operator=(const RunTallies&) = delete;

  // Those to be visited: first what the end of a visit to a batch left out; of those without a
  // visit, the ones that tell most.
  std::vector<Tally*> Due();

  // Puts another experiment in the place of one that ended its worker. False where there is none.
  bool ReplaceDead(Tally& tally);
  // Ends those that are about an instruction which turned out to be illegal in one of the batch.
  void EndThoseLike(std::span<Tally* const> batch);

  // Of the races whose first experiment ended its worker, or of all that are not decided.
  void SettleLostRaces(const Sufficiency& enough);
  void SettleOpenRaces(const Sufficiency& enough);
  // Where the criteria changed: what a visit was taken for when it was made may not hold any more.
  void JudgeAll(const QuietCriteria& quiet_criteria, const Sufficiency& enough);

  std::vector<Measurement> ToMeasurements(std::optional<double> quiet_width) const;

 private:
  std::vector<Tally> tallies_;
  std::vector<std::optional<Experiment>> replacements_;
  const Runner::Replace& replace_;
  std::vector<Race> races_;
};

}  // namespace cyclescope::measure
