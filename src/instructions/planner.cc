#include "instructions/planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/try.h"
#include "sandbox/worker_memory.h"

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

int RepeatsFor(const Sequence& sequence) {
  std::size_t bytes = 0;
  for (const assembler::Bytes& code : sequence.code) bytes += code.size();
  const double units = sequence.branches ? kBranchesPerKernel : kUnitsPerKernel;
  const int for_units = static_cast<int>(std::ceil(units / sequence.units));
  const int for_bytes = static_cast<int>(kMostBodyBytes / std::max<std::size_t>(bytes, 1));
  const int repeats = std::max(1, std::min(for_units, for_bytes));
  const int stretch = std::max(1, sequence.stretch);
  return (repeats + stretch - 1) / stretch * stretch;
}

}  // namespace

Planner::Planner(assembler::Assembler assembler, std::uint64_t scratch_address)
    : assembler_(std::move(assembler)), builder_(assembler_, scratch_address + kAddressOffset) {}

std::optional<Form> Planner::FormOf(std::string_view text) {
  if (const auto found = forms_.find(text); found != forms_.end()) return found->second;
  const auto parsed = assembler_.Parse(text);
  std::optional<Form> form;
  if (parsed && parsed->size() == 1) form = MakeForm(parsed->front());
  return forms_.emplace(std::string(text), std::move(form)).first->second;
}

Result<measure::Experiment> Planner::ExperimentOf(const Sequence& sequence) {
  const int repeats = RepeatsFor(sequence);
  measure::Experiment experiment;
  experiment.kernels = TRY(builder_.BuildPair(sequence, repeats));
  experiment.units = sequence.units * repeats;
  if (sequence.touches_memory) experiment.memory = sequence.memory;
  return experiment;
}

}  // namespace cyclescope::instructions
