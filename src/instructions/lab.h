// Where experiments on instructions are made: an assembler, a worker to run code in, an instrument
// to measure with, and what has been found out once and is needed again (the latency of
// connectors).
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "base/error.h"
#include "instructions/kernel.h"
#include "measure/instrument.h"
#include "sandbox/worker.h"

namespace cyclescope::instructions {

// Why an experiment gave no value.
struct Failure {
  Status status = Status::kUnmeasurable;
  std::string reason;
  std::optional<sandbox::CodePlace> place;  // in the kernels, where one is known
};

template <typename T>
using Outcome = std::expected<T, Failure>;

// By what two kernels, or two calls of one, differ.
enum class Difference {
  kCopies,    // the second kernel has twice as many copies in its loop
  kLoops,     // the kernels are alike, and the second is looped twice as often
  kStraight,  // the second has twice as many copies, and there is no loop
};

class Lab {
 public:
  struct Options {
    int cpu = 0;
    CycleChoice cycles = CycleChoice::kAuto;
    measure::SamplingSettings sampling;
    std::chrono::milliseconds time_limit =
        sandbox::WorkerOptions{}.time_limit;  // of one visit to the worker
    // Held while code runs, where several labs take turns on one CPU; may be null.
    std::mutex* turn = nullptr;
    // Asked before each visit to the worker, and within long ones: when it says no, whatever is
    // measured fails at once. None: it always goes on.
    std::function<bool()> goes_on;
  };

  static Result<std::unique_ptr<Lab>> Create(const assembler::Target& target,
                                             const measure::TickClock& clock,
                                             const Options& options);
  // A lab for planning: it has no worker, and connectors' latencies count as zero. Measure must not
  // be called.
  explicit Lab(assembler::Assembler assembler);

  // Ours: Intel syntax on x86-64, whatever the user types.
  assembler::Assembler& assembler() { return assembler_; }
  measure::Instrument& instrument() { return *instrument_; }
  bool filters_system_calls() const {
    return worker_ != nullptr && worker_->has_system_call_filter();
  }
  // What a reader of the results must know about the instrument and the worker.
  std::vector<Warning> Warnings() const;
  KernelBuilder& builder() { return builder_; }

  // Cycles of one unit of the sequence.
  Outcome<measure::Measurement> Measure(const Sequence& sequence);
  // The same with few samples: to choose among variants.
  Outcome<measure::Measurement> Screen(const Sequence& sequence);
  // The same, of the fastest of the states that the sequence can settle in. A chain of
  // accumulations may go round for ever with or without the core's short cut for it, as chance had
  // it at the begin: Neoverse V1 chains `usra` at 1.2 or 2.4 cycles. A whole number of cycles is
  // taken for the only state that there is.
  Outcome<measure::Measurement> MeasureFastest(const Sequence& sequence);

  // Cycles of a unit, of which the second of two kernels has `extra_units` more than the first in
  // every loop, or each has so many in every loop.
  Outcome<measure::Measurement> MeasureKernels(std::span<const sandbox::Kernel> kernels,
                                               Difference difference, double extra_units,
                                               const measure::SamplingSettings& settings);

  const measure::SamplingSettings& sampling() const { return sampling_; }
  // Ends the worker: what ran in it may have damaged it without killing it.
  void RetireWorker() { worker_->Retire(); }
  // Chooses what the memory that kernels work on holds.
  void FillScratch(std::uint64_t every_eight_bytes);

  // Parses a text of our own (a connector) into a form; unset where this CPU does not have the
  // instruction.
  std::optional<Form> FormOf(std::string_view text);

  // The latency of a sequence that is its own chain, measured when first asked for. `name` is its
  // text.
  Outcome<double> KnownLatency(const std::string& name, const Sequence& sequence);

 private:
  Lab(assembler::Assembler assembler, sandbox::Worker* worker, measure::Instrument instrument,
      const Options& options);

  Outcome<measure::Measurement> MeasureWith(const Sequence& sequence,
                                            const measure::SamplingSettings& settings);

  assembler::Assembler assembler_;
  sandbox::Worker* worker_ = nullptr;  // owned by the instrument
  std::optional<measure::Instrument> instrument_;
  measure::SamplingSettings sampling_;
  std::mutex* turn_ = nullptr;
  KernelBuilder builder_;
  std::optional<std::uint64_t> scratch_;  // what every eight bytes of it hold
  std::map<std::string, std::optional<Form>, std::less<>> forms_;
  std::map<std::string, double, std::less<>> latencies_;
};

// Whether cycles are as near to a whole number as a good measurement comes.
bool IsWhole(double cycles);

// What the worker's death means for the row whose code it ran.
Failure FailureOf(const sandbox::Death& death);

}  // namespace cyclescope::instructions
