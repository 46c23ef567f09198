#include "report/headline_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

#include "analysis/row_figures.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// Two of these and a gap are 80 columns.
constexpr std::size_t kTextWidth = 24;
constexpr std::size_t kLatencyWidth = 7;
constexpr std::size_t kThroughputWidth = 7;
constexpr std::size_t kColumnWidth = 1 + kTextWidth + kLatencyWidth + kThroughputWidth;
constexpr std::string_view kGap = "  ";

// True if an x86-64 register is as wide as a size word ("qword") says.
bool IsAsWide(std::string_view reg, std::string_view size) {
  if (size == "xmmword" || size == "ymmword" || size == "zmmword")
    return reg.starts_with(size.substr(0, 3));
  if (size == "qword") {
    constexpr std::string_view kNarrow = "bwd";  // as in r8d
    return reg.size() >= 2 && reg.front() == 'r' && !kNarrow.contains(reg.back());
  }
  if (size != "dword") return false;
  return (reg.size() == 3 && reg.front() == 'e') || (reg.starts_with('r') && reg.ends_with('d'));
}

// Without Intel's size word ("qword ptr") where the first or second operand is a register as wide:
// an assembler reads the same then. Not so of conversions, whose operands differ in width.
std::string WithoutSize(const std::string& text) {
  constexpr std::string_view kPointer = " ptr ";
  const std::size_t at = text.find(kPointer);
  const std::size_t operands = text.find(' ') + 1;
  if (at == std::string::npos || at < operands || text.substr(0, operands).contains("cvt"))
    return text;
  const std::size_t begin = text.find_last_of(' ', at - 1) + 1;
  const std::string_view size = std::string_view(text).substr(begin, at - begin);
  const bool is_first = begin == operands;
  const std::size_t second = text.find(", ", at);
  if (is_first && second == std::string::npos) return text;
  const std::size_t reg = is_first ? second + 2 : operands;
  const std::size_t reg_end = std::min(text.find_first_of(", {", reg), text.size());
  if (!IsAsWide(std::string_view(text).substr(reg, reg_end - reg), size)) return text;
  return text.substr(0, begin) + text.substr(at + kPointer.size());
}

// Padded, or shortened where it does not fit.
std::string Fitted(const std::string& text, std::size_t width) {
  std::string fitted = DisplayWidth(text) > width ? WithoutSize(text) : text;
  if (DisplayWidth(fitted) > width) {
    while (DisplayWidth(fitted) > width - 1) fitted.pop_back();
    fitted += "…";
  }
  return fitted + std::string(width - DisplayWidth(fitted), ' ');
}

std::string RightAligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, DisplayWidth(text)), ' ') + text;
}

std::string Figure(double cycles) {
  return cycles < 100 ? fmt::format("{:.2f}", cycles) : fmt::format("{:.1f}", cycles);
}

// No figure to rely on: its interval goes further than a tenth either way.
bool IsWide(const Estimate& estimate) {
  return estimate.high - estimate.low > 0.2 * estimate.value;
}

// With the marks that the legend below the table explains.
std::string MarkedFigure(bool bound, const Estimate& estimate) {
  std::string figure = (bound ? "≤" : "") + Figure(ShownCycles(bound, estimate));
  if (estimate.contended) {
    figure += '~';
  } else if (!bound && IsWide(estimate)) {
    figure += '?';
  }
  return figure;
}

// True if a figure that the table shows has a mark.
bool IsMarked(const InstructionRow& row, bool (*has)(const Estimate&)) {
  const Latency* latency = ShownLatency(row);
  return (latency != nullptr && has(latency->cycles)) ||
         (row.throughput && has(row.throughput->cycles));
}

std::string Figures(const InstructionRow& row) {
  const Latency* latency = ShownLatency(row);
  if (latency == nullptr && !row.throughput) {
    return RightAligned(std::string(ToString(row.status)), kLatencyWidth + kThroughputWidth);
  }
  std::string first;
  if (latency != nullptr) first = MarkedFigure(IsUpperBound(*latency), latency->cycles);
  std::string second;
  if (row.throughput) second = MarkedFigure(IsUpperBound(*row.throughput), row.throughput->cycles);
  if (row.status == Status::kDisturbed) second += '*';
  return RightAligned(first, kLatencyWidth) + RightAligned(second, kThroughputWidth);
}

// A text that is a little too long takes the room that its figures leave.
std::string RowLine(const InstructionRow& row) {
  const std::string figures = Figures(row);
  const std::size_t room = std::max<std::size_t>(figures.find_first_not_of(' '), 1) - 1;
  const std::size_t width = DisplayWidth(row.text);
  const std::size_t more =
      width > kTextWidth && width <= kTextWidth + room ? width - kTextWidth : 0;
  return ' ' + Fitted(row.text, kTextWidth + more) + figures.substr(more);
}

// What stands together in one column: a heading and its rows.
struct Section {
  std::vector<std::string> lines;
};

