#include "base/form_filter.h"

#include <fmt/core.h>

namespace cyclescope {

namespace {

// "(x+)+y" takes this library longer with each x by its usual way, and by this one no longer than
// the text and the expression are long. It knows no back-references.
#ifdef __GLIBCXX__
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

constexpr std::size_t kMostCharacters = 1000;

}  // namespace

Result<FormFilter> FormFilter::Parse(const std::string& expression) {
  FormFilter filter;
  if (expression.empty()) return filter;
  if (expression.size() > kMostCharacters) {
    return BadInput(
        fmt::format("--filter: the expression has {} characters, and at most {} are taken",
                    expression.size(), kMostCharacters));
  }
  try {
    filter.expression_.emplace(expression, kSyntax);
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
