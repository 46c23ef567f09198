// Times of patterns of code, measured by a worker on one CPU after the other.
//
// Each pattern is visited some times, apart in time. A visit is some trips and twice as many,
// between two probes: the difference is what trips take when caches and predictors know them.
// Visits go on until some that were made while the core was ours agree; where none do, the time is
// marked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "anatomy/code_times.h"
#include "anatomy/front_end_kernel.h"
#include "assembler/assembler.h"
#include "base/work.h"
#include "cyclescope/base/error.h"
#include "measure/core_watch.h"
#include "measure/instrument.h"
#include "measure/probe.h"
#include "measure/quiet_search.h"
#include "measure/tick_clock.h"
#include "sandbox/call.h"
#include "sandbox/worker.h"

namespace cyclescope::anatomy {

struct CodeTimesSettings {
  int most_visits = 12;  // to each pattern, where they do not agree before
  GoesOn goes_on;
  measure::QuietPlaces places;  // where it may go when its core is shared
};

class WorkerCodeTimes final : public CodeTimes {
 public:
  // The assembler must outlive it.
  static Result<std::unique_ptr<WorkerCodeTimes>> Create(const sandbox::WorkerOptions& options,
                                                         const measure::TickClock& clock,
                                                         std::shared_ptr<measure::CoreWatch> watch,
                                                         assembler::Assembler& assembler,
                                                         const CodeTimesSettings& settings);

  std::vector<std::optional<CodeTime>> Measure(std::span<const CodePattern> patterns) override;
  std::vector<std::optional<CodeTime>> MeasureDifferences(std::span<const PatternPair> pairs,
                                                          double wanted_error) override;

  // The share of visits that found another thread on the core.
  double shared_share() const {
    return visits_ == 0 ? 0 : static_cast<double>(shared_visits_) / visits_;
  }

 private:
  WorkerCodeTimes(std::unique_ptr<sandbox::Worker> worker, measure::Instrument instrument,
                  FrontEndKernels kernels, CodeTimesSettings settings);

  struct Tally {
    CodePattern pattern;
    sandbox::Kernel kernel;
    std::uint64_t trips = 0;         // of the shorter call
    std::vector<double> own_cycles;  // of a trip, one of each visit
    std::vector<double> shared_cycles;
    std::vector<std::optional<double>> by_visit;  // unset where that is not of our core alone
    bool failed = false;
  };
  // Makes one visit to each that is due; false when it does not go on.
  bool VisitDue(std::span<Tally> tallies, const std::function<bool(std::size_t)>& is_due);
  // These return false, or nothing, when the worker does not go on.
  // Makes one visit to each.
  bool Visit(std::span<Tally* const> tallies);
  // Finds how many trips a sample needs, of those for which it is not known.
  bool FitTrips(std::span<Tally* const> tallies);
  std::optional<std::vector<sandbox::CallRecord>> RunCalls(const std::vector<sandbox::Call>& calls);

  // `records` are those of its samples.
  void ReadVisit(const measure::Probe& before, const measure::Probe& after,
                 std::span<const sandbox::CallRecord> records, Tally& tally);
  // Unset where not enough of them agree.
  static std::optional<CodeTime> AgreedTime(std::vector<double> cycles);
  static std::optional<CodeTime> TimeOf(const Tally& tally);
  // Of visits right after each other; unset where too few of them were on our core alone.
  static std::optional<CodeTime> DifferenceOf(const Tally& longer, const Tally& shorter);

  std::unique_ptr<sandbox::Worker> worker_;
  measure::Instrument instrument_;
  FrontEndKernels kernels_;
  CodeTimesSettings settings_;
  measure::QuietSearch search_;
  std::uint64_t seed_ = 0;  // of the last kernel
  int visits_ = 0;
  int shared_visits_ = 0;
};

}  // namespace cyclescope::anatomy
