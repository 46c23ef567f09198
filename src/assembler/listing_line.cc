#include "assembler/listing_line.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace cyclescope::assembler {
namespace {

// "LLVM-MCA-BEGIN name" anywhere in the line's comment.
bool FindMark(std::string_view line, ListingLine& found) {
  for (const std::string_view tool : {"LLVM-MCA", "OSACA"}) {
    const std::size_t at = line.find(tool);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + tool.size());
    if (rest.starts_with("-BEGIN")) {
      found.kind = LineKind::kBegin;
      found.name = Trimmed(rest.substr(6));
      return true;
    }
    if (rest.starts_with("-END")) {
      found.kind = LineKind::kEnd;
      return true;
    }
  }
  return false;
}

// Where a statement ends: at a semicolon that is no part of a string.
std::size_t EndOfStatement(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && is_quoted)
      ++i;
    else if (text[i] == '"')
      is_quoted = !is_quoted;
    else if (text[i] == ';' && !is_quoted)
      return i;
  }
  return text.size();
}

// The first statement of what is left of a line, which is taken away from it.
ListingLine TakeStatement(std::string_view& rest, const Rules& rules) {
  ListingLine read;
  read.text = Trimmed(rest.substr(0, EndOfStatement(rest)));
  const auto end = std::ranges::find_if_not(read.text, IsNameCharacter);
  read.word = std::string_view(read.text.begin(), end);
  read.operands = Trimmed(std::string_view(end, read.text.end()));
  if (!read.word.empty() && read.operands.starts_with(':')) {
    read.kind = LineKind::kLabel;
    read.text = std::string_view(read.text.begin(), read.operands.begin() + 1);
    read.operands = {};
    rest.remove_prefix(static_cast<std::size_t>(read.text.end() - rest.begin()));
    return read;
  }
  rest.remove_prefix(std::min(EndOfStatement(rest) + 1, rest.size()));
  if (read.text.empty()) return read;
  if (read.word.starts_with('.')) {
    read.kind = LineKind::kDirective;
  } else {
    read.kind = LineKind::kInstruction;
    read.flow = rules.flow(read.word, read.operands);
  }
  return read;
}

// Of one line, the statements that say something.
void ReadLine(std::string_view line, int number, const Rules& rules,
              std::vector<ListingLine>& lines) {
  ListingLine mark;
  mark.line = number;
  mark.column = 1;
  if (FindMark(line, mark)) {
    lines.push_back(mark);
    return;
  }
  std::string_view rest = line.substr(0, line.find(rules.comment_sign));
  // Whatever the architecture's comments begin with: a compiler's "#APP".
  if (Trimmed(rest).starts_with('#')) return;
  while (!rest.empty()) {
    ListingLine read = TakeStatement(rest, rules);
    if (read.text.empty()) continue;
    read.line = number;
    read.column = static_cast<int>(read.text.begin() - line.begin()) + 1;
    lines.push_back(read);
  }
}

// The bytes with which IACA and OSACA mark code; a move of 111 or 222 before them says whether it
// begins or ends.
bool IsByteMark(const ListingLine& line, const Rules& rules) {
  if (line.kind != LineKind::kDirective || line.word != ".byte") return false;
  std::string digits;
  for (const char c : line.operands) {
    if (c != ' ' && c != '\t') digits += c;
  }
  return digits == rules.byte_mark;
}

void FindByteMarks(const Rules& rules, std::vector<ListingLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!IsByteMark(lines[i], rules)) continue;
    for (std::size_t k = i; k-- > 0;) {
      if (lines[k].kind != LineKind::kInstruction) continue;
      const bool begins = lines[k].text.find("111") != std::string_view::npos;
      const bool ends = lines[k].text.find("222") != std::string_view::npos;
      if (begins || ends) {
        lines[k].kind = LineKind::kNothing;
        lines[i].kind = begins ? LineKind::kBegin : LineKind::kEnd;
      }
      break;
    }
  }
}

}  // namespace

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

std::string_view ListingLine::Target() const {
  if (flow != Flow::kConditional && flow != Flow::kJump) return {};
  const std::size_t last = operands.find_last_of(" \t,");
  return last == std::string_view::npos ? operands : Trimmed(operands.substr(last + 1));
}

std::vector<ListingLine> ReadLines(std::string_view text, const Rules& rules) {
  std::vector<ListingLine> lines;
  for (int number = 1; !text.empty(); ++number) ReadLine(TakeLine(text), number, rules, lines);
  FindByteMarks(rules, lines);
  return lines;
}

}  // namespace cyclescope::assembler
