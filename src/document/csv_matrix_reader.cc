#include "document/csv_matrix_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/try.h"
#include "statistics/statistics.h"

namespace cyclescope {
namespace {

// Larger than any machine. A matrix takes the square of this, and so must not come from lines that
// are only many.
constexpr std::size_t kMostCpus = 8192;

using Cells = std::vector<std::string_view>;

std::unexpected<Error> NoMatrix(std::string_view file_name, const std::string& why) {
  return BadInput(
      fmt::format("cannot read '{}': {}", file_name, why),
      "needed is a result document (JSON), or a bare matrix of nanoseconds (CSV, or text "
      "with CPU numbers along both edges)");
}

Cells Split(std::string_view text, char separator) {
  Cells parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view Unquoted(std::string_view text) { return Trimmed(text, " \t\r\""); }

Cells CommaCells(std::string_view line) {
  Cells cells = Split(line, ',');
  for (std::string_view& cell : cells) cell = Unquoted(cell);
  return cells;
}

Cells BlankCells(std::string_view line) {
  Cells cells;
  for (const std::string_view cell : Split(Unquoted(line), ' ')) {
    for (const std::string_view part : Split(cell, '\t')) {
      if (!Unquoted(part).empty()) cells.push_back(Unquoted(part));
    }
  }
  return cells;
}

// "38.2", and "38.2±0.4" as some print it; NaN for an empty cell. Unset for anything else.
std::optional<double> Nanoseconds(std::string_view cell) {
  constexpr std::string_view kPlusMinus = "\u00b1";
  cell = cell.substr(0, cell.find(kPlusMinus));
  if (cell.empty() || cell == "nan" || cell == "NaN" || cell == "NAN") return PairMatrix::kNone;
  const auto value = ParseNumber<double>(cell);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<int> CpuNumber(std::string_view cell) {
  const auto value = ParseNumber<int>(cell);
  return value >= 0 ? value : std::nullopt;
}

// The numbers of CPUs along an edge: ascending, at least two. Unset when it is no such list.
std::optional<std::vector<int>> CpuNumbers(const Cells& cells) {
  std::vector<int> numbers;
  for (const std::string_view cell : cells) {
    const auto number = CpuNumber(cell);
    if (!number || (!numbers.empty() && *number <= numbers.back())) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers.size() < 2 ? std::nullopt : std::optional(numbers);
}

// One triangle stands for both directions.
void Mirror(PairMatrix& matrix) {
  bool lower = false;
  bool upper = false;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      lower |= matrix.Has(row, column);
      upper |= matrix.Has(column, row);
    }
  }
  if (lower == upper) return;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      (lower ? matrix.At(column, row) : matrix.At(row, column)) =
          lower ? matrix.At(row, column) : matrix.At(column, row);
    }
  }
}

bool HasPair(const PairMatrix& matrix) {
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      if (row != column && matrix.Has(row, column)) return true;
    }
  }
  return false;
}

// ---- What cyclescope itself exported

// One line of an export: places of the test and its unit, the CPU that starts, and the rest.
struct Exported {
  std::map<std::string, std::map<std::pair<int, int>, std::vector<double>>> tests;
  std::vector<std::string> order;
  std::map<std::string, std::set<int>> cpus;
};

Result<Document> DocumentOfExport(const Exported& exported, std::string_view file_name) {
  Document document;
  for (const std::string& test : exported.order) {
    CoreMatrix& matrix = document.cores.emplace_back();
    matrix.test = test;
    const std::set<int>& cpus = exported.cpus.at(test);
    if (cpus.size() > kMostCpus) return NoMatrix(file_name, "it lists too many CPUs");
    matrix.cpus.assign(cpus.begin(), cpus.end());
    std::map<int, std::size_t> row_of;
    for (std::size_t i = 0; i < matrix.cpus.size(); ++i) row_of[matrix.cpus[i]] = i;
    matrix.nanoseconds = PairMatrix(matrix.cpus.size());
    for (const auto& [pair, values] : exported.tests.at(test)) {
      const std::size_t row = row_of.at(pair.first);
      const std::size_t column = row_of.at(pair.second);
      matrix.nanoseconds.At(row, column) = values[0];
      if (values.size() < 3) continue;
      if (matrix.low.size() == 0) {
        matrix.low = matrix.high = PairMatrix(matrix.cpus.size());
      }
      matrix.low.At(row, column) = values[1];
      matrix.high.At(row, column) = values[2];
    }
    if (!HasPair(matrix.nanoseconds)) {
      return NoMatrix(file_name, "it holds no latency between two CPUs");
    }
  }
  return document;
}

