// A comparison as text for people, and as JSON and CSV for scripts.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/compare.h"

namespace cyclescope {

struct CompareTextOptions {
  // How many values of a kind are listed; a line says how many more there are.
  std::size_t most_rows = 20;
  // Also list what is the same and what cannot be told, and not only what differs.
  bool all = false;
  int width = 80;  // of the terminal
};

std::string ToText(const Comparison& comparison, const CompareTextOptions& options);

// {"schema": "cyclescope-comparison/1", "documents": ..., "regression": ..., "kinds": ...}: all
// values, in the order of the comparison.
std::string ToJson(const Comparison& comparison);

// A line for each value and document but the first:
// kind,unit,name,document,verdict,first,first_low,first_high,other,...,relative,worse
std::string ToCsv(const Comparison& comparison);

}  // namespace cyclescope
