// The lines of assembly as compilers write it, each by itself.
#pragma once

#include <string_view>
#include <vector>

#include "assembler/rules.h"

namespace cyclescope::assembler {

enum class LineKind { kNothing, kDirective, kLabel, kInstruction, kBegin, kEnd };

struct ListingLine {
  LineKind kind = LineKind::kNothing;
  std::string_view text;      // without comment
  std::string_view word;      // its first word: a label, a directive or a mnemonic
  std::string_view operands;  // what follows that
  std::string_view name;      // of a mark
  Flow flow = Flow::kOn;      // of an instruction

  // The label that a branch leads to; empty where it is none.
  std::string_view Target() const;
};

// A line for each of the text's. Marks of other tools, in comments or as bytes, are kBegin and
// kEnd.
std::vector<ListingLine> ReadLines(std::string_view text, const Rules& rules);

bool IsNameCharacter(char c);
std::string_view Strip(std::string_view text);

}  // namespace cyclescope::assembler
