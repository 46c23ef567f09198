// Where experiments on instructions are made: an assembler, a worker to run code in, an instrument to measure with,
// and what has been found out once and is needed again (the latency of connectors).
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
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
};

template <typename T>
using Outcome = std::expected<T, Failure>;

class Lab {
 public:
  struct Options {
    int cpu = 0;
    measure::CycleChoice cycles = measure::CycleChoice::kAuto;
    measure::SamplingSettings sampling;
  };

  static Result<std::unique_ptr<Lab>> Create(const assembler::Target& target, const measure::TickClock& clock,
                                             const Options& options);
  // For tests: the assembler alone; Measure must not be called.
  explicit Lab(assembler::Assembler assembler);

  // Ours: Intel syntax on x86-64, whatever the user types.
  assembler::Assembler& assembler() { return assembler_; }
  measure::Instrument& instrument() { return *instrument_; }
  const sandbox::Worker& worker() const { return *worker_; }
  KernelBuilder& builder() { return builder_; }

  // Cycles of one unit of the sequence.
  Outcome<measure::Measurement> Measure(const Sequence& sequence);
  // The same with few samples: to choose among variants.
  Outcome<measure::Measurement> Screen(const Sequence& sequence);

  // Parses a text of our own (a connector) into a form; unset where this CPU does not have the instruction.
  std::optional<Form> FormOf(std::string_view text);

  // The latency of a sequence that is its own chain, measured when first asked for. `name` is its text.
  Outcome<double> KnownLatency(const std::string& name, const Sequence& sequence);

 private:
  Lab(assembler::Assembler assembler, sandbox::Worker* worker, measure::Instrument instrument,
      const measure::SamplingSettings& sampling);

  Outcome<measure::Measurement> MeasureWith(const Sequence& sequence, const measure::SamplingSettings& settings);
  void SetScratch(ScratchFill fill);

  assembler::Assembler assembler_;
  sandbox::Worker* worker_ = nullptr;  // owned by the instrument
  std::optional<measure::Instrument> instrument_;
  measure::SamplingSettings sampling_;
  KernelBuilder builder_;
  std::optional<ScratchFill> scratch_;
  std::map<std::string, std::optional<Form>, std::less<>> forms_;
  std::map<std::string, double, std::less<>> latencies_;
};

// What the worker's death means for the row whose code it ran.
Failure FailureOf(const sandbox::Death& death);

}  // namespace cyclescope::instructions
