// Measured values compared with LLVM's scheduling model: what a compiler engineer needs to mend a
// model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"
#include "cyclescope/result/names.h"

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
  std::vector<ModelDifference> agreements;   // the rest of what was compared
  std::vector<ModelDifference> system;       // of system instructions, which no model tries to get
                                             // right; not counted above
};

// Like is compared with like: a pair of operands with the model's latency of that pair. The longest
// stands for the row where a document of an older version has only the whole. Pairs through memory
// are left out, since models know nothing of store forwarding, and so is what was measured on a
// shared core.
//
// Values agree when the model lies in their interval, or within 2 % or 0.05 cycles, whichever is
// more, or that near to one of the states that the value has. An upper bound disagrees only where
// the model is above it.
ModelAgreement CompareWithModel(std::span<const InstructionRow> rows);

// In which way measured values differ from the model's.
enum class ModelPattern {
  kOffset,      // by the same few whole cycles, each to 0.1 cycles
  kFactor,      // by the same factor, each to 3 %
  kAllLonger,   // all take longer, each by something else
  kAllShorter,  // all take less, likewise
  kNotInModel,  // the model says that they take no time
  kMixed,       // in no way that all have in common
};

constexpr auto NamesOf(ModelPattern) {
  return Names("offset", "factor", "longer", "shorter", "not-in-model", "mixed");
}

// Differences that have something in common.
struct ModelGroup {
  ModelQuantity quantity = ModelQuantity::kLatency;
  std::string family;    // of mnemonics: "padd"; empty where it is several families
  std::string operands;  // "zmm, memory"; empty where it is several kinds
  ModelPattern pattern = ModelPattern::kMixed;
  double amount = 0;         // of kOffset: cycles more; of kFactor: measured over model
  std::size_t compared = 0;  // values of that quantity, family and operands, with those that agree
  std::vector<const ModelDifference*> differences;  // largest first
};

// Every difference is in one group; the largest group is first. Groups are of one kind of operands
// and one pattern ("every load has half the throughput"), or of one family of mnemonics, whichever
// explains more of what the groups before it left.
std::vector<ModelGroup> GroupDifferences(const ModelAgreement& agreement);

}  // namespace cyclescope
