// `cyclescope cores` as text: the matrix, what it comes down to, groups and findings.
#pragma once

#include <string>

#include "analysis/core_unit.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// Above this many CPUs a summary by group stands in place of the matrix.
inline constexpr std::size_t kMostCpusInGrid = 64;

struct CoresTextOptions {
  CoreUnit unit = CoreUnit::kNanoseconds;
  bool full = false;  // the whole matrix, however large
  bool fit = false;   // no matrix that is wider than the style
  bool histogram = false;
};

// All tests of the document, one after the other.
Result<std::string> CoresText(const Document& document, const CoresTextOptions& options,
                              const TextStyle& style);

// How visits, or pairs, spread over the latencies, as bars, with the levels that they fall into: of
// the matrix's spectrum, in nanoseconds, where it has one; else of its values in that unit. Empty
// where there are too few for a shape.
std::string CoreHistogramText(const CoreMatrix& matrix, const CoreScale& scale,
                              const TextStyle& style);

}  // namespace cyclescope
