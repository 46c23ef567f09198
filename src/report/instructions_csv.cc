#include "report/instructions_csv.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <optional>

#include "report/csv.h"
#include "report/model_agreement.h"
#include "result/names.h"

namespace cyclescope {
namespace {

constexpr std::string_view kHeader =
    "text,opcode,mnemonic,isa,status,reason,latency,latency_kind,latencies,throughput,throughput_"
    "low,throughput_high,"
    "model_cpu,model_latency,model_throughput,notes\n";

std::string Number(double value) { return fmt::format("{:.6g}", value); }

std::string Number(const std::optional<double>& value) { return value ? Number(*value) : ""; }

std::string PairsField(const InstructionRow& row) {
  std::string text;
  for (const Latency& latency : row.latency) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}->{} {}{:.4g}", latency.from, latency.to,
                        latency.kind == LatencyKind::kUpperBound ? "<=" : "", latency.cycles.value);
    if (!latency.values.empty()) text += fmt::format(" ({})", latency.values);
  }
  return text;
}

std::string Line(const InstructionRow& row) {
  const auto longest = LongestLatency(row);
  const bool has_throughput = row.throughput.has_value();
  const Estimate throughput = has_throughput ? row.throughput->cycles : Estimate();
  const ModelFigures model = row.model.value_or(ModelFigures());
  const std::string fields[] = {
      row.text,
      row.opcode,
      row.mnemonic,
      row.isa,
      std::string(ToString(row.status)),
      row.reason,
      longest ? Number(longest->cycles) : "",
      longest ? (longest->upper_bound ? "upper-bound" : "measured") : "",
      PairsField(row),
      has_throughput ? Number(throughput.value) : "",
      has_throughput ? Number(throughput.low) : "",
      has_throughput ? Number(throughput.high) : "",
      model.cpu,
      Number(model.latency),
      Number(model.throughput),
      fmt::format("{}", fmt::join(row.notes, "; ")),
  };
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields) line += ',';
    line += CsvField(field);
  }
  return line + '\n';
}

}  // namespace

std::string InstructionsCsv(const std::vector<InstructionRow>& rows) {
  std::string text(kHeader);
  for (const InstructionRow& row : rows) text += Line(row);
  return text;
}

}  // namespace cyclescope
