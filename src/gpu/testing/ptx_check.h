// Reads PTX as far as we produce it: modules, kernels, declarations, statements. What it does not
// understand is an error, so that a mistake in our text shows without NVIDIA's compiler.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::gpu::testing {

struct PtxStatement {
  bool has_guard = false;
  bool reads_clock = false;
  std::string opcode;
};

struct PtxEntry {
  std::string name;
  int most_threads = 0;
  std::vector<PtxStatement> statements;

  // True if an instruction has that word as the first part of its opcode.
  bool Has(std::string_view first_part) const;
};

struct PtxModule {
  std::vector<PtxEntry> entries;
};

// The error is as the driver words it: "line 12; error : ...".
std::expected<PtxModule, std::string> ReadPtx(std::string_view text);

}  // namespace cyclescope::gpu::testing
