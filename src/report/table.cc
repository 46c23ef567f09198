#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace cyclescope {
namespace {

// The first line is at most `first` wide, the others `others` and the indent before them.
std::string Broken(std::string_view text, std::size_t first, std::size_t others,
                   std::size_t indent) {
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string broken(lead, ' ');
  text.remove_prefix(lead);
  std::size_t width = first;
  std::size_t line_width = lead;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t word_width = DisplayWidth(word);
    const bool is_first = broken.size() == lead;
    if (!is_first && line_width + 1 + word_width > width) {
      broken += '\n' + std::string(indent, ' ');
      line_width = 0;
      width = others;
    } else if (!is_first) {
      broken += ' ';
      ++line_width;
    }
    broken += word;
    line_width += word_width;
  }
  return broken;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  // Bytes that continue a UTF-8 character take no room.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void Table::AddRow(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::ToString(int width) const {
  // Narrower than this, a text would be a column of single words.
  constexpr std::size_t kMinColumns = 24;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(DisplayWidth(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  std::size_t before_last = 2 * (columns_.size() - 1);
  for (std::size_t i = 0; i + 1 < columns_.size(); ++i) before_last += widths[i];
  const std::size_t all = static_cast<std::size_t>(std::max(width, 0));
  const std::size_t room = std::max(all - std::min(all, before_last), kMinColumns);
  std::string text;
  const auto append_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string& cell = cell_at(i);
      const std::string padding(widths[i] - DisplayWidth(cell), ' ');
      const bool is_last = i + 1 == columns_.size();
      if (is_last && width > 0 && columns_[i].align == Align::kLeft) {
        line += Wrap(cell, room, before_last);
      } else {
        line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line([this](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_)
    append_line([&row](std::size_t i) -> const std::string& { return row[i]; });
  return text;
}

std::string Wrap(std::string_view text, std::size_t width, std::size_t indent) {
  return Broken(text, width, width, indent);
}

std::string Paragraph(std::string_view text, int terminal_width, std::size_t indent) {
  constexpr int kMinColumns = 40;
  const auto width = static_cast<std::size_t>(std::max(terminal_width, kMinColumns));
  return Broken(text, width, width - indent, indent);
}

}  // namespace cyclescope
