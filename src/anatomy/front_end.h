// The front end of a core: which patterns of code are asked for, and what their times tell.
//
//   FrontEndFinder finder(times, {});
//   const FrontEnd front_end = finder.Find();
#pragma once

#include <optional>
#include <vector>

#include "anatomy/branch_history.h"
#include "anatomy/branch_targets.h"
#include "anatomy/code_alignment.h"
#include "anatomy/code_times.h"
#include "anatomy/explore_curve.h"
#include "anatomy/return_stack.h"
#include "anatomy/straight_code.h"
#include "base/work.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

struct FrontEndSettings {
  // Fewer strides and mixes, and only those sizes that the common ones are found by.
  bool quick = false;
  cyclescope::GoesOn goes_on;  // asked between quantities; unset: it does
};

struct Mispredict {
  double cycles = 0;
  double error = 0;
  double random_cycles = 0;  // of a branch by a random bit
  double fixed_cycles = 0;   // of one that is taken every other time
  bool shared = false;
};

struct FrontEnd {
  std::vector<JumpCurve> jump_curves;
  JumpReading jumps;
  std::vector<StraightCurve> straight_curves;
  StraightReading straight;
  std::vector<AlignmentCost> alignment;
  std::vector<CurvePoint> far_code;  // cycles of an instruction over bytes
  std::optional<Mispredict> mispredict;
  std::vector<CurvePoint> return_points;
  std::optional<ReturnStack> return_stack;
  std::vector<CurvePoint> history_points;  // see branch_history.h
  std::optional<SizeReading> history;
  Curve indirect_curve;
  std::optional<SizeReading> indirect;
};

class FrontEndFinder {
 public:
  // The times must outlive it.
  FrontEndFinder(CodeTimes& times, FrontEndSettings settings)
      : times_(times), settings_(std::move(settings)) {}

  FrontEnd Find();

 private:
  bool GoesOn() const { return MayGoOn(settings_.goes_on); }
  // A curve of patterns that differ by their count, per unit of it.
  Curve PerCount(const CodePattern& pattern, const CurveRange& range, const PlateauLimits& limits);

  void FindJumps(FrontEnd& found);
  void FindStraight(FrontEnd& found);
  void FindAlignment(FrontEnd& found);
  void FindMispredict(FrontEnd& found);
  void FindFarCode(FrontEnd& found);
  std::vector<CurvePoint> TimesByDepth(Outcomes outcomes);
  void FindReturnStack(FrontEnd& found);
  void FindHistory(FrontEnd& found);
  void FindIndirect(FrontEnd& found);

  CodeTimes& times_;
  FrontEndSettings settings_;
};

// ---- As rows of the result: front_end_rows.cc

// A row for each quantity, those that nothing clear was seen of too, with the reason.
std::vector<AnatomyRow> RowsOf(const FrontEnd& front_end);
std::vector<AnatomyWidth> WidthsOf(const FrontEnd& front_end);

// What would be measured: rows without values, with the code of each pattern.
std::vector<AnatomyRow> PlannedFrontEndRows();

}  // namespace cyclescope::anatomy
