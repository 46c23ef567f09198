// Which numbers of fillers to look at next, so that the end of a window is found in few visits:
// some over the whole range, fewer and fewer around the step, then all around it, several times.
//
//   StepSearch search(most_fillers);
//   while (!search.IsDone()) search.Add(OverlapOf(Visit(search.Next())));
//   const StepReading reading = search.Read();
#pragma once

#include <span>
#include <vector>

#include "anatomy/overlap.h"
#include "anatomy/read_step.h"

namespace cyclescope::anatomy {

class StepSearch {
 public:
  // `confirmations` are visits to all places around the step, when it is known well enough.
  StepSearch(int most_fillers, int confirmations)
      : most_fillers_(most_fillers), confirmations_(confirmations) {}

  // The numbers of fillers to look at next, in rising order.
  std::vector<int> Next() const;
  void Add(std::span<const OverlapPoint> points);
  // What is known will not become better by much.
  bool IsDone() const;
  // A step that was found was looked at again and again; one whose surroundings were hardly seen,
  // since all visits went elsewhere, is not to be trusted.
  bool IsConfirmed() const { return reading_.end != StepEnd::kFound || confirmed_ > 0; }

  const StepReading& Read() const { return reading_; }
  const std::vector<OverlapPoint>& points() const { return points_; }

 private:
  std::vector<int> WholeRange() const;
  bool LooksAround() const;
  // True if they lie where the step was found.
  bool AreAround(std::span<const OverlapPoint> points) const;

  int most_fillers_;
  int confirmations_;
  std::vector<OverlapPoint> points_;
  StepReading reading_;  // of all points
  int visits_ = 0;
  int confirmed_ = 0;
};

}  // namespace cyclescope::anatomy
