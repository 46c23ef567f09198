#include "instructions/lab.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "instructions/form.h"

namespace cyclescope::instructions {
namespace {

// Units in the shorter of a pair's kernels. Long against the loop's end, and with the longer kernel
// well inside every instruction cache and branch predictor.
constexpr double kUnitsPerKernel = 192;
// Of branches: the fastest level of a predictor holds few (Neoverse V1's 96).
constexpr double kBranchesPerKernel = 16;
constexpr std::size_t kMostBodyBytes = 24 * 1024;

// The kernels' address lies in the middle of the scratch memory, so that displacements of both
// signs stay inside.
constexpr std::uint64_t kAddressOffset = sandbox::kScratchSize / 2;

std::unique_lock<std::mutex> TakeTurn(std::mutex* turn) {
  return turn == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*turn);
}

int RepeatsFor(const Sequence& sequence) {
  std::size_t bytes = 0;
  for (const assembler::Bytes& code : sequence.code) bytes += code.size();
  const double units = sequence.branches ? kBranchesPerKernel : kUnitsPerKernel;
  const int for_units = static_cast<int>(std::ceil(units / sequence.units));
  const int for_bytes = static_cast<int>(kMostBodyBytes / std::max<std::size_t>(bytes, 1));
  return std::max(1, std::min(for_units, for_bytes));
}

bool IsBetter(const Estimate& candidate, const Estimate& best) {
  if (candidate.disturbed != best.disturbed) return best.disturbed;
  return candidate.value < best.value;
}

}  // namespace

bool IsWhole(double cycles) {
  constexpr double kNear = 0.03;
  return std::abs(cycles - std::round(cycles)) < kNear;
}

Failure FailureOf(const sandbox::Death& death) {
  switch (death.kind) {
    case sandbox::DeathKind::kIllegalInstruction:
      return {Status::kUnsupported,
              "this CPU or virtual machine does not offer it to programs: " + death.reason,
              death.code_place};
    case sandbox::DeathKind::kTimeout:
      return {Status::kTimeout, death.reason, death.code_place};
    default:
      return {Status::kCrashed, death.reason, death.code_place};
  }
}

Result<std::unique_ptr<Lab>> Lab::Create(const assembler::Target& target,
                                         const measure::TickClock& clock, const Options& options) {
  auto assembler = assembler::Assembler::Create(target);
  if (!assembler) return std::unexpected(assembler.error());
  const auto turn = TakeTurn(options.turn);
  sandbox::Worker* worker = nullptr;
  auto instrument = measure::Instrument::Create(
      options.cycles, clock,
      [&](std::optional<os::CounterAccess> access) -> Result<std::unique_ptr<sandbox::Executor>> {
        auto started = sandbox::Worker::Start({.cpu = options.cpu,
                                               .counters = access,
                                               .time_limit = options.time_limit,
                                               .goes_on = options.goes_on});
        if (!started) return std::unexpected(started.error());
        worker = started->get();
        return std::unique_ptr<sandbox::Executor>(std::move(*started));
      });
  if (!instrument) return std::unexpected(instrument.error());
  return std::unique_ptr<Lab>(
      new Lab(std::move(*assembler), worker, std::move(*instrument), options));
}

Lab::Lab(assembler::Assembler assembler)
    : assembler_(std::move(assembler)), builder_(assembler_, 0) {}

Lab::Lab(assembler::Assembler assembler, sandbox::Worker* worker, measure::Instrument instrument,
         const Options& options)
    : assembler_(std::move(assembler)),
      worker_(worker),
      instrument_(std::move(instrument)),
      sampling_(options.sampling),
      turn_(options.turn),
      builder_(assembler_, worker->scratch_address() + kAddressOffset) {}

std::vector<Warning> Lab::Warnings() const {
  std::vector<Warning> warnings = instrument_->warnings();
  std::ranges::move(worker_->Warnings(), std::back_inserter(warnings));
  return warnings;
}

