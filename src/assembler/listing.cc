#include "assembler/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "assembler/rules.h"

namespace cyclescope::assembler {
namespace {

std::string_view Strip(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

enum class LineKind { kNothing, kDirective, kLabel, kInstruction, kBegin, kEnd };

struct Line {
  LineKind kind = LineKind::kNothing;
  std::string_view text;   // without comment
  std::string_view label;  // of kLabel; the target of an instruction that branches
  std::string_view name;   // of a mark
};

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

// "LLVM-MCA-BEGIN name" anywhere in the line's comment.
bool FindMark(std::string_view line, Line& found) {
  for (const std::string_view tool : {"LLVM-MCA", "OSACA"}) {
    const std::size_t at = line.find(tool);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + tool.size());
    if (rest.starts_with("-BEGIN")) {
      found.kind = LineKind::kBegin;
      found.name = Strip(rest.substr(6));
      return true;
    }
    if (rest.starts_with("-END")) {
      found.kind = LineKind::kEnd;
      return true;
    }
  }
  return false;
}

Line ReadLine(std::string_view line, const Rules& rules) {
  Line read;
  if (FindMark(line, read)) return read;
  read.text = Strip(line.substr(0, line.find(rules.comment_sign)));
  if (read.text.empty()) return read;
  const auto end = std::ranges::find_if_not(read.text, IsNameCharacter);
  const std::string_view word(read.text.begin(), end);
  const std::string_view rest(end, read.text.end());
  if (!word.empty() && Strip(rest).starts_with(':')) {
    read.kind = LineKind::kLabel;
    read.label = word;
  } else if (word.starts_with('.')) {
    read.kind = LineKind::kDirective;
  } else {
    read.kind = LineKind::kInstruction;
    if (rules.is_branch(word)) {
      const std::size_t last = rest.find_last_of(" \t,");
      if (last != std::string_view::npos) read.label = Strip(rest.substr(last + 1));
    }
  }
  return read;
}

// The bytes with which IACA and OSACA mark code; a move of 111 or 222 before them says whether it
// begins or ends.
bool IsByteMark(std::string_view directive, const Rules& rules) {
  if (!directive.starts_with(".byte")) return false;
  std::string digits;
  for (const char c : directive.substr(5)) {
    if (c != ' ' && c != '\t') digits += c;
  }
  return digits == rules.byte_mark;
}

void FindByteMarks(const Rules& rules, std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind != LineKind::kDirective || !IsByteMark(lines[i].text, rules)) continue;
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

std::string TextOf(const std::vector<Line>& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (lines[i].kind == LineKind::kLabel || lines[i].kind == LineKind::kInstruction)
      text += std::string(lines[i].text) + '\n';
  }
  return text;
}

std::vector<Region> MarkedRegions(const std::vector<Line>& lines) {
  std::vector<Region> regions;
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    const bool ends = i == lines.size() || lines[i].kind == LineKind::kEnd;
    if (inside && (ends || lines[i].kind == LineKind::kBegin)) {
      const std::string_view name = lines[begin].name;
      regions.push_back({name.empty() ? fmt::format("line {}", begin + 1) : std::string(name),
                         TextOf(lines, begin + 1, i)});
      inside = false;
    }
    if (i < lines.size() && lines[i].kind == LineKind::kBegin) {
      begin = i;
      inside = true;
    }
  }
  return regions;
}

// The function that a line belongs to: the last label before it that is not the compiler's own, as
// those begin with a point. Empty where there is none.
std::string_view FunctionOf(const std::vector<Line>& lines, std::size_t at) {
  for (std::size_t i = at + 1; i-- > 0;) {
    if (lines[i].kind == LineKind::kLabel && !lines[i].label.starts_with('.'))
      return lines[i].label;
  }
  return {};
}

// "line 12: .L3 in sum"
std::string NameOfLoop(const std::vector<Line>& lines, std::size_t begin) {
  const std::string_view function = FunctionOf(lines, begin);
  const std::string_view label = lines[begin].label;
  const bool is_named = !function.empty() && function != label;
  return fmt::format("line {}: {}{}{}", begin + 1, label, is_named ? " in " : "",
                     is_named ? function : "");
}

std::vector<Region> InnermostLoops(const std::vector<Line>& lines) {
  struct Loop {
    std::size_t begin;  // its label
    std::size_t end;    // behind its last branch
  };
  std::map<std::string_view, std::size_t> labels;
  std::map<std::size_t, std::size_t> ends;  // by the line of the label
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == LineKind::kLabel) labels[lines[i].label] = i;
    if (lines[i].kind != LineKind::kInstruction || lines[i].label.empty()) continue;
    const auto target = labels.find(lines[i].label);
    if (target != labels.end()) ends[target->second] = i + 1;
  }
  std::vector<Loop> loops;
  for (const auto& [begin, end] : ends) loops.push_back({begin, end});
  std::vector<Region> regions;
  for (const Loop& loop : loops) {
    const bool innermost = std::ranges::none_of(loops, [&loop](const Loop& other) {
      return other.begin != loop.begin && other.begin >= loop.begin && other.end <= loop.end;
    });
    // A jump back to a shared ending is no loop: the function ends in between.
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(loop.begin);
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(loop.end);
    const bool returns = std::any_of(begin, end, [](const Line& line) {
      return line.kind == LineKind::kInstruction && line.text.starts_with("ret");
    });
    if (!innermost || returns) continue;
    regions.push_back({NameOfLoop(lines, loop.begin), TextOf(lines, loop.begin, loop.end)});
  }
  return regions;
}

}  // namespace

std::optional<Listing> ReadListing(std::string_view text, Architecture architecture) {
  const Rules& rules = RulesOf(architecture);
  std::vector<Line> lines;
  Listing listing;
  bool is_listing = false;
  bool intel = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(ReadLine(text.substr(0, end), rules));
    text.remove_prefix(std::min(end + 1, text.size()));
    const Line& line = lines.back();
    is_listing |= line.kind == LineKind::kDirective || line.kind == LineKind::kBegin;
    intel |= line.kind == LineKind::kDirective && line.text.starts_with(".intel_syntax");
  }
  if (!is_listing) return std::nullopt;
  listing.att_syntax = rules.has_att_syntax && !intel;
  FindByteMarks(rules, lines);
  const bool marked =
      std::ranges::any_of(lines, [](const Line& line) { return line.kind == LineKind::kBegin; });
  listing.regions = marked ? MarkedRegions(lines) : InnermostLoops(lines);
  return listing;
}

}  // namespace cyclescope::assembler
