// Which forms `--filter REGEX` selects.
//
//   const Result<FormFilter> filter = FormFilter::Parse("^f(add|mul)");
//   if (filter->Selects(row.text, row.mnemonic, row.opcode)) ...
#pragma once

#include <optional>
#include <regex>
#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope {

class FormFilter {
 public:
  // An empty expression selects everything.
  static Result<FormFilter> Parse(const std::string& expression);

  // True if the expression is found in one of them.
  bool Selects(const std::string& text, const std::string& mnemonic,
               const std::string& opcode) const;

 private:
  std::optional<std::regex> expression_;
};

}  // namespace cyclescope
