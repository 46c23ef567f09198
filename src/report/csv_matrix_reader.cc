#include "report/csv_matrix_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

namespace cyclescope {
namespace {

// What Linux can be built for. It keeps a text of many short lines from asking for the square of
// their number.
constexpr std::size_t kMostCpus = 8192;

std::unexpected<Error> NoMatrix(std::string_view file_name, const std::string& why) {
  return BadInput(fmt::format("cannot read '{}': {}", file_name, why),
                  "needed is a result document (JSON), or a bare matrix of nanoseconds (CSV)");
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The lines of the text, without the empty ones after the last. An empty first line counts: it is
// the first row of a lower triangle.
std::vector<std::string_view> Lines(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::size_t end = last == std::string_view::npos ? 0 : text.find('\n', last);
  return Split(text.substr(0, end), '\n');
}

bool ParseNanoseconds(std::string_view cell, double& value) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value) &&
         value >= 0;
}

// Copies the lower triangle to the upper, when that is all there is. False when there is nothing.
bool Mirror(PairMatrix& matrix) {
  bool lower = false;
  bool upper = false;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      lower |= matrix.Has(row, column);
      upper |= matrix.Has(column, row);
    }
  }
  for (std::size_t row = 0; lower && !upper && row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      matrix.At(column, row) = matrix.At(row, column);
    }
  }
  return lower || upper;
}

Document DocumentOf(PairMatrix nanoseconds, std::string_view file_name) {
  Document document;
  document.source = file_name;
  document.config.command = "cores";
  document.warnings.push_back(
      {.code = "bare-matrix",
       .message =
           fmt::format("'{}' is a bare matrix: its machine, its test and its uncertainty are "
                       "not known; compare-and-swap (cas) is assumed",
                       file_name),
       .hint = ""});
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  for (std::size_t cpu = 0; cpu < nanoseconds.size(); ++cpu) {
    cores.cpus.push_back(static_cast<int>(cpu));
  }
  cores.nanoseconds = std::move(nanoseconds);
  return document;
}

}  // namespace

Result<Document> ParseCsvMatrix(std::string_view text, std::string_view file_name) {
  const std::vector<std::string_view> lines = Lines(text);
  const std::size_t size = lines.size();
  if (size > kMostCpus) {
    return NoMatrix(file_name,
                    fmt::format("it has {} lines, and a matrix at most {}", size, kMostCpus));
  }
  PairMatrix matrix(size);
  for (std::size_t row = 0; row < size; ++row) {
    std::size_t column = 0;
    for (std::string_view cell : Split(lines[row], ',')) {
      cell = Trimmed(cell);
      if (column >= size) {
        return NoMatrix(file_name, fmt::format("line {} has more cells than there are lines ({})",
                                               row + 1, size));
      }
      if (!cell.empty() && !ParseNanoseconds(cell, matrix.At(row, column))) {
        return NoMatrix(file_name, fmt::format("cell {} of line {} is not a number from 0",
                                               column + 1, row + 1));
      }
      ++column;
    }
  }
  if (!Mirror(matrix)) return NoMatrix(file_name, "it holds no latency between two CPUs");
  return DocumentOf(std::move(matrix), file_name);
}

}  // namespace cyclescope
