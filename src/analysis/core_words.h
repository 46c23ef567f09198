// What is said about a matrix of latencies: claims made from its figures, and names of its parts.
#pragma once

#include <string>

#include "analysis/core_unit.h"
#include "cyclescope/result/claim.h"
#include "cyclescope/result/cores.h"

namespace cyclescope {

// What a finding says. Latencies of single pairs are in the unit of the scale.
Claim ClaimOf(const CoreMatrix& matrix, const CoreFinding& finding, const CoreScale& scale = {});

// Its sentence. A finding without figures, as older documents have it, keeps the words that it came
// with.
std::string FindingText(const CoreMatrix& matrix, const CoreFinding& finding,
                        const CoreScale& scale = {});

// What a person would say of the groups: "64 cores with 2 threads in 8 groups of 8". Empty where
// nothing was measured, and of a machine whose CPUs move.
std::string StructureText(const CoreMatrix& matrix);

// "0.6 %", "37 %"
std::string PercentText(double share);

// The levels of the spectrum: "same core 8.1 ns (0.6 %), other core 102 ns (99.4 %)".
std::string LevelsText(const CoreMatrix& matrix);

}  // namespace cyclescope
