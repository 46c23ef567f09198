// Measured values compared with LLVM's scheduling model: what a compiler engineer needs to mend a
// model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "result/instruction.h"

namespace cyclescope {

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
