#include "report/vendor_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <vector>

namespace cyclescope {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The fields of a line. One in quotes may hold commas; a quote in it stands there twice.
std::vector<std::string> FieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::optional<double> NumberOf(const std::vector<std::string>& fields,
                               std::optional<std::size_t> column) {
  if (!column || *column >= fields.size()) return std::nullopt;
  const std::string& text = fields[*column];
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<std::size_t> ColumnOf(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

// "x" of "x17", "v" of "v3"; other words are what they are.
std::string RegisterShape(const std::string& word) {
  if (word == "sp" || word == "xzr") return "x";
  if (word == "wsp" || word == "wzr") return "w";
  constexpr std::string_view kFiles = "wxbhsdqvzp";
  const bool is_register = word.size() > 1 && kFiles.contains(word.front()) &&
                           std::ranges::all_of(word.begin() + 1, word.end(), IsDigit);
  return is_register ? word.substr(0, 1) : word;
}

std::string_view NextLine(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string ShapeOf(std::string_view text) {
  std::string shape;
  bool has_mnemonic = false;
  for (std::size_t i = 0; i < text.size();) {
    std::string word;
    // A dot is part of a number, and parts a register from its lanes.
    while (i < text.size() &&
           (IsWord(text[i]) || (text[i] == '.' && !word.empty() && IsDigit(word.front()))))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i++])));
    const bool is_lane = !shape.empty() && shape.back() == '.';
    if (word.empty()) {
      const char c = text[i++];
      const bool ends_mnemonic = c == ' ' && !has_mnemonic && !shape.empty();
      const bool parts_words = c == ' ' && !shape.empty() && IsWord(shape.back()) &&
                               i < text.size() && (IsWord(text[i]) || text[i] == '#');  // "lsl #3"
      has_mnemonic = has_mnemonic || ends_mnemonic;
      if (ends_mnemonic || parts_words || (c != ' ' && c != '#' && c != '-')) shape += c;
    } else if (IsDigit(word.front()) && !is_lane) {
      shape += '#';
    } else {
      shape += RegisterShape(word);
    }
  }
  return shape;
}

Result<VendorTable> VendorTable::Parse(std::string_view csv, const std::string& file) {
  VendorTable table;
  std::string_view line = NextLine(csv);
  while (line.starts_with('#')) {
    line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    table.source_ += fmt::format("{}{}", table.source_.empty() ? "" : " ", line);
    line = NextLine(csv);
  }
  if (table.source_.empty()) table.source_ = file;
  const std::vector<std::string> header = FieldsOf(line);
  const auto text = ColumnOf(header, "asm");
  const auto latency = ColumnOf(header, "latency");
  const auto throughput = ColumnOf(header, "throughput");
  const auto per_cycle = ColumnOf(header, "throughput_per_cycle");
  if (!text || !latency) {
    return BadInput(fmt::format("'{}' is not a table of a vendor's figures", file),
                    "it needs the columns asm, latency, and throughput or throughput_per_cycle");
  }
  while (!csv.empty()) {
    const std::vector<std::string> fields = FieldsOf(NextLine(csv));
    if (*text >= fields.size()) continue;
    VendorFigures figures{.latency = NumberOf(fields, latency),
                          .throughput = NumberOf(fields, throughput)};
    const auto rate = NumberOf(fields, per_cycle);
    if (!figures.throughput && rate && *rate > 0) figures.throughput = 1 / *rate;
    table.by_shape_.try_emplace(ShapeOf(fields[*text]), figures);
  }
  return table;
}

std::optional<VendorFigures> VendorTable::Of(std::string_view text) const {
  const auto found = by_shape_.find(ShapeOf(text));
  if (found == by_shape_.end()) return std::nullopt;
  return found->second;
}

}  // namespace cyclescope
