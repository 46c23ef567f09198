#include <algorithm>
#include <cctype>

#include "serve/instruction_rows.h"

namespace cyclescope::serve {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// What both architectures' assemblers take for one. With AArch64, # begins a number, too.
std::string_view WithoutComment(std::string_view line, std::string_view architecture) {
  line = line.substr(0, line.find("//"));
  if (architecture == "x86_64") return line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first != std::string_view::npos && line[first] == '#' ? std::string_view() : line;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A colon within an operand, as in fs:[0], ends no label.
std::string_view WithoutLabels(std::string_view text) {
  while (true) {
    const auto end = std::ranges::find_if(text, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '$';
    });
    if (end == text.begin() || end == text.end() || *end != ':') return text;
    text = Trimmed({end + 1, text.end()});
  }
}

}  // namespace

std::vector<std::string> StatementsOf(std::string_view text, std::string_view architecture) {
  std::vector<std::string> statements;
  const auto take = [&statements](std::string_view statement) {
    statement = WithoutLabels(Trimmed(statement));
    if (statement.empty() || statement.front() == '.') return;
    std::string& taken = statements.emplace_back(statement);
    std::ranges::replace(taken, '\t', ' ');
  };
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    std::string_view line = WithoutComment(whole, architecture);
    while (!line.empty()) {
      const std::string_view statement = line.substr(0, line.find(';'));
      line.remove_prefix(std::min(statement.size() + 1, line.size()));
      take(statement);
    }
  }
  return statements;
}

}  // namespace cyclescope::serve
