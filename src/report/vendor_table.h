// What the vendor of a core publishes of its instructions, as figures beside those measured.
//
//   const auto table = VendorTable::Parse(csv, "neoverse_v1_sog");
//   table->Of("fmla v0.4s, v1.4s, v2.4s");   // {latency 4, throughput 0.25}
//
// Such tables name any registers and numbers: a row is found by the shape of its text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"

namespace cyclescope {

struct VendorFigures {
  std::optional<double> latency;     // cycles
  std::optional<double> throughput;  // cycles per instruction
};

class VendorTable {
 public:
  // A CSV table with the columns `asm`, `latency`, and `throughput` (cycles per instruction) or
  // `throughput_per_cycle`. Its first lines may begin with #: they name the source, which is what
  // `file` is called where there are none.
  static Result<VendorTable> Parse(std::string_view csv, const std::string& file);

  // Of the form with this text; unset where the table has none.
  std::optional<VendorFigures> Of(std::string_view text) const;

  const std::string& source() const { return source_; }

 private:
  std::string source_;
  std::map<std::string, VendorFigures> by_shape_;
};

// "add x,x,#" of "ADD X0, X1, #3": registers are letters with their lanes, numbers are #. Of
// AArch64; other texts keep their registers.
std::string ShapeOf(std::string_view text);

}  // namespace cyclescope
