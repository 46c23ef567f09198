// What the texts of instructions and of snippets write alike: values, their intervals, remarks.
// Private to both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/instruction.h"
#include "report/text_style.h"

namespace cyclescope {

// Four digits, and two after the point at most.
std::string ValueText(double cycles);
// With as many digits as it takes to tell both ends apart, and no more.
std::string IntervalText(const Estimate& estimate);
// How many samples count, and how many do not: "23 (−2)".
std::string SampleText(const Estimate& estimate);

// `how` the value was found, and what is odd about its samples.
std::string WithRemarks(std::string how, const Estimate& estimate);

std::string Indented(std::string_view code);

// A line for each.
std::string NotesText(const std::vector<std::string>& notes, const TextStyle& style);

// Why there is no value; empty where there is one.
std::string StatusLine(Status status, const std::string& reason, const TextStyle& style);

}  // namespace cyclescope