std::unexpected<Error> BadCell(std::string_view file_name, std::size_t line, std::size_t cell) {
  return NoMatrix(file_name,
                  fmt::format("cell {} of line {} is not a number from 0", cell + 1, line + 1));
}

// "test,unit,from,0,1,2" with a line per CPU, and
// "test,instruction,unit,from,to,value,low,high,..." with a line per pair.
Result<Document> ParseExport(const Cells& lines, std::string_view file_name, bool is_long) {
  const Cells header = CommaCells(lines[0]);
  const std::size_t unit_at = is_long ? 2 : 1;
  Exported exported;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    const Cells cells = CommaCells(lines[line]);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != header.size()) {
      return NoMatrix(file_name, fmt::format("line {} has {} cells, and the first has {}", line + 1,
                                             cells.size(), header.size()));
    }
    if (cells[unit_at] != "ns") {
      return NoMatrix(file_name, fmt::format("it is in {}; export it in ns", cells[unit_at]));
    }
    const std::string test(cells[0]);
    if (exported.cpus.try_emplace(test).second) exported.order.push_back(test);
    const auto from = CpuNumber(cells[unit_at + 1]);
    if (!from) return BadCell(file_name, line, unit_at + 1);
    exported.cpus[test].insert(*from);
    const std::size_t first = is_long ? 5 : 3;
    for (std::size_t i = first; i < (is_long ? first + 1 : cells.size()); ++i) {
      const auto to = CpuNumber(is_long ? cells[4] : header[i]);
      if (!to) return BadCell(file_name, is_long ? line : 0, is_long ? 4 : i);
      std::vector<double> values;
      for (std::size_t k = i; k < i + (is_long ? 3 : 1); ++k) {
        const auto value = Nanoseconds(cells[k]);
        if (!value) return BadCell(file_name, line, k);
        values.push_back(*value);
      }
      if (std::isnan(values[0])) continue;
      exported.cpus[test].insert(*to);
      exported.tests[test][{*from, *to}] = values;
    }
  }
  if (exported.order.empty()) return NoMatrix(file_name, "it holds no latency between two CPUs");
  return DocumentOfExport(exported, file_name);
}

// ---- Text tables

// Which cells a row of a table without separators leaves blank.
enum class Shape { kFull, kNoDiagonal, kLower, kUpper };

std::size_t CellsOf(Shape shape, std::size_t row, std::size_t size) {
  switch (shape) {
    case Shape::kFull:
      return size;
    case Shape::kNoDiagonal:
      return size - 1;
    case Shape::kLower:
      return row;
    case Shape::kUpper:
      return size - 1 - row;
  }
  std::unreachable();
}

std::size_t ColumnOf(Shape shape, std::size_t row, std::size_t cell) {
  switch (shape) {
    case Shape::kFull:
    case Shape::kLower:
      return cell;
    case Shape::kNoDiagonal:
      return cell < row ? cell : cell + 1;
    case Shape::kUpper:
      return row + 1 + cell;
  }
  std::unreachable();
}

struct NumberTable {
  std::vector<int> cpus;
  PairMatrix nanoseconds;
};

