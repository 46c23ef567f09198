// The statements of assembly as compilers and people write it, each by itself.
#pragma once

#include <string_view>
#include <vector>

#include "assembler/rules.h"

namespace cyclescope::assembler {

enum class LineKind { kNothing, kDirective, kLabel, kInstruction, kBegin, kEnd };

struct ListingLine {
  LineKind kind = LineKind::kNothing;
  int line = 0;               // of the text, from 1
  int column = 0;             // where it begins there, from 1
  std::string_view text;      // without comment
  std::string_view word;      // its first word: a label, a directive or a mnemonic
  std::string_view operands;  // what follows that
  std::string_view name;      // of a mark
  Flow flow = Flow::kOn;      // of an instruction

  // The label that a branch leads to; empty where it is none.
  std::string_view Target() const;
};

// The statements of the text, of which a line may have several: labels stand before instructions,
// and semicolons between them. Marks of other tools, in comments or as bytes, are kBegin and kEnd.
std::vector<ListingLine> ReadLines(std::string_view text, const Rules& rules);

bool IsNameCharacter(char c);
std::string_view Strip(std::string_view text);

}  // namespace cyclescope::assembler
