// Reads a matrix, measured here or by another program: levels, groups, findings.
#pragma once

#include <span>

#include "base/work.h"
#include "cores/matrix_experiment.h"
#include "cyclescope/result/cores.h"
#include "cyclescope/result/host.h"
#include "pairs/line_source.h"

namespace cyclescope::cores {

// Fills spectrum, groups and findings from values alone, as of another program's file.
void Interpret(CoreMatrix& matrix, std::span<const CpuPlace> topology);

// Of a matrix just measured. Threads of a core are claimed only where every visit found them on
// one; where virtual CPUs move, nothing else is, and that only after a run that is much longer than
// they stay. `source` is where trials of pairs in doubt are held, each after `goes_on` was asked:
// there may be hundreds.
void Interpret(MeasuredMatrix& measured, std::span<const CpuPlace> topology,
               pairs::LineSource& source, const GoesOn& goes_on = {});

}  // namespace cyclescope::cores
