#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/claims.h"
#include "analysis/document_claims.h"
#include "base/text.h"
#include "report/part_texts.h"
#include "report/table.h"

namespace cyclescope {
namespace {

struct PairRange {
  double least = 0;
  double median = 0;
  double most = 0;
};

// Of all pairs; nothing where none was measured.
std::optional<PairRange> RangeOf(const PairMatrix& matrix) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = row + 1; column < matrix.size(); ++column) {
      if (matrix.Has(row, column)) values.push_back(matrix.At(row, column));
    }
  }
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return PairRange{values.front(), values[values.size() / 2], values.back()};
}

std::string Microseconds(double ns) {
  const double us = ns / 1000;
  return fmt::format("{:.{}f}", us, us >= 100 ? 0 : us >= 10 ? 1 : 2);
}

std::string Gigabytes(double value) { return fmt::format("{:.2f}", value); }

std::string SizeName(std::int64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MB", bytes >> 20);
  return bytes >= 1 << 10 ? fmt::format("{} KB", bytes >> 10) : fmt::format("{} B", bytes);
}

std::string SizesText(const HostMatrix& matrix) {
  Table table({{"message", Align::kRight},
               {"min", Align::kRight},
               {"median", Align::kRight},
               {"max", Align::kRight},
               {"", Align::kLeft}});
  for (const HostLatency& latency : matrix.latency) {
    const auto range = RangeOf(latency.nanoseconds);
    if (!range) continue;
    table.AddRow({SizeName(latency.bytes), Microseconds(range->least), Microseconds(range->median),
                  Microseconds(range->most), "µs, one way"});
  }
  if (const auto range = RangeOf(matrix.bandwidth.gigabytes)) {
    table.AddRow({SizeName(matrix.bandwidth.bytes), Gigabytes(range->least),
                  Gigabytes(range->median), Gigabytes(range->most), "GB/s"});
  }
  return table.ToString();
}

// Every pair, where that fits.
std::string GridText(const HostMatrix& matrix, const TextStyle& style) {
  if (matrix.latency.empty()) return "";
  const HostLatency& shortest = matrix.latency.front();
  std::vector<Column> columns = {{"µs", Align::kLeft}};
  for (const std::string& host : matrix.hosts) columns.push_back({Printable(host), Align::kRight});
  Table table(columns);
  for (std::size_t row = 0; row < matrix.hosts.size(); ++row) {
    std::vector<std::string> cells = {Printable(matrix.hosts[row])};
    for (std::size_t column = 0; column < matrix.hosts.size(); ++column) {
      cells.push_back(shortest.nanoseconds.Has(row, column)
                          ? Microseconds(shortest.nanoseconds.At(row, column))
                          : "");
    }
    table.AddRow(cells);
  }
  const std::string text = table.ToString();
  const std::size_t width = DisplayWidth(std::string_view(text).substr(0, text.find('\n')));
  return width <= static_cast<std::size_t>(style.width) ? '\n' + text : "";
}

}  // namespace

std::string HostsText(const HostMatrix& matrix, const TextStyle& style) {
  std::string text =
      fmt::format("{} hosts, {}{} visit{} to each pair\n", matrix.hosts.size(),
                  matrix.partial ? "at least " : "", matrix.rounds, matrix.rounds == 1 ? "" : "s");
  if (matrix.partial) text += Paint("ended early: only a part was measured\n", Tint::kWarn, style);
  text += SizesText(matrix) + GridText(matrix, style);
  if (const auto claim = HostsClaim(matrix)) text += '\n' + Sentence(*claim) + '\n';
  if (!matrix.groups.empty()) text += '\n';
  for (const HostGroup& group : matrix.groups) {
    const std::string line = fmt::format("{}: {} ({} µs)", group.name, fmt::join(group.hosts, ", "),
                                         Microseconds(group.nanoseconds));
    text += Paragraph(Printable(line), style.width) + '\n';
  }
  return text;
}

}  // namespace cyclescope