std::vector<Section> SectionsOf(std::span<const InstructionRow> rows, const TextStyle& style) {
  std::vector<Section> sections;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const InstructionRow& row = rows[i];
    if (i == 0 || row.heading != rows[i - 1].heading) {
      sections.emplace_back();
      if (!row.heading.empty()) {
        sections.back().lines.push_back(
            Paint(Fitted(row.heading, kColumnWidth), Tint::kBold, style));
      }
    }
    sections.back().lines.push_back(RowLine(row));
  }
  return sections;
}

// The lines of all sections, of which the first column takes about a half.
struct TwoColumns {
  std::vector<std::string> left;
  std::vector<std::string> right;
};

TwoColumns Divide(const std::vector<Section>& sections) {
  std::size_t all = 0;
  for (const Section& section : sections) all += section.lines.size();
  TwoColumns columns;
  if (sections.size() == 1) {
    const auto& lines = sections.front().lines;
    const auto middle = lines.begin() + static_cast<std::ptrdiff_t>((lines.size() + 1) / 2);
    return {{lines.begin(), middle}, {middle, lines.end()}};
  }
  for (const Section& section : sections) {
    // A section goes where most of it would stand.
    const bool left =
        columns.right.empty() && columns.left.size() + section.lines.size() / 2 < (all + 1) / 2;
    std::ranges::copy(section.lines, std::back_inserter(left ? columns.left : columns.right));
  }
  return columns;
}

std::string WithoutTrailingSpace(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string Titles() {
  return ' ' + Fitted("cycles", kTextWidth) + RightAligned("latency", kLatencyWidth) +
         RightAligned("thr.", kThroughputWidth);
}

// Documents of version 0.1 tell them apart by the heading alone.
bool IsHeadline(const InstructionRow& row) {
  return row.origin == "headline" || (row.origin.empty() && !row.heading.empty());
}

}  // namespace

std::vector<InstructionRow> HeadlineRows(const Document& document) {
  std::vector<InstructionRow> rows;
  std::ranges::copy_if(document.instructions, std::back_inserter(rows), IsHeadline);
  return rows;
}

std::vector<InstructionRow> OtherRows(const Document& document) {
  std::vector<InstructionRow> rows;
  std::ranges::copy_if(document.instructions, std::back_inserter(rows), std::not_fn(IsHeadline));
  return rows;
}

std::string HeadlineText(std::span<const InstructionRow> rows, const TextStyle& style) {
  if (rows.empty()) return "";
  const std::vector<Section> sections = SectionsOf(rows, style);
  std::string text;
  if (static_cast<std::size_t>(std::max(style.width, 0)) >= 2 * kColumnWidth + kGap.size()) {
    const TwoColumns columns = Divide(sections);
    const bool both = !columns.right.empty();
    text += WithoutTrailingSpace(Titles() + (both ? std::string(kGap) + Titles() : ""));
    const std::string empty(kColumnWidth, ' ');
    for (std::size_t i = 0; i < std::max(columns.left.size(), columns.right.size()); ++i) {
      const std::string& left = i < columns.left.size() ? columns.left[i] : empty;
      text += WithoutTrailingSpace(
          left + (i < columns.right.size() ? std::string(kGap) + columns.right[i] : ""));
    }
  } else {
    text += WithoutTrailingSpace(Titles());
    for (const Section& section : sections) {
      for (const std::string& line : section.lines) text += WithoutTrailingSpace(line);
    }
  }
  text +=
      "latency: of the slowest pair of operands that is known; ≤: only bounds are\n"
      "thr.: throughput, in cycles per instruction\n";
  const bool disturbed = std::ranges::any_of(
      rows, [](const InstructionRow& row) { return row.status == Status::kDisturbed; });
  const auto any_marked = [rows](bool (*has)(const Estimate&)) {
    return std::ranges::any_of(rows,
                               [has](const InstructionRow& row) { return IsMarked(row, has); });
  };
  if (any_marked([](const Estimate& estimate) { return estimate.contended; }))
    text += "~ contended: another thread shared the core; a throughput is an upper bound then\n";
  if (any_marked([](const Estimate& estimate) { return !estimate.contended && IsWide(estimate); }))
    text += "? in doubt by more than a tenth: the interval is in the report and the exports\n";
  if (disturbed) text += "* disturbed: too little survived to trust the values\n";
  return text;
}

std::string SnippetLinesText(std::span<const BlockRow> rows, const TextStyle& style) {
  if (rows.empty()) return "";
  constexpr std::size_t kFigureWidth = 9;
  std::string text = Paint("cycles per iteration of a snippet", Tint::kBold, style) + '\n';
  for (const BlockRow& row : rows) {
    const bool contended = row.cycles && row.cycles->contended;
    const std::string figure =
        row.cycles ? (contended ? "≤ " : "") + Figure(ShownCycles(contended, *row.cycles)) : "";
    std::string line = RightAligned(figure, kFigureWidth) + "  " + row.text;
    if (row.status != Status::kMeasured) line += fmt::format("  ({})", ToString(row.status));
    if (contended) line += " ~";
    text += line + '\n';
  }
  return text;
}

}  // namespace cyclescope
