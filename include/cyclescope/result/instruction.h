// `cyclescope instruction`, `block` and `sweep`: what one form or snippet takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

enum class LatencyKind {
  kExact,       // the chain held nothing but the form
  kConnected,   // a connector of known latency closed the loop, and was taken off
  kUpperBound,  // only the sum of the form and its connector is known
};

// From one operand to another. Operands are named as in the form's text; `flags` and `memory` are
// operands too.
struct Latency {
  std::string from;
  std::string to;
  Estimate cycles;
  LatencyKind kind = LatencyKind::kExact;
  std::string connector;  // the connecting instructions; empty when exact
  std::string values;     // the value class ("fast", "slow"); empty where values do not matter
  std::string code;       // the measured chain, one instruction a line
  std::optional<double> model;  // what LLVM's scheduling model says of this pair, in cycles
};

struct Throughput {
  Estimate cycles;     // per instruction
  std::string values;  // as in Latency
  std::string code;    // the repeated part
};

// A row of the classic table.
struct ClassicRow {
  std::string test;  // "THR" or "LAT"
  double cycles_per_instruction = 0;
  double instructions_per_cycle = 0;
  double instructions = 0;
  double core_cycles = 0;
  double ticks = 0;
  double seconds = 0;
  double boost = 0;     // core cycles per tick
  double base_ghz = 0;  // the time-stamp counter's rate
  double core_ghz = 0;
  std::optional<double> reference_cycles;  // only with counters that have them
};

// What LLVM's scheduling model says.
struct ModelTiming {
  std::string cpu;
  std::optional<double> latency;
  std::optional<double> throughput;  // cycles per instruction
};

struct InstructionRow {
  std::string text;
  std::string opcode;  // LLVM's name
  std::string mnemonic;
  std::string isa;  // the extension it belongs to
  std::string
      heading;  // under which `survey` lists it ("divide"); empty for rows of other commands
  Status status = Status::kMeasured;
  std::string reason;                            // when not measured
  std::optional<Throughput> throughput;          // with the fastest values
  std::vector<Throughput> throughput_by_values;  // every value class, where values matter
  std::vector<Latency> latency;
  std::vector<ClassicRow> classic;
  std::optional<ModelTiming> model;
  std::vector<std::string>
      notes;  // "eliminated move", "zero idiom", "false dependence on the output"
};

struct BlockRow {
  std::string text;
  std::string init;
  Status status = Status::kMeasured;
  std::string reason;
  std::optional<Estimate> cycles;  // per iteration of the snippet
  int instructions = 0;            // in one iteration, as written
  int unroll = 1;
  bool loop = true;
  std::vector<ClassicRow> classic;
  std::string code;
};

}  // namespace cyclescope
