// Everything one run measured: the value model that experiments fill and reports read.
// docs/schema.md describes its JSON form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cyclescope/result/check.h"
#include "cyclescope/result/clock.h"
#include "cyclescope/result/cores.h"
#include "cyclescope/result/frequency.h"
#include "cyclescope/result/host.h"
#include "cyclescope/result/instruction.h"
#include "cyclescope/result/sweep.h"

namespace cyclescope {

// The version of the JSON form that this program writes, and what all versions begin with.
inline constexpr std::string_view kSchema = "cyclescope/1";
inline constexpr std::string_view kSchemaFamily = "cyclescope/";

struct Tool {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string llvm;
};

// Something that makes the numbers less than they should be. Each names the next step.
struct Warning {
  std::string code;  // short and stable: "untrusted-reference", "no-counters"
  std::string message;
  std::string hint;
};

struct Config {
  std::string command;                                       // "frequency", "cores", ...
  std::string started;                                       // UTC, ISO 8601
  double confidence = 0.95;                                  // of every interval in the document
  std::vector<std::pair<std::string, std::string>> options;  // as given, long names
};

struct Document {
  std::string schema{kSchema};  // another version's only in a document that was read from a file
  std::string source;           // that file; empty for what was just measured. Not part of the JSON
  Tool tool;
  Host host;
  Clock clock;
  Config config;
  std::vector<Warning> warnings;
  bool partial = false;  // interrupted: what was measured until then

  std::vector<Check> doctor;
  std::vector<FrequencyRow> frequency;
  std::vector<InstructionRow> instructions;
  std::optional<SweepSummary> sweep;
  std::vector<BlockRow> blocks;
  std::vector<CoreMatrix> cores;
};

}  // namespace cyclescope
