// Whether the reference chain can be trusted on this processor: it is held against other chains,
// each of which must take a whole number of its cycles, and a number that makes sense for its
// instruction.
//
// The whole number alone is not enough. On Golden Cove an add of an immediate takes 0.176 cycles,
// and a multiply of 3 cycles is then 17.05 times that: near 17, but no multiplier takes 17 cycles.
#pragma once

#include <span>

#include "arch/architecture.h"
#include "measure/cycle_source.h"
#include "measure/sampler.h"
#include "result/clock.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

// How far from a whole number a ratio may be, relative to it.
inline constexpr double kJuryTolerance = 0.005;

// The verdict on measured ratios; `ratios[i]` belongs to `chains[i]`, and the first is the unit
// itself.
Jury Judge(std::span<const arch::ReferenceChain> chains, std::span<const Estimate> ratios);

// Measures every chain in units of the first, with `source`, and judges.
Jury HoldJury(sandbox::Executor& executor, const CycleSource& source,
              std::span<const arch::ReferenceChain> chains, std::uint64_t loops);

}  // namespace cyclescope::measure
