// cyclescope as a library: what the program's commands do, as functions that return values.
//
//   auto result = cyclescope::MeasureInstructions({.texts = {"mul x0, x1, x2"}});
//   if (!result) return Complain(result.error().ToString());
//   for (const cyclescope::Latency& pair : result->instructions.front().latency)
//     Use(pair.from, pair.to, pair.cycles.value);
//
// Each returns a Document: the rows asked for, the machine and the clock they come from, and
// warnings. A row that could not be measured has a status and a reason; an Error means that nothing
// could be. Nothing is printed, nothing ends the process, no signal is handled and nothing is kept
// between calls. While a call measures, the calling thread stays on the CPU that it measures; it
// gets its CPUs back before the call returns. Calls that run at once disturb each other's results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/block_loop.h"
#include "cyclescope/cycle_choice.h"
#include "cyclescope/progress.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

struct FrequencyRequest {
  std::vector<int> cpus;  // empty: all that may be used
  CycleChoice cycles = CycleChoice::kAuto;
};

// Fills `frequency`.
Result<Document> MeasureFrequency(const FrequencyRequest& request = {},
                                  const OnProgress& on_progress = {});

// Where and how code is measured.
struct CodeRequest {
  std::optional<int> cpu;  // unset: the last that may be used
  CycleChoice cycles = CycleChoice::kAuto;
  bool att_syntax = false;  // of x86-64 assembly; Intel's when false
};

struct InstructionRequest {
  std::vector<std::string> texts;  // assembly, one instruction each
  CodeRequest code;
};

// Fills `instructions`, a row for each text.
Result<Document> MeasureInstructions(const InstructionRequest& request,
                                     const OnProgress& on_progress = {});

struct BlockRequest {
  std::string text;                 // assembly
  std::vector<std::uint8_t> bytes;  // machine code instead of text
  std::string init;                 // assembly that runs once before
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies; as many as make a good sample when unset
  CodeRequest code;
};

// Fills `blocks`, with one row.
Result<Document> MeasureBlock(const BlockRequest& request);

struct CoresRequest {
  std::vector<int> cpus;              // at least two; empty: all that may be used
  std::string tests = "cas";          // with commas, or "all"
  std::string instruction;            // that moves the line; empty: each test's own
  double precision = 0.02;            // width of a pair's interval over its value, to be reached
  double budget_s = 0.1;              // the most time for one pair in one direction
  std::optional<int> rounds;          // visits to each pair; 8 or more when unset
  std::optional<double> duration_s;   // instead: rounds go on for so long
  bool parallel = false;              // disjoint pairs at once
  std::optional<std::uint64_t> seed;  // of the order and the lines; drawn when unset
};

// Fills `cores`, a matrix for each test.
Result<Document> MeasureCores(const CoresRequest& request = {},
                              const OnMatrixProgress& on_progress = {});

}  // namespace cyclescope
