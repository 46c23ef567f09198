// Latencies between cores as CSV. Every line has the same number of fields, whatever was measured.
#pragma once

#include <string>

#include "analysis/core_unit.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// A header, then a line per test and CPU that starts:
//   test,unit,from,0,1,2
//   cas,ns,0,,45.9,46.1
// A column stands for every CPU that any test has; fields are empty where nothing was measured.
Result<std::string> CoresCsv(const Document& document, CoreUnit unit);

// A header, then a line per test and ordered pair:
//   test,instruction,unit,from,to,value,low,high,spread_within,spread_between,clock_offset,status,visits
// The status is measured, disturbed or timeout; pairs that were not reached are left out. Visits
// are those of a machine whose CPUs move, with blanks between; else empty.
Result<std::string> CoresLongCsv(const Document& document, CoreUnit unit);

}  // namespace cyclescope
