#include "report/cores_csv.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/try.h"
#include "cyclescope/result/status.h"
#include "report/csv.h"

namespace cyclescope {
namespace {

// Five digits, as in the JSON; nothing for what was not measured.
std::string Field(double value) { return std::isnan(value) ? "" : fmt::format("{:.5g}", value); }

void AppendMatrixRows(const CoreMatrix& matrix, const CoreScale& scale,
                      const std::set<int>& columns, std::string& text) {
  std::map<int, std::size_t> column_of;
  for (std::size_t i = 0; i < matrix.cpus.size(); ++i) column_of[matrix.cpus[i]] = i;
  for (std::size_t row = 0; row < matrix.cpus.size(); ++row) {
    fmt::format_to(std::back_inserter(text), "{},{},{}", CsvField(matrix.test), scale.unit,
                   matrix.cpus[row]);
    for (const int cpu : columns) {
      text += ',';
      const auto column = column_of.find(cpu);
      if (column == column_of.end()) continue;
      text += Field(scale.Of(row, matrix.nanoseconds.At(row, column->second)));
    }
    text += '\n';
  }
}

// Every visit's value, in order of time, with blanks between.
void AppendVisits(const CoreFloating& floating, const CoreScale& scale, std::size_t row,
                  std::size_t column, std::string& text) {
  const char* separator = "";
  for (const PairMatrix& round : floating.visits) {
    const double ns = round.AtOrNone(row, column);
    if (std::isnan(ns)) continue;
    text += separator + Field(scale.Of(row, ns));
    separator = " ";
  }
}

void AppendPairs(const CoreMatrix& matrix, const CoreScale& scale, std::string& text) {
  const std::set disturbed(matrix.disturbed.begin(), matrix.disturbed.end());
  const std::set timed_out(matrix.timed_out.begin(), matrix.timed_out.end());
  const std::string test = CsvField(matrix.test);
  const std::string instruction = CsvField(matrix.instruction);
  for (std::size_t row = 0; row < matrix.cpus.size(); ++row) {
    for (std::size_t column = 0; column < matrix.cpus.size(); ++column) {
      const std::pair pair(matrix.cpus[row], matrix.cpus[column]);
      const Status status = timed_out.contains(pair)   ? Status::kTimeout
                            : disturbed.contains(pair) ? Status::kDisturbed
                                                       : Status::kMeasured;
      if (status == Status::kMeasured && !matrix.nanoseconds.Has(row, column)) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}", test, instruction, scale.unit,
                     pair.first, pair.second);
      for (const PairMatrix* values :
           {&matrix.nanoseconds, &matrix.low, &matrix.high, &matrix.spread_within,
            &matrix.spread_between, &matrix.clock_offset}) {
        text += ',' + Field(scale.Of(row, values->AtOrNone(row, column)));
      }
      fmt::format_to(std::back_inserter(text), ",{},", ToString(status));
      if (matrix.floating) AppendVisits(*matrix.floating, scale, row, column, text);
      text += '\n';
    }
  }
}

}  // namespace

Result<std::string> CoresCsv(const Document& document, CoreUnit unit) {
  std::set<int> columns;
  for (const CoreMatrix& matrix : document.cores)
    columns.insert(matrix.cpus.begin(), matrix.cpus.end());
  std::string text = "test,unit,from";
  for (const int cpu : columns) fmt::format_to(std::back_inserter(text), ",{}", cpu);
  text += '\n';
  for (const CoreMatrix& matrix : document.cores) {
    const auto scale = TRY(MakeCoreScale(unit, document, matrix));
    AppendMatrixRows(matrix, scale, columns, text);
  }
  return text;
}

Result<std::string> CoresLongCsv(const Document& document, CoreUnit unit) {
  std::string text =
      "test,instruction,unit,from,to,value,low,high,spread_within,spread_between,clock_offset,"
      "status,visits\n";
  for (const CoreMatrix& matrix : document.cores) {
    const auto scale = TRY(MakeCoreScale(unit, document, matrix));
    AppendPairs(matrix, scale, text);
  }
  return text;
}

}  // namespace cyclescope
