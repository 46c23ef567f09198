// Assembly as compilers write it: which parts of it are to be measured.
//
// Marks choose regions: `# LLVM-MCA-BEGIN name` and `# LLVM-MCA-END`, the same with OSACA, and the
// byte marks of IACA and OSACA. Without any, the innermost loops are the regions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/target.h"

namespace cyclescope::assembler {

struct Region {
  std::string name;  // the mark's, or "line 12: .L3 in sum"
  std::string text;  // instructions and labels
};

struct Listing {
  std::vector<Region> regions;
  bool att_syntax = false;
};

// Unset where the text has neither directives nor marks: then it is a snippet as it stands.
std::optional<Listing> ReadListing(std::string_view text, Architecture architecture);

}  // namespace cyclescope::assembler
