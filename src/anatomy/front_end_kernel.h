// Machine code of a pattern (code_times.h), in a loop: one loop is one trip.
//
//   FrontEndKernels kernels(assembler, scratch_address);
//   auto made = kernels.Make({.kind = PatternKind::kJumps, .count = 96, .stride = 16});
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "anatomy/code_times.h"
#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "sandbox/kernel_code.h"

namespace cyclescope::anatomy {

class FrontEndKernels {
 public:
  // The assembler must outlive it.
  FrontEndKernels(assembler::Assembler& assembler, std::uint64_t scratch_address)
      : assembler_(assembler), scratch_address_(scratch_address) {}

  // Kernels with another seed have other random bits.
  Result<sandbox::Kernel> Make(const CodePattern& pattern, std::uint64_t seed = 0);

  // What people are shown of it, in a few lines.
  static std::vector<std::string> TextOf(const CodePattern& pattern);

 private:
  class Writer;

  Result<assembler::Bytes> Bytes(std::string_view text);

  void WriteStraight(const CodePattern& pattern, Writer& writer);
  void WriteAligned(const CodePattern& pattern, Writer& writer);
  void WriteText(const CodePattern& pattern, Writer& writer);
  void WriteJumps(const CodePattern& pattern, Writer& writer);
  void WriteBranches(const CodePattern& pattern, Writer& writer);
  void WriteReturns(const CodePattern& pattern, Writer& writer);
  void WriteHistory(const CodePattern& pattern, Writer& writer);
  void WriteIndirect(const CodePattern& pattern, Writer& writer);

  assembler::Assembler& assembler_;
  std::uint64_t scratch_address_;
  std::uint64_t seed_ = 0;  // of the one that is being made
  std::map<std::string, assembler::Bytes, std::less<>> assembled_;
};

}  // namespace cyclescope::anatomy