// The table whose header is this line; unset when what follows is none.
std::optional<NumberTable> TableAt(const Cells& lines, std::size_t header) {
  auto cpus = CpuNumbers(BlankCells(lines[header]));
  if (!cpus || cpus->size() > kMostCpus || header + cpus->size() >= lines.size()) {
    return std::nullopt;
  }
  const std::size_t size = cpus->size();
  std::vector<std::vector<double>> rows(size);
  for (std::size_t row = 0; row < size; ++row) {
    const Cells cells = BlankCells(lines[header + 1 + row]);
    if (cells.empty() || CpuNumber(cells[0]) != (*cpus)[row]) return std::nullopt;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const auto value = Nanoseconds(cells[i]);
      if (!value) return std::nullopt;
      rows[row].push_back(*value);
    }
  }
  for (const Shape shape : {Shape::kFull, Shape::kNoDiagonal, Shape::kLower, Shape::kUpper}) {
    bool fits = true;
    for (std::size_t row = 0; row < size; ++row) {
      fits = fits && rows[row].size() == CellsOf(shape, row, size);
    }
    if (!fits) continue;
    NumberTable table = {std::move(*cpus), PairMatrix(size)};
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t i = 0; i < rows[row].size(); ++i) {
        table.nanoseconds.At(row, ColumnOf(shape, row, i)) = rows[row][i];
      }
    }
    return table;
  }
  return std::nullopt;
}

std::optional<NumberTable> FindTable(const Cells& lines) {
  for (std::size_t line = 0; line + 2 < lines.size(); ++line) {
    if (lines[line].find(',') != std::string_view::npos) continue;
    if (auto table = TableAt(lines, line)) return table;
  }
  return std::nullopt;
}

// ---- Bare CSV

// Lines that hold nothing but numbers; the first is that of the text.
struct Block {
  std::size_t first_line = 0;
  std::vector<Cells> rows;
};

bool IsBlank(const Cells& row) { return row.size() == 1 && row[0].empty(); }

bool IsOfNumbers(const Cells& row) {
  return std::ranges::all_of(row,
                             [](std::string_view cell) { return Nanoseconds(cell).has_value(); });
}

// The longest run of lines of numbers, if there are words around it; else all lines.
Block FindBlock(const Cells& lines) {
  std::size_t best_first = 0;
  std::size_t best_count = 0;
  std::size_t first = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (!IsOfNumbers(CommaCells(lines[line]))) first = line + 1;
    const std::size_t count = line + 1 - first;
    if (count > best_count) {
      best_first = first;
      best_count = count;
    }
  }
  Block block = {best_first, {}};
  for (std::size_t i = 0; i < best_count; ++i)
    block.rows.push_back(CommaCells(lines[best_first + i]));
  return block;
}

std::size_t WidthOf(const Block& block) {
  std::size_t width = 0;
  for (const Cells& row : block.rows) width = std::max(width, row.size());
  return width;
}

// True if each line has a cell more than the one before, from none: a lower triangle's first line
// is blank.
bool IsTriangle(const Block& block) {
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (i == 0 ? !IsBlank(block.rows[0]) : block.rows[i].size() != i) return false;
  }
  return true;
}

// Takes away what is no row: blank lines around and between matrices, CPU numbers along the edges.
void Bare(Block& block) {
  while (!block.rows.empty() && IsBlank(block.rows.back())) block.rows.pop_back();
  if (block.rows.empty() || IsTriangle(block)) return;
  // A blank line is no row, but for the first of a lower triangle.
  const bool led_by_blank = IsBlank(block.rows.front());
  const auto first_row = std::ranges::find_if_not(block.rows, IsBlank);
  block.first_line += static_cast<std::size_t>(first_row - block.rows.begin());
  std::erase_if(block.rows, IsBlank);
  if (led_by_blank && block.rows.size() + 1 == WidthOf(block)) {
    block.rows.insert(block.rows.begin(), Cells(1));
    --block.first_line;
    return;
  }
  Cells edge = block.rows.front();
  const bool corner = edge.front().empty();
  if (corner) edge.erase(edge.begin());
  const auto numbers = CpuNumbers(edge);
  if (!numbers || block.rows.size() != numbers->size() + 1) return;
  block.rows.erase(block.rows.begin());
  ++block.first_line;
  if (!corner) return;
  for (Cells& row : block.rows) row.erase(row.begin());
}

