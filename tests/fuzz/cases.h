// Input for the fuzz test: text that is no assembly, assembly that is nearly or wholly right,
// machine code.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "blocks/block.h"

namespace cyclescope::fuzz {

enum class CaseKind { kNoise, kAssembly, kBytes };

struct Case {
  CaseKind kind = CaseKind::kNoise;
  std::string text;        // what would be typed; of kBytes in hexadecimal
  assembler::Bytes bytes;  // kBytes
  BlockLoop loop = BlockLoop::kUnrolled;
};

// The same seed gives the same cases.
class Cases {
 public:
  // `forms` are valid instructions: what kAssembly and some of kBytes begin with.
  Cases(std::uint64_t seed, std::vector<assembler::Instruction> forms,
        assembler::Assembler& assembler);

  Case Next();

 private:
  std::size_t Below(std::size_t end);  // 0 to end - 1
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }

  std::string Noise();
  std::string Assembly();
  assembler::Bytes Code();
  void Mutate(std::string& text);

  std::mt19937_64 random_;
  std::vector<assembler::Instruction> forms_;
  assembler::Assembler& assembler_;
};

}  // namespace cyclescope::fuzz
