// Overlaps measured by a worker on one CPU after the other.
//
//   auto source = WorkerOverlapSource::Create(options, clock, watch, assembler, {.cpus = cpus});
//   auto visit = (*source)->Visit(std::vector<OverlapLook>{{&filler, 16}, {&filler, 512}});
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "anatomy/overlap_source.h"
#include "anatomy/window_kernel.h"
#include "assembler/assembler.h"
#include "measure/instrument.h"
#include "measure/quiet_search.h"
#include "measure/tick_clock.h"
#include "sandbox/worker.h"

namespace cyclescope::anatomy {

class WorkerOverlapSource final : public OverlapSource {
 public:
  // The assembler must outlive it. `options` want a chase, and the CPU to begin on; `places` are
  // where it may go when that is shared.
  static Result<std::unique_ptr<WorkerOverlapSource>> Create(
      const sandbox::WorkerOptions& options, const measure::TickClock& clock,
      std::shared_ptr<measure::CoreWatch> watch, assembler::Assembler& assembler,
      const measure::QuietPlaces& places);

  Result<OverlapVisit> Visit(std::span<const OverlapLook> looks) override;
  Result<ChainsVisit> TimeChains(std::span<const int> chains) override;
  bool IsQuiet(double width) const override;
  void SeekQuietCore() override;
  std::int64_t NowNs() const override;

  int cpu() const { return worker_->cpu(); }
  const measure::Instrument& instrument() const { return instrument_; }
  // With true, probes count for the share of time with a neighbour: not beside a thread of ours.
  void CountProbes(bool counts) { counts_probes_ = counts; }

 private:
  WorkerOverlapSource(std::unique_ptr<sandbox::Worker> worker, measure::Instrument instrument,
                      WindowKernels kernels, const measure::QuietPlaces& places);

  struct TimedCalls {
    std::vector<double> ns;  // of each call
    double width = 0;        // as of an OverlapVisit
  };
  // The calls of these kernels, between two probes.
  Result<TimedCalls> Time(std::span<const sandbox::Kernel> kernels,
                          std::span<const sandbox::Call> calls);
  // The probe that begins with that record.
  measure::Probe ObservedProbe(std::span<const sandbox::CallRecord> records, std::size_t at);

  std::unique_ptr<sandbox::Worker> worker_;
  measure::Instrument instrument_;
  WindowKernels kernels_;
  measure::QuietSearch search_;
  bool counts_probes_ = true;
};

}  // namespace cyclescope::anatomy
