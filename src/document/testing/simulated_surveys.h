// Whole machines that tests make up, as large as real ones get. The same in every run.
#pragma once

#include <cstddef>

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// A survey of a rented machine with 16 CPUs that claims one thread per core, although CPUs 0 and 12
// share one.
Document SurveyDocument();

// The same machine later: slower between cores, one instruction slower, one faster, one gone.
Document LaterSurveyDocument();

// A rented machine of two CPUs that the host moves between its cores; half of its values are
// contended.
Document TwoCpusDocument();

// The survey of an hour with no time: levels rest on too few visits, and the hypervisor has no
// name.
Document HastyDocument();

// Two CPUs that are 42 ns apart; and the same later, 44 ns.
Document NearCpusDocument();
Document LaterNearCpusDocument();

// Two sockets of chiplets of 16 cores of 2 threads: 768 CPUs, or 192, with every matrix.
Document ManyCpusDocument();
Document ServerDocument();

// A sweep of 20,000 forms.
Document SweepDocument();

// One of many machines that were swept: they have most forms in common, and differ in a few.
Document SiteMachine(int number, std::size_t forms);

// The bare matrix that another tool printed: nothing is known but three latencies.
Document BareMatrixDocument();

// Texts that would run as script, break the page or the terminal, wherever a text can be.
Document HostileDocument();

}  // namespace cyclescope::testing
