// Measured values compared with LLVM's scheduling model: what a compiler engineer needs to mend a
// model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

enum class ModelQuantity { kLatency, kThroughput };

struct ModelDifference {
  const InstructionRow* row = nullptr;  // of the rows that were compared
  const Latency* pair = nullptr;        // of the row; none for a throughput
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
  int contended = 0;  // values that were not compared, since another thread shared the core
  std::vector<ModelDifference> differences;  // largest first
  std::vector<ModelDifference> system;       // of system instructions, which no model tries to get
                                             // right; not counted above
};

// Like is compared with like: a pair of operands with the model's latency of that pair. The longest
// stands for the row where a document of an older version has only the whole. Pairs through memory
// are left out, since models know nothing of store forwarding, and so is what another thread on the
// core slowed.
//
// Values agree when the model lies in their interval, or within 2 % or 0.05 cycles, whichever is
// more. An upper bound disagrees only where the model is above it.
ModelAgreement CompareWithModel(std::span<const InstructionRow> rows);

// Differences that have a cause in common.
struct ModelGroup {
  ModelQuantity quantity = ModelQuantity::kLatency;
  std::string family;    // of mnemonics: "padd"; empty where it is several families
  std::string operands;  // "zmm, memory"; empty where it is several kinds
  std::string factor;    // measured over model: "×0.5"; empty where it varies
  std::vector<const ModelDifference*> differences;  // largest first
};

// Every difference is in one group; the largest group is first. A cause is a kind of operands with
// one factor ("every load has half the throughput"), or a family of mnemonics, whichever explains
// more of what the groups before it left.
std::vector<ModelGroup> GroupByCause(std::span<const ModelDifference> differences);

}  // namespace cyclescope
