// Rows as benchmark records of llvm-exegesis, so that its analysis works on machines where it
// cannot measure:
//
//   llvm-exegesis-19 -mode=analysis -benchmarks-file=FILE
//   -analysis-clusters-output-file=clusters.csv
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

// What a record says of the instruction itself, in LLVM's words.
struct ExegesisInstruction {
  std::string key;    // opcode and machine operands: "ADDXrr X0 X1 X2"
  std::string bytes;  // in hexadecimal
};

struct ExegesisTarget {
  std::string cpu;     // LLVM's name
  std::string triple;  // "aarch64-unknown-linux-gnu"
};

// Unset for rows that LLVM cannot read back.
using DescribeInstruction =
    std::function<std::optional<ExegesisInstruction>(const InstructionRow& row)>;

// What llvm-exegesis calls its modes. It analyses records of one mode at a time.
enum class ExegesisMode { kLatency, kInverseThroughput };

// A record for each row whose value of that mode is known.
std::string ExegesisYaml(const std::vector<InstructionRow>& rows, ExegesisMode mode,
                         const ExegesisTarget& target, const DescribeInstruction& describe);

}  // namespace cyclescope