void Lab::FillScratch(std::uint64_t every_eight_bytes) {
  if (scratch_ == every_eight_bytes) return;
  const auto word = std::bit_cast<std::array<std::uint8_t, 8>>(every_eight_bytes);
  std::vector<std::uint8_t> contents(sandbox::kScratchSize);
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = word[i % word.size()];
  worker_->SetScratch(contents);
  scratch_ = every_eight_bytes;
}

Outcome<measure::Measurement> Lab::Measure(const Sequence& sequence) {
  return MeasureWith(sequence, sampling_);
}

Outcome<measure::Measurement> Lab::MeasureFastest(const Sequence& sequence) {
  auto fastest = Measure(sequence);
  if (!fastest || IsWhole(fastest->estimate.value) || !instrument_->TrustsCycles()) return fastest;
  constexpr int kLeads = 8;
  for (int lead = 1; lead <= kLeads; ++lead) {
    Sequence other = sequence;
    other.lead = lead;
    auto measured = Measure(other);
    if (measured && IsBetter(measured->estimate, fastest->estimate)) fastest = std::move(measured);
  }
  return fastest;
}

Outcome<measure::Measurement> Lab::Screen(const Sequence& sequence) {
  measure::SamplingSettings settings = sampling_;
  settings.batch = 3;
  settings.most_samples = 3;
  return MeasureWith(sequence, settings);
}

Outcome<measure::Measurement> Lab::MeasureWith(const Sequence& sequence,
                                               const measure::SamplingSettings& settings) {
  const int repeats = RepeatsFor(sequence);
  std::array<sandbox::Kernel, 2> kernels;
  for (const int times : {1, 2}) {
    auto kernel = builder_.Build(sequence, times * repeats);
    if (!kernel)
      return std::unexpected(Failure{Status::kUnmeasurable, kernel.error().ToString(), {}});
    kernels[static_cast<std::size_t>(times - 1)] = std::move(*kernel);
  }
  FillScratch(sequence.memory);
  return MeasureKernels(kernels, Difference::kCopies, sequence.units * repeats, settings);
}

Outcome<measure::Measurement> Lab::MeasureKernels(std::span<const sandbox::Kernel> kernels,
                                                  Difference difference, double extra_units,
                                                  const measure::SamplingSettings& settings) {
  if (auto loaded = worker_->Load(kernels); !loaded) {
    return std::unexpected(Failure{Status::kUnmeasurable, loaded.error().ToString(), {}});
  }
  const auto turn = TakeTurn(turn_);
  auto pair = instrument_->FitLoops({sandbox::Entry::Kind::kKernel, 0},
                                    {sandbox::Entry::Kind::kKernel, 1}, extra_units);
  if (!pair) return std::unexpected(FailureOf(pair.error()));
  pair->longer_doubles = difference != Difference::kStraight;
  if (difference == Difference::kLoops) {
    pair->longer.loops *= 2;
  } else if (difference == Difference::kStraight) {
    pair->shorter.loops = pair->longer.loops = 1;
    pair->extra_units = extra_units;
  }
  auto measured = instrument_->Measure(*pair, settings);
  if (!measured) return std::unexpected(FailureOf(measured.error()));
  return std::move(*measured);
}

std::optional<Form> Lab::FormOf(std::string_view text) {
  if (const auto found = forms_.find(text); found != forms_.end()) return found->second;
  const auto parsed = assembler_.Parse(text);
  std::optional<Form> form;
  if (parsed && parsed->size() == 1) form = MakeForm(parsed->front());
  return forms_.emplace(std::string(text), std::move(form)).first->second;
}

Outcome<double> Lab::KnownLatency(const std::string& name, const Sequence& sequence) {
  if (const auto found = latencies_.find(name); found != latencies_.end()) return found->second;
  if (!instrument_) return 0;
  const auto measured = Measure(sequence);
  if (!measured) return std::unexpected(measured.error());
  return latencies_.emplace(name, measured->estimate.value).first->second;
}

}  // namespace cyclescope::instructions
