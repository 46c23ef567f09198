// The frequency of CPUs as CSV (RFC 4180), a line each, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "result/frequency.h"

namespace cyclescope {

// Columns: cpu, status, reason, base_ghz, boost, core_ghz with its interval, cycle_source,
// contended, visits, steps (as "2.5 0.4; 2.9 0.6": each rate and its share of the time).
std::string FrequencyCsv(const std::vector<FrequencyRow>& rows);

}  // namespace cyclescope
