#include "report/csv.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/block_words.h"
#include "analysis/row_figures.h"
#include "cyclescope/result/names.h"
#include "report/ports_text.h"

namespace cyclescope {
namespace {

constexpr std::string_view kHeader =
    "text,opcode,mnemonic,isa,status,reason,latency,latency_kind,latencies,throughput,throughput_"
    "low,throughput_high,model_cpu,model_latency,model_throughput,notes,contended,visits,upper_"
    "bound,limit,back_to_back,ports,slots,model_ports,latency_low,latency_high\n";

std::string PairsField(const InstructionRow& row) {
  std::string text;
  for (const Latency& latency : row.latency) {
    if (!text.empty()) text += "; ";
    const bool bound = IsUpperBound(latency);
    text += fmt::format("{}->{} {}{:.4g}", latency.from, latency.to, bound ? "<=" : "",
                        ShownCycles(bound, latency.cycles));
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
      longest != nullptr ? CsvNumber(longest->cycles.value) : "",
      longest == nullptr ? "" : (IsUpperBound(*longest) ? "upper-bound" : "measured"),
      PairsField(row),
      has_throughput ? CsvNumber(throughput.value) : "",
      has_throughput ? CsvNumber(throughput.low) : "",
      has_throughput ? CsvNumber(throughput.high) : "",
      model.cpu,
      CsvNumber(model.latency),
      CsvNumber(model.throughput),
      fmt::format("{}", fmt::join(row.notes, "; ")),
      has_values ? YesNo(IsContended(row)) : "",
      has_values ? fmt::format("{}", FewestVisits(row)) : "",
      has_throughput ? YesNo(IsUpperBound(*row.throughput)) : "",
      has_throughput ? row.throughput->limit : "",
      has_throughput ? CsvNumber(row.throughput->back_to_back) : "",
      row.ports.empty() ? "" : PortUseText(row.ports),
      CsvNumber(row.slots),
      row.port_finding && !row.port_finding->model.empty() ? PortUseText(row.port_finding->model)
                                                           : "",
      longest != nullptr ? CsvNumber(longest->cycles.low) : "",
      longest != nullptr ? CsvNumber(longest->cycles.high) : "",
  };
  return CsvLine(fields);
}

constexpr std::string_view kPairsHeader =
    "text,opcode,mnemonic,isa,status,reason,from,to,values,kind,latency,latency_low,latency_high,"
    "contended,visits,connector,to_other_units,model_cpu,model_latency,throughput,throughput_low,"
    "throughput_high,throughput_upper_bound,model_throughput,notes\n";

// Of the instruction, without a pair where it has none.
std::string PairLine(const InstructionRow& row, const Latency* pair) {
  const bool has_throughput = row.throughput.has_value();
  const ModelFigures model = row.model.value_or(ModelFigures());
  const std::string fields[] = {
      row.text,
      row.opcode,
      row.mnemonic,
      row.isa,
      std::string(ToString(row.status)),
      row.reason,
      pair != nullptr ? pair->from : "",
      pair != nullptr ? pair->to : "",
      pair != nullptr ? pair->values : "",
      pair != nullptr ? std::string(ToString(pair->kind)) : "",
      pair != nullptr ? CsvNumber(pair->cycles.value) : "",
      pair != nullptr ? CsvNumber(pair->cycles.low) : "",
      pair != nullptr ? CsvNumber(pair->cycles.high) : "",
      pair != nullptr ? YesNo(pair->cycles.contended) : "",
      pair != nullptr ? fmt::format("{}", pair->cycles.visits) : "",
      pair != nullptr ? pair->connector : "",
      pair != nullptr && pair->to_others ? CsvNumber(pair->to_others->value) : "",
      model.cpu,
      pair != nullptr ? CsvNumber(ModelLatencyOf(row, *pair)) : CsvNumber(model.latency),
      has_throughput ? CsvNumber(row.throughput->cycles.value) : "",
      has_throughput ? CsvNumber(row.throughput->cycles.low) : "",
      has_throughput ? CsvNumber(row.throughput->cycles.high) : "",
      has_throughput ? YesNo(IsUpperBound(*row.throughput)) : "",
      CsvNumber(model.throughput),
      fmt::format("{}", fmt::join(row.notes, "; ")),
  };
  return CsvLine(fields);
}

constexpr std::string_view kBlocksHeader =
    "name,text,status,reason,cycles,low,high,instructions,unroll,pages,memory,passes,contended,"
    "notes,from_ports,binds,llvm_mca,chain_bound,issue_bound,resource_bound,verdict,function,"
    "source,footprint,left_out,data,side,bytes_per_trip,predicted,predicted_binds,unknown\n";

std::string BlockLine(const BlockRow& row) {
  const bool has_value = row.cycles.has_value();
  const std::string fields[] = {
      row.name,
      row.text,
      std::string(ToString(row.status)),
      row.reason,
      has_value ? CsvNumber(row.cycles->value) : "",
      has_value ? CsvNumber(row.cycles->low) : "",
      has_value ? CsvNumber(row.cycles->high) : "",
      fmt::format("{}", row.instructions),
      fmt::format("{}", row.unroll),
      fmt::format("{}", row.pages),
      row.memory,
      row.passes ? "yes" : "no",
      has_value ? (row.cycles->contended ? "yes" : "no") : "",
      fmt::format("{}", fmt::join(row.notes, "; ")),
      row.ports ? CsvNumber(row.ports->cycles) : "",
      row.ports ? row.ports->binds : "",
      row.mca ? CsvNumber(row.mca->cycles) : "",
      row.bounds ? CsvNumber(row.bounds->chain) : "",
      row.bounds && row.bounds->width > 0 ? CsvNumber(row.bounds->issue) : "",
      row.bounds && row.bounds->resource > 0 ? CsvNumber(row.bounds->resource) : "",
      row.bounds ? row.bounds->verdict : "",
      row.function,
      row.source ? fmt::format("{}:{}", row.source->file, row.source->line) : "",
      row.footprint > 0 ? fmt::format("{}", row.footprint) : "",
      fmt::format("{}", fmt::join(row.left_out, "; ")),
      DataText(row),
      row.side,
      row.bytes_per_trip > 0 ? fmt::format("{}", row.bytes_per_trip) : "",
      row.predicted && row.predicted->cycles ? CsvNumber(*row.predicted->cycles) : "",
      row.predicted ? row.predicted->binds : "",
      row.predicted ? fmt::format("{}", fmt::join(row.predicted->unknown, "; ")) : "",
  };
  return CsvLine(fields);
}

std::string StepsField(const std::vector<FrequencyStep>& steps) {
  std::string text;
  for (const FrequencyStep& step : steps) {
    text += fmt::format("{}{:.6g} {:.3g}", text.empty() ? "" : "; ", step.ghz, step.share);
  }
  return text;
}

}  // namespace

std::string CsvNumber(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

std::string CsvNumber(const std::optional<double>& value) { return value ? CsvNumber(*value) : ""; }

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

std::string CsvLine(std::span<const std::string> fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += ',';
    line += CsvField(field);
  }
  return line + '\n';
}

std::string InstructionsCsv(const std::vector<InstructionRow>& rows) {
  std::string text(kHeader);
  for (const InstructionRow& row : rows) text += Line(row);
  return text;
}

std::string PairsCsv(const std::vector<InstructionRow>& rows) {
  std::string text(kPairsHeader);
  for (const InstructionRow& row : rows) {
    for (const Latency& pair : row.latency) text += PairLine(row, &pair);
    if (row.latency.empty()) text += PairLine(row, nullptr);
  }
  return text;
}

std::string BlocksCsv(const std::vector<BlockRow>& rows) {
  std::string text(kBlocksHeader);
  for (const BlockRow& row : rows) text += BlockLine(row);
  return text;
}

std::string FrequencyCsv(const std::vector<FrequencyRow>& rows) {
  std::string text =
      "cpu,status,reason,base_ghz,boost,core_ghz,core_ghz_low,core_ghz_high,cycle_source,"
      "contended,visits,steps\n";
  for (const FrequencyRow& row : rows) {
    const Estimate& ghz = row.core_ghz;
    const std::string values = ghz.value > 0 ? fmt::format("{:.6g},{:.6g},{:.6g},{:.6g}", row.boost,
                                                           ghz.value, ghz.low, ghz.high)
                                             : ",,,";
    text += fmt::format("{},{},{},{:.6g},{},{},{},{},{}\n", row.cpu, ToString(row.status),
                        CsvField(row.reason), row.base_ghz, values, CsvField(row.cycle_source),
                        ghz.contended ? "yes" : "no", ghz.visits, CsvField(StepsField(row.steps)));
  }
  return text;
}

std::string MemoryCsv(const std::vector<MemoryRow>& rows) {
  std::string text =
      "cpu,node,order,pages,huge_share,bytes,cycles,cycles_low,cycles_high,ns,ns_low,ns_high,"
      "p10_ns,p90_ns,visits,contended\n";
  for (const MemoryRow& row : rows) {
    for (const MemoryCurve& curve : row.curves) {
      for (const MemoryPoint& point : curve.points) {
        text += fmt::format(
            "{},{},{},{},{:.3g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n",
            row.cpu, row.node ? fmt::format("{}", *row.node) : "", ToString(curve.order),
            ToString(curve.pages), curve.huge_share, point.bytes, point.cycles.value,
            point.cycles.low, point.cycles.high, point.nanoseconds.value, point.nanoseconds.low,
            point.nanoseconds.high, point.p10_ns, point.p90_ns, point.visits,
            point.contended ? "yes" : "no");
      }
    }
  }
  return text;
}

std::string AnatomyCsv(const Anatomy& anatomy) {
  std::string text =
      "part,name,filler,unit,status,reason,value,low,high,at_least,shared,contended\n";
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  const auto add = [&text](const std::vector<std::string>& fields) { text += CsvLine(fields); };
  for (const AnatomyRow& row : anatomy.rows) {
    const auto number = [&row](double AnatomyValue::* member) {
      return row.value ? CsvNumber((*row.value).*member) : std::string();
    };
    add({std::string(ToString(row.part)), row.name, row.filler, row.unit,
         std::string(ToString(row.status)), row.reason, number(&AnatomyValue::value),
         number(&AnatomyValue::low), number(&AnatomyValue::high), yes(row.at_least),
         row.shared ? CsvNumber(row.shared->value) : std::string(), yes(row.contended)});
  }
  for (const AnatomyWidth& width : anatomy.widths) {
    add({"width", width.name, width.pattern, "per cycle", "measured", "",
         CsvNumber(width.per_cycle.value), CsvNumber(width.per_cycle.low),
         CsvNumber(width.per_cycle.high), yes(width.at_least), "", yes(width.contended)});
  }
  return text;
}

}  // namespace cyclescope
