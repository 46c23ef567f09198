#include "report/blocks_csv.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "report/csv.h"
#include "result/names.h"

namespace cyclescope {
namespace {

constexpr std::string_view kBlocksHeader =
    "name,text,status,reason,cycles,low,high,instructions,unroll,pages,memory,passes,contended,"
    "notes\n";

std::string BlockLine(const BlockRow& row) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  const bool has_value = row.cycles.has_value();
  const std::string fields[] = {
      row.name,
      row.text,
      std::string(ToString(row.status)),
      row.reason,
      has_value ? number(row.cycles->value) : "",
      has_value ? number(row.cycles->low) : "",
      has_value ? number(row.cycles->high) : "",
      fmt::format("{}", row.instructions),
      fmt::format("{}", row.unroll),
      fmt::format("{}", row.pages),
      row.memory,
      row.passes ? "yes" : "no",
      has_value ? (row.cycles->contended ? "yes" : "no") : "",
      fmt::format("{}", fmt::join(row.notes, "; ")),
  };
  return CsvLine(fields);
}

}  // namespace

std::string BlocksCsv(const std::vector<BlockRow>& rows) {
  std::string text(kBlocksHeader);
  for (const BlockRow& row : rows) text += BlockLine(row);
  return text;
}

}  // namespace cyclescope
