#include "base/form_filter.h"

#include <fmt/core.h>

namespace cyclescope {

Result<FormFilter> FormFilter::Parse(const std::string& expression) {
  FormFilter filter;
  if (expression.empty()) return filter;
  try {
    filter.expression_.emplace(expression);
  } catch (const std::regex_error& error) {
    return BadInput(
        fmt::format("--filter: '{}' is not a regular expression: {}", expression, error.what()));
  }
  return filter;
}

bool FormFilter::Selects(const std::string& text, const std::string& mnemonic,
                         const std::string& opcode) const {
  if (!expression_) return true;
  return std::regex_search(text, *expression_) || std::regex_search(mnemonic, *expression_) ||
         std::regex_search(opcode, *expression_);
}

}  // namespace cyclescope
