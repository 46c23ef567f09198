// The units that latencies between cores can be shown in. Documents hold nanoseconds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

enum class CoreUnit {
  kNanoseconds,
  kCycles,  // of the CPU that starts
  kTicks,   // of the time-stamp counter
};

std::string_view ToString(CoreUnit unit);  // "ns", "cycles", "ticks"
std::optional<CoreUnit> ParseCoreUnit(std::string_view name);

// How values are shown: the unit's name, and how much of it a nanosecond is on each CPU of a
// matrix.
struct CoreScale {
  std::string_view unit = "ns";
  std::vector<double> per_nanosecond;  // by row; empty stands for 1

  double Of(std::size_t row, double nanoseconds) const {
    return per_nanosecond.empty() ? nanoseconds : nanoseconds * per_nanosecond[row];
  }
};

// An error where the document does not have the clock rate that the unit needs.
Result<CoreScale> MakeCoreScale(CoreUnit unit, const Document& document, const CoreMatrix& matrix);

}  // namespace cyclescope
