// Measured values compared with LLVM's scheduling model: what a compiler engineer needs to mend a
// model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "result/instruction.h"

namespace cyclescope {

// A row's latencies as the one number that models and tables have.
struct HeadlineLatency {
  double cycles = 0;
  bool upper_bound = false;
  std::optional<double> model;  // of the same pair
};

// The longest of a row's pairs. Upper bounds count only where there is nothing better; pairs
// through memory never do, since models know nothing of store forwarding.
std::optional<HeadlineLatency> LongestLatency(const InstructionRow& row);

enum class ModelQuantity { kLatency, kThroughput };

struct ModelDifference {
  const InstructionRow* row = nullptr;  // of the rows that were compared
  ModelQuantity quantity = ModelQuantity::kLatency;
  double measured_cycles = 0;
  double model_cycles = 0;

  double difference() const { return measured_cycles - model_cycles; }
};

struct ModelCount {
  int compared = 0;
  int agreeing = 0;
};

struct ModelAgreement {
  std::string cpu;  // whose model; empty where no row has one
  ModelCount latency;
  ModelCount throughput;
  std::vector<ModelDifference> differences;  // largest first
};

// Values agree within 2 % or 0.05 cycles, whichever is more. A latency of which only an upper bound
// is known disagrees only where the model is above it.
ModelAgreement CompareWithModel(std::span<const InstructionRow> rows);

}  // namespace cyclescope
