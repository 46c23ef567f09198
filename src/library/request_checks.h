// What requests have in common: numbers that must lie in a range, and CPUs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "os/cpus.h"

namespace cyclescope::library {

// An error that says what the number can be. Not-a-number is outside of every range.
Result<void> CheckRange(std::string_view what, double value, double least, double most);

Result<void> CheckPatience(std::optional<double> patience_s);

// LLVM's name of a CPU, or nothing.
Result<void> CheckModel(const std::string& cpu);

// The CPUs asked for; all that may be used when none are named.
Result<os::CpuList> SelectCpus(const std::vector<int>& asked, const os::CpuList& allowed);

}  // namespace cyclescope::library
