// What is wrong with assembly text, and where.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::assembler {

enum class TextErrorKind {
  kSyntax,        // no such instruction, or not with these operands
  kNeedsFeature,  // the instruction exists, but this CPU does not offer it
  kNotAllowed,    // a directive, a macro, an assignment: not an instruction
  kNoSuchLabel,   // a label that the text does not define
  kTooLong,
};

struct TextError {
  TextErrorKind kind = TextErrorKind::kSyntax;
  std::string message;                // one line, no full stop, no place
  std::string hint;                   // may be empty
  std::size_t line = 1;               // of the text, from 1; 0: the text as a whole
  std::size_t column = 1;             // from 1
  std::string source;                 // that line of the text
  std::string mnemonic;               // of the instruction that needs these features
  std::vector<std::string> features;  // kNeedsFeature: in the kernel's words where it has any

  // The line of the text, and a caret under the place; empty for the text as a whole.
  std::string Excerpt() const;
  // "line 1, column 5: invalid operand", with the hint; of kind kBadInput.
  Error ToError() const;
};

template <typename T>
using TextResult = std::expected<T, TextError>;

}  // namespace cyclescope::assembler
