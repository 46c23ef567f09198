
#include <fmt/core.h>

#include <array>

#include "cyclescope/result/names.h"
#include "report/csv.h"

namespace cyclescope {

std::string GpuCsv(const std::vector<GpuRow>& rows) {
  std::string text =
      "device,gpu,group,instruction,status,from,to,cycles,cycles_low,cycles_high,kind,connector,"
      "repeat_cycles,per_sm,per_gpu,at_least,machine_instructions,folded,reason\n";
  for (const GpuRow& row : rows) {
    for (const GpuInstruction& each : row.instructions) {
      const auto line = [&](const GpuLatency* latency) {
        const GpuThroughput* throughput = each.throughput ? &*each.throughput : nullptr;
        const bool has_gpu = throughput != nullptr && throughput->per_gpu;
        const std::array<std::string, 19> fields = {
            fmt::format("{}", row.device),
            row.name,
            each.group,
            each.text,
            std::string(ToString(each.status)),
            latency == nullptr ? "" : latency->from,
            latency == nullptr ? "" : latency->to,
            latency == nullptr ? "" : CsvNumber(latency->cycles.value),
            latency == nullptr ? "" : CsvNumber(latency->cycles.low),
            latency == nullptr ? "" : CsvNumber(latency->cycles.high),
            latency == nullptr ? "" : std::string(ToString(latency->kind)),
            latency == nullptr ? "" : latency->connector,
            each.repeat ? CsvNumber(each.repeat->value) : "",
            throughput == nullptr ? "" : CsvNumber(throughput->per_sm.value),
            has_gpu ? CsvNumber(throughput->per_gpu->value) : "",
            throughput == nullptr  ? ""
            : throughput->at_least ? "yes"
                                   : "no",
            CsvNumber(each.machine_instructions),
            each.folded ? "yes" : "no",
            each.reason};
        text += CsvLine(fields);
      };
      if (each.latency.empty()) line(nullptr);
      for (const GpuLatency& latency : each.latency) line(&latency);
    }
  }
  return text;
}

}  // namespace cyclescope
