#include "report/instructions_csv.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "report/csv.h"
#include "report/row_figures.h"
#include "result/names.h"

namespace cyclescope {
namespace {

constexpr std::string_view kHeader =
    "text,opcode,mnemonic,isa,status,reason,latency,latency_kind,latencies,throughput,throughput_"
    "low,throughput_high,model_cpu,model_latency,model_throughput,notes,contended,visits,upper_"
    "bound,limit,back_to_back\n";

std::string Number(double value) { return fmt::format("{:.6g}", value); }

std::string Number(const std::optional<double>& value) { return value ? Number(*value) : ""; }

std::string PairsField(const InstructionRow& row) {
  std::string text;
  for (const Latency& latency : row.latency) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}->{} {}{:.4g}", latency.from, latency.to,
                        latency.kind == LatencyKind::kUpperBound ? "<=" : "", latency.cycles.value);
    if (!latency.values.empty()) text += fmt::format(" ({})", latency.values);
    if (latency.cycles.contended) text += " (contended)";
  }
  return text;
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

// Of all the row's values: none rests on fewer visits.
int FewestVisits(const InstructionRow& row) {
  int fewest = row.throughput ? row.throughput->cycles.visits : std::numeric_limits<int>::max();
  for (const Latency& latency : row.latency) fewest = std::min(fewest, latency.cycles.visits);
  return fewest;
}

std::string Line(const InstructionRow& row) {
  const Latency* longest = LongestLatency(row);
  const bool has_throughput = row.throughput.has_value();
  const bool has_values = has_throughput || !row.latency.empty();
  const Estimate throughput = has_throughput ? row.throughput->cycles : Estimate();
  const ModelFigures model = row.model.value_or(ModelFigures());
  const std::string fields[] = {
      row.text,
      row.opcode,
      row.mnemonic,
      row.isa,
      std::string(ToString(row.status)),
      row.reason,
      longest != nullptr ? Number(longest->cycles.value) : "",
      longest == nullptr ? "" : (IsUpperBound(*longest) ? "upper-bound" : "measured"),
      PairsField(row),
      has_throughput ? Number(throughput.value) : "",
      has_throughput ? Number(throughput.low) : "",
      has_throughput ? Number(throughput.high) : "",
      model.cpu,
      Number(model.latency),
      Number(model.throughput),
      fmt::format("{}", fmt::join(row.notes, "; ")),
      has_values ? YesNo(IsContended(row)) : "",
      has_values ? fmt::format("{}", FewestVisits(row)) : "",
      has_throughput ? YesNo(IsUpperBound(*row.throughput)) : "",
      has_throughput ? row.throughput->limit : "",
      has_throughput ? Number(row.throughput->back_to_back) : "",
  };
  return CsvLine(fields);
}

}  // namespace

std::string InstructionsCsv(const std::vector<InstructionRow>& rows) {
  std::string text(kHeader);
  for (const InstructionRow& row : rows) text += Line(row);
  return text;
}

}  // namespace cyclescope
