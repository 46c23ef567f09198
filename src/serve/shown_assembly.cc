#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "serve/prepared_code.h"

namespace cyclescope::serve {
namespace {

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

std::string_view Strip(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Tabs as compilers use them, behind the mnemonic.
std::string Spaced(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '\t', ' ');
  return spaced;
}

int NumberAt(std::string_view& text) {
  text = Strip(text);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

std::string_view LabelIn(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view name = line.substr(0, colon);
  return std::ranges::all_of(name, IsNameCharacter) ? name : std::string_view();
}

// The names in the operands of an instruction.
void AddNames(std::string_view text, std::set<std::string_view>& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!IsNameCharacter(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && IsNameCharacter(text[at])) ++at;
    names.insert(text.substr(begin, at - begin));
  }
}

bool IsCodeSection(std::string_view line) {
  return line.starts_with(".text") || line.find(".text") != std::string_view::npos;
}

bool ChangesSection(std::string_view line) {
  return line.starts_with(".section") || line.starts_with(".text") || line.starts_with(".data") ||
         line.starts_with(".bss");
}

// The number that `.file 1 "<stdin>"` gives the source: the input has no other name.
int SourceNumber(std::string_view line) {
  if (line.find("<stdin>") == std::string_view::npos &&
      line.find("\"-\"") == std::string_view::npos)
    return -1;
  line.remove_prefix(std::string_view(".file").size());
  return NumberAt(line);
}

}  // namespace

std::vector<ShownLine> ShownLines(std::string_view assembly) {
  std::vector<ShownLine> shown;
  std::set<int> own_files;
  std::set<std::string_view> wanted;
  int source = 0;
  bool in_code = true;
  const std::vector<std::string_view> lines = LinesOf(assembly);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = Strip(lines[i]);
    if (line.empty() || line.starts_with('#') || line.starts_with("//")) continue;
    if (line.starts_with(".file")) {
      if (const int number = SourceNumber(line); number >= 0) own_files.insert(number);
    } else if (line.starts_with(".loc ") || line.starts_with(".loc\t")) {
      std::string_view rest = line.substr(4);
      const bool own = own_files.contains(NumberAt(rest));
      const int number = NumberAt(rest);
      source = own && number > 0 ? number : 0;
    } else if (ChangesSection(line)) {
      in_code = IsCodeSection(line);
    } else if (line.starts_with(".globl")) {
      AddNames(line.substr(6), wanted);
    } else if (line.starts_with(".type")) {
      AddNames(line.substr(5, line.find(',') - 5), wanted);
    } else if (!in_code) {
      continue;
    } else if (const std::string_view label = LabelIn(line); !label.empty()) {
      shown.push_back({static_cast<int>(i + 1), 0, true, std::string(label) + ':'});
    } else if (!line.starts_with('.')) {
      AddNames(line, wanted);
      shown.push_back({static_cast<int>(i + 1), source, false, Spaced(line)});
    }
  }
  std::erase_if(shown, [&wanted](const ShownLine& line) {
    return line.is_label &&
           !wanted.contains(std::string_view(line.text).substr(0, line.text.size() - 1));
  });
  return shown;
}

}  // namespace cyclescope::serve