double MedianOf(std::vector<double> samples) {
  std::erase_if(samples, [](double value) { return std::isnan(value); });
  return samples.empty() ? PairMatrix::kNone : statistics::Median(samples);
}

Result<NumberTable> ParseBlock(const Block& block, std::string_view file_name) {
  std::size_t size = block.rows.size();
  const std::size_t width = WidthOf(block);
  if (width > 1 && size > width && size % width == 0) size = width;  // several samples
  if (size > kMostCpus) {
    return NoMatrix(file_name,
                    fmt::format("it has {} lines, and a matrix at most {}", size, kMostCpus));
  }
  std::vector<std::vector<double>> samples(size * size);
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (block.rows[i].size() > size) {
      return NoMatrix(file_name, fmt::format("line {} has more cells than there are lines ({})",
                                             block.first_line + i + 1, size));
    }
    for (std::size_t column = 0; column < block.rows[i].size(); ++column) {
      samples[i % size * size + column].push_back(*Nanoseconds(block.rows[i][column]));
    }
  }
  NumberTable table = {{}, PairMatrix(size)};
  for (std::size_t row = 0; row < size; ++row) {
    table.cpus.push_back(static_cast<int>(row));
    for (std::size_t column = 0; column < size; ++column) {
      table.nanoseconds.At(row, column) = MedianOf(std::move(samples[row * size + column]));
    }
  }
  return table;
}

// ----

// The lines of the text, without the empty ones after the last. An empty first line counts: it is
// the first row of a lower triangle.
Cells Lines(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::size_t end = last == std::string_view::npos ? 0 : text.find('\n', last);
  return Split(text.substr(0, end), '\n');
}

// The first cell that is no number, for a user who meant to write a matrix.
std::unexpected<Error> FirstBadCell(const Cells& lines, std::string_view file_name) {
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const Cells cells = CommaCells(lines[line]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!Nanoseconds(cells[i])) return BadCell(file_name, line, i);
    }
  }
  return NoMatrix(file_name, "it holds no latency between two CPUs");
}

Document Finish(Document document, std::string_view file_name, bool bare) {
  document.source = file_name;
  document.config.command = "cores";
  document.host.load_1min = std::numeric_limits<double>::quiet_NaN();
  document.warnings.push_back(
      {.code = "bare-matrix",
       .message = fmt::format("'{}' is a bare matrix: its machine{} not known{}", file_name,
                              bare ? ", its test and its uncertainty are" : " is",
                              bare ? "; compare-and-swap (cas) is assumed" : ""),
       .hint = ""});
  return document;
}

Result<NumberTable> ParseTable(const Cells& lines, std::string_view file_name) {
  if (auto table = FindTable(lines)) return std::move(*table);
  Block block = FindBlock(lines);
  // Two lines of numbers among words are no matrix: the words are mistakes.
  constexpr std::size_t kFewestAmongWords = 3;
  const bool among_words = block.rows.size() < lines.size();
  if (among_words && block.rows.size() < kFewestAmongWords) return FirstBadCell(lines, file_name);
  Bare(block);
  if (block.rows.empty()) return NoMatrix(file_name, "it holds no latency between two CPUs");
  return ParseBlock(block, file_name);
}

}  // namespace

Result<Document> ParseCsvMatrix(std::string_view text, std::string_view file_name) {
  const Cells lines = Lines(text);
  const bool is_long = lines[0].starts_with("test,instruction,unit,from,to,value,low,high,");
  if (is_long || lines[0].starts_with("test,unit,from,")) {
    auto document = TRY(ParseExport(lines, file_name, is_long));
    return Finish(std::move(document), file_name, false);
  }
  auto table = TRY(ParseTable(lines, file_name));
  Mirror(table.nanoseconds);
  if (!HasPair(table.nanoseconds)) {
    return NoMatrix(file_name, "it holds no latency between two CPUs");
  }
  Document document;
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  cores.cpus = std::move(table.cpus);
  cores.nanoseconds = std::move(table.nanoseconds);
  return Finish(std::move(document), file_name, true);
}

}  // namespace cyclescope
